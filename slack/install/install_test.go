package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// cloud is a Slack that knows nothing but installing: codes and refresh tokens work once, and a code only
// with the address that the person was sent back to.
type cloud struct {
	mu      sync.Mutex
	codes   map[string]string // redirect address by code
	team    string            // the answer's members about the installation
	next    int
	refresh string
	trades  int
	revoked []string
}

func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := `{"ok":false,"error":"unknown_method"}`
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "" {
		token = form.Get("token")
	}
	switch r.URL.Path {
	case "/api/oauth.v2.access":
		answer = c.access(form)
	case "/api/auth.test":
		answer = `{"ok":true,"url":"https://acme.slack.com/","team_id":"T0000001","user_id":"U0000BOT","bot_id":"B0000001"}`
	case "/api/auth.revoke":
		c.revoked = append(c.revoked, token)
		answer = `{"ok":true,"revoked":true}`
	}
	w := httptest.NewRecorder()
	_, _ = w.WriteString(answer)
	return w.Result(), nil
}

func (c *cloud) access(form url.Values) string {
	if form.Get("client_id") != "1.2" || form.Get("client_secret") != "canary-client" {
		return `{"ok":false,"error":"bad_client_secret"}`
	}
	if form.Get("grant_type") == "refresh_token" {
		if form.Get("refresh_token") != c.refresh {
			return `{"ok":false,"error":"invalid_refresh_token"}`
		}
		c.trades++
	} else {
		to, known := c.codes[form.Get("code")]
		delete(c.codes, form.Get("code"))
		switch {
		case !known:
			return `{"ok":false,"error":"invalid_code"}`
		case to != form.Get("redirect_uri"):
			return `{"ok":false,"error":"bad_redirect_uri"}`
		}
	}
	c.next++
	c.refresh = fmt.Sprintf("xoxe-canary-%d", c.next)
	return fmt.Sprintf(`{"ok":true,"access_token":"xoxe.xoxb-canary-%d","token_type":"bot","scope":"chat:write,im:write","bot_user_id":"U0000BOT","app_id":"A0000001",%s,
		"authed_user":{"id":"U0000001"},"expires_in":43200,"refresh_token":%q}`, c.next, c.team, c.refresh)
}

// desk is a service with its Slack and store.
type desk struct {
	*Service

	t      *testing.T
	cloud  *cloud
	values keyvalue.Store
	log    *logbuffer.Buffer
	client *http.Client
}

const acme = `"team":{"id":"T0000001","name":"Acme"},"enterprise":null,"is_enterprise_install":false`

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, cloud: &cloud{codes: map[string]string{}, team: acme}, values: memory.New().KeyValue(), log: &logbuffer.Buffer{}}
	d.client = &http.Client{Transport: d.cloud}
	d.Service = d.replica(func() keyvalue.Store { return d.values })
	t.Cleanup(func() {
		if strings.Contains(d.log.String(), "canary") {
			t.Errorf("a secret is in the log:\n%s", d.log)
		}
	})
	return d
}

func (d *desk) replica(values func() keyvalue.Store) *Service {
	d.t.Helper()
	s, err := New(Options{
		ClientID: "1.2", ClientSecret: "canary-client", Address: "https://ask.example.com/", Allow: []string{"T0000001", "E0000003"},
		Scopes: []string{"chat:write", "im:write"}, APIURL: "https://slack.test/api", HTTPClient: d.client, Values: values, Logger: d.log.Logger(),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// browser is a person's browser on the way to Slack.
type browser struct {
	cookies []*http.Cookie
	query   url.Values
}

// begin opens the install page.
func (d *desk) begin() browser {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.Pages()[StartPath].ServeHTTP(w, httptest.NewRequest(http.MethodGet, StartPath, http.NoBody))
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusFound || to.Host != "slack.test" || to.Path != "/oauth/v2/authorize" {
		d.t.Fatalf("status %d, sent to %s", w.Code, to)
	}
	return browser{cookies: w.Result().Cookies(), query: to.Query()}
}

// approve returns the query with which Slack sends the person back.
func (d *desk) approve(b browser) url.Values {
	d.cloud.mu.Lock()
	defer d.cloud.mu.Unlock()
	code := fmt.Sprintf("canary-code-%d", len(d.cloud.codes))
	d.cloud.codes[code] = b.query.Get("redirect_uri")
	return url.Values{"state": {b.query.Get("state")}, "code": {code}}
}

func (b browser) back(s *Service, query url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, CallbackPath+"?"+query.Encode(), http.NoBody)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.Pages()[CallbackPath].ServeHTTP(w, r)
	return w
}

func (d *desk) install() {
	d.t.Helper()
	b := d.begin()
	if w := b.back(d.Service, d.approve(b)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "slack@T0000001:C0123ABCD") {
		d.t.Fatalf("status %d: %s\n%s", w.Code, w.Body, d.log)
	}
}

// stored is everything in the store.
func stored(t *testing.T, values keyvalue.Store) string {
	t.Helper()
	var all strings.Builder
	for e, err := range keyvalue.All(t.Context(), values, keyvalue.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(e.Key.String() + " " + string(e.Value) + "\n")
	}
	return all.String()
}

func TestInstall(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := d.begin()
	if want := "https://ask.example.com/slack/oauth/callback"; b.query.Get("redirect_uri") != want || b.query.Get("scope") != "chat:write,im:write" || b.query.Get("client_id") != "1.2" {
		t.Errorf("Slack is asked for %v", b.query)
	}
	c := b.cookies[0]
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != CallbackPath {
		t.Errorf("cookie %v", c)
	}
	w := b.back(d.Service, d.approve(b))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "slack://app?id=A0000001&amp;tab=home&amp;team=T0000001") || strings.Contains(w.Body.String(), "canary") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	i, err := d.Get(t.Context(), "T0000001")
	want := slack.Installation{ID: "T0000001", App: "A0000001", BotUser: "U0000BOT", BotID: "B0000001", Address: "https://acme.slack.com/", Token: "xoxe.xoxb-canary-1", Expires: i.Expires}
	if err != nil || i != want {
		t.Errorf("installed %+v, %v", i, err)
	}
	all, err := List(t.Context(), d.values)
	if err != nil || len(all) != 1 || all[0].Name != "Acme" || all[0].By != "U0000001" || !slices.Equal(all[0].Scopes, []string{"chat:write", "im:write"}) {
		t.Errorf("listed %+v, %v", all, err)
	}
	if _, err := d.Get(t.Context(), "T0000002"); !errors.Is(err, slack.ErrNotInstalled) {
		t.Errorf("another workspace: %v", err)
	}
}

func TestInstallIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(d *desk, b *browser, query url.Values)
		status int
		want   string
	}{
		"no cookie":       {func(_ *desk, b *browser, _ url.Values) { b.cookies = nil }, 400, "opened in another browser"},
		"another browser": {func(d *desk, b *browser, _ url.Values) { b.cookies = d.begin().cookies }, 400, "opened in another browser"},
		"no state":        {func(_ *desk, _ *browser, q url.Values) { q.Del("state") }, 400, "opened in another browser"},
		"changed state":   {func(_ *desk, _ *browser, q url.Values) { q.Set("state", "9"+q.Get("state")) }, 400, "opened in another browser"},
		"used state":      {func(d *desk, b *browser, q url.Values) { b.back(d.Service, url.Values{"state": q["state"]}) }, 400, "was used before"},
		"old state":       {func(*desk, *browser, url.Values) { time.Sleep(stateTime) }, 400, "too old"},
		"cancelled":       {func(_ *desk, _ *browser, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, 200, "You cancelled"},
		"other error":     {func(_ *desk, _ *browser, q url.Values) { q.Del("code"); q.Set("error", "<script>") }, 200, "Slack did not install"},
		"no code":         {func(_ *desk, _ *browser, q url.Values) { q.Del("code") }, 400, "did not accept"},
		"wrong code":      {func(_ *desk, _ *browser, q url.Values) { q.Set("code", "another") }, 400, "did not accept"},
		"not on the list": {func(d *desk, _ *browser, _ url.Values) {
			d.cloud.team = `"team":{"id":"T0000009","name":"<b>Evil</b>"},"enterprise":null`
		}, 400, "T0000009"},
		"no bot token": {func(d *desk, _ *browser, _ url.Values) { d.cloud.team = acme + `,"token_type":"user"` }, 400, "did not accept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				b := d.begin()
				query := d.approve(b)
				tc.change(d, &b, query)
				w := b.back(d.Service, query)
				if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) || strings.Contains(w.Body.String(), "<b>") || strings.Contains(w.Body.String(), "<script") {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
				if all := stored(t, d.values); strings.Contains(all, kindInstallation+"/") {
					t.Errorf("installed all the same: %s", all)
				}
				if revoked := len(d.cloud.revoked) > 0; revoked != (name == "not on the list") {
					t.Errorf("revoked %q", d.cloud.revoked)
				}
			})
		})
	}
}

func TestOrganizationInstall(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.cloud.team = `"team":null,"enterprise":{"id":"E0000003","name":"Acme Group"},"is_enterprise_install":true`
	b := d.begin()
	w := b.back(d.Service, d.approve(b))
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "https://app.slack.com/manage/E0000003/integrations/profile/A0000001/workspaces/add" {
		t.Errorf("status %d, sent to %s", w.Code, to)
	}
	if i, err := d.Get(t.Context(), "E0000003"); err != nil || !i.Wide() {
		t.Errorf("installed %+v, %v", i, err)
	}
}

func TestOneReplicaRefreshes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.install()
		for _, left := range []time.Duration{time.Hour, 0} { // While the token is valid, and after it.
			i, _ := d.Get(t.Context(), "T0000001")
			time.Sleep(time.Until(i.Expires) - left)
			before := d.cloud.trades
			var all sync.WaitGroup
			for range 20 {
				s := d.replica(func() keyvalue.Store { return d.values })
				all.Go(func() {
					got, err := s.Get(t.Context(), "T0000001")
					if err != nil || !time.Now().Before(got.Expires) {
						t.Errorf("%+v, %v", got, err)
					}
				})
			}
			all.Wait()
			if n := d.cloud.trades - before; n != 1 {
				t.Errorf("with %v left 20 replicas refreshed %d times", left, n)
			}
		}
	})
}

func TestRefusedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.install()
		first, _ := d.Get(t.Context(), "T0000001")
		next, err := d.Refused(t.Context(), "T0000001", first.Token, "token_expired")
		if err != nil || next.Token == first.Token || d.cloud.trades != 1 {
			t.Fatalf("an expired token was replaced by %+v, %v", next, err)
		}
		if again, err := d.Refused(t.Context(), "T0000001", first.Token, "invalid_auth"); err != nil || again.Token != next.Token {
			t.Errorf("an old token: %+v, %v", again, err)
		}
		if _, err := d.Refused(t.Context(), "T0000001", next.Token, "account_inactive"); err != nil {
			t.Error(err)
		}
		if all, _ := List(t.Context(), d.values); all[0].Dead != "account_inactive" || !strings.Contains(d.log.String(), "install the app again") {
			t.Errorf("listed %+v\n%s", all, d.log)
		}
		d.install()
		if all, _ := List(t.Context(), d.values); all[0].Dead != "" {
			t.Errorf("installed again: %+v", all)
		}
	})
}

func TestRemovalLeavesNoToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.install()
		if err := d.Removed(t.Context(), "T0000001", "gone", time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Get(t.Context(), "T0000001"); err != nil {
			t.Errorf("an event from before the installation removed it: %v", err)
		}
		for range 2 { // Both events.
			if err := d.Removed(t.Context(), "T0000001", "gone", time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if all := stored(t, d.values); strings.Contains(all, "canary") {
			t.Errorf("after the removal the store has %s", all)
		}
		tries := 0
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		d.Run(ctx, func(_ context.Context, id, reason string) error {
			if tries++; tries == 1 {
				return errors.New("store is away")
			}
			if id != "T0000001" || reason != "gone" {
				t.Errorf("ended %s: %s", id, reason)
			}
			return nil
		})
		if all := stored(t, d.values); tries != 2 || strings.Contains(all, kindInstallation+"/") {
			t.Errorf("after %d tries the store has %s", tries, all)
		}
	})
}

// killed is a store under a process that dies before or after one of its writes.
type killed struct {
	keyvalue.Store

	left  int
	after bool
}

var errKilled = errors.New("killed")

func (k *killed) write(f func() error) error {
	switch k.left--; {
	case k.left > 0:
		return f()
	case k.left == 0 && k.after:
		return errors.Join(f(), errKilled)
	}
	return errKilled
}

func (k *killed) Put(ctx context.Context, key keyvalue.Key, value []byte, o *keyvalue.PutOptions) (e keyvalue.Entry, err error) {
	err = k.write(func() (err error) {
		e, err = k.Store.Put(ctx, key, value, o)
		return err
	})
	return e, err
}

func (k *killed) Delete(ctx context.Context, key keyvalue.Key, version string) error {
	return k.write(func() error { return k.Store.Delete(ctx, key, version) })
}

// A process is killed at every write; then another one goes on. An installation then has exactly one
// value that is complete: with a token that works, or with none.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	for _, doing := range []string{"install", "invited", "refresh", "removal"} {
		for n := 1; n <= 4; n++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %d %t", doing, n, after), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						d := newDesk(t)
						dying := &killed{Store: d.values, left: n, after: after}
						s := d.replica(func() keyvalue.Store { return dying })
						end := func(context.Context, string, string) error { return nil }
						switch doing {
						case "install":
							b := d.begin()
							b.back(s, d.approve(b))
						case "invited":
							d.guarded()
							s.o.Allow, s.o.Invitations = d.o.Allow, true
							link := d.Invite(time.Hour, time.Now())
							b, _ := d.open(link)
							b.back(s, d.approve(b))
							b, _ = d.open(link)
							if w := b.back(d.Service, d.approve(b)); w.Code != http.StatusOK {
								t.Errorf("with the same invitation: status %d: %s", w.Code, w.Body)
							}
							d.o.Anyone = true
						case "refresh":
							d.install()
							time.Sleep(11 * time.Hour)
							_, _ = s.Get(t.Context(), "T0000001")
						case "removal":
							d.install()
							_ = s.Removed(t.Context(), "T0000001", "gone", time.Now())
							_ = s.settle(t.Context(), end)
						}
						if _, err := d.Get(t.Context(), "T0000001"); err != nil && !errors.Is(err, slack.ErrNotInstalled) {
							t.Errorf("the next process: %v", err)
						}
						for line := range strings.SplitSeq(stored(t, d.values), "\n") {
							value, ok := strings.CutPrefix(line, kindInstallation+"//slack/T0000001 ")
							var i saved
							if ok && (json.Unmarshal([]byte(value), &i) != nil || (i.Token == "") != (i.Leaving != "")) {
								t.Errorf("half an installation: %s", value)
							}
						}
						if err := d.settle(t.Context(), end); err != nil {
							t.Errorf("the next process: %v", err)
						}
						if doing == "removal" {
							_ = d.Removed(t.Context(), "T0000001", "gone", time.Now()) // Slack repeats the event.
							if all := stored(t, d.values); strings.Contains(all, "canary") {
								t.Errorf("the store has %s", all)
							}
						}
						d.install() // It can always be installed again.
					})
				})
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := New(Options{ClientID: "1.2", Address: "http://ask.example.com", Allow: []string{"acme"}})
	for _, want := range []string{"client_secret is missing", "install.address", "install.allow[0]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if _, err := New(Options{ClientSecret: "s", Address: "https://ask.example.com"}); err == nil || !strings.Contains(err.Error(), "who may install") {
		t.Errorf("without a list: %v", err)
	}
}

func FuzzState(f *testing.F) {
	d := &Service{o: Options{ClientSecret: "canary-client", Values: func() keyvalue.Store { return nil }}}
	f.Add("", "")
	f.Add("1.2.3", "browser")
	f.Fuzz(func(t *testing.T, state, browser string) {
		if err := d.spend(t.Context(), state, browser, time.Now()); !errors.Is(err, errState) {
			t.Errorf("%q: %v", state, err)
		}
	})
}

package install

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// guarded returns a service that admits one listed workspace and those with an invitation.
func (d *desk) guarded() {
	d.t.Helper()
	d.Service = d.replica(func() keyvalue.Store { return d.values })
	d.o.Allow, d.o.Invitations = []string{"T0000008"}, true
}

// open opens the install page with an invitation, and returns what is shown unless that leads to Slack.
func (d *desk) open(link string) (browser, *httptest.ResponseRecorder) {
	d.t.Helper()
	at, err := url.Parse(link)
	if err != nil || at.Host != "ask.example.com" || at.Path != StartPath {
		d.t.Fatalf("the link is %s", link)
	}
	w := httptest.NewRecorder()
	d.Pages()[StartPath].ServeHTTP(w, httptest.NewRequest(http.MethodGet, at.RequestURI(), http.NoBody))
	to, _ := url.Parse(w.Header().Get("Location"))
	return browser{cookies: w.Result().Cookies(), query: to.Query()}, w
}

const globex = `"team":{"id":"T0000002","name":"Globex"},"enterprise":null,"is_enterprise_install":false`

func TestInvitationAdmitsOneWorkspace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.guarded()
		link := d.Invite(time.Hour, time.Now())
		second, _ := d.open(link) // Two people open it at once.
		b, _ := d.open(link)
		if w := b.back(d.Service, d.approve(b)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "installed in Acme") {
			t.Fatalf("with an invitation: status %d: %s\n%s", w.Code, w.Body, d.log)
		}
		d.cloud.team = globex
		if w := second.back(d.Service, d.approve(second)); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "has been used") || len(d.cloud.revoked) != 1 {
			t.Errorf("another workspace: status %d: %s, revoked %q", w.Code, w.Body, d.cloud.revoked)
		}
		d.cloud.team = acme
		if b, _ = d.open(link); b.back(d.Service, d.approve(b)).Code != http.StatusOK {
			t.Errorf("the same workspace again\n%s", d.log)
		}
		time.Sleep(time.Hour)
		if _, w := d.open(link); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "too old") {
			t.Errorf("an hour later: status %d: %s", w.Code, w.Body)
		}
		b = d.begin()
		if w := b.back(d.Service, d.approve(b)); w.Code != http.StatusBadRequest || len(d.cloud.revoked) != 2 {
			t.Errorf("again without an invitation: status %d: %s", w.Code, w.Body)
		}
		d.cloud.team = `"team":{"id":"T0000008","name":"Initech"},"enterprise":null`
		b = d.begin()
		if w := b.back(d.Service, d.approve(b)); w.Code != http.StatusOK {
			t.Errorf("a listed workspace: status %d: %s", w.Code, w.Body)
		}
	})
}

func TestForgedInvitations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.guarded()
		d.o.Allow = nil
		link := d.Invite(time.Hour, time.Now())
		state := d.state("", "", time.Now())
		other := d.replica(nil)
		other.o.ClientSecret = "another"
		for name, forged := range map[string]string{
			"none":             strings.TrimSuffix(strings.SplitAfter(link, "?")[0], "?"),
			"empty":            strings.SplitAfter(link, "=")[0],
			"longer":           strings.Replace(link, "=1", "=9", 1) + "0",
			"later":            strings.Replace(link, "invitation=", "invitation=9", 1),
			"cut":              link[:len(link)-1],
			"a state":          strings.SplitAfter(link, "=")[0] + state,
			"with parts":       link + "." + state,
			"another's secret": other.Invite(time.Hour, time.Now()),
			"expired":          d.Invite(-time.Second, time.Now()),
		} {
			if _, w := d.open(forged); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
				t.Errorf("%s: status %d: %s", name, w.Code, w.Body)
			}
		}
		b, _ := d.open(link) // Somebody adds an invitation to a state.
		query := d.approve(b)
		parts := strings.Split(query.Get("state"), ".")
		query.Set("state", strings.Join(append(parts[:2:2], parts[5]), "."))
		if w := b.back(d.Service, query); w.Code != http.StatusBadRequest {
			t.Errorf("a state without its invitation: status %d: %s", w.Code, w.Body)
		}
	})
}

func FuzzInvitation(f *testing.F) {
	s := &Service{o: Options{ClientSecret: "canary-client"}}
	f.Add("")
	f.Add("9999999999.nonce.signature")
	f.Fuzz(func(t *testing.T, text string) {
		if s.genuine(text, time.Now()) {
			t.Errorf("%q is accepted", text)
		}
	})
}

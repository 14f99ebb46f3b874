package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// book keeps installations in memory.
type book struct {
	mu      sync.Mutex
	all     map[string]Installation
	refused []string
	removed map[string]string
	down    error
	// moved is the organization of every workspace, as Slack reports it; identified counts how often it was
	// asked.
	moved      string
	identified int
}

func (b *book) Get(_ context.Context, id string) (Installation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i, ok := b.all[id]
	switch {
	case b.down != nil:
		return i, b.down
	case !ok:
		return i, ErrNotInstalled
	}
	return i, nil
}

func (b *book) Refused(ctx context.Context, id, _, code string) (Installation, error) {
	b.mu.Lock()
	b.refused = append(b.refused, id+" "+code)
	b.mu.Unlock()
	return b.Get(ctx, id)
}

func (b *book) Identify(ctx context.Context, id string) (Installation, error) {
	b.mu.Lock()
	b.identified++
	i := b.all[id]
	i.Enterprise = b.moved
	if b.down == nil && b.moved != "" {
		b.all[id] = i
	}
	b.mu.Unlock()
	return b.Get(ctx, id)
}

func (b *book) Removed(_ context.Context, id, reason string, _ time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, id)
	b.removed[id] = reason
	return b.down
}

func (b *book) put(i Installation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[i.ID] = i
}

const ourApp = "A0000001"

// company is a connector with three installations: a workspace, a workspace of an organization, and an
// organization with all its workspaces.
type company struct {
	*book

	c   *Connector
	log *logbuffer.Buffer

	mu    sync.Mutex
	calls []string // token, method and body
	// answers replace the answers to a token's calls.
	answers map[string]string
}

func newCompany(t *testing.T) *company {
	t.Helper()
	w := &company{book: &book{all: map[string]Installation{}, removed: map[string]string{}}, log: &logbuffer.Buffer{}, answers: map[string]string{}}
	for _, i := range []Installation{{ID: "T0000001"}, {ID: "T0000002", Enterprise: "E0000002"}, {ID: "E0000003"}} {
		i.App, i.BotUser, i.BotID, i.Token = ourApp, "U0000BOT", "B0000001", "xoxb-canary-"+i.ID
		i.Address = "https://" + strings.ToLower(i.ID) + ".slack.com/"
		w.put(i)
	}
	c, err := New(Config{
		Installations: w.book, SigningSecret: secret, HTTPClient: &http.Client{Transport: transport(w.slack)}, Unpaced: true, Logger: w.log.Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.c = c
	t.Cleanup(func() {
		if strings.Contains(w.log.String(), "canary") {
			t.Errorf("a token is in the log:\n%s", w.log)
		}
	})
	return w
}

// slack answers the calls of all installations. Channels and timestamps are alike in all of them.
func (w *company) slack(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	method := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, token+" "+method+" "+string(body))
	if answer := w.answers[token]; answer != "" {
		return replying(http.StatusOK, answer)(r)
	}
	return replying(http.StatusOK, `{"ok":true,"channel":"C0000001","ts":"1712345678.000100"}`)(r)
}

func (w *company) called(what string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, call := range w.calls {
		if strings.HasPrefix(call, what) {
			n++
		}
	}
	return n
}

// ids are what a payload says about where it comes from.
type ids struct {
	Team, Enterprise, App, Seen string
	Wide                        any
}

// rightful reports whether the ids are those of a workspace of the installation.
func (d ids) rightful(installation string) bool {
	wide := d.Wide == true || d.Wide == "true"
	switch installation {
	case "T0000001":
		return d.App == ourApp && !wide && (d.Seen == installation || d.Seen == "" && d.Team == installation && d.Enterprise == "")
	case "E0000003":
		return d.App == ourApp && d.Enterprise == installation && (wide || d.Seen == "" && d.Team == "" || d.Seen == "" && d.Team == installation || d.Seen == installation)
	}
	return false
}

// heard reports whether they are those of the installation in an event, which names no view.
func (d ids) heard(installation string) bool {
	d.Seen = ""
	return d.rightful(installation)
}

func oneOf[T any](draw *rand.Rand, all ...T) T { return all[draw.IntN(len(all))] }

// press is a press on a control of the card.
func (d ids) press(action string, n int) []byte {
	named := func(id string) any {
		if id == "" {
			return nil
		}
		return map[string]string{"id": id}
	}
	raw, _ := json.Marshal(map[string]any{
		"type": "block_actions", "api_app_id": d.App, "team": named(d.Team), "enterprise": named(d.Enterprise), "is_enterprise_install": d.Wide,
		"user": map[string]string{"id": "U0000001", "team_id": d.Team}, "view": map[string]string{"app_installed_team_id": d.Seen},
		"channel": named("C0000001"), "container": map[string]string{"channel_id": "C0000001", "message_ts": "1712345678.000100"},
		"actions": []map[string]string{{"action_id": action, "action_ts": fmt.Sprintf("17123457%02d.%06d", n/1_000_000, n%1_000_000)}}, "trigger_id": strconv.Itoa(n),
	})
	return raw
}

// say is a typed reply in the thread of the card.
func (d ids) say(text string, n int) []byte {
	raw, _ := json.Marshal(map[string]any{
		"type": "event_callback", "api_app_id": d.App, "team_id": d.Team, "enterprise_id": d.Enterprise,
		"authorizations": []map[string]any{{"team_id": d.Team, "enterprise_id": d.Enterprise, "is_enterprise_install": d.Wide}},
		"event": map[string]string{
			"type": "message", "channel": "C0000001", "user": "U0000001", "team": d.Team, "text": text,
			"ts": fmt.Sprintf("17123458%02d.%06d", n/1_000_000, n%1_000_000), "thread_ts": "1712345678.000100",
		},
	})
	return raw
}

func signedRequest(body []byte) *http.Request {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/slack/interactions", bytes.NewReader(body))
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", sign(secret, stamp, body))
	return r
}

var actionOf = regexp.MustCompile(`"action_id":"(2:[^"]+:c:0:0)"`)

// ask runs a bridge that has asked in the installation, and returns it with the request and the control
// of the first option.
func (w *company) ask(t *testing.T, installation string) (b *bridge.Bridge, id, action string) {
	t.Helper()
	s := memory.New()
	b, err := bridge.New(s, []platform.Platform{w.c}, &bridge.Options{IDSecret: []byte("secret of the test"), Threads: keyvalue.Threads{Store: s.KeyValue()}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	})
	<-w.c.Listening()
	r, err := b.Submit(t.Context(), ask.Request{
		Key: "deploy", To: []ask.Place{{Platform: Name, Installation: installation, Channel: "C0000001"}}, Responders: []string{"anyone"}, Replies: ask.Replies{Mode: ask.RepliesLabels},
		Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, call := range w.calls {
		if found := actionOf.FindStringSubmatch(call); found != nil {
			return b, r.Record.ID, found[1]
		}
	}
	t.Fatalf("no card was posted: %q\n%s", w.calls, w.log)
	return nil, "", ""
}

func (w *company) deliver(t interface{ Fatalf(string, ...any) }, body []byte) {
	if body[0] != '{' {
		t.Fatalf("not a payload: %s", body)
	}
	if !bytes.Contains(body, []byte("event_callback")) {
		body = []byte(url.Values{"payload": {string(body)}}.Encode())
	}
	if got := serve(w.c, signedRequest(body)); got.Code != http.StatusOK {
		t.Fatalf("status %d for %s", got.Code, body)
	}
	synctest.Wait()
}

func TestForeignIDsDecideNothing(t *testing.T) {
	t.Parallel()
	press := func(d ids, action string, n int) []byte { return d.press(action, n) }
	say := func(d ids, _ string, n int) []byte { return d.say("Postgres", n) }
	for installation, act := range map[string]func(ids, string, int) []byte{"T0000001": press, "E0000003": say} {
		t.Run(installation, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newCompany(t)
				b, id, action := w.ask(t, installation)
				open := func(t interface{ Fatalf(string, ...any) }, d ids) {
					r, err := b.Load(context.Background(), id)
					if err != nil || !r.Open() {
						t.Fatalf("%+v decided: %v, %v", d, r.Outcome, err)
					}
				}
				teams := []string{"", "T0000001", "T0000002", "T0000009", "E0000002", "E0000003"}
				enterprises := []string{"", "E0000002", "E0000003", "E0000009"}
				n := 0
				for _, team := range teams {
					for _, seen := range teams {
						for _, enterprise := range enterprises {
							for _, app := range []string{ourApp, "A0000002", ""} {
								for _, wide := range []any{nil, false, true, "true"} {
									d := ids{Team: team, Enterprise: enterprise, App: app, Seen: seen, Wide: wide}
									if d.rightful(installation) {
										continue
									}
									n++
									w.deliver(t, d.press(action, n))
									open(t, d)
								}
							}
						}
					}
				}
				draw := rand.New(rand.NewPCG(1, 2))
				draws := 25_000
				if testing.Short() {
					draws = 2_000
				}
				for range draws {
					n++
					d := ids{
						Team: oneOf(draw, teams...), Seen: oneOf(draw, teams...), Enterprise: oneOf(draw, enterprises...),
						App: oneOf(draw, ourApp, ourApp, "A0000002", ""), Wide: oneOf[any](draw, nil, false, true, "true"),
					}
					if d.rightful(installation) || d.heard(installation) {
						continue
					}
					w.deliver(t, d.press(action, n))
					w.deliver(t, d.say("Postgres", n))
				}
				open(t, ids{})
				d := ids{Team: installation, App: ourApp}
				if installation == "E0000003" {
					d = ids{Team: "T0000031", Enterprise: installation, App: ourApp, Wide: true}
				}
				w.deliver(t, act(d, action, n+1))
				if r, err := b.Load(context.Background(), id); err != nil || r.Outcome.State != ask.Answered ||
					r.Outcome.By.Key() != "slack@"+installation+":U0000001" {
					t.Errorf("after the rightful act: %+v, %v\n%s", r.Outcome, err, w.log)
				}
			})
		})
	}
}

func TestPlacesNameTheirInstallation(t *testing.T) {
	t.Parallel()
	w := newCompany(t)
	for text, want := range map[string]string{
		"slack:C0000001":           "write slack@T0123ABCD:C0000001",
		"slack:U0000001":           "write slack@T0123ABCD:U0000001",
		"slack@T0000001:C0000001":  "",
		"slack@E0000003:U0000001":  "",
		"slack@nowhere:C0000001":   "is no workspace",
		"slack@T0000001:elsewhere": "is no channel id",
	} {
		to, err := ask.ParsePlace(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.c.CheckTarget(to); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	one, _ := offline(t, replying(http.StatusOK, whoami))
	for who, want := range map[string][2]string{
		"slack:U0000001":                {"write slack@T0123ABCD:U0000001", ""},
		"slack-group:S0000001":          {"write slack-group@T0123ABCD:S0000001", ""},
		"slack@T0000001:U0000001":       {"", "write slack:U0000001"},
		"slack-group@T0000001:S0000001": {"", "write slack-group:S0000001"},
	} {
		for n, c := range []*Connector{w.c, one} {
			if err := c.CheckResponder(who); (err == nil) != (want[n] == "") || err != nil && !strings.Contains(err.Error(), want[n]) {
				t.Errorf("%s: %v, want %q", who, err, want[n])
			}
		}
	}
}

func TestEachInstallationHasItsOwnLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCompany(t)
		post := func(installation string) error {
			_, err := w.c.Post(t.Context(), ask.Place{Platform: Name, Installation: installation, Channel: "C0000001"}, oneCard(w.c))
			return err
		}
		w.answers["xoxb-canary-T0000001"] = `{"ok":false,"error":"ratelimited"}`
		w.answers["xoxb-canary-E0000003"] = `{"ok":false,"error":"account_inactive"}`
		for range 3 {
			for installation, want := range map[string]string{"T0000001": "ratelimited", "E0000003": "account_inactive", "T0000002": "", "T0000009": "app_not_installed"} {
				err := post(installation)
				if e, ok := errors.AsType[*platform.Error](err); ok && e.Code != want || !ok && want != "" {
					t.Errorf("%s: %v, want %s", installation, err, want)
				}
			}
		}
		for token, want := range map[string]int{"T0000001": 1, "E0000003": 1, "T0000002": 3} {
			if n := w.called("xoxb-canary-" + token); n != want {
				t.Errorf("%s was called %d times, want %d", token, n, want)
			}
		}
		if err := w.c.Check(t.Context()); err != nil || len(w.refused) != 1 {
			t.Errorf("one dead installation: %v, reported %q", err, w.refused)
		}
	})
}

func TestReplacedTokenIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCompany(t)
		to := ask.Place{Platform: Name, Installation: "T0000001", Channel: "C0000001"}
		if _, err := w.c.Post(t.Context(), to, oneCard(w.c)); err != nil {
			t.Fatal(err)
		}
		w.answers["xoxb-canary-T0000001"] = `{"ok":false,"error":"token_expired"}`
		next, _ := w.Get(t.Context(), "T0000001")
		next.Token = "xoxb-canary-next"
		w.put(next)
		if _, err := w.c.Post(t.Context(), to, oneCard(w.c)); err != nil || w.called("xoxb-canary-next chat.postMessage") != 1 {
			t.Errorf("Post = %v with %q", err, w.calls)
		}
		w.down = errors.New("store is away")
		pass(2 * readAgain)
		if _, err := w.c.Post(t.Context(), to, oneCard(w.c)); err != nil {
			t.Errorf("without the store: %v", err)
		}
		w.down = nil
		delete(w.all, "T0000001")
		pass(2 * readAgain)
		if _, err := w.c.Post(t.Context(), to, oneCard(w.c)); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("after a removal on another replica: %v", err)
		}
	})
}

func TestRemovalEvents(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		event, app, want string
	}{
		"uninstalled":        {`{"type":"app_uninstalled"}`, ourApp, "the app was removed from the Slack workspace"},
		"bot token revoked":  {`{"type":"tokens_revoked","tokens":{"bot":["U0000BOT"]}}`, ourApp, "the app's token was revoked in the Slack workspace"},
		"other tokens":       {`{"type":"tokens_revoked","tokens":{"oauth":["U0000001"],"bot":[]}}`, ourApp, ""},
		"of another app":     {`{"type":"app_uninstalled"}`, "A0000002", ""},
		"without an app":     {`{"type":"app_uninstalled"}`, "", ""},
		"uninstalled, alone": {`{"type":"app_uninstalled"}`, ourApp, "the app was removed from the Slack workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newCompany(t)
				listening(t, w.c, ackIt)
				authorizations := `[{"team_id":"T0000001"}]`
				if strings.HasSuffix(name, "alone") {
					authorizations = `[]`
				}
				w.deliver(t, fmt.Appendf(nil, `{"type":"event_callback","api_app_id":%q,"team_id":"T0000001","authorizations":%s,"event_time":1712345678,"event":%s}`,
					tc.app, authorizations, tc.event))
				if got := w.removed["T0000001"]; got != tc.want || len(w.removed) > 1 {
					t.Errorf("removed %q", w.removed)
				}
			})
		})
	}
}

func BenchmarkIdleInstallation(b *testing.B) {
	book := &book{all: map[string]Installation{}}
	c, err := New(Config{Installations: book, SigningSecret: secret})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := range b.N {
		id := fmt.Sprintf("T%07d", n%maxInstalled)
		newInstalledWorkspace(c, Installation{ID: id, Token: "xoxb-" + id})
	}
}

package connect_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/connect"
)

const tokenOfOpenCode = "opencode-canary-token-0123456789"

// permitting connects to an OpenCode whose permissions Dana decides.
func permitting(t *testing.T, f func(t *testing.T, w *fixture, host *openCode)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{World: askbridgetest.Start(t, &askbridgetest.Options{
			Platforms: []string{askbridgetest.Slack}, Agents: []access.Agent{{Name: "opencode", Token: tokenOfOpenCode}},
		}), TB: t}
		w.dana = w.Slack.Seat("U0000001")
		host, c := newOpenCode(t)
		o := permissions(w, t, c, client.Options{Token: tokenOfOpenCode, Sealed: true}, "slack:U0000001")
		if o == nil {
			return
		}
		stop := w.runs(o.Run)
		defer stop()
		synctest.Wait()
		f(t, w, host)
	})
}

func permissions(w *fixture, t *testing.T, c *http.Client, o client.Options, responders ...string) *connect.OpenCode {
	t.Helper()
	o.HTTP = &http.Client{Transport: w}
	bridge, err := client.New(w.URL, &o)
	if err != nil {
		t.Fatal(err)
	}
	host, err := connect.NewOpenCode(bridge, "http://127.0.0.1:4096", &connect.OpenCodeOptions{
		Password: "canary", Directory: "/home/dana/ledger", HTTP: c, Permissions: true, Options: connect.Options{Wait: 2 * time.Hour, Responders: responders},
	})
	if err != nil {
		t.Error(err)
	}
	return host
}

func TestOpenCodePermissionIsDecidedInChat(t *testing.T) {
	for name, c := range map[string]struct{ press, want string }{
		"once":            {"1. Allow", "once"},
		"for the session": {"2", "always"},
		"no":              {"3. Deny", "reject"},
	} {
		t.Run(name, func(t *testing.T) {
			permitting(t, func(t *testing.T, w *fixture, host *openCode) {
				host.wants("per_1", "git push origin main")
				w.sees("git push origin main")
				w.sees("Also refuses every other pending prompt of this session")
				w.presses(c.press)
				w.later(time.Minute)
				if got := host.got("per_1"); got != c.want {
					t.Errorf("OpenCode got %q", got)
				}
			})
		})
	}
}

func TestCardNamesTheFolderThatOpenCodeServes(t *testing.T) {
	for name, c := range map[string]struct{ place, want string }{
		"a server with a folder":     {`{"home":"/home/dana","state":"/s","config":"/c","worktree":"/home/dana/ledger","directory":"/home/dana/ledger"}`, "in ~/ledger"},
		"a server in another folder": {`{"home":"/root","worktree":"/srv/app","directory":"/srv/app/web"}`, "in /srv/app/web"},
		"an older server":            {"", "in /home/dana/ledger"}, // From --directory.
	} {
		t.Run(name, func(t *testing.T) {
			permitting(t, func(t *testing.T, w *fixture, host *openCode) {
				host.mu.Lock()
				host.place = c.place
				host.mu.Unlock()
				host.hangUp(false) // The stream reconnects.
				w.later(time.Minute)
				host.wants("per_1", "git push origin main")
				w.sees(c.want)
				w.presses("1. Allow")
				w.later(time.Minute)
				if got := host.got("per_1"); got != "once" {
					t.Errorf("OpenCode got %q", got)
				}
			})
		})
	}
}

func TestOpenCodeDecisionClosesCard(t *testing.T) {
	permitting(t, func(t *testing.T, w *fixture, host *openCode) {
		host.wants("per_1", "git push origin main")
		w.sees("git push origin main")
		host.mu.Lock()
		delete(host.waiting, "per_1")
		host.publish("permission.replied", `{"sessionID":"ses_1","requestID":"per_1","reply":"once"}`)
		host.mu.Unlock()
		w.closed("it was answered in OpenCode")
		if got := host.got("per_1"); got != "" {
			t.Errorf("OpenCode got %q", got)
		}
	})
}

func TestOnlyNamedPeopleDecideForOpenCode(t *testing.T) {
	t.Parallel()
	sealed, err := client.New("http://127.0.0.1:8080", &client.Options{Token: tokenOfOpenCode, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	clear, err := client.New("http://127.0.0.1:8080", nil)
	if err != nil {
		t.Fatal(err)
	}
	named := connect.Options{Responders: []string{"slack:U0000001"}}
	for name, c := range map[string]struct {
		bridge *client.Client
		opts   connect.OpenCodeOptions
		want   error
	}{
		"no responders":                {sealed, connect.OpenCodeOptions{Permissions: true}, connect.ErrWhoever},
		"a bridge that proves nothing": {clear, connect.OpenCodeOptions{Permissions: true, Options: named}, connect.ErrUnsure},
		"anyone":                       {sealed, connect.OpenCodeOptions{Permissions: true, Anyone: true}, nil},
		"questions alone":              {clear, connect.OpenCodeOptions{}, nil},
	} {
		if _, err := connect.NewOpenCode(c.bridge, "http://127.0.0.1:4096", &c.opts); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPermissionsOfOpenCodeAreLeftThereUnlessAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		defer stop()
		synctest.Wait()
		host.wants("per_1", "git push origin main")
		w.later(time.Minute)
		if sees := w.dana.Sees(); strings.Contains(sees, "git push") {
			t.Errorf("channel: %s", sees)
		}
	})
}

// An impostor at the bridge's port, which need not prove itself for a question, names another call as the one to
// answer.
func TestAnswerGoesToItsOpenCodeQuestion(t *testing.T) {
	for _, send := range []string{
		"POST /session/ses_1/shell",
		"POST /permission/que_1/reply",
		"POST /question/que_2/reply",
		"POST /question/que_1/reply/../../../session/ses_1/shell",
		"DELETE /question/que_1/reply",
		"POST @evil.example/question/que_1/reply",
		"POST /question/que_1/reply?directory=/",
		"POST",
	} {
		t.Run(send, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				bridge, err := client.New(w.URL, &client.Options{HTTP: &http.Client{Transport: way(func(r *http.Request) (*http.Response, error) {
					return &http.Response{
						StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(`{"answers":[["Redis"]],"command":"id"}`)),
						Header: http.Header{client.HeaderState: {"answered"}, client.HeaderRequestID: {"ab1"}, client.HeaderSend: {send}},
					}, nil
				})}})
				if err != nil {
					t.Fatal(err)
				}
				host, c := newOpenCode(t)
				var log strings.Builder
				o, err := connect.NewOpenCode(bridge, "http://127.0.0.1:4096", &connect.OpenCodeOptions{
					Password: "canary", Directory: "/home/dana/ledger", Options: connect.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
					HTTP: &http.Client{Transport: way(func(r *http.Request) (*http.Response, error) {
						if r.Method != http.MethodGet {
							t.Errorf("%s %s was called", r.Method, r.URL)
							return nil, errors.New("no such host")
						}
						return c.Transport.RoundTrip(r)
					})},
				})
				if err != nil {
					t.Fatal(err)
				}
				stop := w.runs(o.Run)
				synctest.Wait()
				host.asks("que_1")
				w.later(time.Minute)
				stop()
				if !strings.Contains(log.String(), "does not say where to reply") {
					t.Errorf("log: %s", log.String())
				}
			})
		})
	}
}

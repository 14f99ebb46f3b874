package install_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/install"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// office is a bridge with one app that workspaces install.
type office struct {
	t       *testing.T
	app     *slacksim.App
	service *install.Service
	bridge  *bridge.Bridge
	values  keyvalue.Store
	log     *logbuffer.Buffer
}

const signingSecret = "canary-signing-secret"

func newOffice(t *testing.T, mode string) *office {
	t.Helper()
	o := &office{t: t, log: &logbuffer.Buffer{}}
	o.app = slacksim.StartApp(t, &slacksim.Options{
		AppToken: "xapp-1-A0000001-canary", SigningSecret: signingSecret, ClientID: "1.2", ClientSecret: "canary-client", TokenRotation: true,
		RedirectURLs: []string{"https://ask.example.com/slack/oauth/callback"},
	})
	store := memory.New()
	o.values = store.KeyValue()
	var err error
	if o.service, err = install.New(install.Options{
		ClientID: "1.2", ClientSecret: "canary-client", Address: "https://ask.example.com", Anyone: true, Scopes: []string{"chat:write", "users:read"},
		APIURL: o.app.APIURL(), HTTPClient: o.app.Client(), Values: func() keyvalue.Store { return o.values }, Logger: o.log.Logger(),
	}); err != nil {
		t.Fatal(err)
	}
	c, err := slack.New(slack.Config{
		Installations: o.service, AppToken: "xapp-1-A0000001-canary", SigningSecret: signingSecret, APIURL: o.app.APIURL(), Mode: mode, Unpaced: true,
		HTTPClient: o.app.Client(), NetDialContext: o.app.Dial, Logger: o.log.Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.bridge, err = bridge.New(store, []platform.Platform{c}, &bridge.Options{IDSecret: []byte("secret of the test"), Logger: o.log.Logger()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- o.bridge.Run(ctx) }()
	go func() {
		o.service.Run(ctx, func(ctx context.Context, id, reason string) error {
			return bridge.Leave(ctx, o.bridge, slack.Name, id, reason)
		})
		ended <- nil
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, <-ended, o.app.Close(), store.Close()); err != nil {
			t.Error(err)
		}
		if strings.Contains(o.log.String(), "canary") || strings.Contains(o.log.String(), "xoxb") || strings.Contains(o.log.String(), "xoxe") {
			t.Errorf("a secret is in the log:\n%s", o.log)
		}
	})
	<-c.Listening()
	if mode == slack.ModeHTTP {
		o.app.DeliverToHandler("/slack/interactions", c.Handler())
		if err := o.app.EventsTo(t.Context(), "http://bridge/slack/interactions"); err != nil {
			t.Fatal(err)
		}
	}
	o.app.Subscribe(slacksim.EventAppUninstalled, slacksim.EventTokensRevoked, slacksim.EventTeamAccessGranted, slacksim.EventTeamAccessRevoked)
	synctest.Wait()
	return o
}

// install installs the app as a person does in a browser.
func (o *office) install(id string) {
	o.t.Helper()
	if w := o.visit(id); w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
		o.t.Fatalf("install in %s: status %d: %s\n%s", id, w.Code, w.Body, o.log)
	}
}

// visit opens the page, allows the installation at Slack, and returns the page that follows.
func (o *office) visit(id string) *httptest.ResponseRecorder {
	o.t.Helper()
	pages := o.service.Pages()
	start := httptest.NewRecorder()
	pages[install.StartPath].ServeHTTP(start, httptest.NewRequest(http.MethodGet, install.StartPath, http.NoBody))
	browser := *o.app.Client()
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := browser.PostForm(start.Header().Get("Location"), url.Values{"decision": {"allow"}, "team": {id}})
	if err != nil {
		o.t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		o.t.Fatalf("%s: %v", resp.Status, err)
	}
	r := httptest.NewRequest(http.MethodGet, back.RequestURI(), http.NoBody)
	for _, c := range start.Result().Cookies() {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	pages[install.CallbackPath].ServeHTTP(w, r)
	return w
}

// ask asks in a channel and returns the request's id.
func (o *office) ask(id, channel, key string) string {
	o.t.Helper()
	r, err := o.bridge.Submit(o.t.Context(), ask.Request{
		Key: key + id, To: []ask.Place{{Platform: slack.Name, Installation: id, Channel: channel}}, Responders: []string{"slack@" + id + ":U0000001"},
		Questions: []ask.Question{{Text: "Deploy?", Header: "Deploy", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return r.Record.ID
}

func (o *office) press(ws *slacksim.Server, label string) {
	o.t.Helper()
	if err := ws.Seat("U0000001").Press(o.t.Context(), label); err != nil {
		o.t.Fatalf("%v\n%s", err, o.log)
	}
	synctest.Wait()
}

func (o *office) outcome(id string) ask.Outcome {
	o.t.Helper()
	r, err := o.bridge.Load(o.t.Context(), id)
	if err != nil {
		o.t.Fatal(err)
	}
	return r.Outcome
}

func (o *office) stored() string {
	var all strings.Builder
	for e, err := range keyvalue.All(o.t.Context(), o.values, keyvalue.Range{}) {
		if err != nil {
			o.t.Fatal(err)
		}
		all.WriteString(e.Key.String() + " " + string(e.Value) + "\n")
	}
	return all.String()
}

// workspaces is how many workspaces install the app.
func workspaces() int {
	if testing.Short() {
		return 20
	}
	return 1000
}

func TestThousandWorkspaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, slack.ModeHTTP)
		var first, second []string
		all := make([]*slacksim.Server, workspaces())
		ids := make([]string, len(all))
		for n := range all {
			ids[n] = fmt.Sprintf("T%07d", n+1)
			all[n] = o.app.AddWorkspace(slacksim.Workspace{Team: ids[n]})
			o.install(ids[n])
			first = append(first, o.ask(ids[n], "C0000001", "first"))
			second = append(second, o.ask(ids[n], "C0000002", "second"))
		}
		synctest.Wait()
		for n, ws := range all {
			o.press(ws, "Yes") // The channels, people and cards of all workspaces look alike.
			got := []ask.Outcome{o.outcome(first[n]), o.outcome(second[n])}
			if got[0].State == ask.Open {
				got[0], got[1] = got[1], got[0]
			}
			if got[0].State != ask.Answered || got[0].By.Installation != ids[n] || got[1].State != ask.Open {
				t.Fatalf("a press in %s: %+v\n%s", ids[n], got, o.log)
			}
		}
	})
}

func TestRotationLosesNoPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, slack.ModeSocket)
		all := make([]*slacksim.Server, 5)
		for n := range all {
			all[n] = o.app.AddWorkspace(slacksim.Workspace{})
			o.install(fmt.Sprintf("T%07d", n+1))
			time.Sleep(time.Minute)
		}
		for n := range 4 * 30 { // Thirty hours, two rotations of each.
			var presses sync.WaitGroup
			asked := make([]string, len(all))
			for i := range all {
				asked[i] = o.ask(fmt.Sprintf("T%07d", i+1), "C0000001", fmt.Sprint(n))
			}
			synctest.Wait()
			time.Sleep(15 * time.Minute)
			for _, ws := range all {
				presses.Go(func() {
					if err := ws.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
						t.Errorf("after %d quarters: %v", n, err)
					}
				})
			}
			presses.Wait()
			synctest.Wait()
			for _, id := range asked {
				if got := o.outcome(id); got.State != ask.Answered {
					t.Fatalf("after %d quarters: %+v\n%s", n, got, o.log)
				}
			}
		}
		if n := strings.Count(o.log.String(), "slack token refreshed"); n < 2*len(all) {
			t.Errorf("the token was refreshed %d times", n)
		}
	})
}

func TestRemovalEndsOnlyItsRequests(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]string{
		"app_uninstalled first": nil,
		"tokens_revoked first":  {slacksim.EventTokensRevoked, slacksim.EventAppUninstalled},
		"app_uninstalled alone": {slacksim.EventAppUninstalled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, slack.ModeHTTP)
				gone, kept := o.app.AddWorkspace(slacksim.Workspace{Team: "T0000001"}), o.app.AddWorkspace(slacksim.Workspace{Team: "T0000002"})
				o.install("T0000001")
				o.install("T0000002")
				lost, other := o.ask("T0000001", "C0000001", "a"), o.ask("T0000002", "C0000001", "b")
				synctest.Wait()
				gone.Uninstall(events...)
				synctest.Wait()
				if got := o.outcome(lost); got.State != ask.Failed || !strings.Contains(got.Reason, "Slack workspace") {
					t.Errorf("the request in the removed workspace: %+v\n%s", got, o.log)
				}
				if all := o.stored(); strings.Contains(all, "T0000001") || strings.Count(all, "xoxb") != 1 {
					t.Errorf("the store has %s", all)
				}
				o.press(kept, "Yes")
				if got := o.outcome(other); got.State != ask.Answered {
					t.Errorf("the request in the other workspace: %+v", got)
				}
				o.install("T0000001")
				again := o.ask("T0000001", "C0000001", "c")
				synctest.Wait()
				o.press(gone, "Yes")
				if got := o.outcome(again); got.State != ask.Answered {
					t.Errorf("after another installation: %+v\n%s", got, o.log)
				}
			})
		})
	}
}

func TestOrganizationWideInstallation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, slack.ModeSocket)
		o.app.AddOrganization(slacksim.Organization{ID: "E0000001"})
		ws := o.app.AddWorkspace(slacksim.Workspace{Team: "T0000001", Enterprise: "E0000001"})
		o.install("E0000001")
		o.app.GrantAccess("T0000001")
		id := o.ask("E0000001", "C00000011", "a")
		synctest.Wait()
		o.press(ws, "Yes")
		if got := o.outcome(id); got.State != ask.Answered || got.By.Key() != "slack@E0000001:U0000001" {
			t.Errorf("%+v\n%s", got, o.log)
		}
	})
}

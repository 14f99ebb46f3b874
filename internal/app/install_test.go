package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
	slack "github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/slack/install"
	"github.com/askbridge/askbridge/store/seal"
)

// A workspace installs the app with an invitation and answers; then its token dies without an event.
func TestWorkspaceInstallsAndItsTokenDies(t *testing.T) {
	t.Parallel()
	const secret, address = "canary-client", "https://ask.example.com"
	workspaces := slacksim.StartApp(t, &slacksim.Options{
		Patience: time.Minute, ClientID: "1.2", ClientSecret: secret, AppToken: "xapp-1-A0000001-sim", RedirectURLs: []string{address + install.CallbackPath},
	})
	if _, err := workspaces.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	acme := workspaces.AddWorkspace(slacksim.Workspace{Team: "T0000001"})
	w := start(t, "socket", func(cfg *config.Config) {
		cfg.Encryption = config.Encryption{Keys: config.NewSecret(seal.NewKey())}
		cfg.Platforms["slack"] = &slack.Section{
			APIURL: workspaces.APIURL(), AppToken: config.NewSecret("xapp-1-A0000001-sim"), ClientID: "1.2", ClientSecret: config.NewSecret(secret),
			Install: slack.Install{Address: address, Invitations: true},
		}
	})
	inviter, err := install.New(install.Options{ClientID: "1.2", ClientSecret: secret, Address: address, Invitations: true})
	if err != nil {
		t.Fatal(err)
	}
	browser := *w.http
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	visit := func(link string, cookies []*http.Cookie) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.hooks+strings.TrimPrefix(link, address), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cookies {
			req.AddCookie(c)
		}
		resp, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	if resp := visit(install.StartPath, nil); resp.StatusCode != http.StatusForbidden {
		t.Errorf("without an invitation: %s", resp.Status)
	}
	begun := visit(inviter.Invite(time.Hour, time.Now()), nil)
	allowed, err := browser.PostForm(begun.Header.Get("Location"), url.Values{"decision": {"allow"}, "team": {"T0000001"}})
	if err != nil {
		t.Fatal(err)
	}
	allowed.Body.Close()
	if shown := visit(allowed.Header.Get("Location"), begun.Cookies()); shown.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(shown.Body)
		t.Fatalf("installed: %s: %s", shown.Status, text)
	}
	to := []ask.Place{{Platform: "slack", Installation: "T0000001", Channel: "C0000001"}}
	question := ask.Request{
		To: to, Responders: []string{"slack@T0000001:" + dana},
		Questions: []ask.Question{{Text: "Deploy?", Header: "Deploy", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
	}
	first := w.ask(question)
	w.await("the card", func() bool { return strings.Contains(acme.Seat(dana).Sees(), "[Yes]") })
	if err := acme.Seat(dana).Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	if got := first.end(); got.State != ask.Answered || got.By.Installation != "T0000001" {
		t.Errorf("ended as %+v", got)
	}

	acme.Uninstall(slacksim.EventAppUninstalled) // The app does not subscribe to it.
	if got := w.ask(question).end(); got.State != ask.Failed || !strings.Contains(got.Reason, "account_inactive") {
		t.Errorf("with a dead token: %+v", got)
	}
	var health struct {
		Status string
		Parts  []struct{ Part, Detail string }
	}
	w.await("readyz to report it", func() bool {
		resp, err := w.http.Get(w.address + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&health); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s, %v", resp.Status, err)
		}
		return len(health.Parts) > 0
	})
	if !slices.Contains(health.Parts, struct{ Part, Detail string }{"slack", "1 of 1 installations have a dead token, and 0 have one that cannot be refreshed"}) {
		t.Errorf("readyz: %+v", health)
	}
	if n := strings.Count(w.log.String(), "slack token is dead"); n != 1 || strings.Contains(w.log.String(), secret) {
		t.Errorf("%d lines about the dead token", n)
	}
}

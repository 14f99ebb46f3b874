package slacksim_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

const back = "https://app.example/back"

func TestOAuthCodeWorksOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id, secret, redirect, word, rule string
		code                             func(sim *slacksim.Server, code string) string
	}{
		"as it should be":     {"1.2", "sim-client-secret", back, "", "", nil},
		"another app":         {"1.3", "sim-client-secret", back, "invalid_client_id", "", nil},
		"a wrong secret":      {"1.2", "guessed", back, "bad_client_secret", "", nil},
		"another redirect":    {"1.2", "sim-client-secret", back + "/other", "bad_redirect_uri", "", nil},
		"an invented code":    {"1.2", "sim-client-secret", back, "invalid_code", "", func(*slacksim.Server, string) string { return "1.2.3" }},
		"a code that expired": {"1.2", "sim-client-secret", back, "invalid_code", "oauth.code", func(sim *slacksim.Server, code string) string { sim.Advance(10 * time.Minute); return code }},
		"a code used before": {"1.2", "sim-client-secret", back, "invalid_code", "oauth.code", func(sim *slacksim.Server, code string) string {
			_, _ = slackapi.GetOAuthV2ResponseContext(t.Context(), sim.Client(), "1.2", "sim-client-secret", code, back, slackapi.OAuthOptionAPIURL(sim.APIURL()))
			return code
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			code := sim.Authorize("U0000001", back, "files:write")
			if tc.code != nil {
				code = tc.code(sim, code)
			}
			got, err := slackapi.GetOAuthV2ResponseContext(t.Context(), sim.Client(), tc.id, tc.secret, code, tc.redirect, slackapi.OAuthOptionAPIURL(sim.APIURL()))
			switch {
			case tc.word != "":
				if err == nil || err.Error() != tc.word {
					t.Errorf("it is answered with %v, want %s", err, tc.word)
				}
			case err != nil:
				t.Error(err)
			case got.AccessToken != "xoxb-sim" || got.AuthedUser.ID != "U0000001" || got.Team.ID != "T0000001":
				t.Errorf("it is answered with %+v", got)
			}
		})
	}
}

// visit opens the installation page, or sends its form, and returns the response without following
// redirects.
func visit(t *testing.T, sim *slacksim.App, query string, form url.Values) (status int, body string, to *url.URL) {
	t.Helper()
	method, sent := http.MethodGet, io.Reader(http.NoBody)
	if form != nil {
		method, sent = http.MethodPost, strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, sim.URL()+"/oauth/v2/authorize?"+query, sent)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := sim.Client().Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	to, _ = resp.Location() // Only redirects have one.
	return resp.StatusCode, string(raw), to
}

func TestInstallationPageErrors(t *testing.T) {
	t.Parallel()
	asked := func(scope, redirect string) string {
		return url.Values{"client_id": {"1.2"}, "scope": {scope}, "redirect_uri": {redirect}}.Encode()
	}
	for name, tc := range map[string]struct {
		opts        slacksim.Options
		query, word string
	}{
		"another app":                      {query: "client_id=1&scope=chat:write", word: "invalid_client_id"},
		"a redirect with a fragment":       {query: asked("chat:write", back+"#here"), word: "bad_redirect_uri"},
		"a redirect without TLS":           {query: asked("chat:write", "http://app.example/back"), word: "bad_redirect_uri"},
		"a redirect of another host":       {opts: slacksim.Options{RedirectURLs: []string{back}}, query: asked("chat:write", "https://evil.example/back"), word: "bad_redirect_uri"},
		"a redirect that only looks below": {opts: slacksim.Options{RedirectURLs: []string{back}}, query: asked("chat:write", back+"ward"), word: "bad_redirect_uri"},
		"no redirect at all":               {query: "client_id=1.2&scope=chat:write", word: "bad_redirect_uri"},
		"no scope":                         {query: asked("", back), word: "no_scopes"},
		"an invented scope":                {query: asked("chat:write,chat:everything", back), word: "invalid_scope"},
		"an app-level scope":               {query: asked("connections:write", back), word: "invalid_scope"},
		"an unknown workspace":             {query: asked("chat:write", back) + "&team=T9", word: "invalid_team"},
		"an app that is not distributed":   {opts: slacksim.Options{Undistributed: true}, query: asked("chat:write", back) + "&team=T0000002", word: "invalid_team_for_non_distributed_app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := slacksim.StartApp(t, &tc.opts)
			app.AddWorkspace(slacksim.Workspace{})
			app.AddWorkspace(slacksim.Workspace{})
			for _, form := range []url.Values{nil, {"decision": {"allow"}}} {
				if status, body, _ := visit(t, app, tc.query, form); status != http.StatusBadRequest || !strings.HasSuffix(body, tc.word+"\n") {
					t.Errorf("%d, %s, want %s", status, body, tc.word)
				}
			}
		})
	}
}

func TestInstallationPageClicks(t *testing.T) {
	t.Parallel()
	query := "client_id=1.2&scope=chat:write,users:read&state=s%26t&redirect_uri=" + url.QueryEscape(back+"?from=us")
	for name, tc := range map[string]struct {
		form        url.Values
		word, wrong string // the redirect's error, and the page's
	}{
		"allow":                        {form: url.Values{"decision": {"allow"}, "team": {"T0000002"}, "person": {"U0000002"}}},
		"allow in an organization":     {form: url.Values{"decision": {"allow"}, "team": {"E0000001"}}},
		"cancel":                       {form: url.Values{"decision": {"cancel"}}, word: "access_denied"},
		"no decision":                  {form: url.Values{}, word: "access_denied"},
		"allow in an unknown place":    {form: url.Values{"decision": {"allow"}, "team": {"T9"}}, wrong: "invalid_team"},
		"allow as an unknown person":   {form: url.Values{"decision": {"allow"}, "team": {"T0000001"}, "person": {"U9"}}, wrong: "invalid_user"},
		"allow as a guest":             {form: url.Values{"decision": {"allow"}, "team": {"T0000001"}, "person": {"U0000004"}}, wrong: "user_is_restricted"},
		"allow without approval":       {form: url.Values{"decision": {"allow"}, "team": {"T0000003"}}, wrong: "unapproved_scope"},
		"allow where a scope is ruled": {form: url.Values{"decision": {"allow"}, "team": {"E0000002"}}, wrong: "scope_not_allowed_on_enterprise"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := slacksim.StartApp(t, &slacksim.Options{RedirectURLs: []string{back}})
			app.AddOrganization(slacksim.Organization{ID: "E0000001", Name: "Acme"})
			app.AddOrganization(slacksim.Organization{ID: "E0000002", DeniedScopes: []string{"users:read"}})
			app.AddWorkspace(slacksim.Workspace{People: []slacksim.Person{{ID: "U0000001"}, {ID: "U0000004", Guest: slacksim.MultiChannelGuest}}})
			app.AddWorkspace(slacksim.Workspace{Enterprise: "E0000001"})
			app.AddWorkspace(slacksim.Workspace{NeedsApproval: true})
			app.AddWorkspace(slacksim.Workspace{Enterprise: "E0000002"})
			if status, body, _ := visit(t, app, query, nil); status != http.StatusOK || !strings.Contains(body, ">Allow<") || !strings.Contains(body, ">Cancel<") || !strings.Contains(body, `value="T0000002"`) {
				t.Errorf("the page: %d, %s", status, body)
			}
			status, body, to := visit(t, app, query, tc.form)
			switch {
			case tc.wrong != "":
				if status != http.StatusBadRequest || !strings.HasSuffix(body, tc.wrong+"\n") {
					t.Errorf("%d, %s, want %s", status, body, tc.wrong)
				}
			case status != http.StatusFound || to.Host != "app.example" || to.Query().Get("state") != "s&t" || to.Query().Get("from") != "us":
				t.Errorf("%d, to %v", status, to)
			case to.Query().Get("error") != tc.word || (to.Query().Get("code") == "") != (tc.word != ""):
				t.Errorf("to %v, want the error %q", to, tc.word)
			}
		})
	}
}

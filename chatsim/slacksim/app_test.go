package slacksim_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// install installs the app by OAuth and returns Slack's answer.
func install(t *testing.T, app *slacksim.App, code string) *slackapi.OAuthV2Response {
	t.Helper()
	got, err := slackapi.GetOAuthV2ResponseContext(t.Context(), app.Client(), "1.2", "sim-client-secret", code, back, slackapi.OAuthOptionAPIURL(app.APIURL()))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// apiCall calls a method of the Web API with a form.
func apiCall(t *testing.T, app *slacksim.App, token, method string, form url.Values) obj {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.APIURL()+method, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := app.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var reply obj
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

// card is a message with one button.
func card(channel string) url.Values {
	return url.Values{"channel": {channel}, "text": {"Deploy?"}, "blocks": {`[{"type":"actions","elements":[{"type":"button","action_id":"yes","text":{"type":"plain_text","text":"Yes"}}]}]`}}
}

// inbox is an app over HTTP that keeps every payload and event.
type inbox struct{ got chan obj }

func newInbox(app *slacksim.App) inbox {
	in := inbox{make(chan obj, 100)}
	app.DeliverToHandler("/slack", in)
	return in
}

func (in inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	payload := obj{}
	if raw := r.PostFormValue("payload"); raw != "" {
		_ = json.Unmarshal([]byte(raw), &payload)
	} else {
		for name := range r.PostForm {
			payload[name] = r.PostFormValue(name)
		}
	}
	in.got <- payload
}

func TestWorkspacesOfOneApp(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, nil)
	in := newInbox(app)
	tokens := map[string]bool{}
	for range 3 {
		ws := app.AddWorkspace(slacksim.Workspace{})
		if ws.Installed() {
			t.Fatal("a new app is installed already")
		}
		got := install(t, app, ws.Authorize("U0000001", back, "chat:write", "commands"))
		if got.Team.ID == "" || got.IsEnterpriseInstall || got.AppID != "A0000001" || tokens[got.AccessToken] {
			t.Errorf("it is answered with %+v", got)
		}
		tokens[got.AccessToken] = true
		if us := apiCall(t, app, got.AccessToken, "auth.test", nil); us["team_id"] != got.Team.ID || us["user_id"] != got.BotUserID {
			t.Errorf("auth.test: %v", us)
		}
		if reply := apiCall(t, app, got.AccessToken, "chat.postMessage", card("C0000001")); reply["ok"] != true {
			t.Fatal(reply)
		}
		if err := ws.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		payload := <-in.got
		if team := payload["team"].(obj); team["id"] != got.Team.ID || payload["api_app_id"] != "A0000001" || payload["enterprise"] != nil || payload["is_enterprise_install"] != false {
			t.Errorf("the press in %s: %v", got.Team.ID, payload)
		}
		if n := len(ws.Calls("chat.postMessage")); n != 1 {
			t.Errorf("%d posts in %s, want 1", n, got.Team.ID)
		}
	}
	if n := len(app.Calls("chat.postMessage")); n != 3 {
		t.Errorf("%d posts in all, want 3", n)
	}
}

func TestOAuthCredentialsInHeader(t *testing.T) {
	t.Parallel()
	for secret, word := range map[string]any{"sim-client-secret": nil, "guessed": "bad_client_secret"} {
		app := slacksim.StartApp(t, nil)
		code := app.AddWorkspace(slacksim.Workspace{}).Authorize("U0000001", back, "chat:write")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.APIURL()+"oauth.v2.access", strings.NewReader(url.Values{"code": {code}, "redirect_uri": {back}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth("1.2", secret)
		resp, err := app.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var reply obj
		if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || reply["error"] != word {
			t.Errorf("%v, %v, want %v", reply, err, word)
		}
		_ = resp.Body.Close()
	}
}

func TestRotationPerInstallation(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, &slacksim.Options{TokenRotation: true})
	one, two := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
	first := install(t, app, one.Authorize("U0000001", back, "chat:write"))
	other := install(t, app, two.Authorize("U0000001", back, "chat:write"))
	next := first
	for range 3 {
		var err error
		next, err = slackapi.RefreshOAuthV2TokenContext(t.Context(), app.Client(), "1.2", "sim-client-secret", next.RefreshToken, slackapi.OAuthOptionAPIURL(app.APIURL()))
		if err != nil || next.Team.ID != first.Team.ID {
			t.Fatalf("%+v, %v", next, err)
		}
	}
	for token, want := range map[string]any{first.AccessToken: "token_expired", next.AccessToken: nil, other.AccessToken: nil} {
		if reply := apiCall(t, app, token, "auth.test", nil); reply["error"] != want {
			t.Errorf("%v, want %v", reply, want)
		}
	}
	if live := one.Tokens(); len(live) != 2 || live[1] != next.AccessToken {
		t.Errorf("%d tokens are valid, want 2", len(live))
	}
	if reply := apiCall(t, app, next.AccessToken, "auth.revoke", nil); reply["revoked"] != true || !one.Installed() {
		t.Errorf("revoking one of two tokens: %v, installed: %t", reply, one.Installed())
	}
	app.Expect("oauth.refresh")
	one.Uninstall()
	_, err := slackapi.RefreshOAuthV2TokenContext(t.Context(), app.Client(), "1.2", "sim-client-secret", next.RefreshToken, slackapi.OAuthOptionAPIURL(app.APIURL()))
	if err == nil || err.Error() != "invalid_refresh_token" {
		t.Errorf("a refresh after the uninstallation: %v", err)
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rotation bool
		before   func(sim *slacksim.Server)
		token    string
		word     any
	}{
		"a token that does not expire": {rotation: true, token: "xoxb-sim"},
		"an app without rotation":      {token: "xoxb-sim", word: "token_rotation_not_enabled"},
		"an invented token":            {rotation: true, token: "xoxb-guessed", word: "invalid_token"},
		"the app-level token":          {rotation: true, token: "xapp-sim", word: "invalid_token"},
		"a revoked token":              {rotation: true, token: "xoxb-sim", before: func(sim *slacksim.Server) { sim.Revoke("xoxb-sim") }, word: "authorization_not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, &slacksim.Options{TokenRotation: tc.rotation})
			if tc.before != nil {
				tc.before(sim)
			}
			form := url.Values{"client_id": {"1.2"}, "client_secret": {"sim-client-secret"}}
			reply := apiCall(t, sim.App, tc.token, "oauth.v2.exchange", form)
			if reply["error"] != tc.word {
				t.Fatalf("%v, want %v", reply, tc.word)
			}
			if tc.word != nil {
				return
			}
			if again := apiCall(t, sim.App, tc.token, "oauth.v2.exchange", form); again["error"] != "token_already_exchanged" {
				t.Errorf("the second exchange: %v", again)
			}
			if old := apiCall(t, sim.App, tc.token, "auth.test", nil); old["ok"] != true {
				t.Errorf("the old token before the first refresh: %v", old)
			}
			refresh, _ := reply["refresh_token"].(string)
			if _, err := slackapi.RefreshOAuthV2TokenContext(t.Context(), sim.Client(), "1.2", "sim-client-secret", refresh, slackapi.OAuthOptionAPIURL(sim.APIURL())); err != nil {
				t.Fatal(err)
			}
			if old := apiCall(t, sim.App, tc.token, "auth.test", nil); old["error"] != "token_revoked" {
				t.Errorf("the old token after the first refresh: %v", old)
			}
		})
	}
}

func TestUninstall(t *testing.T) {
	t.Parallel()
	mine := url.Values{"client_id": {"1.2"}, "client_secret": {"sim-client-secret"}}
	for name, tc := range map[string]struct {
		leave  func(t *testing.T, ws *slacksim.Server, token string)
		word   string
		events []string
	}{
		"by an admin": {func(_ *testing.T, ws *slacksim.Server, _ string) { ws.Uninstall() }, "account_inactive", []string{"app_uninstalled", "tokens_revoked"}},
		"by an admin, the events in the other order": {func(_ *testing.T, ws *slacksim.Server, _ string) {
			ws.Uninstall(slacksim.EventTokensRevoked, slacksim.EventAppUninstalled)
		}, "account_inactive", []string{"tokens_revoked", "app_uninstalled"}},
		"by the app": {func(t *testing.T, ws *slacksim.Server, token string) {
			t.Helper()
			if reply := apiCall(t, ws.App, token, "apps.uninstall", mine); reply["ok"] != true {
				t.Error(reply)
			}
		}, "account_inactive", []string{"app_uninstalled", "tokens_revoked"}},
		"by revoking its token": {func(t *testing.T, ws *slacksim.Server, token string) {
			t.Helper()
			if reply := apiCall(t, ws.App, token, "auth.revoke", url.Values{"test": {"true"}}); reply["revoked"] != false || !ws.Installed() {
				t.Errorf("a test: %v", reply)
			}
			if reply := apiCall(t, ws.App, token, "auth.revoke", nil); reply["revoked"] != true {
				t.Error(reply)
			}
		}, "token_revoked", []string{"app_uninstalled", "tokens_revoked"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				app := slacksim.StartApp(t, &slacksim.Options{EventsURL: "http://app.sim/events", Events: []string{slacksim.EventAppUninstalled, slacksim.EventTokensRevoked}})
				events := &subscriber{}
				app.DeliverToHandler("/events", events)
				gone, stays := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
				token := install(t, app, gone.Authorize("U0000001", back, "chat:write")).AccessToken
				kept := install(t, app, stays.Authorize("U0000001", back, "chat:write")).AccessToken
				if reply := apiCall(t, app, token, "chat.postMessage", card("C0000001")); reply["ok"] != true {
					t.Fatal(reply)
				}
				tc.leave(t, gone, token)
				synctest.Wait()
				var kinds []string
				for _, e := range events.got {
					if e["team_id"] != "T0000001" {
						t.Errorf("the event %v", e)
					}
					kinds = append(kinds, e["event"].(obj)["type"].(string))
				}
				if !slices.Equal(kinds, tc.events) {
					t.Errorf("events %v, want %v", kinds, tc.events)
				}
				if reply := apiCall(t, app, token, "auth.test", nil); reply["error"] != tc.word {
					t.Errorf("afterwards: %v, want %s", reply, tc.word)
				}
				if reply := apiCall(t, app, kept, "auth.test", nil); reply["ok"] != true {
					t.Errorf("the other workspace: %v", reply)
				}
				if err := gone.Seat("U0000001").Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
					t.Errorf("a press afterwards: %v", err)
				}
				if again := install(t, app, gone.Authorize("U0000001", back, "chat:write")); again.AccessToken == token || !gone.Installed() {
					t.Errorf("the next installation: %+v", again)
				}
				time.Sleep(time.Hour) // Nothing is delivered again.
				if len(events.got) != len(tc.events) {
					t.Errorf("%d events, want %d", len(events.got), len(tc.events))
				}
			})
		})
	}
}

func TestAppsUninstallRefusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ id, secret, word, rule string }{
		"another app":    {"1.3", "sim-client-secret", "client_id_token_mismatch", ""},
		"a wrong secret": {"1.2", "guessed", "bad_client_secret", ""},
		"no secret":      {"1.2", "", "invalid_arguments", "request.arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			reply := apiCall(t, sim.App, "xoxb-sim", "apps.uninstall", url.Values{"client_id": {tc.id}, "client_secret": {tc.secret}})
			if reply["error"] != tc.word || !sim.Installed() {
				t.Errorf("%v, want %s", reply, tc.word)
			}
		})
	}
}

func TestVerifiersAreRefused(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	reply := apiCall(t, sim.App, "", "oauth.v2.access", url.Values{
		"client_id": {"1.2"}, "client_secret": {"sim-client-secret"}, "code": {sim.Authorize("U0000001", "", "chat:write")}, "code_verifier": {"v"},
	})
	if reply["error"] != "pkce_not_allowed" {
		t.Errorf("%v, want pkce_not_allowed", reply)
	}
}

func TestOneSocketForAllWorkspaces(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, nil)
	one, two := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
	address, _ := apiCall(t, app, "xapp-sim", "apps.connections.open", nil)["url"].(string)
	conn, resp, err := app.Dialer().DialContext(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = resp.Body.Close()
	for _, ws := range []*slacksim.Server{one, two} {
		token := install(t, app, ws.Authorize("U0000001", back, "chat:write")).AccessToken
		if reply := apiCall(t, app, token, "chat.postMessage", card("C0000001")); reply["ok"] != true {
			t.Fatal(reply)
		}
	}
	seen := make(chan string, 2)
	go func() {
		defer close(seen)
		for range 3 { // hello and two presses
			var envelope obj
			if conn.ReadJSON(&envelope) != nil {
				return
			}
			if payload, ok := envelope["payload"].(obj); ok {
				seen <- payload["team"].(obj)["id"].(string)
				_ = conn.WriteJSON(obj{"envelope_id": envelope["envelope_id"]})
			}
		}
	}()
	for _, ws := range []*slacksim.Server{two, one} {
		if err := ws.Seat("U0000002").Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
	}
	if first, second := <-seen, <-seen; first != "T0000002" || second != "T0000001" {
		t.Errorf("presses in %s and %s", first, second)
	}
}

func TestFaultOfOneWorkspace(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, nil)
	one, two := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
	first := install(t, app, one.Authorize("U0000001", back, "chat:write")).AccessToken
	second := install(t, app, two.Authorize("U0000001", back, "chat:write")).AccessToken
	one.Fault("auth.test", chatsim.Refuse("fatal_error"))
	for _, tc := range []struct {
		token string
		word  any
	}{{second, nil}, {first, "fatal_error"}, {first, nil}} {
		if reply := apiCall(t, app, tc.token, "auth.test", nil); reply["error"] != tc.word {
			t.Errorf("%v, want %v", reply, tc.word)
		}
	}
	app.Fault("auth.test", chatsim.Refuse("internal_error"))
	if reply := apiCall(t, app, second, "auth.test", nil); reply["error"] != "internal_error" {
		t.Errorf("a fault of the app: %v", reply)
	}
}

func TestHomeCommandsAndStatusPerWorkspace(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, &slacksim.Options{AgentView: true, Commands: []string{"/ask"}})
	in := newInbox(app)
	one, two := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{})
	first := install(t, app, one.Authorize("U0000001", back, "chat:write", "commands")).AccessToken
	second := install(t, app, two.Authorize("U0000001", back, "commands")).AccessToken
	home := func(token, hash string) obj {
		return apiCall(t, app, token, "views.publish", url.Values{"user_id": {"U0000001"}, "hash": {hash}, "view": {`{"type":"home","blocks":[{"type":"divider"}]}`}})
	}
	hash := home(first, "")["view"].(obj)["hash"].(string)
	if reply := home(second, hash); reply["error"] != "hash_conflict" {
		t.Errorf("the hash of another workspace's Home tab: %v", reply)
	}
	if reply := home(first, hash); reply["ok"] != true {
		t.Errorf("its own hash: %v", reply)
	}
	if reply := home(first, hash); reply["error"] != "hash_conflict" {
		t.Errorf("a hash that is no longer current: %v", reply)
	}
	for _, ws := range []*slacksim.Server{one, two} {
		if err := ws.Seat("U0000001").Command(t.Context(), "C0000001", "/ask", ""); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := <-in.got, <-in.got; a["team_id"] != "T0000001" || b["team_id"] != "T0000002" {
		t.Errorf("commands of %v and %v", a["team_id"], b["team_id"])
	}
	ts, _ := apiCall(t, app, first, "chat.postMessage", url.Values{"channel": {"C0000001"}, "text": {"Working"}})["ts"].(string)
	status := url.Values{"status": {"suspended"}, "channel_id": {"C0000001"}, "thread_ts": {ts}}
	if reply := apiCall(t, app, first, "agents.sessions.setStatus", status); reply["ok"] != true || one.AgentStatus("C0000001", ts) != "suspended" {
		t.Errorf("the status: %v", reply)
	}
	if reply := apiCall(t, app, second, "agents.sessions.setStatus", status); reply["error"] != "missing_scope" || two.AgentStatus("C0000001", ts) != "" {
		t.Errorf("the status without the scope: %v", reply)
	}
}

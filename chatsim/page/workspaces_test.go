package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// installable is a bot that people install by OAuth. Its public address is https://bot.example.com.
type installable struct {
	t     *testing.T
	sim   *slacksim.Server
	token string
}

const callback = "https://bot.example.com/callback"

func (b *installable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/install":
		http.SetCookie(w, &http.Cookie{Name: "browser", Value: "dana", Path: "/callback", Secure: true, HttpOnly: true})
		query := url.Values{"client_id": {"1.2"}, "scope": {"chat:write"}, "state": {"s1"}, "redirect_uri": {callback}}
		http.Redirect(w, r, b.sim.URL()+"/oauth/v2/authorize?"+query.Encode(), http.StatusFound)
	case "/callback":
		cookie, err := r.Cookie("browser")
		if err != nil || cookie.Value != "dana" || r.FormValue("state") != "s1" {
			http.Error(w, "another browser", http.StatusBadRequest)
			return
		}
		if word := r.FormValue("error"); word != "" {
			http.Error(w, word, http.StatusForbidden)
			return
		}
		got, err := slackapi.GetOAuthV2ResponseContext(r.Context(), b.sim.Client(), "1.2", "sim-client-secret", r.FormValue("code"), callback, slackapi.OAuthOptionAPIURL(b.sim.APIURL()))
		if err != nil {
			b.t.Errorf("the code cannot be traded: %v", err)
			return
		}
		b.token = got.AccessToken
		http.Redirect(w, r, "/done?team="+got.Team.ID, http.StatusFound)
	default:
		_, _ = fmt.Fprint(w, "installed in "+r.FormValue("team"))
	}
}

// installing is a page of an app that several workspaces can install, and its bot.
func installing(t *testing.T, more ...page.Chat) (*controlAPI, *slacksim.Server, *installable, string) {
	t.Helper()
	sim := slacksim.New(&slacksim.Options{TeamName: "Acme"})
	t.Cleanup(func() { _ = sim.Close() })
	bot := &installable{t: t, sim: sim}
	srv := httptest.NewServer(bot)
	t.Cleanup(srv.Close)
	return startControl(t, &page.Options{Workspaces: true}, append([]page.Chat{page.Slack(sim)}, more...)...), sim, bot, srv.URL + "/install"
}

func TestInstallInSecondWorkspaceToAnswer(t *testing.T) {
	t.Parallel()
	c, sim, bot, link := installing(t)
	c.call(200, "PUT", "/api/workspaces", `{"id":"T0000002","name":"Globex"}`)
	install := func(more string) map[string]any {
		return c.call(200, "POST", "/api/install", `{"workspace":"T0000002","url":"`+link+`"`+more+`}`)
	}
	if got := install(`,"decision":"cancel"`); got["installed"] != false || got["status"] != 403.0 || !strings.Contains(fmt.Sprint(got["text"]), "access_denied") {
		t.Errorf("a cancelled installation ends with %v", got)
	}
	if got := install(`,"person":"Sam"`); got["installed"] != true || got["text"] != "installed in T0000002" || got["url"] != "https://bot.example.com/done?team=T0000002" {
		t.Fatalf("the installation ends with %v", got)
	}
	api := slackapi.New(bot.token, slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()))
	if _, _, err := api.PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("Deploy?", false)); err != nil {
		t.Fatal(err)
	}
	there := "/workspaces/T0000002/api/"
	for path, met := range map[string]bool{there: true, "/api/": false, "/workspaces/T0000001/api/": false} {
		if _, body := c.raw("GET", path+"sees?platform=slack&person=Dana&text=Deploy", ""); strings.Contains(string(body), `"met":true`) != met {
			t.Errorf("%s: %s, want met %v", path, body, met)
		}
	}
	if status, body := c.raw("POST", there+"act", `{"platform":"slack","person":"Dana","do":"say","channel":"C0000001","text":"Yes"}`); status != 200 || !strings.Contains(string(body), "done") {
		t.Errorf("Dana's answer: %d %s", status, body)
	}

	// The page of the workspace uninstalls its own.
	if status, body := c.raw("POST", there+"uninstall", `{}`); status != 200 {
		t.Errorf("uninstall: %d %s", status, body)
	}
	if _, _, err := api.PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("Again?", false)); err == nil || err.Error() != "account_inactive" {
		t.Errorf("a post after the removal: %v, want account_inactive", err)
	}
	c.call(400, "POST", "/api/uninstall", `{"workspace":"T0000002"}`)
	all := fmt.Sprint(c.call(200, "GET", "/api/workspaces", ""))
	if !strings.Contains(all, "id:T0000002 installed:false name:Globex") || !strings.Contains(all, "current:true id:T0000001 installed:true name:Acme") {
		t.Errorf("the workspaces are %s", all)
	}
	if scene := fmt.Sprint(c.call(200, "GET", "/api/session", "")["scene"]); !strings.Contains(scene, "# The workspace T0000002 is added.") {
		t.Errorf("the scene is %s", scene)
	}
	c.call(200, "POST", "/api/reset", "")
	if status, _ := c.raw("GET", there+"state", ""); status != http.StatusNotFound {
		t.Errorf("after the reset the workspace answers with %d", status)
	}
}

func TestWorkspaceErrors(t *testing.T) {
	t.Parallel()
	c, _, _, link := installing(t)
	for name, tt := range map[string]struct {
		status             int
		method, path, body string
		text               string
	}{
		"a bad id":               {400, "PUT", "workspaces", `{"id":"C1"}`, "T0000002"},
		"an id that is taken":    {400, "PUT", "workspaces", `{"id":"T0000001"}`, "exists"},
		"no address":             {400, "POST", "install", `{"url":"/slack/install"}`, "such as http"},
		"another decision":       {400, "POST", "install", `{"url":"` + link + `","decision":"maybe"}`, "allow or cancel"},
		"no such workspace":      {404, "POST", "install", `{"url":"` + link + `","workspace":"T9"}`, `no workspace "T9"`},
		"no such person":         {404, "POST", "install", `{"url":"` + link + `","person":"Lee"}`, "Lee"},
		"a bot that is away":     {502, "POST", "install", `{"url":"http://127.0.0.1:1/install"}`, "cannot be opened"},
		"nothing to uninstall":   {404, "POST", "uninstall", `{"workspace":"T9"}`, `no workspace "T9"`},
		"a page of no workspace": {404, "GET", "../workspaces/T9/", "", "No such workspace"},
	} {
		if status, body := c.raw(tt.method, "/api/"+tt.path, tt.body); status != tt.status || !strings.Contains(string(body), tt.text) {
			t.Errorf("%s: %d %s, want %d with %q", name, status, body, tt.status, tt.text)
		}
	}
}

func TestPageWithoutWorkspaces(t *testing.T) {
	t.Parallel()
	sim := slacksim.New(nil)
	t.Cleanup(func() { _ = sim.Close() })
	c := startControl(t, nil, page.Slack(sim))
	if got := fmt.Sprint(c.call(200, "GET", "/api/workspaces", "")); got != "map[workspaces:[]]" {
		t.Errorf("the workspaces are %s", got)
	}
	c.call(404, "PUT", "/api/workspaces", "{}")
	c.call(404, "POST", "/api/install", `{"url":"http://127.0.0.1:1/"}`)
	c.call(404, "POST", "/api/uninstall", "{}")
}

func playWorkspaces(t *testing.T, chrome context.Context) {
	t.Helper()
	for _, s := range []size{{1200, 800, false}, {400, 844, true}} {
		discord := discordsim.New(nil)
		t.Cleanup(func() { _ = discord.Close() })
		c, _, _, link := installing(t, page.Discord(discord))
		p := open(t, chrome, c.url, s)
		p.sees("#workspaces summary", "Acme")
		p.press("#workspaces summary")
		p.click(`[...document.querySelectorAll('.workspaces-menu button')].find((e) => e.innerText === 'Add a workspace')`)
		p.sees(".workspaces-menu", "not installed")
		view := fmt.Sprintf("workspaces at %d", s.width)
		p.accessible(view)
		p.shoot(view)
		if s.phone {
			p.thumbs(view)
		}
		next := js[string](p, `document.querySelector('.workspaces-menu [data-workspace="T0000002"]').href`)
		p.do(chromedp.Navigate(next), chromedp.WaitVisible(chromedp.CSS("body[data-ready]")))
		p.sees("#workspaces summary", "Workspace 2")
		c.call(200, "POST", "/api/install", `{"workspace":"T0000002","url":"`+link+`"}`)
		p.press("#workspaces summary")
		p.sees(`.workspaces-menu`, "Uninstall the app from Workspace 2")
		p.click(`[...document.querySelectorAll('.workspaces-menu button')].find((e) => e.innerText.startsWith('Uninstall'))`)
		p.sees("#toast", "uninstalled")
		p.sees(`.workspaces-menu [data-workspace="T0000002"]`, "not installed")
		if text := p.text(".workspaces-menu"); strings.Contains(text, "false") {
			t.Errorf("the menu reads %q", text)
		}
		p.shoot(view + " uninstalled")
	}
}

package page_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

const (
	danaOnDiscord    = "300000000000000001"
	deploysOnDiscord = "200000000000000001"
)

// town is a real bridge between both platforms, and the page that shows them.
type town struct {
	*askbridgetest.World

	t       *testing.T
	agent   *client.Client // whose calls are recorded
	traffic chatsim.Traffic
	url     string
	ahead   *atomic.Int64 // how many nanoseconds the bridge's clock is ahead
}

func newTown(t *testing.T) *town {
	t.Helper()
	return newTownOf(t, time.Minute)
}

// newTownOf is newTown with platforms that wait so long for an acknowledgement, whose page asks as one of the agents.
func newTownOf(t *testing.T, patience time.Duration, agents ...access.Agent) *town {
	t.Helper()
	return settle(t, &askbridgetest.Options{
		Agents:  agents,
		Slack:   &slacksim.Options{Patience: patience},
		Discord: &discordsim.Options{Patience: patience},
	})
}

// settle is newTown with settings.
func settle(t *testing.T, opts *askbridgetest.Options) *town {
	t.Helper()
	w := &town{t: t, ahead: &atomic.Int64{}}
	opts.Bridge = &bridge.Options{Rules: ask.Rules{MaxQuestions: 10}}
	opts.Now = func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
	w.World = askbridgetest.Start(t, opts)
	w.traffic.Keep(100)
	proxy := &httputil.ReverseProxy{
		Transport: w.HTTP.Transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(must(url.Parse(w.URL)))
			for _, a := range opts.Agents {
				r.Out.Header.Set("Authorization", "Bearer "+a.Token)
			}
		},
	}
	recorded := w.traffic.Record("agent", "askbridge", proxy, func(r *http.Request) bool { return r.Header.Get("Sim-Unrecorded") != "" })
	host := chatsim.Serve(recorded)
	t.Cleanup(func() { _ = host.Close() })
	client, err := client.New(w.URL, &client.Options{HTTP: host.Client()})
	if err != nil {
		t.Fatal(err)
	}
	w.agent = client
	srv := httptest.NewUnstartedServer(nil)
	agent := &page.Agent{
		API: recorded, URL: "http://" + srv.Listener.Addr().String() + "/agent", Forms: forms, Scenes: scenes,
		Test: func(scene string) string { return "// A test.\n" + scene },
	}
	srv.Config.Handler = page.Handler(&page.Options{Traffic: &w.traffic, Agent: agent, Controls: w.controls()}, page.Slack(w.Slack), page.Discord(w.World.Discord))
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	w.url = srv.URL
	return w
}

// forms and scenes are what the page of the town can send.
var (
	forms = []page.Form{
		{Name: "request", Label: "A request", Path: "/v1/requests", Hint: "POST /v1/requests"},
		{Name: "claude", Label: "Claude Code", Path: "/v1/ask/claude", Hint: "The input of AskUserQuestion."},
		{Name: "codex", Label: "Codex", Path: "/v1/ask/codex", Hint: "The input of request_user_input."},
	}
	scenes = []page.Scene{
		{
			Name: "tap", Label: "One tap", Form: "request", Hint: "Press Postgres.",
			Body: `{"agent":"deploy-bot","questions":[{"question":"Which database?","header":"Database","options":["Postgres","SQLite"]}]}`,
		},
		{
			Name: "host", Label: "A host's tool input", Form: "claude", Hint: "Press Yes.",
			Body: `{"questions":[{"question":"Deploy it?","header":"Deploy","multiSelect":false,"options":[{"label":"Yes","description":"Now"},{"label":"No","description":"Later"}]}]}`,
		},
		{
			Name: "grant", Label: "Prompt of a call", Form: "claude", Hint: "Allow it for a time.",
			Body: `{"session_id":"sim","cwd":"/srv/app","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"}}`,
		},
	}
)

// controls are what the host of the page lets one do.
func (w *town) controls() []page.Control {
	return []page.Control{
		{Name: "wave", Label: "Wave", About: "Says hello.", Do: func(context.Context) (string, error) { return "Hello.", nil }},
		{Name: "hour", Label: "Skip 1 hour", About: "Moves the clock.", Skip: true, Do: func(context.Context) (string, error) { return "It is later.", nil }},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// asks makes the agent ask.
func (w *town) asks(r ask.Request) *client.Request {
	w.t.Helper()
	if r.Agent == "" {
		r.Agent, r.Context = "deploy-bot", "Release 4.2 of *billing* is built and its tests are green."
	}
	made, err := w.agent.Submit(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// got waits for the answer and returns it as the agent reads it.
func (w *town) got(r *client.Request) string {
	w.t.Helper()
	ended, err := w.agent.Wait(w.t.Context(), r.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return ended.By.Key() + "\n" + ended.Text
}

// on is the selector of something in a platform's pane.
func on(platform, selector string) string {
	parts := strings.Split(selector, ",")
	for i, part := range parts {
		parts[i] = ".pane." + platform + " " + strings.TrimSpace(part)
	}
	return strings.Join(parts, ", ")
}

// tap presses the button with a label in a platform's pane, the last one where there are several.
func (p *tab) tap(platform, label string) {
	p.t.Helper()
	p.click(fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((b) => b.innerText.trim() === %q).at(-1)`, on(platform, "button"), label))
}

func options(labels ...string) []ask.Option {
	var all []ask.Option
	for _, l := range labels {
		label, description, _ := strings.Cut(l, ": ")
		all = append(all, ask.Option{Label: label, Description: description})
	}
	return all
}

var (
	oneQuestion = []ask.Question{
		{Text: "Which database should the new ledger use?", Header: "Database", Options: options("Postgres: Managed, with nightly backups", "SQLite: Embedded, one file")},
	}
	twoQuestions = append(oneQuestion[:1:1], ask.Question{
		Text: "Which checks should run against staging first?", Header: "Checks", MultiSelect: true,
		Options: options("Smoke tests: Two minutes", "Load test: Half an hour", "Restore drill: From last night's backup"),
	})
)

func manyQuestions() []ask.Question {
	var all []ask.Question
	for n := range 7 {
		all = append(all, ask.Question{
			Text: fmt.Sprintf("What about part %d of the plan?", n+1), Header: fmt.Sprintf("Part %d", n+1), MultiSelect: n%2 == 1,
			Options: options("Keep: As it is", "Change: As proposed", "Drop"),
		})
	}
	return all
}

// say posts a message as the bot of the guild.
func (w *town) say(status int, message string) {
	w.t.Helper()
	url := w.World.Discord.APIURL() + "/v10/channels/" + deploysOnDiscord + "/messages"
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, bytes.NewReader([]byte(message)))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bot discord-sim-token")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "DiscordBot (https://example.com, 1)")
	answer, err := w.World.Discord.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != status {
		w.t.Fatalf("create message: %s, want %d", answer.Status, status)
	}
}

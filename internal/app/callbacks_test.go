package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// slashes lists spellings of a callback path.
var slashes = map[string]func(path string) string{
	"as documented":         func(path string) string { return path },
	"with a slash behind":   func(path string) string { return path + "/" },
	"with two in front":     func(path string) string { return "/" + path },
	"with two in between":   func(path string) string { return strings.Replace(path, "/interactions", "//interactions", 1) },
	"with too many slashes": func(path string) string { return "//" + path + "//" },
}

func TestCallbackPathSpellings(t *testing.T) {
	t.Parallel()
	for name, written := range slashes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "http", nil)
			w.slack.DeliverTo(w.hooks+written(provider.Callback("slack")), w.http)
			a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{slackPlace}})
			must(t, a.by(dana).Press(t.Context(), "SQLite"))
			if r := a.end(); r.State != ask.Answered {
				t.Errorf("ended as %+v", r)
			}
		})
		t.Run(name+" on Discord", func(t *testing.T) {
			t.Parallel()
			w := start(t, "discord http", nil)
			w.discord.DeliverTo(w.hooks+written(provider.Callback("discord")), w.http)
			must(t, w.discord.Verify(t.Context()))
		})
	}
}

// posted sends an imitation of a platform's request and returns the status.
func (w *fixture) posted(address, path, header string) int {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, address+path, strings.NewReader("{}"))
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set(header, "v0=00")
	resp, err := (&http.Client{Transport: w.http.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	if err != nil {
		w.Fatal(err)
	}
	_ = body(w.T, resp)
	return resp.StatusCode
}

func TestMisdirectedCallbackLogsHint(t *testing.T) {
	t.Parallel()
	const slackSigns, discordSigns = "X-Slack-Signature", "X-Signature-Ed25519"
	for name, tc := range map[string]struct {
		mode         string
		agents       bool // posted to the address of the agents
		path, header string
		hint         string // in the log
	}{
		"a wrong path":               {mode: "http", path: "/slack/events", header: slackSigns, hint: "the path is /slack/interactions"},
		"a path with a prefix":       {mode: "http", path: "/askbridge/slack/interactions", header: slackSigns, hint: "the path is /slack/interactions"},
		"a wrong path to redirect":   {mode: "http", path: "//slack", header: slackSigns, hint: "the path is /slack/interactions"},
		"the address of the agents":  {mode: "http", agents: true, path: "/slack/interactions", header: slackSigns, hint: "the path is /slack/interactions, at the address under callbacks"},
		"a platform without section": {mode: "http", path: "/discord/interactions", header: discordSigns, hint: "discord is not configured"},
		"Discord to a wrong path":    {mode: "discord http", path: "/", header: discordSigns, hint: "the path is /discord/interactions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, tc.mode, nil)
			address := w.hooks
			if tc.agents {
				address = w.address
			}
			for range 3 {
				if got := w.posted(address, tc.path, tc.header); got != http.StatusNotFound {
					t.Errorf("answered with %d", got)
				}
			}
			if n := strings.Count(w.log.String(), `"reason":"`+tc.hint+`"`); n != 1 || !strings.Contains(w.log.String(), `"path":"`+tc.path+`"`) {
				t.Errorf("the log has the hint %d times, want once", n)
			}
		})
	}
}

func TestUnknownPathIsNotLogged(t *testing.T) {
	t.Parallel()
	w := start(t, "both", func(c *config.Config) { withAgent(c) })
	w.posted(w.hooks, "/"+strings.Repeat("x", 10_000), "X-Slack-Signature")
	w.posted(w.hooks, "/nothing-signed", "X-Something")
	if log := w.log.String(); strings.Contains(log, strings.Repeat("x", 200)) || strings.Contains(log, "nothing-signed") {
		t.Error("log contains text of an unknown sender")
	}
}

//go:build peers

package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim/mocks"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/test/logbuffer"
	"github.com/askbridge/askbridge/test/need"
)

// limit bounds one wait of a test; a bot takes about a second to start, and more on a busy machine.
const limit = 40 * time.Second

// town is a pair of doubles with their control API, and one bot in front of them.
type town struct {
	*testing.T

	doubles *mocks.Mocks
	api     string
	output  logbuffer.Buffer
}

// ports counts those that were handed out.
var ports atomic.Int32

// freePort returns an unused port outside the range that the system assigns, which starts at 32768
// (https://docs.kernel.org/networking/ip-sysctl.html).
func freePort(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	for {
		port := strconv.Itoa(20_000 + (os.Getpid()+int(ports.Add(1)))%10_000)
		ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:"+port)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		return port
	}
}

// start runs a bot against doubles of its own and returns when it is ready. A path makes it take what people do there,
// over HTTP.
func start(t *testing.T, bot, path string, env ...string) *town {
	t.Helper()
	o := mocks.Options{SlackAddr: "127.0.0.1:0", DiscordAddr: "127.0.0.1:0"}
	if path != "" {
		port := freePort(t)
		o.SlackURL = "http://127.0.0.1:" + port + path
		o.SlackEventsURL = o.SlackURL
		env = append(env, "PORT="+port)
	}
	doubles, err := mocks.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(page.Handler(nil, doubles.Chats()...))
	w := &town{T: t, doubles: doubles, api: web.URL}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, need.Binary(t, "node"), "bots/"+bot+".mjs")
	cmd.Env = append(os.Environ(), env...)
	for name, value := range doubles.Connect(web.URL).Variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &w.output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(&w.output, lines.Text())
			if lines.Text() == "ready" {
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what happened:\n%s", w.happened())
		}
		cancel()
		<-over
		_ = cmd.Wait() // It was killed.
		web.Close()
		if err := doubles.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("output of the bot:\n%s", &w.output)
		}
	})
	select {
	case <-ready:
	case <-over:
		t.Fatalf("the bot ended before it was ready:\n%s", &w.output)
	case <-time.After(limit):
		t.Fatalf("the bot is not ready:\n%s", &w.output)
	}
	return w
}

// happened is the timeline of both platforms.
func (w *town) happened() string {
	var lines []string
	for _, c := range w.doubles.Chats() {
		lines = append(lines, c.Timeline().String())
	}
	return strings.Join(lines, "")
}

// call makes a call of the control API.
func (w *town) call(method, path string, body any) (status int, out map[string]any) {
	w.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.Context(), method, w.api+path, bytes.NewReader(raw))
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		w.Fatalf("%s %s: %d: %v", method, path, resp.StatusCode, err)
	}
	return resp.StatusCode, out
}

// acts has Dana do something, and returns how it went.
func (w *town) acts(platform string, action map[string]any) string {
	w.Helper()
	action["platform"], action["person"] = platform, "Dana"
	_, out := w.call(http.MethodPost, "/api/act", action)
	return fmt.Sprint(out["outcome"], out["says"])
}

// sees waits until Dana sees a text.
func (w *town) sees(platform, text string) {
	w.Helper()
	q := url.Values{"platform": {platform}, "person": {"Dana"}, "text": {text}, "wait": {limit.String()}}
	if _, out := w.call(http.MethodGet, "/api/sees?"+q.Encode(), nil); out["met"] != true {
		w.Errorf("Dana does not see %q but:\n%v", text, out["sees"])
	}
}

// verdict is the judgement of the doubles: the rules that were broken.
func (w *town) verdict() []string {
	w.Helper()
	_, out := w.call(http.MethodPost, "/api/verify", nil)
	var rules []string
	for _, v := range out["violations"].([]any) {
		rules = append(rules, fmt.Sprint(v.(map[string]any)["rule"]))
	}
	return rules
}

// press makes a press, which has to be acknowledged.
func (w *town) press(platform, label string) {
	w.Helper()
	if got := w.acts(platform, map[string]any{"do": "press", "control": label}); got != "done" {
		w.Errorf("pressing %s: %s", label, got)
	}
}

// write fills the open form and sends it.
func (w *town) write(platform, words string) string {
	w.Helper()
	return w.acts(platform, map[string]any{"do": "submit", "fields": map[string]string{"": words}})
}

// connections are the ways in which the same bot is run.
var connections = []struct{ name, platform, bot, path string }{
	{"Bolt over HTTP", "slack", "bolt", "/slack/events"},
	{"Bolt over Socket Mode", "slack", "bolt", ""},
	{"discord.js", "discord", "discord", ""},
}

func TestBotsAskAndGetAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range connections {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, c.bot, c.path)
			w.press(c.platform, "Other…")
			w.sees(c.platform, "Its name")
			if c.platform == "slack" {
				if got := w.write(c.platform, "none"); !strings.HasPrefix(got, "rejected") {
					t.Errorf("a name that the bot refuses: %s", got)
				}
				w.sees(c.platform, "One of them.")
			}
			if got := w.write(c.platform, "DuckDB"); got != "done" {
				t.Errorf("sending the form: %s", got)
			}
			w.sees(c.platform, "DuckDB, chosen by dana")
			if rules := w.verdict(); len(rules) > 0 {
				t.Errorf("rules were broken: %v", rules)
			}
		})
		t.Run(c.name+", one tap", func(t *testing.T) {
			t.Parallel()
			w := start(t, c.bot, c.path)
			w.press(c.platform, "Postgres")
			w.sees(c.platform, "Postgres, chosen by dana")
			if rules := w.verdict(); len(rules) > 0 {
				t.Errorf("rules were broken: %v", rules)
			}
		})
	}
	t.Run("discord.js, by its command", func(t *testing.T) {
		t.Parallel()
		w := start(t, "discord", "")
		if got := w.acts("discord", map[string]any{
			"do": "command", "channel": "200000000000000001", "control": "ask", "fields": map[string]string{"question": "when?"},
		}); got != "done" {
			t.Errorf("using the command: %s", got)
		}
		w.sees("discord", "Soon: when?")
		if rules := w.verdict(); len(rules) > 0 {
			t.Errorf("rules were broken: %v", rules)
		}
	})
	for _, c := range connections[:2] {
		t.Run(c.name+", by its command, with a file", func(t *testing.T) {
			t.Parallel()
			w := start(t, c.bot, c.path)
			if got := w.acts("slack", map[string]any{"do": "command", "channel": "C0000001", "control": "/ask", "text": "when?"}); got != "done" {
				t.Errorf("using the command: %s", got)
			}
			w.sees("slack", "Soon: when?")
			w.sees("slack", "The plan")
			if rules := w.verdict(); len(rules) > 0 {
				t.Errorf("rules were broken: %v", rules)
			}
		})
	}
	for _, c := range connections {
		t.Run(c.name+", asked back", func(t *testing.T) {
			t.Parallel()
			w := start(t, c.bot, c.path)
			message := map[string]any{"do": "say", "channel": "C0000001", "text": "how long do we have?"}
			if c.platform == "discord" {
				message["channel"], message["text"] = "200000000000000001", "how long do we have, <@500000000000000001>?"
			}
			if got := w.acts(c.platform, message); got != "done" {
				t.Errorf("saying something: %s", got)
			}
			w.sees(c.platform, "Until five.")
			if rules := w.verdict(); len(rules) > 0 {
				t.Errorf("rules were broken: %v", rules)
			}
		})
	}
	t.Run("the Chat SDK", func(t *testing.T) {
		t.Parallel()
		w := start(t, "chatsdk", "/slack/events")
		w.press("slack", "Postgres")
		w.sees("slack", "Postgres, chosen by dana")
		if rules := w.verdict(); len(rules) > 0 {
			t.Errorf("rules were broken: %v", rules)
		}
	})
}

// A bot that makes a mistake learns which rule it broke.
func TestBrokenBotsAreCaught(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, platform, bot, mistake string
		press                        string
		rule, refused                string
	}{
		{"Bolt without an acknowledgement", "slack", "bolt", "ack", "Postgres", "ack.in_time", ""},
		{"Bolt with 26 buttons", "slack", "bolt", "buttons", "", "actions.elements", "invalid_blocks"},
		{"Bolt with one block_id twice", "slack", "bolt", "block_id", "", "block_id.unique", "invalid_blocks"},
		{"Bolt with a label of 90 characters", "slack", "bolt", "label", "", "button.text", "invalid_blocks"},
		{"Bolt with a trigger used twice", "slack", "bolt", "trigger", "Other…", "trigger.once", "exchanged_trigger_id"},
		{"Bolt with a file that it never uploaded", "slack", "bolt", "file", "/ask", "file.upload", "file_not_found"},
		{"discord.js without an answer", "discord", "discord", "ack", "Postgres", "ack.in_time", ""},
		{"discord.js with six buttons in a row", "discord", "discord", "buttons", "", "row.buttons", "BASE_TYPE_BAD_LENGTH"},
		{"discord.js with one custom_id twice", "discord", "discord", "duplicate", "", "custom_id.unique", "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"discord.js with a label of 90 characters", "discord", "discord", "label", "", "button.label", "Must be 80 or fewer"},
		{"discord.js with a command in capitals", "discord", "discord", "command", "", "command.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"discord.js with two answers", "discord", "discord", "twice", "Postgres", "ack.once", "already been acknowledged"},
		{"discord.js with a modal after a deferral", "discord", "discord", "defer", "Other…", "modal.first", "already been acknowledged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, tc.bot, "", "BROKEN="+tc.mistake)
			switch {
			case strings.HasPrefix(tc.press, "/"):
				w.acts(tc.platform, map[string]any{"do": "command", "channel": "C0000001", "control": tc.press})
			case tc.press != "":
				w.acts(tc.platform, map[string]any{"do": "press", "control": tc.press})
			}
			for deadline := time.Now().Add(limit); ; {
				rules := w.verdict()
				if len(rules) > 0 && rules[0] == tc.rule && strings.Contains(w.output.String(), tc.refused) {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("the doubles report %v, want %s; output of the bot:\n%s", rules, tc.rule, &w.output)
				}
				w.call(http.MethodGet, "/api/timeline?wait=1s&after=1000000&platform="+tc.platform, nil)
			}
		})
	}
}

//go:build hosts

package hosts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// codex is Codex with the MCP server of askbridge, configured as in the help of askbridge mcp.
type codex struct {
	*world
}

// startupTimeout is more than the 10 seconds that Codex gives a server by default: on a busy machine the model would not be
// offered the tool.
const startupTimeout = "startup_timeout_sec = 60\n"

func newCodex(t *testing.T, mcp func(*world) string, turns ...model.Turn) *codex {
	t.Helper()
	c := &codex{newWorld(t, "codex", turns...)}
	config := fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
disable_paste_burst = true
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[analytics]
enabled = false
[features]
default_mode_request_user_input = true
[projects.%q]
trust_level = "trusted"
`, c.model.URL()+"/v1", c.work)
	if mcp != nil {
		config += mcp(c.world)
	}
	c.write(".codex/config.toml", config)
	return c
}

func (c *codex) env() []string { return c.environment("SCRIPTED_KEY=scripted") }

func stdioServer(w *world) string { return w.guide("codex-mcp") + startupTimeout }

func httpServer(w *world) string {
	return fmt.Sprintf("[mcp_servers.askbridge]\nurl = %q\nbearer_token_env_var = \"ASKBRIDGE_TOKEN\"\n", w.bridge()+"/mcp") + startupTimeout
}

// The questions of the tools.
const (
	askUser   = `{"questions":[{"question":"Which database?","options":[{"label":"Postgres"},{"label":"SQLite"}]}]}`
	codexAsks = `{"questions":[{"id":"db","header":"Database","question":"Which database?","options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]}]}`
)

// codexExec is ask_user in a run without a terminal.
func codexExec(server func(*world) string) func(*testing.T) {
	return func(t *testing.T) {
		c := newCodex(t, server, asks("mcp__askbridge/ask_user", askUser)...)
		output, ended := c.start(c.command(c.env(), "codex", "exec", "--skip-git-repo-check", "please begin"))
		c.play(`dana picks "SQLite"`)
		c.reads("call_1", "SQLite", "answered")
		if err := <-ended; err != nil {
			t.Errorf("codex exec: %v\n%s", err, output)
		}
	}
}

// codexThread is a thread of an app server.
type codexThread struct {
	*rpc

	id string
}

// opens greets an app server and starts a thread.
func (c *codex) opens(r *rpc, thread map[string]any) *codexThread {
	c.Helper()
	r.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "suite", "title": "suite", "version": "1"}, "capabilities": map[string]any{"experimentalApi": true}})
	r.send(map[string]any{"jsonrpc": "2.0", "method": "initialized"})
	thread["cwd"] = c.work
	return &codexThread{r, c.member(r.call("thread/start", thread), "thread.id")}
}

// prompts begins a turn in which the model follows a script, and returns the id of the turn.
func (c *codexThread) prompts(turns ...model.Turn) string {
	c.Helper()
	c.model.Expect(turns...)
	return c.member(c.call("turn/start", map[string]any{"threadId": c.id, "input": []any{map[string]any{"type": "text", "text": "please go on"}}}), "turn.id")
}

// ends waits for the end of a turn.
func (c *codexThread) ends(turn, status string) {
	c.Helper()
	m := c.await("the end of the turn", func(m *message) bool {
		return m.Method == "turn/completed" && c.member(m.Params, "turn.id") == turn
	})
	if got := c.member(m.Params, "turn.status"); got != status {
		c.Errorf("the turn ended as %s, want %s", got, status)
	}
}

// starts starts a thread of an app server and sends the first prompt.
func (c *codex) starts(r *rpc, thread map[string]any) { c.opens(r, thread).prompts() }

// between starts askbridge between an app server and its client.
func (c *codex) between(flags ...string) *rpc {
	c.Helper()
	return c.speak(c.connects(c.env(), c.lines("codex-between")[0], flags...))
}

// wonders is a script in which the model asks and then ends.
func wonders(id, questions string) []model.Turn {
	return []model.Turn{{Calls: []model.Call{{ID: id, Tool: "request_user_input", Input: questions}}}, {Say: "All done."}}
}

// codexAsksThree are three questions, as many as Codex allows.
const codexAsksThree = `{"questions":[{"id":"db","header":"Database","question":"Which database?","options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]},` +
	`{"id":"region","header":"Region","question":"Which region?","options":[{"label":"eu","description":"Frankfurt"},{"label":"us","description":"Ohio"}]},` +
	`{"id":"when","header":"When","question":"When?","options":[{"label":"Now","description":"At once"},{"label":"Tonight","description":"After hours"}]}]}`

// codexBetween are the questions of one app server that chat answers before its client is asked.
func codexBetween(t *testing.T) {
	t.Helper()
	c := newCodex(t, nil)
	thread := c.opens(c.between(), map[string]any{})
	for _, step := range []struct {
		id, questions, scene string
		reads                []string
	}{
		{"picked", codexAsks, `dana picks "SQLite"`, []string{`{"answers":{"db":{"answers":["SQLite"]}}}`}},
		{"typed", codexAsks, `dana writes "MySQL 8" under "Which database?"`, []string{`"user_note: MySQL 8"`}},
		{
			"three", codexAsksThree, `dana picks "SQLite"
dana writes "Mars" under "Which region?"
dana picks "Tonight"
dana submits`, []string{`"db":{"answers":["SQLite"]}`, `"region":{"answers":["None of the above","user_note: Mars"]}`, `"when":{"answers":["Tonight"]}`},
		},
		{
			"dismissed", codexAsks, `dana dismisses
dana sees "Dismissed by @Dana"`, []string{`{"answers":{"db":{"answers":["user_note: Dana cancelled the questions. Do not assume an answer."]}}}`},
		},
		{
			"replied", codexAsksThree, `dana presses "More…"
dana presses "Answer with my own text…"
dana fills "Ask Sam first"
dana submits`, []string{`"user_note: Dana answered none of the questions, and replied: Ask Sam first"`},
		},
	} {
		turn := thread.prompts(wonders(step.id, step.questions)...)
		c.play(step.scene)
		c.reads(step.id, step.reads...)
		thread.ends(turn, "completed")
	}

	turn := thread.prompts(wonders("restarted", codexAsks)...)
	c.play(`dana sees "[SQLite]"`)
	c.stopBridge()
	c.startBridge()
	c.play(`dana picks "SQLite"`)
	c.reads("restarted", `{"answers":{"db":{"answers":["SQLite"]}}}`)
	thread.ends(turn, "completed")

	turn = thread.prompts(wonders("interrupted", codexAsks)[0])
	c.play(`dana sees "[SQLite]"`)
	thread.call("turn/interrupt", map[string]any{"threadId": thread.id, "turnId": turn})
	thread.ends(turn, "interrupted")
	c.play(`dana no longer sees "[SQLite]"
dana sees "the turn was interrupted in Codex"`)
	if n := thread.count("item/tool/requestUserInput"); n > 0 {
		t.Errorf("the client was asked %d times", n)
	}
}

// codexBeside is an app server with its terminal, and askbridge as one more client.
func codexBeside(t *testing.T) {
	t.Helper()
	c := newCodex(t, nil)
	address := "ws://127.0.0.1:" + c.freePort()
	lines := c.lines("codex-beside", "ws://127.0.0.1:4500", address)
	output, _ := c.start(c.command(c.env(), lines[0][0], lines[0][1:]...))
	c.until("the app server listens", func() bool { return strings.Contains(output.String(), address) })
	c.start(c.connects(c.env(), lines[1]))
	term := c.terminal(c.env(), lines[2][0], append(lines[2][1:], "please begin")...)

	c.model.Expect(wonders("chat", codexAsks)...)
	term.shows("Which database?", "Postgres")
	c.play(`dana picks "SQLite"`)
	c.reads("chat", `{"answers":{"db":{"answers":["SQLite"]}}}`)
	term.shows("All done.")

	c.model.Expect(wonders("terminal", codexAsksThree)[0], model.Turn{Say: "That is it."})
	term.keys("please go on")
	term.keys("Enter")
	term.shows("Which database?", "Postgres")
	c.play(`dana sees "Which region?" "○ SQLite"`)
	term.keys("Enter")
	term.shows("Which region?")
	term.keys("Enter")
	term.shows("When?")
	term.keys("Enter")
	c.reads("terminal", `"db":{"answers":["Postgres"]}`, `"when":{"answers":["Now"]}`)
	c.play(`dana sees "it was answered in Codex"`)
	term.shows("That is it.")

	c.model.Expect(wonders("stopped", codexAsks)[0])
	term.keys("please go on")
	term.keys("Enter")
	c.play(`dana sees "[SQLite]"`)
	term.shows("Which database?", "esc")
	term.keys("Escape")
	c.play(`dana no longer sees "[SQLite]"
dana sees "the turn was interrupted in Codex"`)
}

var codexScenarios = []scenario{
	{"beside, chat and the terminal are asked at once", codexBeside},
	{"exec asks over MCP on standard input", codexExec(stdioServer)},
	{"exec asks over MCP on HTTP", codexExec(httpServer)},
	{"in between, chat answers and the client is not asked", codexBetween},
	{"in between, the client is asked when nobody answers", func(t *testing.T) {
		c := newCodex(t, nil, asks("request_user_input", codexAsks)...)
		r := c.between("--wait", "2s")
		c.starts(r, map[string]any{})
		asked := r.requested("item/tool/requestUserInput")
		c.play(`dana sees "nobody answered in time, and the agent's own screen asks now"
dana no longer sees "[SQLite]"`)
		r.respond(asked, json.RawMessage(`{"answers":{"db":{"answers":["Postgres"]}}}`))
		c.reads("call_1", `{"answers":{"db":{"answers":["Postgres"]}}}`)
	}},
	{"in between, the client answers first", func(t *testing.T) {
		c := newCodex(t, nil, asks("request_user_input", codexAsks)...)
		r := c.between("--both")
		c.starts(r, map[string]any{})
		asked := r.requested("item/tool/requestUserInput")
		c.play(`dana sees "[SQLite]"`)
		r.respond(asked, json.RawMessage(`{"answers":{"db":{"answers":["Postgres","user_note: 17"]}}}`))
		c.reads("call_1", `{"answers":{"db":{"answers":["Postgres","user_note: 17"]}}}`)
		c.play(`dana sees "answered in Codex: Postgres, 17"`)
	}},
	{"chat decides the approvals of an app server", codexApprovals},
}

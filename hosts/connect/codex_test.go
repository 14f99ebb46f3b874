package connect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/test/golden"
)

// codexTalk is Codex's app-server on standard input and output, with a client in front of it.
type codexTalk struct {
	*talk

	codex *codex
}

func codexTalks(t *testing.T, o connect.PipeOptions, f func(c *codexTalk)) {
	t.Helper()
	bubble(t, func(t *testing.T, w *fixture) {
		judge := &codex{TB: t, pending: map[string][]string{}}
		c := &codexTalk{w.talks(connect.NewCodexPipe(w.bridge(connect.DefaultAway), &o), judge.judge), judge}
		judge.resolved = func(id string) { c.host.send(codexResolved(id)) }
		f(c)
	})
}

func codexResolved(id string) string {
	return `{"method":"serverRequest/resolved","params":{"threadId":"thr_1","requestId":` + id + `}}`
}

// asks returns a request as Codex 0.171.0 sends it; more replaces its time limit.
func (c *codex) asks(id, item string, more ...string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Join(more, "") == "" {
		more = []string{`"autoResolutionMs":null,`}
	}
	c.pending[id] = []string{"queue"}
	return fmt.Sprintf(`{"method":"item/tool/requestUserInput","id":%s,"params":{"threadId":"thr_1","turnId":"turn_1","itemId":%q,"isBlocking":false,%s"questions":[`+
		`{"id":"queue","header":"Queue","question":"Which <queue>?","isOther":true,"isSecret":false,"options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]}}`,
		id, item, strings.Join(more, ""))
}

func TestCodexTurn(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		c.front.sends(`{"method":"initialize","id":0,"params":{"clientInfo":{"name":"editor","title":"Editor","version":"0.1.0"}}}`)
		c.host.sends(`{"id":0,"result":{"userAgent":"codex/0.171.0"}}`)
		c.front.sends(`{"method":"initialized"}`)
		c.host.sends(`{"method":"item/started","params":{"threadId":"thr_1","turnId":"turn_1","item":{"type":"commandExecution","id":"i0"}}}`)
		c.host.sends(`{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"thr_1","turnId":"turn_1","itemId":"i0"}}`)
		c.codex.pending["0"] = nil
		c.host.sends(c.codex.asks("1", "call_1"))
		c.presses("In-process")
		c.host.sends(`{"method":"turn/completed","params":{"threadId":"thr_1","turn":{"id":"turn_1","status":"completed"}}}`)
		golden.Check(t, "testdata/codex.txt", c.transcript())
	})
}

func TestCodexGetsTypedText(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		c.host.sends(c.codex.asks("1", "call_1"))
		c.types("Other…", "NATS, if ops agrees")
		c.later(time.Minute)
		c.host.receives(`{"id":1,"result":{"answers":{"queue":{"answers":["None of the above","user_note: NATS, if ops agrees"]}}}}`)
		c.front.receives()
	})
}

func TestCodexsModelReadsThatTheQuestionsWereDismissed(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		c.host.sends(c.codex.asks(`"r-1"`, "call_1"))
		c.sees("[Redis]")
		c.dismisses()
		c.later(time.Minute)
		c.host.receives(`{"id":"r-1","result":{"answers":{"queue":{"answers":["user_note: Dana cancelled the questions. Do not assume an answer."]}}}}`)
	})
}

func TestCodexResolvesAQuestionByItself(t *testing.T) {
	for name, tt := range map[string]struct {
		both bool
		more string
	}{
		"unseen by its client": {},
		"seen by its client":   {both: true},
		"after its own limit":  {more: `"autoResolutionMs":60000,`},
	} {
		t.Run(name, func(t *testing.T) {
			codexTalks(t, connect.PipeOptions{Both: tt.both}, func(c *codexTalk) {
				q := c.codex.asks("1", "call_1", tt.more)
				c.host.sends(q)
				c.sees("[Redis]")
				c.host.sends(codexResolved("7"), codexResolved("1"))
				c.closed("Codex does not wait for it any more")
				c.host.receives()
				if tt.both {
					c.front.receives(q, codexResolved("7"), codexResolved("1"))
				} else {
					c.front.receives(codexResolved("7"))
				}
			})
		})
	}
}

func TestCodexsClientGetsWhatChatDoesNotAnswer(t *testing.T) {
	for name, more := range map[string]string{
		"when Codex sets a limit": `"autoResolutionMs":60000,`,
		"when we do":              "",
	} {
		t.Run(name, func(t *testing.T) {
			codexTalks(t, connect.PipeOptions{Options: connect.Options{Wait: 2 * time.Minute}}, func(c *codexTalk) {
				q := c.codex.asks("1", "call_1", more)
				c.host.sends(q)
				c.sees("[Redis]")
				c.later(90 * time.Second)
				if more == "" {
					c.front.receives()
					c.later(90 * time.Second)
				}
				c.front.receives(q)
				answer := `{"id":1,"result":{"answers":{"queue":{"answers":["Redis"]}}}}`
				c.front.sends(answer)
				c.host.receives(answer)
				c.front.receives(codexResolved("1"))
			})
		})
	}
}

func TestWhatChatMustNotSeeGoesToCodexsClient(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		for i, q := range []string{
			strings.Replace(c.codex.asks("1", "call_1"), `"isSecret":false`, `"isSecret":true`, 1),
			strings.Replace(c.codex.asks("2", "call_2"), `"options":[`, `"options":null,"was":[`, 1),
			`{"method":"item/tool/requestUserInput","id":3,"params":[]}`,
			`{"method":"item/tool/requestUserInput","id":4}`,
		} {
			c.host.sends(q)
			c.later(time.Minute)
			c.front.receives(q)
			refusal := fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"no"}}`, i+1)
			c.codex.pending[fmt.Sprint(i+1)] = nil
			c.front.sends(refusal)
			c.host.receives(refusal)
			c.front.forgets()
		}
		if n := len(c.dana.Messages("C0000001")); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestCodexItemIsAskedOnce(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		c.host.sends(c.codex.asks("1", "call_1"), c.codex.asks("1", "call_1"))
		c.presses("Redis")
		c.host.receives(`{"id":1,"result":{"answers":{"queue":{"answers":["Redis"]}}}}`)
		if n := len(c.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestCardShowsCodexClientAnswer(t *testing.T) {
	for name, tt := range map[string]struct{ answer, card string }{
		"an option":     {`"result":{"answers":{"queue":{"answers":["Redis"]}}}`, "answered in Codex: Redis"},
		"a note":        {`"result":{"answers":{"queue":{"answers":["Redis","user_note: For now"]}}}`, "answered in Codex: Redis, For now"},
		"typed text":    {`"result":{"answers":{"queue":{"answers":["None of the above","user_note: NATS"]}}}`, "answered in Codex: NATS"},
		"nothing":       {`"result":{"answers":{"queue":{"answers":[]}}}`, "answered in Codex: nothing"},
		"without words": {`"result":{"answers":{}}`, "it was answered in Codex"},
		"an error":      {`"error":{"code":-32000,"message":"no"}`, "it was answered in Codex"},
	} {
		t.Run(name, func(t *testing.T) {
			codexTalks(t, connect.PipeOptions{Both: true}, func(c *codexTalk) {
				c.host.sends(c.codex.asks("1", "call_1"))
				c.sees("[Redis]")
				c.front.sends(`{"id":1,` + tt.answer + `}`)
				c.closed(tt.card)
			})
		})
	}
}

// Codex ends the turn first and then resolves its questions.
func TestCardShowsInterruptedCodexTurn(t *testing.T) {
	codexTalks(t, connect.PipeOptions{}, func(c *codexTalk) {
		c.host.sends(c.codex.asks("1", "call_1"))
		c.sees("[Redis]")
		c.host.sends(codexInterrupted, codexResolved("1"))
		c.closed("the turn was interrupted in Codex")
		c.front.receives(codexInterrupted)
	})
}

const codexInterrupted = `{"method":"turn/completed","params":{"threadId":"thr_1","turn":{"id":"turn_1","status":"interrupted"}}}`

func TestCardShowsHandoverToCodexClient(t *testing.T) {
	codexTalks(t, connect.PipeOptions{Options: connect.Options{Wait: 2 * time.Minute}}, func(c *codexTalk) {
		q := c.codex.asks("1", "call_1")
		c.host.sends(q)
		c.sees("[Redis]")
		c.later(3 * time.Minute)
		c.closed("nobody answered in time, and the agent's own screen asks now")
		c.front.receives(q)
	})
}

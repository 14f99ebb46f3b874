package connect_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/test/golden"
)

// kimiTalk is Kimi in wire mode with a client in front of it.
type kimiTalk struct {
	*talk

	kimi *kimi
}

func kimiTalks(t *testing.T, o connect.PipeOptions, f func(k *kimiTalk)) {
	t.Helper()
	bubble(t, func(t *testing.T, w *fixture) {
		k := &kimi{TB: t, pending: map[string]string{}}
		f(&kimiTalk{w.talks(connect.NewKimiPipe(w.bridge(connect.DefaultAway), &o), k.judge), k})
	})
}

const (
	kimiInit = `{"jsonrpc":"2.0","method":"initialize","id":"i-1","params":{"protocol_version":"1.10","capabilities":{"supports_question":true}}}`
	kimiTurn = `{"jsonrpc":"2.0","method":"prompt","id":"p-1","params":{"user_input":"Deploy <it>"}}`
	kimiDone = `{"jsonrpc":"2.0","id":"p-1","result":{"status":"cancelled"}}`
)

// question is a request as Kimi sends it.
func (k *kimiTalk) question(id, tool string) string {
	return k.asking(id, tool, `{"question":"Which  <queue>?","header":"Queue","options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}],"multi_select":false}`)
}

func (k *kimiTalk) asking(id, tool, question string) string {
	k.kimi.mu.Lock()
	defer k.kimi.mu.Unlock()
	k.kimi.pending[id] = id
	return `{"jsonrpc":"2.0","method":"request","id":"` + id + `","params":{"type":"QuestionRequest","payload":{"id":"` + id + `","tool_call_id":"` + tool + `","questions":[` + question + `]}}}`
}

// begins is the front client that starts a turn.
func (k *kimiTalk) begins() {
	k.front.says(kimiInit, kimiTurn)
	k.host.hears(kimiInit, kimiTurn)
}

func TestATurnOfKimi(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.front.says(strings.Replace(kimiInit, `"supports_question":true`, `"supports_plan_mode":true`, 1))
		k.host.says(`{"jsonrpc":"2.0","id":"i-1","result":{"protocol_version":"1.10","server":{"name":"Kimi Code CLI","version":"1.49.0"}}}`)
		k.front.says(kimiTurn)
		k.host.says(
			`{"jsonrpc": "2.0", "method": "event", "params": {"type": "TurnBegin", "payload": {}}}`,
			`Traceback (most recent call last):`,
			k.question("q-1", "tc-1"))
		k.presses("In-process")
		k.host.says(`{"jsonrpc":"2.0","method":"event","params":{"type":"ToolResult","payload":{"tool_call_id":"tc-1","return_value":{}}}}`,
			strings.Replace(kimiDone, "cancelled", "finished", 1))
		golden.Check(t, "testdata/kimi.txt", k.transcript())
	})
}

func TestKimiGetsTypedTextAndSeveralPicks(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		k.host.says(k.asking("q-1", "tc-1", `{"question":"Which checks?","header":"Checks","options":[{"label":"Unit"},{"label":"Lint"},{"label":"Race"}],"multi_select":true},`+
			`{"question":"Which queue?","header":"Queue","options":[{"label":"Redis"},{"label":"In-process"}]}`))
		k.sees("Which checks?")
		k.picks("Which checks?", "Unit", "Race")
		k.types("Other…", "NATS, if ops agrees", "Which queue?")
		k.presses("Submit")
		k.host.hears(`{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{"Which checks?":"Unit, Race","Which queue?":"NATS, if ops agrees"}}}`)
		k.front.hears()
	})
}

func TestADismissalInChatIsOneInKimi(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		k.host.says(k.question("q-1", "tc-1"))
		k.sees("[Redis]")
		k.dismisses()
		time.Sleep(time.Minute)
		k.host.hears(`{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{}}}`)
	})
}

func TestKimisClientGetsWhatChatDoesNotAnswer(t *testing.T) {
	for name, happens := range map[string]func(k *kimiTalk){
		"in time": func(k *kimiTalk) { k.sees("[Redis]") },
		"because the bridge was never there": func(k *kimiTalk) {
			k.away.Store(true)
		},
		"because the bridge has gone": func(k *kimiTalk) {
			k.sees("[Redis]")
			k.away.Store(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			kimiTalks(t, connect.PipeOptions{Options: connect.Options{Wait: 20 * time.Minute}}, func(k *kimiTalk) {
				k.begins()
				q := k.question("q-1", "tc-1")
				if strings.Contains(name, "never") {
					happens(k)
				}
				k.host.says(q)
				k.front.hears()
				if !strings.Contains(name, "never") {
					happens(k)
				}
				time.Sleep(time.Hour)
				k.front.hears(q)
				k.away.Store(false)
				time.Sleep(time.Minute)
				if sees := k.dana.Sees(); strings.Contains(sees, "[Redis]") {
					t.Errorf("the card says %s", sees)
				}
				answer := `{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{"Which  <queue>?":"Redis"}}}`
				k.front.says(answer)
				k.host.hears(answer)
			})
		})
	}
}

func TestACardIsClosedThatWasHandedBackDuringAnOutage(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		q := k.question("q-1", "tc-1")
		k.host.says(q)
		k.sees("[Redis]")
		k.away.Store(true)
		k.later(10 * time.Minute)
		k.front.hears(q)
		k.away.Store(false)
		k.closed("the agent's own screen asks now")
	})
}

func TestThePipeLastsThroughARestartOfTheBridge(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		k.host.says(k.question("q-1", "tc-1"))
		k.sees("[Redis]")
		k.away.Store(true)
		time.Sleep(time.Minute)
		k.away.Store(false)
		k.presses("Redis")
		k.host.hears(`{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{"Which  <queue>?":"Redis"}}}`)
		k.front.hears()
	})
}

func TestKimiIsToldThatNobodyAnswered(t *testing.T) {
	mute := strings.Replace(kimiInit, `,"capabilities":{"supports_question":true}`, "", 1)
	for name, tt := range map[string]struct {
		deny bool
		init string
	}{
		"where that is wanted":                          {true, kimiInit},
		"where its client takes no questions":           {false, mute},
		"where its client says it takes no questions":   {false, strings.Replace(kimiInit, "true", "false", 1)},
		"where that is wanted and nobody else is there": {true, mute},
	} {
		t.Run(name, func(t *testing.T) {
			o := connect.PipeOptions{Both: tt.init == mute, Options: connect.Options{Wait: 20 * time.Minute, Deny: tt.deny}}
			kimiTalks(t, o, func(k *kimiTalk) {
				k.front.says(tt.init, kimiTurn)
				synctest.Wait()
				k.host.mu.Lock()
				if !strings.Contains(k.host.got[0], `"supports_question":true`) {
					t.Errorf("Kimi hears %s", k.host.got[0])
				}
				k.host.got = nil
				k.host.mu.Unlock()
				k.host.says(k.question("q-1", "tc-1"))
				time.Sleep(time.Hour)
				k.host.hears(`{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{}}}`)
				k.front.hears()
			})
		})
	}
}

func TestWithBothWhoeverIsFirstCounts(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{"Which  <queue>?":"Redis"}}}`
	other := strings.Replace(answer, "Redis", "In-process", 1)
	t.Run("the front client", func(t *testing.T) {
		kimiTalks(t, connect.PipeOptions{Both: true}, func(k *kimiTalk) {
			k.begins()
			q := k.question("q-1", "tc-1")
			k.host.says(q)
			k.front.hears(q)
			k.sees("[Redis]")
			k.front.says(answer)
			k.host.hears(answer)
			k.closed("it was answered in Kimi")
			k.host.hears()
		})
	})
	t.Run("chat", func(t *testing.T) {
		kimiTalks(t, connect.PipeOptions{Both: true}, func(k *kimiTalk) {
			k.begins()
			q := k.question("q-1", "tc-1")
			k.host.says(q)
			k.front.hears(q)
			k.presses("In-process")
			k.front.says(answer) // Too late: nobody waits.
			k.host.hears(other)
		})
	})
}

func TestWhatKimiTakesBackIsClosedInChat(t *testing.T) {
	result := `{"jsonrpc":"2.0","method":"event","params":{"type":"ToolResult","payload":{"tool_call_id":"tc-1","return_value":{}}}}`
	for name, tt := range map[string]struct{ line, because string }{
		"the turn was cancelled":     {kimiDone, "the agent's turn has ended"},
		"its tool call has a result": {result, "the agent does not wait for it any more"},
		"a sub-agent's has": {
			`{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"event":{"type":"ToolResult","payload":{"tool_call_id":"tc-1","return_value":{}}}}}}`,
			"the agent does not wait for it any more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
				k.begins()
				k.host.says(k.question("q-1", "tc-1"))
				k.sees("[Redis]")
				k.host.says(strings.Replace(result, "tc-1", "tc-0", 1), tt.line)
				k.closed(tt.because)
				k.host.hears()
			})
		})
	}
	t.Run("it has ended", func(t *testing.T) {
		kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
			k.begins()
			k.host.says(k.question("q-1", "tc-1"))
			k.sees("[Redis]")
			k.host.out.Close()
			k.closed("the agent has ended")
		})
	})
}

func TestAReplayOfKimiAsksNobody(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.front.says(kimiInit, `{"jsonrpc":"2.0","method":"replay","id":"r-1"}`)
		old := k.question("q-0", "tc-0")
		k.host.says(old)
		k.front.hears(old)
		done := `{"jsonrpc":"2.0","id":"r-1","result":{"status":"finished","events":0,"requests":1}}`
		k.host.says(done, k.question("q-1", "tc-1"))
		k.front.hears(done)
		k.presses("Redis")
		if n := len(k.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestASubAgentOfKimiIsNamed(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		k.host.says(
			`{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":{"parent_tool_call_id":"tc-0","agent_id":"a7","subagent_type":"coder",`+
				`"event":{"type":"ToolCall","payload":{"type":"function","id":"tc-1","function":{"name":"AskUserQuestion","arguments":"{}"}}}}}}`,
			k.question("q-1", "tc-1"))
		k.sees("coder a7")
		k.presses("Redis")
		k.host.hears(`{"jsonrpc":"2.0","id":"q-1","result":{"request_id":"q-1","answers":{"Which  <queue>?":"Redis"}}}`)
	})
}

func TestAPlanOfKimiStandsAboveItsQuestion(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		k.begins()
		k.host.says(
			`{"jsonrpc":"2.0","method":"event","params":{"type":"PlanDisplay","payload":{"content":"1. Drain the queue`+strings.Repeat(" and wait", 1000)+`","file_path":"/tmp/plan.md"}}}`,
			k.asking("q-1", "tc-1", `{"question":"Approve this plan","header":"Plan","options":[{"label":"Approve"},{"label":"Reject"}],"other_label":"Revise"}`))
		k.sees("1. Drain the queue and wait")
		k.presses("Approve")
		k.host.says(k.question("q-2", "tc-2"))
		k.sees("[Redis]")
		if cards := k.dana.Messages("C0000001"); strings.Contains(cards[len(cards)-1].Text, "Drain") {
			t.Error("the plan stands above another question")
		}
	})
}

func TestWhatThePipeDoesNotUnderstandPassesUnchanged(t *testing.T) {
	kimiTalks(t, connect.PipeOptions{}, func(k *kimiTalk) {
		lines := []string{
			``, `{`, `[]`, `7`, `null`, `"QuestionRequest"`, `{"id":{}}`, ` {"jsonrpc" : "2.0" , "method":"event"}`,
			`{"jsonrpc":"2.0","method":"request","params":{"type":"QuestionRequest","payload":{}}}`,
			`{"jsonrpc":"2.0","method":"request","id":null,"params":{"type":"QuestionRequest","payload":{}}}`,
			`{"jsonrpc":"2.0","method":"request","id":"a-1","params":{"type":"ApprovalRequest","payload":{"id":"a-1"}}}`,
			`{"jsonrpc":"2.0","method":"request","id":"a-2","params":"QuestionRequest"}`,
			`{"jsonrpc":"2.0","method":"event","params":{"type":"SubagentEvent","payload":7}}`,
			`{"jsonrpc":"2.0","method":"event","params":{"type":"ToolResult","payload":[]}}`,
			strings.Repeat("x", 20<<20),
			"\xff\xfe",
		}
		k.host.says(lines...)
		k.front.hears(lines...)
		// A question that is none goes to the front client as it came.
		for _, bad := range []string{`{}`, `7`, `{"id":"q-1","questions":[]}`, `{"id":"q-2","tool_call_id":"t","questions":[{"question":""}]}`} {
			k.kimi.pending["b"] = "b"
			line := `{"jsonrpc":"2.0","method":"request","id":"b","params":{"type":"QuestionRequest","payload":` + bad + `}}`
			k.host.says(line)
			time.Sleep(time.Minute)
			k.front.hears(line)
			refusal := `{"jsonrpc":"2.0","id":"b","error":{"code":-32602,"message":"no"}}`
			k.front.says(refusal)
			k.host.hears(refusal)
			k.front.says(`{"jsonrpc":"2.0","method":"prompt","id":"p","params":{"user_input":""}}`)
			k.host.says(`{"jsonrpc":"2.0","id":"p","result":{"status":"finished"}}`)
			k.host.forgets()
			k.front.forgets()
		}
	})
}

func TestAFrontClientMaySayAnything(t *testing.T) {
	bubble(t, func(_ *testing.T, w *fixture) {
		k := w.talks(connect.NewKimiPipe(w.bridge(connect.DefaultAway), nil), func(string) {})
		lines := []string{
			`{"method":"initialize"}`, `{"method":"initialize","params":7}`, `{"method":"initialize","params":{"capabilities":7}}`,
			`{"id":"q-9","result":{}}`, ``, `{`, kimiInit,
		}
		k.front.says(lines...)
		k.host.hears(lines...)
	})
}

package dialect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

func TestReplyMatchesInputEnvelope(t *testing.T) {
	t.Parallel()
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"x-1","method":"` + method + `","params":` + params + `}`
	}
	first := answered(ask.Answer{Index: 0, Selected: []string{"Redis Streams"}})
	elicitHook := `{"hook_event_name":"Elicitation","session_id":"s1","mcp_server_name":"db","cwd":"/w",` + strings.Replace(strings.TrimPrefix(elicitF, "{"), "requestedSchema", "requested_schema", 1)
	mixed := `{"message":"Scale","requestedSchema":{"type":"object","required":["n"],"properties":{
	  "n":{"type":"integer","title":"Replicas","description":"How many replicas?"},"share":{"type":"number"},"now":{"type":"boolean","title":"At once?"},
	  "level":{"enum":[1,2,"max"],"enumNames":["Low","High"]},"note":{"type":"string"}}}}`
	filled := func(n string) ask.Outcome {
		return answered(ask.Answer{Index: 0, Other: n}, ask.Answer{Index: 1, Other: "0.5"}, ask.Answer{Index: 2, Selected: []string{"No"}}, ask.Answer{Index: 3, Selected: []string{"max"}})
	}
	inboxSet := `{"action_request":{"action":"ask","args":` + setF + `},"config":{"allow_respond":true},"description":"Two decisions"}`
	a2a03 := strings.NewReplacer("TASK_STATE_INPUT_REQUIRED", "input-required", `[{"data"`, `[{"kind":"text","text":"Before I go on"},{"kind":"data","data"`).Replace(a2aF)
	for _, tt := range []struct {
		name, dialect, in string
		out               ask.Outcome
		want              string
	}{
		{"codex app server", "codex", rpc("item/tool/requestUserInput", codexF), first, `{"jsonrpc":"2.0","id":"x-1","result":{"answers":{"queue":{"answers":["Redis Streams"]}}}}`},
		{"codex app server, dismissed", "codex", rpc("item/tool/requestUserInput", codexF), declined, `{"jsonrpc":"2.0","id":"x-1","result":{"answers":{"queue":{"answers":["user_note: Dana cancelled the questions. Do not assume an answer."]}}}}`},
		{"kimi wire", "kimi", rpc("request", `{"type":"QuestionRequest","payload":`+kimiF+`}`), declined, `{"jsonrpc":"2.0","id":"x-1","result":{"request_id":"q-9","answers":{}}}`},
		{"cursor", "cursor", rpc("cursor/ask_question", cursorF), first, `{"jsonrpc":"2.0","id":"x-1","result":{"outcome":{"outcome":"answered","answers":[{"questionId":"q0","selectedOptionIds":["a"]}]}}}`},
		{"elicitation request", "mcp", rpc("elicitation/create", elicitF), declined, `{"jsonrpc":"2.0","id":"x-1","result":{"action":"decline"}}`},
		{"elicitation hook", "mcp", elicitHook, picked, `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"q0":"o0","q1":["o0","o2"]}}}`},
		{"a form with several types", "mcp", mixed, filled("12"), `{"action":"accept","content":{"n":12,"share":0.5,"now":false,"level":"max"}}`},
		{"text instead of a number", "mcp", mixed, filled("a dozen"), `{"action":"cancel"}`},
		{"a required answer is missing", "mcp", mixed, answered(ask.Answer{Index: 1, Other: "1"}), `{"action":"cancel"}`},
		{"no number at all", "mcp", mixed, answered(ask.Answer{Index: 0, Other: "1"}, ask.Answer{Index: 1, Other: "half"}), `{"action":"cancel"}`},
		{"acp form", "acp", rpc("elicitation/create", elicitF), picked, `{"jsonrpc":"2.0","id":"x-1","result":{"action":"accept","content":{"q0":"o0","q1":["o0","o2"]}}}`},
		{"pydantic run", "pydantic-ai", `{"calls":[` + pydanticF + `],"approvals":[]}`, first, `{"calls":{"call_7":{"Which queue should the workers use?":"Redis Streams"}}}`},
		{"pydantic arguments as a string", "pydantic-ai", `{"tool_call_id":"c","args":"{\"questions\":[{\"question\":\"Q?\",\"options\":[\"Redis Streams\",\"B\"]}]}"}`, first, `{"calls":{"c":{"Q?":"Redis Streams"}}}`},
		{"pydantic arguments alone", "pydantic-ai", setF, first, `{"Which queue should the workers use?":"Redis Streams"}`},
		{
			"a set inside an interrupt", "langgraph", inboxSet, picked,
			`[{"type":"response","args":"Which queue should the workers use?\n- Redis Streams\n\nWhich checks gate a release?\n- Unit tests\n- Race detector"}]`,
		},
		{"an interrupt that may not be ignored", "langgraph", inboxSet, declined, "Dana cancelled the questions."},
		{"opencode without a request", "opencode", setF, first, `{"answers":[["Redis Streams"],[]]}`},
		{"copilot over json-rpc", "copilot", rpc("ask", oneChoice), first, `{"jsonrpc":"2.0","id":"x-1","result":{"answer":"Redis Streams","wasFreeform":false}}`},
		{"opal over json-rpc, dismissed", "opal", rpc("client/ask_user", oneChoice), declined, `{"jsonrpc":"2.0","id":"x-1","error":{"code":-32000,"message":"Dana cancelled the questions."}}`},
		{"a2a 0.3", "a2a", a2a03, first, `"kind":"message","role":"user","taskId":"task-1","contextId":"ctx-1","parts":[{"kind":"text","text":"Redis Streams"}]}}`},
		{"an a2a message", "a2a", `{"kind":"message","messageId":"m","taskId":"t","parts":[{"kind":"text","text":"Which queue?"}]}`, answered(ask.Answer{Index: 0, Other: "NATS"}), `"role":"user","taskId":"t","parts":[{"kind":"text","text":"NATS"}]}}`},
		{"crush notes", "crush", crushF, answered(ask.Answer{Index: 0, Selected: []string{"In-process"}, Notes: "for now"}), "User selected: [\"local\"]\n\nNotes:\n- for now\n\nQ2: Which checks gate a release?\nUser skipped this question"},
		{"codex notes", "codex", codexF, answered(ask.Answer{Index: 0, Selected: []string{"In-process"}, Notes: "for now"}), `{"answers":{"queue":{"answers":["In-process","user_note: for now"]}}}`},
		{"claude's text with a note", "claude-text", setF, answered(ask.Answer{Index: 0, Selected: []string{"In-process"}, Notes: "for now"}), `"Which queue should the workers use?"="In-process" notes: for now.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(get(t, tt.dialect).Encode([]byte(tt.in), tt.out, nil).Body)
			// A want that is not valid JSON is a part of the result.
			if whole := json.Valid([]byte(tt.want)); whole && got != tt.want || !strings.Contains(got, tt.want) {
				t.Error(cmp.Diff(tt.want, got))
			}
		})
	}
}

func TestRequestFieldsComeFromEnvelope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, dialect, in string
		want              ask.Request
	}{
		{"a hook names session and call", "claude", hookF, ask.Request{Session: "s1", ToolCallID: "toolu_01"}},
		{"a permission request names no call", "claude", permitF, ask.Request{Session: "s1"}},
		{"a control request names the call", "claude", controlF, ask.Request{ToolCallID: "toolu_01"}},
		{"codex may limit the time", "codex", strings.Replace(codexF, `{"questions"`, `{"threadId":"th","turnId":"tu","itemId":"it","autoResolutionMs":90000,"questions"`, 1), ask.Request{Session: "th", ToolCallID: "it", ExpiresIn: 90 * time.Second}},
		{"no limit means none", "codex", codexF, ask.Request{}},
		{"kimi names the call", "kimi", kimiF, ask.Request{ToolCallID: "call_9", Wordless: true}},
		{"a title is context", "cursor", cursorF, ask.Request{ToolCallID: "call_1", Context: "Deploying"}},
		{"a form's message is context", "mcp", elicitF, ask.Request{Context: "Two decisions", Wordless: true}},
		{"an agent's text before its questions is context", "a2a", strings.Replace(a2aF, `[{"data"`, `[{"text":"Before I go on"},{"data"`, 1), ask.Request{Session: "ctx-1", ToolCallID: "m-1", Context: "Before I go on"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			call, err := get(t, tt.dialect).Decode([]byte(tt.in), nil)
			if err != nil {
				t.Fatal(err)
			}
			call.Request.Questions, call.Request.Rules = nil, nil
			if diff := cmp.Diff(tt.want, call.Request); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvalidEnvelopesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, dialect, in, want string }{
		{"a hook without input", "claude", `{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":null}`, "tool_input: must be a JSON object"},
		{"a control request without a request", "claude", `{"type":"control_request"}`, "request: must be a JSON object"},
		{"parameters that are not an object", "codex", `{"method":"m","params":7}`, "params: must be a JSON object"},
		{"a kimi payload that is not an object", "kimi", `{"payload":7}`, "payload: must be a JSON object"},
		{"two interrupts of an inbox", "langgraph", `[{},{}]`, "holds 2 interrupts"},
		{"an interrupt without a config", "langgraph", `{"action_request":{}}`, "config: must be a JSON object"},
		{"a task without a message", "a2a", `{"status":{"state":"input-required"}}`, "status.message: must be a JSON object"},
		{"parts that are not a list", "a2a", `{"parts":{}}`, "parts: must be a list of parts"},
		{"a schema without properties", "mcp", `{"message":"m","requestedSchema":{"type":"object"}}`, "must be a flat JSON schema"},
		{"a list of anything", "mcp", `{"message":"m","requestedSchema":{"properties":{"a":{"type":"array"}}}}`, "a list needs the values"},
		{"a property that is not an object", "mcp", `{"message":"m","requestedSchema":{"properties":{"a":7}}}`, "is not a property"},
		{"interrupts that are not a list", "ag-ui", `{"interrupts":7}`, "interrupts: must be a list"},
		{"an outcome that is not an object", "ag-ui", `{"outcome":7}`, "outcome: must be a JSON object"},
		{"a secret", "codex", `{"questions":[{"id":"a","question":"Token?","isSecret":true,"options":["A","B"]}]}`, "asks for a secret"},
		{"no crush questions", "crush", `{"questions":[]}`, "at least one question is required"},
		{"six crush questions", "crush", `{"questions":[{},{},{},{},{},{}]}`, "exceeds maximum of 5 questions per batch (got 6)"},
		{"five gemini options", "gemini", `{"questions":[{"type":"choice","header":"H","question":"Q?","options":["A","B","C","D","E"]}]}`, "'options' array must have at most 4 items"},
		{"no gemini questions", "gemini", `{"questions":[]}`, "params/questions must NOT have fewer than 1 items"},
		{"agno answers in the wrong form", "agno", `{"questions_json":"[{\"question\":\"Q?\",\"header\":\"H\",\"multiSelect\":false,\"options\":[{\"label\":\"A\",\"description\":\"a\"},{\"label\":\"B\",\"description\":\"b\"}]}]","user_answers":"maybe"}`, "Invalid user_answers format"},
		{"a session of many bytes", "opal", `{"session_id":"` + strings.Repeat("s", 300) + `","question":"Q?"}`, "at most 256 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := get(t, tt.dialect)
			_, err := d.Decode([]byte(tt.in), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if r := d.Refuse([]byte(tt.in), err); len(r.Body) > 0 && !r.IsError {
				t.Errorf("the refusal is %s", r.Body)
			}
		})
	}
}

func TestCrushLongTextsGetAdvice(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 150)
	in := `{"questions":[{"type":"single_choice","label":"L","question":"` + long + `?","description":"` + long + `","choices":[{"id":"a","label":"A` + long + `","description":"` + long + `"},{"id":"b","label":"B"}]}]}`
	call, err := get(t, "crush").Decode([]byte(in), nil)
	if err != nil || len(call.Advice) != 4 {
		t.Errorf("%v, %v", call.Advice, err)
	}
	if _, err := get(t, "crush").Decode([]byte(in), &dialect.Options{Strict: true}); err == nil || !strings.Contains(err.Error(), "exceeds 240 characters (got 751)") {
		t.Errorf("strict: %v", err)
	}
}

func TestReleasedSpringHostOnlyWarns(t *testing.T) {
	t.Parallel()
	in := []byte(`{"questions":[{"question":"Which one","header":"Authentication","options":[]}]}`)
	d := get(t, "spring")
	_, err := d.Decode(in, nil)
	if err == nil || err.Error() != "Header must be max 12 characters, got: 14" {
		t.Errorf("as documented: %v", err)
	}
	if all, ok := errors.AsType[*dialect.InputError](err); !ok || len(all.Problems) != 2 || all.Problems[1].Detail != "Options must have 2-4 items" {
		t.Errorf("all of it: %+v", all)
	}
	call, err := d.Decode(in, &dialect.Options{Released: true})
	if err != nil || len(call.Advice) != 4 {
		t.Errorf("as released: %v, %v", call.Advice, err)
	}
}

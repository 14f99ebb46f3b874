package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// Two questions as most hosts send them, and the same in other spellings.
const (
	setF = `{"questions":[
 {"question":"Which queue should the workers use?","header":"Queue","multiSelect":false,"options":[
   {"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]},
 {"question":"Which checks gate a release?","header":"Gates","multiSelect":true,"options":[
   {"label":"Unit tests","description":"Fast"},{"label":"Lint","description":"Style only"},{"label":"Race detector","description":"Slow"}]}]}`
	hookF     = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"toolu_01","tool_input":` + setF + `}`
	permitF   = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":` + setF + `}`
	controlF  = `{"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"toolu_01","input":` + setF + `}}`
	oneChoice = `{"question":"Which queue should the workers use?","choices":["Redis Streams","In-process"]}`
	codexF    = `{"questions":[{"id":"queue","header":"Queue","question":"Which queue should the workers use?","options":[
   {"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]}]}`
	openCodeF = `{"id":"que_1","sessionID":"ses_1","tool":{"messageID":"msg_1","callID":"call_1"},"questions":[
 {"question":"Which queue should the workers use?","header":"Queue","options":[
   {"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]},
 {"question":"Which checks gate a release?","header":"Gates","multiple":true,"options":[
   {"label":"Unit tests","description":"Fast"},{"label":"Lint","description":"Style only"},{"label":"Race detector","description":"Slow"}]}]}`
	geminiF = `{"questions":[
 {"type":"choice","question":"Which queue should the workers use?","header":"Queue","options":[
   {"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]},
 {"type":"choice","question":"Which checks gate a release?","header":"Gates","multiSelect":true,"options":[
   {"label":"Unit tests","description":"Fast"},{"label":"Lint","description":"Style only"},{"label":"Race detector","description":"Slow"}]}]}`
	kimiF = `{"id":"q-9","tool_call_id":"call_9","questions":[
 {"question":"Which queue should the workers use?","header":"Queue","multi_select":false,"options":[
   {"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]},
 {"question":"Which checks gate a release?","header":"Gates","multi_select":true,"options":[
   {"label":"Unit tests","description":"Fast"},{"label":"Lint","description":"Style only"},{"label":"Race detector","description":"Slow"}]}]}`
	crushF = `{"questions":[
 {"type":"single_choice","label":"Queue","question":"Which queue should the workers use?","description":"For the new jobs.","choices":[
   {"id":"redis","label":"Redis Streams"},{"id":"local","label":"In-process"}]},
 {"type":"multi_choice","label":"Gates","question":"Which checks gate a release?","description":"On main.","choices":[
   {"id":"unit","label":"Unit tests"},{"id":"lint","label":"Lint"},{"id":"race","label":"Race detector"}]}]}`
	vscodeF = `{"questions":[
 {"header":"queue","question":"Which queue should the workers use?","options":[{"label":"Redis Streams","recommended":true},{"label":"In-process"}]},
 {"header":"gates","question":"Which checks gate a release?","multiSelect":true,"options":[{"label":"Unit tests"},{"label":"Lint"},{"label":"Race detector"}]}]}`
	cursorF = `{"toolCallId":"call_1","title":"Deploying","questions":[{"id":"q0","prompt":"Which queue should the workers use?",
 "options":[{"id":"a","label":"Redis Streams"},{"id":"b","label":"In-process"}],"allowMultiple":false}]}`
	clineF    = `{"question":"Which queue should the workers use?","options":["Redis Streams","In-process"]}`
	rooF      = `{"question":"Which queue should the workers use?","follow_up":[{"text":"Redis Streams"},{"text":"In-process","mode":"architect"}]}`
	pydanticF = `{"tool_call_id":"call_7","tool_name":"ask","args":` + setF + `}`
	inboxF    = `[{"action_request":{"action":"deploy","args":{"version":"4.2"}},"config":{"allow_accept":true,"allow_ignore":true,"allow_respond":true,"allow_edit":false},"description":"Deploy 4.2?"}]`
	agUIF     = `{"outcome":{"type":"interrupt","interrupts":[{"id":"i-7","reason":"input","message":"Which queue should the workers use?","toolCallId":"call_7",
 "responseSchema":{"type":"object","properties":{"queue":{"type":"string","enum":["Redis Streams","In-process"]}}}}]}}`
	a2aF = `{"id":"task-1","contextId":"ctx-1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m-1","role":"ROLE_AGENT",
 "parts":[{"data":{"questions":[{"question":"Which queue should the workers use?","header":"Queue","options":["Redis Streams","In-process"]}]}}]}}}`
	elicitF = `{"message":"Two decisions","requestedSchema":{"type":"object","properties":{
 "q0":{"type":"string","title":"Which queue should the workers use?","oneOf":[{"const":"o0","title":"Redis Streams"},{"const":"o1","title":"In-process"}]},
 "q0_other":{"type":"string"},
 "q1":{"type":"array","title":"Which checks gate a release?","items":{"anyOf":[{"const":"o0","title":"Unit tests"},{"const":"o1","title":"Lint"},{"const":"o2","title":"Race detector"}]}},
 "q1_other":{"type":"string"}}}}`
)

// agnoF is the same set as the JSON string that Agno's tool takes.
func agnoF(tb testing.TB) string {
	tb.Helper()
	var f struct{ Questions json.RawMessage }
	if err := json.Unmarshal([]byte(setF), &f); err != nil {
		tb.Fatal(err)
	}
	in, err := json.Marshal(map[string]string{"questions_json": string(f.Questions)})
	if err != nil {
		tb.Fatal(err)
	}
	return string(in)
}

var dana = ask.Person{Platform: "slack", ID: "U0000001", Name: "Dana"}

// The outcomes of the documented examples.
var (
	picked = ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{
		{Index: 0, Selected: []string{"Redis Streams"}},
		{Index: 1, Selected: []string{"Unit tests", "Race detector"}},
	}}
	typed = ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{
		{Index: 0, Selected: []string{}, Other: "NATS, if ops agrees"},
		{Index: 1, Selected: []string{"Lint"}, Other: "Benchmarks"},
	}}
	declined = ask.Outcome{State: ask.Cancelled, By: dana, Reason: "dismissed"}
	replied  = ask.Outcome{State: ask.Cancelled, By: dana, Reason: "Ask me tomorrow"}
	// cancelled means that the agent withdrew the questions.
	cancelled = ask.Outcome{State: ask.Cancelled, Reason: "plan changed"}
)

// unnamed returns an outcome without the names of the people.
func unnamed(out ask.Outcome) ask.Outcome {
	out.By.Name = ""
	return out
}

// updated returns the tool input with answers appended.
func updated(answers string) string { return setF[:len(setF)-1] + `,"answers":` + answers + `}` }

const (
	q0       = `"Which queue should the workers use?"`
	q1       = `"Which checks gate a release?"`
	joinedP  = `{` + q0 + `:"Redis Streams",` + q1 + `:"Unit tests, Race detector"}`
	joinedT  = `{` + q0 + `:"NATS, if ops agrees",` + q1 + `:"Lint, Benchmarks"}`
	byIndexP = `{"answers":{"0":"Redis Streams","1":"Unit tests, Race detector"}}`
	byIndexT = `{"answers":{"0":"NATS, if ops agrees","1":"Lint, Benchmarks"}}`
)

func TestResultsMatchHostExamples(t *testing.T) {
	t.Parallel()
	agnoF := agnoF(t)
	for _, tt := range []struct {
		name, dialect, in string
		out               ask.Outcome
		want              string
		isError           bool
		send              string
	}{
		{
			"claude hook, picked", "claude", hookF, unnamed(picked),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":` + updated(joinedP) + `}}`, false, "",
		},
		{
			"claude hook, typed", "claude", hookF, unnamed(typed),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":` + updated(joinedT) + `}}`, false, "",
		},
		{
			"claude hook, with the name of the person", "claude", hookF, picked,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":` + updated(joinedP) +
				`,"additionalContext":"Answered by Dana on Slack."}}`, false, "",
		},
		{
			"claude hook, dismissed", "claude", hookF, declined,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dana cancelled the questions."}}`, true, "",
		},
		{
			"claude permission request, picked", "claude", permitF, picked,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":` + updated(joinedP) + `}}}`, false, "",
		},
		{
			"claude permission request, dismissed", "claude", permitF, declined,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Dana cancelled the questions."}}}`, true, "",
		},
		{
			"claude callback, picked", "claude", setF, picked,
			`{"behavior":"allow","updatedInput":` + updated(`{`+q0+`:"Redis Streams",`+q1+`:["Unit tests","Race detector"]}`) + `}`, false, "",
		},
		{
			"claude callback, a reply in place of answers", "claude", setF, replied,
			`{"behavior":"allow","updatedInput":` + setF[:len(setF)-1] + `,"answers":{},"response":"Ask me tomorrow"}}`, false, "",
		},
		{"claude callback, dismissed", "claude", setF, declined, `{"behavior":"deny","message":"Dana cancelled the questions."}`, true, ""},
		{
			"claude control request, picked", "claude", controlF, picked,
			`{"type":"control_response","response":{"subtype":"success","request_id":"r-1","response":{"behavior":"allow","updatedInput":` +
				updated(`{`+q0+`:"Redis Streams",`+q1+`:["Unit tests","Race detector"]}`) + `}}}`, false, "",
		},
		{
			"askuserquestion-go, picked", "askuserquestion-go", setF, picked,
			"Which queue should the workers use?\nRedis Streams\n\nWhich checks gate a release?\n- Unit tests\n- Race detector", false, "",
		},
		{
			"askuserquestion-go, typed text drops the label", "askuserquestion-go", setF, typed,
			"Which queue should the workers use?\nNATS, if ops agrees\n\nWhich checks gate a release?\nBenchmarks", false, "",
		},
		{"askuserquestion-go, dismissed", "askuserquestion-go", setF, declined, "[cancelled by user]", false, ""},
		{"spring, picked", "spring", setF, picked, joinedP, false, ""},
		{"spring, typed", "spring", setF, typed, joinedT, false, ""},
		{"spring, dismissed", "spring", setF, declined, "Dana cancelled the questions.", true, ""},
		{"spring tool, picked", "spring-tool", setF, picked, "User has answered your questions: " + joinedP, false, ""},
		{
			"agno, picked", "agno", agnoF, picked, `{
  "answers": {
    "Queue": [
      "Redis Streams"
    ],
    "Gates": [
      "Unit tests",
      "Race detector"
    ]
  },
  "questions_asked": 2,
  "status": "completed"
}`, false, "",
		},
		{
			"agno, typed", "agno", agnoF, typed, `{
  "answers": {
    "Queue": [
      "NATS, if ops agrees"
    ],
    "Gates": [
      "Lint",
      "Benchmarks"
    ]
  },
  "questions_asked": 2,
  "status": "completed"
}`, false, "",
		},
		{"agno native, picked", "agno-native", setF, picked, `{"selections":{` + q0 + `:["Redis Streams"],` + q1 + `:["Unit tests","Race detector"]}}`, false, ""},
		{"req-auq, picked", "req-auq", setF, picked, `{"answers":` + joinedP + `}`, false, ""},
		{"req-auq, dismissed", "req-auq", setF, declined, `{"answers":{},"status":"cancelled","message":"Dana cancelled the questions."}`, false, ""},
		{"opal, picked", "opal", oneChoice, picked, `{"answer":"Redis Streams"}`, false, ""},
		{"opal, typed", "opal", oneChoice, typed, `{"answer":"NATS, if ops agrees"}`, false, ""},
		{"codex, picked", "codex", codexF, picked, `{"answers":{"queue":{"answers":["Redis Streams"]}}}`, false, ""},
		{"codex, typed", "codex", codexF, typed, `{"answers":{"queue":{"answers":["None of the above","user_note: NATS, if ops agrees"]}}}`, false, ""},
		{"codex, dismissed", "codex", codexF, declined, "request_user_input was cancelled before receiving a response", true, ""},
		{"opencode, picked", "opencode", openCodeF, picked, `{"answers":[["Redis Streams"],["Unit tests","Race detector"]]}`, false, "POST /question/que_1/reply"},
		{"opencode, typed", "opencode", openCodeF, typed, `{"answers":[["NATS, if ops agrees"],["Lint","Benchmarks"]]}`, false, "POST /question/que_1/reply"},
		{"opencode, dismissed", "opencode", openCodeF, declined, "", true, "POST /question/que_1/reject"},
		{"gemini, picked", "gemini", geminiF, picked, byIndexP, false, ""},
		{"gemini, typed", "gemini", geminiF, typed, byIndexT, false, ""},
		{"gemini, dismissed", "gemini", geminiF, declined, "User dismissed ask_user dialog without answering.", false, ""},
		{"qwen payload, picked", "qwen-payload", setF, picked, byIndexP, false, ""},
		{"qwen, picked", "qwen", setF, picked, "User has provided the following answers:\n\n**Queue**: Redis Streams\n**Gates**: Unit tests, Race detector", false, ""},
		{"qwen, dismissed", "qwen", setF, declined, "User declined to answer the questions.", false, ""},
		{"kimi, picked", "kimi", kimiF, picked, `{"request_id":"q-9","answers":` + joinedP + `}`, false, ""},
		{"kimi, dismissed", "kimi", kimiF, declined, `{"request_id":"q-9","answers":{}}`, true, ""},
		{
			"crush, picked", "crush", crushF, picked,
			"Q1: Which queue should the workers use?\nUser selected: [\"redis\"]\n\nQ2: Which checks gate a release?\nUser selected: [\"unit\",\"race\"]", false, "",
		},
		{
			"crush, typed", "crush", crushF, typed,
			"Q1: Which queue should the workers use?\nUser provided: NATS, if ops agrees\n\nQ2: Which checks gate a release?\nUser selected: [\"lint\"]\nUser provided: Benchmarks", false, "",
		},
		{"crush, dismissed", "crush", crushF, declined, "User cancelled this question", true, ""},
		{
			"vscode, picked", "vscode", vscodeF, picked,
			`{"answers":{"queue":{"selected":["Redis Streams"],"freeText":null,"skipped":false},"gates":{"selected":["Unit tests","Race detector"],"freeText":null,"skipped":false}}}`, false, "",
		},
		{
			"vscode, typed", "vscode", vscodeF, typed,
			`{"answers":{"queue":{"selected":[],"freeText":"NATS, if ops agrees","skipped":false},"gates":{"selected":["Lint"],"freeText":"Benchmarks","skipped":false}}}`, false, "",
		},
		{
			"vscode, dismissed", "vscode", vscodeF, declined,
			`{"answers":{"queue":{"selected":[],"freeText":null,"skipped":true},"gates":{"selected":[],"freeText":null,"skipped":true}}}`, false, "",
		},
		{"copilot, picked", "copilot", oneChoice, picked, `{"answer":"Redis Streams","wasFreeform":false}`, false, ""},
		{"copilot, typed", "copilot", oneChoice, typed, `{"answer":"NATS, if ops agrees","wasFreeform":true}`, false, ""},
		{"cursor, picked", "cursor", cursorF, picked, `{"outcome":{"outcome":"answered","answers":[{"questionId":"q0","selectedOptionIds":["a"]}]}}`, false, ""},
		{"cursor, dismissed", "cursor", cursorF, declined, `{"outcome":{"outcome":"cancelled"}}`, false, ""},
		{"cline, picked", "cline", clineF, picked, "Redis Streams", false, ""},
		{"cline, typed", "cline", clineF, typed, "NATS, if ops agrees", false, ""},
		{"roo, picked", "roo", rooF, picked, "<user_message>\nRedis Streams\n</user_message>", false, ""},
		{
			"pydantic, picked", "pydantic-ai", pydanticF, picked,
			`{"calls":{"call_7":{` + q0 + `:"Redis Streams",` + q1 + `:["Unit tests","Race detector"]}}}`, false, "",
		},
		{"agent inbox, typed", "langgraph", inboxF, typed, `[{"type":"response","args":"NATS, if ops agrees"}]`, false, ""},
		{"agent inbox, dismissed", "langgraph", inboxF, declined, `[{"type":"ignore","args":null}]`, false, ""},
		{"ag-ui, picked", "ag-ui", agUIF, picked, `{"resume":[{"interruptId":"i-7","status":"resolved","payload":{"queue":"Redis Streams"}}]}`, false, ""},
		{"ag-ui, dismissed", "ag-ui", agUIF, declined, `{"resume":[{"interruptId":"i-7","status":"cancelled"}]}`, false, ""},
		{"elicitation, picked", "mcp", elicitF, picked, `{"action":"accept","content":{"q0":"o0","q1":["o0","o2"]}}`, false, ""},
		{"elicitation, typed", "mcp", elicitF, typed, `{"action":"accept","content":{"q0_other":"NATS, if ops agrees","q1":["o1"],"q1_other":"Benchmarks"}}`, false, ""},
		{"elicitation, withdrawn by the agent", "mcp", elicitF, cancelled, `{"action":"cancel"}`, false, ""},
		{"elicitation, dismissed by the person", "mcp", elicitF, declined, `{"action":"decline"}`, false, ""},
		{"a2a, dismissed", "a2a", a2aF, declined, "Dana cancelled the questions.", true, ""},
		{"agno native, dismissed", "agno-native", setF, declined, "Dana cancelled the questions.", true, ""},
		{"elicitation, no answer", "mcp", elicitF, ask.Outcome{State: ask.Expired}, `{"action":"cancel"}`, false, ""},
		{"acp elicitation, typed", "acp", elicitF, typed, `{"action":"accept","content":{"q0_other":"NATS, if ops agrees","q1":["o1"],"q1_other":"Benchmarks"}}`, false, ""},
		{"acp elicitation, dismissed", "acp", elicitF, declined, `{"action":"decline"}`, false, ""},
		{"acp elicitation, picked", "acp", elicitF, picked, `{"action":"accept","content":{"q0":"o0","q1":["o0","o2"]}}`, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, ok := dialect.Get(tt.dialect)
			if !ok {
				t.Fatalf("no dialect %q", tt.dialect)
			}
			got := d.Encode([]byte(tt.in), tt.out, nil)
			if diff := cmp.Diff(tt.want, string(got.Body)); diff != "" {
				t.Error(diff)
			}
			if got.IsError != tt.isError || got.Send != tt.send {
				t.Errorf("error %v, send %q; want %v, %q", got.IsError, got.Send, tt.isError, tt.send)
			}
		})
	}
}

// Cards have no control for typed text if the host cannot accept it.
func TestTypedAnswerOfferedOnlyWhereHostAcceptsIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, dialect, in string
		typed             bool
	}{
		{"copilot takes text", "copilot", oneChoice, true},
		{"copilot takes no text where the question forbids it", "copilot", strings.Replace(oneChoice, `"choices"`, `"allowFreeform":false,"choices"`, 1), false},
		{"opencode takes text", "opencode", openCodeF, true},
		{"opencode takes no text where the question forbids it", "opencode", strings.ReplaceAll(openCodeF, `"header"`, `"custom":false,"header"`), false},
		{"vscode takes text", "vscode", vscodeF, true},
		{"vscode takes no text where the question forbids it", "vscode", strings.ReplaceAll(vscodeF, `"header"`, `"allowFreeformInput":false,"header"`), false},
		{"cursor has ids only", "cursor", cursorF, false},
		{"agno's own form has labels only", "agno-native", setF, false},
		{"an enum has its values only", "mcp", strings.NewReplacer(`"q0_other":{"type":"string"},`, "", `,
 "q1_other":{"type":"string"}`, "").Replace(elicitF), false},
	} {
		call, err := get(t, tt.dialect).Decode([]byte(tt.in), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, q := range call.Request.Questions {
			if q.NoOther == tt.typed {
				t.Errorf("%s: %q offers typed text: %v", tt.name, q.Text, !q.NoOther)
			}
		}
	}
}

func TestA2AAnswerIsMessageOnSameTask(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Get("a2a")
	var got struct {
		Message struct {
			MessageID, TaskID, ContextID, Role string
			Parts                              []struct{ Text string }
		}
	}
	first := d.Encode([]byte(a2aF), picked, nil)
	if err := json.Unmarshal(first.Body, &got); err != nil {
		t.Fatal(err)
	}
	m := got.Message
	if m.TaskID != "task-1" || m.ContextID != "ctx-1" || m.Role != "ROLE_USER" || len(m.Parts) != 1 || m.Parts[0].Text != "Redis Streams" {
		t.Errorf("got %s", first.Body)
	}
	if again := d.Encode([]byte(a2aF), picked, nil); string(again.Body) != string(first.Body) {
		t.Errorf("second encoding %s, first %s", again.Body, first.Body)
	}
}

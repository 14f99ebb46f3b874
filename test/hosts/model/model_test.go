package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/test/hosts/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// apis are requests as hosts send them: one that offers the tool "ask", and one with the result of the call call_1.
var apis = map[string]struct {
	path, first, second, side string
	// says and calls are parts of the streamed reply.
	want, calls string
}{
	"anthropic": {
		path:   "/v1/messages?beta=true",
		first:  `{"stream":true,"tools":[{"name":"ask"}],"messages":[{"role":"user","content":"begin"}]}`,
		second: `{"stream":true,"tools":[{"name":"ask"}],"messages":[{"role":"user","content":"begin"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","is_error":true,"content":[{"type":"text","text":"Postgres"}]}]}]}`,
		side:   `{"messages":[{"role":"user","content":"a title"}]}`,
		want:   `"text":"All done."`, calls: `"partial_json":"{\"q\":1}"`,
	},
	"responses": {
		path:   "/v1/responses",
		first:  `{"stream":true,"tools":[{"type":"function","name":"ask"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"begin"}]}]}`,
		second: `{"stream":true,"tools":[{"type":"function","name":"ask"}],"input":[{"type":"function_call_output","call_id":"call_1","output":"Postgres"}]}`,
		side:   `{"input":[]}`,
		want:   `"text":"All done."`, calls: `"arguments":"{\"q\":1}"`,
	},
	"chat": {
		path:   "/v1/chat/completions",
		first:  `{"stream":true,"tools":[{"type":"function","function":{"name":"ask"}}],"messages":[{"role":"user","content":"begin"}]}`,
		second: `{"stream":true,"tools":[{"type":"function","function":{"name":"ask"}}],"messages":[{"role":"tool","tool_call_id":"call_1","content":"Postgres"}]}`,
		side:   `{"messages":[]}`,
		want:   `"content":"All done."`, calls: `"arguments":"{\"q\":1}"`,
	},
	"gemini": {
		path:   "/v1beta/models/any:streamGenerateContent?alt=sse",
		first:  `{"tools":[{"functionDeclarations":[{"name":"ask"}]}],"contents":[{"role":"user","parts":[{"text":"begin"}]}]}`,
		second: `{"tools":[{"functionDeclarations":[{"name":"ask"}]}],"contents":[{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"ask","response":{"output":"Postgres"}}}]}]}`,
		side:   `{"contents":[]}`,
		want:   `"text":"All done."`, calls: `"args":{"q":1}`,
	},
}

var script = []model.Turn{{Calls: []model.Call{{Tool: "ask", Input: `{"q":1}`}}}, {Say: "All done."}}

func TestScriptIsStreamed(t *testing.T) {
	t.Parallel()
	for name, api := range apis {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := model.Start(t, script...)
			for _, step := range []struct{ body, want string }{{api.side, `ok`}, {api.first, api.calls}, {api.second, api.want}} {
				if status, reply := post(t, s.URL()+api.path, step.body); status != http.StatusOK || !strings.Contains(reply, step.want) {
					t.Errorf("%s\ngot %d: %s\nwant %s", step.body, status, reply, step.want)
				}
			}
			want := model.Result{Call: "call_1", Text: "Postgres", Failed: name == "anthropic"}
			if got, err := s.Result(t.Context(), "call_1"); err != nil || got != want {
				t.Errorf("the result: %+v, %v, want %+v", got, err, want)
			}
			if tools := s.Requests()[0].Tools; !slices.Equal(tools, []string{"ask"}) {
				t.Errorf("the tools: %q", tools)
			}
		})
	}
}

func TestTurnWaitsForMatchingRequest(t *testing.T) {
	t.Parallel()
	s := model.Start(t, model.Turn{When: "sub-agent", Say: "from the sub-agent"}, model.Turn{When: "agent", Say: "from the agent"})
	request := func(text string) string {
		return `{"tools":[{"name":"ask"}],"messages":[{"role":"user","content":"` + text + `"}]}`
	}
	for _, step := range []struct{ text, want string }{{"the agent", "from the agent"}, {"the sub-agent", "from the sub-agent"}} {
		if _, reply := post(t, s.URL()+"/v1/messages", request(step.text)); !strings.Contains(reply, step.want) {
			t.Errorf("%s got %s", step.text, reply)
		}
	}
}

func TestNamespacedTools(t *testing.T) {
	t.Parallel()
	s := model.Start(t, model.Turn{Calls: []model.Call{{Tool: "mcp__askbridge/ask_user", Input: `{}`}}})
	_, reply := post(t, s.URL()+"/v1/responses", `{"tools":[{"type":"namespace","name":"mcp__askbridge","tools":[{"type":"function","name":"ask_user"}]},{"type":"web_search"}],"input":[]}`)
	for _, want := range []string{`"namespace":"mcp__askbridge"`, `"name":"ask_user"`} {
		if !strings.Contains(reply, want) {
			t.Errorf("%s without %s", reply, want)
		}
	}
}

func TestUnexpectedRequestIsProblem(t *testing.T) {
	t.Parallel()
	const first = `{"tools":[{"name":"ask"}],"messages":[{"role":"user","content":"begin"}]}`
	for name, c := range map[string]struct {
		turns      []model.Turn
		path, body string
		want       []string
	}{
		"a request too many":   {nil, "/v1/messages", first, []string{"unexpected request", "begin"}},
		"an unknown tool":      {[]model.Turn{{Calls: []model.Call{{Tool: "other", Input: `{}`}}}}, "/v1/messages", first, []string{"does not offer other", "only ask"}},
		"a wrong script":       {[]model.Turn{{Calls: []model.Call{{Tool: "ask", Input: `{`}}}}, "/v1/messages", first, []string{"not JSON"}},
		"an unknown path":      {nil, "/v1/telemetry", `{"a":1}`, []string{"unexpected call POST /v1/telemetry", `{"a":1}`}},
		"a body that is wrong": {nil, "/v1/responses", `[`, []string{"/v1/responses", "unexpected end"}},
		"a turn that is left":  {[]model.Turn{{Say: "never said"}}, "/v1/messages/count_tokens", `{}`, []string{"never reached", "never said"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := model.New(c.turns...)
			if err != nil {
				t.Fatal(err)
			}
			post(t, s.URL()+c.path, c.body)
			problems := strings.Join(s.Close(), "\n")
			for _, want := range c.want {
				if !strings.Contains(problems, want) {
					t.Errorf("%q without %q", problems, want)
				}
			}
		})
	}
}

func TestResultTimeoutListsRequests(t *testing.T) {
	t.Parallel()
	s := model.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Result(ctx, "call_1"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no result of call_1 in 0 requests") {
		t.Errorf("the result: %v", err)
	}
	if err := s.Reached(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reached: %v", err)
	}
}

func post(t *testing.T, url, body string) (status int, reply string) {
	t.Helper()
	if !json.Valid([]byte(body)) && body != "[" {
		t.Fatalf("the test sends %s", body)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

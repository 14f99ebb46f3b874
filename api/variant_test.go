package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

const undescribed = `{"questions":[{"question":"Which library?","header":"Library","options":[{"label":"Moment.js","description":""},{"label":"Day.js","description":"Small"}]}]}`

// wantProblem checks the status and text of a problem.
func (r reply) wantProblem(t testing.TB, status int, words string) {
	t.Helper()
	if r.want(t, status); !strings.Contains(r.body, words) {
		t.Errorf("response %s, want %q", r.body, words)
	}
}

func TestVariantFromQuery(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		path := "/v1/ask/spring" + toSlack + "&tool_call_id="
		w.call("", "POST", path+"c1", undescribed).wantResult(t, http.StatusAccepted, ask.Open, false)
		got := w.call("", "POST", path+"c2&variant=released", undescribed).wantResult(t, http.StatusOK, client.StateRefused, true)
		if got.body != "Option description cannot be null or blank" {
			t.Errorf("response: %s", got.body)
		}
		if at := got.Header.Get(client.HeaderProblems); at != `[{"path":"questions[0].options[0].description","detail":"Option description cannot be null or blank"}]` {
			t.Errorf("problems %s", at)
		}
		taken := w.call("", "POST", path+"c3&variant=partial&variant=strict&wait=1ms", strings.Replace(undescribed, `""`, `"Large"`, 1)).wantResult(t, http.StatusAccepted, ask.Open, false)
		if again := taken.Header.Get("Location"); !strings.HasSuffix(again, "/as/spring?variant=partial&variant=strict&wait=1ms") {
			t.Errorf("to be asked for again at %s", again)
		}
		w.call("", "POST", path+"c4&variant=relaesed", undescribed).wantProblem(t, http.StatusUnprocessableEntity, `there is no variant \"relaesed\"; there are strict, released, partial`)
	})
}

func TestVariantFromAgentSettings(t *testing.T) {
	opts := anonymous()
	const token = "0123456789abcdef0123456789abcdef"
	opts.Agents = []access.Agent{{Name: "java", Token: token, Variants: []string{"released"}}}
	bubble(t, opts, func(t *testing.T, w *fixture) {
		got := w.call(token, "POST", "/v1/ask/spring"+toSlack, undescribed).wantResult(t, http.StatusOK, client.StateRefused, true)
		if got.body != "Option description cannot be null or blank" {
			t.Errorf("response: %s", got.body)
		}
	})
	problems := access.CheckAgents([]access.Agent{{Name: "java", Token: token, Variants: []string{"fast"}}})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), `variants: there is no variant "fast"`) {
		t.Errorf("an unknown variant: %v", problems)
	}
}

func TestPersistLimitsPermissionReach(t *testing.T) {
	const token = "0123456789abcdef0123456789abcdef"
	const prompt = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"},"permission_suggestions":[` +
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"}],"behavior":"allow","destination":"session"},` +
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"}],"behavior":"allow","destination":"localSettings"}]}`
	for persist, options := range map[string]int{"": 3, "none": 2, "local": 4} {
		opts := anonymous()
		opts.Agents = []access.Agent{{Name: "claude-code", Token: token, Persist: persist}}
		t.Run("up to "+persist, func(t *testing.T) {
			bubble(t, opts, func(t *testing.T, w *fixture) {
				path := "/v1/ask/claude" + toSlack + "&responders=slack:U0000001"
				got := w.call(token, "POST", path, prompt).wantResult(t, http.StatusAccepted, ask.Open, false)
				r := w.call(token, "GET", "/v1/requests/"+got.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK)
				if n := strings.Count(r.body, `"label"`); n != options {
					t.Errorf("%d options: %s", n, r.body)
				}
			})
		})
	}
	if problems := access.CheckAgents([]access.Agent{{Name: "claude-code", Token: token, Persist: "always"}}); len(problems) != 1 || !strings.Contains(problems[0].Error(), "persist: must be one of none, session") {
		t.Errorf("an unknown ceiling: %v", problems)
	}
}

func TestSchemaOfBorrowedTool(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for _, d := range dialect.All() {
			want, ok := d.ToolSchema()
			if !ok {
				w.call("", "GET", "/v1/ask/"+d.Name+"/schema", "").wantProblem(t, http.StatusNotFound, d.Name+" is a protocol between programs")
				continue
			}
			var got dialect.ToolSchema
			body := w.call("", "GET", "/v1/ask/"+d.Name+"/schema", "").want(t, http.StatusOK).body
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.Name != want.Name || got.Description != want.Description {
				t.Errorf("%s: %s, %v", d.Name, body, err)
			}
		}
		w.call("", "GET", "/v1/ask/klingon/schema", "").wantProblem(t, http.StatusNotFound, "there is no dialect")
	})
}

func TestEqualCallsShareOpenRequest(t *testing.T) {
	const prompt = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"}}`
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		path := "/v1/ask/claude" + toSlack + "&responders=slack:U0000001"
		asked := func(more string) string {
			return w.call("", "POST", path+more, prompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		}
		first := asked("")
		for more, same := range map[string]bool{"": true, "&same=session": true, "&same=off": false, "&same=agent": false, "&session=s2": false, "&context=else": false} {
			if id := asked(more); (id == first) != same {
				t.Errorf("with %q it is %s, the first %s", more, id, first)
			}
		}
		w.press(first, 0, 0)
		if again := asked(""); again == first {
			t.Error("an ended request is not asked again")
		}
		w.call("", "POST", path+"&same=all", prompt).wantProblem(t, http.StatusUnprocessableEntity, "must be session or agent")
	})
}

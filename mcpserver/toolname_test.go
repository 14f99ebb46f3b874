package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestToolNameIsConfigurable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts *Options
		dial func(*fixture) *agent
	}{
		"stdio": {&Options{ToolName: "ask_person"}, func(w *fixture) *agent { return w.pipes(june2025) }},
		"http":  {nil, func(w *fixture) *agent { return w.webAt("http://localhost/mcp?tool_name=ask_person", nov2025) }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, c.opts, func(t *testing.T, w *fixture) {
				a := c.dial(w)
				tools, err := a.session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range tools.Tools {
					names = append(names, tool.Name)
				}
				if got := strings.Join(names, " "); got != "ask_person wait_for_answer" {
					t.Errorf("the tools are %q", got)
				}
				if about := a.session.InitializeResult().Instructions; !strings.HasPrefix(about, "ask_person puts") || strings.Contains(about, askName) {
					t.Errorf("the instructions: %s", about)
				}
				answer := a.start(t.Context(), "ask_person", patient(nil), database())
				w.press(w.open().ID, 0, 1)
				if got := <-answer; got.State != "answered" {
					t.Errorf("the answer: %+v", got)
				}
			})
		})
	}
}

func TestInvalidToolNameRejected(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{
		"wait_for_answer":       "wait_for_answer is another tool",
		"approve":               "approve is another tool",
		"ask a person":          "use 1 to 40 letters, digits, - and _",
		strings.Repeat("a", 41): "use 1 to 40 letters, digits, - and _",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(&Options{ToolName: name}); err == nil || !strings.Contains(err.Error(), "tool name: "+why) {
				t.Errorf("as an option: %v", err)
			}
			s, err := New(nil)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(`{}`))
			q := r.URL.Query()
			q.Set("tool_name", name)
			r.URL.RawQuery = q.Encode()
			s.Handler(nil).ServeHTTP(w, r)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "tool_name: "+why) {
				t.Errorf("over HTTP: %d %s", w.Code, w.Body)
			}
		})
	}
}

package api

import (
	"net/http"
	"strings"
	"testing"
)

// With the misspelled parameter "responder", as the flag is called, anyone could answer.
func TestMisspelledParameterIsRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		const claude, input = "/v1/ask/claude?to=slack:C0000001", `{"questions":[{"question":"Deploy?","header":"D","options":[{"label":"Yes"},{"label":"No"}]}]}`
		for name, c := range map[string]struct {
			method, path, body string
			want               []string
		}{
			"the flag of the shell":   {"POST", claude + "&responder=slack:U0000002", input, []string{`"responder"`, "did you mean responders?"}},
			"two letters changed":     {"POST", "/v1/requests?wiat=3s", oneQuestion, []string{`"wiat"`, "did you mean wait?"}},
			"two of them":             {"POST", claude + "&rout=x&zzzzzzzz=1", input, []string{`"rout"`, "did you mean route?", `"zzzzzzzz"`}},
			"nothing near":            {"GET", "/v1/requests/x?colour=red", "", []string{`"colour"`, "there are as, heard, wait"}},
			"a call that takes none":  {"POST", "/v1/requests/x/cancel?wait=3s", "{}", []string{`"wait"`, "which takes none"}},
			"a very long name":        {"GET", "/v1/requests?" + strings.Repeat("x", 2_000), "", []string{`"` + strings.Repeat("x", maxParameter) + `…"`}},
			"one that cannot be read": {"POST", claude + "&responders=%zz", input, []string{"the query cannot be read"}},
			"a semicolon":             {"POST", claude + "&agent=x;responders=slack:U0000002", input, []string{"the query cannot be read"}},
		} {
			r := w.call("", c.method, c.path, c.body).want(t, http.StatusUnprocessableEntity)
			for _, part := range c.want {
				if !strings.Contains(r.body, part) {
					t.Errorf("%s: %q is not in %s", name, part, r.body)
				}
			}
		}
		if r := w.call("", "GET", "/v1/requests?state=open", "").want(t, http.StatusOK); strings.Contains(r.body, `"id"`) {
			t.Errorf("asked: %s", r.body)
		}
		w.call("", "GET", "/livez?probe=1", "").want(t, http.StatusOK)
	})
}

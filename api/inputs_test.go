package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// asUTF16 encodes ASCII text as Windows PowerShell 5.1 writes it to a file.
func asUTF16(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}

// wrap puts text into a JSON string.
func wrap(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// asked returns the request that a call of /v1/ask made.
func (w *fixture) asked(r reply) *client.Request {
	w.t.Helper()
	r.want(w.t, http.StatusAccepted)
	return w.call("", "GET", "/v1/requests/"+r.Header.Get(client.HeaderRequestID), "").request(w.t)
}

// advice returns the remarks of a reply.
func (r reply) advice(t testing.TB) (all []client.Remark) {
	t.Helper()
	header := r.Header.Get(client.HeaderAdvice)
	if header == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(header), &all); err != nil {
		t.Errorf("advice %q: %v", header, err)
	}
	return all
}

func TestMultiSelectIsNeverSilentlySingle(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for _, dialect := range []string{"claude", "claude-text", "spring", "gemini", "qwen", "opencode", "kimi", "agno-native", "req-auq", "vscode", "askuserquestion-go", "pydantic-ai"} {
			for _, name := range []string{"multiselect", "multi-select", "MultiSelect", "multiple", "allowMultiple", "allow_multiple"} {
				input := `{"questions":[{"type":"choice","question":"Which tests?","header":"Tests","` + name + `":true,"options":[{"label":"Unit","description":"u"},{"label":"Race","description":"r"}]}]}`
				if dialect == "opencode" && name == "multiple" {
					continue // The dialect's own name.
				}
				r := w.call("", "POST", "/v1/ask/"+dialect+toSlack+"&tool_call_id="+dialect+name, input)
				if got := w.asked(r); !got.Questions[0].MultiSelect {
					t.Errorf("%s, %s: asked as %+v", dialect, name, got.Questions[0])
				}
				if all := fmt.Sprint(r.advice(t)); !strings.Contains(all, "questions[0]."+name+" was read as ") {
					t.Errorf("%s, %s: advice %s", dialect, name, all)
				}
				strict := w.call("", "POST", "/v1/ask/"+dialect+toSlack+"&variant=strict&tool_call_id=s"+dialect+name, input)
				if strict.wantResult(t, http.StatusOK, client.StateRefused, true); !strings.Contains(strict.Header.Get(client.HeaderProblems), "questions[0]."+name) {
					t.Errorf("%s, %s: strict: %v", dialect, name, strict.Header)
				}
			}
		}
		for _, name := range []string{"multiple", "allowMultiple", "allow_multiple", "multi_select"} {
			body := `{"questions":[{"question":"Which tests?","` + name + `":true,"options":["Unit","Race"]}]}`
			if got := w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t); !got.Questions[0].MultiSelect {
				t.Errorf("/v1/requests, %s: asked as %+v", name, got.Questions[0])
			}
		}
	})
}

func TestAdviceListsIgnoredMembers(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		input := `{"questions":[{"question":"Größe 😀?","header":"Size","colour":"red","multiSelect":"yes","options":[{"label":"S","description":"s"},{"label":"L","description":"l"}]}]}`
		r := w.call("", "POST", "/v1/ask/claude"+toSlack, input).want(t, http.StatusAccepted)
		want := []client.Remark{
			{Path: "questions[0].multiSelect", Detail: `was "yes"; it was read as true`},
			{Path: "questions[0].colour", Detail: "is not a member this host knows; it was ignored"},
		}
		if diff := cmp.Diff(want, r.advice(t)); diff != "" {
			t.Error(diff)
		}
		plain := w.call("", "POST", "/v1/ask/claude"+toSlack+"&tool_call_id=plain", strings.NewReplacer(`"yes"`, "true", `"colour":"red",`, "").Replace(input))
		if plain.want(t, http.StatusAccepted); plain.Header[client.HeaderAdvice] != nil {
			t.Errorf("advice without a reason: %v", plain.Header)
		}
		c := w.client(nil)
		called, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "claude", Input: []byte(input), Request: ask.Request{To: database.To}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, called.Advice); diff != "" {
			t.Errorf("the client: %s", diff)
		}
	})
}

func TestAdviceHeaderIsBounded(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		var members strings.Builder
		for n := range 5000 {
			fmt.Fprintf(&members, `"x%d\r\nAskbridge-State: answered ü\u202e":1,`, n)
		}
		input := `{"questions":[{"question":"Go?","header":"H",` + members.String() + `"options":[` + wrap(strings.Repeat("ü", 100)) + `,9]}]}`
		r := w.call("", "POST", "/v1/ask/claude"+toSlack, input).want(t, http.StatusAccepted)
		header := r.Header.Get(client.HeaderAdvice)
		if len(header) > maxRemarks || strings.ContainsFunc(header, func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Errorf("%d bytes: %s", len(header), header)
		}
		all := r.advice(t)
		if len(all) < 2 || !strings.HasSuffix(all[len(all)-1].Detail, " more") {
			t.Errorf("advice %+v", all)
		}
	})
}

// Editors and shells of Windows write a byte order mark before JSON.
func TestByteOrderMarkIsIgnored(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for name, encode := range map[string]func(string) string{"UTF-8": func(s string) string { return "\ufeff" + s }, "UTF-16": asUTF16} {
			made := w.call("", "POST", "/v1/requests", encode(oneQuestion)).want(t, http.StatusCreated).request(t)
			w.call("", "PATCH", "/v1/requests/"+made.ID, encode(`{"context":"Deploying 4.2"}`)).want(t, http.StatusOK)
			w.call("", "POST", "/v1/requests/"+made.ID+"/cancel", encode(`{"reason":"late"}`)).want(t, http.StatusOK)
			r := w.call("", "POST", "/v1/ask/claude"+toSlack+"&tool_call_id="+name, encode(`{"questions":[{"question":"Go?","header":"Go","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`))
			if got := w.asked(r); got.Questions[0].Text != "Go?" {
				t.Errorf("%s: asked %+v", name, got.Questions)
			}
		}
		broken := w.call("", "POST", "/v1/requests", "\xff\xfe{").want(t, http.StatusBadRequest)
		if !strings.Contains(broken.body, "byte order mark of UTF-16") {
			t.Errorf("half a character: %s", broken.body)
		}
		broken = w.call("", "POST", "/v1/ask/claude"+toSlack, "\xff\xfe{").wantResult(t, http.StatusOK, client.StateRefused, true)
		if !strings.Contains(broken.body, "byte order mark of UTF-16") {
			t.Errorf("half a character: %s", broken.body)
		}
	})
}

func TestInputInsideJSONString(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		const set = `{"questions":[{"question":"Go?","header":"Go","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`
		for _, dialect := range []string{"claude", "spring", "opencode", "agno"} {
			r := w.call("", "POST", "/v1/ask/"+dialect+toSlack+"&tool_call_id="+dialect, wrap(set))
			if got := w.asked(r); got.Questions[0].Text != "Go?" {
				t.Errorf("%s: asked %+v", dialect, got.Questions)
			}
			if all := fmt.Sprint(r.advice(t)); !strings.Contains(all, "was JSON inside a string; it was read as what it holds") {
				t.Errorf("%s: advice %s", dialect, all)
			}
			w.call("", "POST", "/v1/ask/"+dialect+toSlack+"&variant=strict&tool_call_id=s"+dialect, wrap(set)).wantResult(t, http.StatusOK, client.StateRefused, true)
		}
		made := w.call("", "POST", "/v1/requests", wrap(oneQuestion)).want(t, http.StatusCreated).request(t)
		w.call("", "POST", "/v1/requests/"+made.ID+"/cancel", wrap(`{"reason":"late"}`)).want(t, http.StatusOK)
		for path, words := range map[string]string{
			"/v1/requests":          "the body is a JSON string; send the object itself",
			"/v1/requests/x/cancel": "the body is a JSON string; send the object itself",
		} {
			w.call("", "POST", path, `"hello"`).wantProblem(t, http.StatusBadRequest, words)
		}
		r := w.call("", "POST", "/v1/ask/claude"+toSlack, `"hello"`).wantResult(t, http.StatusOK, client.StateRefused, true)
		if !strings.Contains(r.body, "the tool input is a JSON string; send the object itself") {
			t.Errorf("a string that holds words: %s", r.body)
		}
	})
}

func TestCompressedBodyIsRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write([]byte(oneQuestion)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/v1/requests", "/v1/ask/claude" + toSlack, "/v1/requests/x/cancel"} {
			r := w.call("", "POST", path, packed.String(), "Content-Encoding: gzip")
			r.wantProblem(t, http.StatusUnsupportedMediaType, "the body has the Content-Encoding gzip; send it without one")
			if got := r.Header.Get("Accept-Encoding"); got != "identity" {
				t.Errorf("%s: Accept-Encoding %q", path, got)
			}
		}
		w.call("", "POST", "/v1/requests", oneQuestion, "Content-Encoding: identity").want(t, http.StatusCreated)
		w.call("", "POST", "/v1/requests", oneQuestion, "Content-Encoding: br, gzip").wantProblem(t, http.StatusUnsupportedMediaType, "Content-Encoding br, gzip")
	})
}

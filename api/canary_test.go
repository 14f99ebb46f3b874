package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// canary is part of every text that an agent or a person writes.
const canary = "canary"

// infoLines returns the log lines at level info and above.
func infoLines(t *testing.T, log string) (info, debug []string) {
	t.Helper()
	for line := range strings.Lines(log) {
		var entry struct{ Level string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if entry.Level == "DEBUG" {
			debug = append(debug, line)
		} else {
			info = append(info, line)
		}
	}
	return info, debug
}

// planted puts the canary into every text of a tool input: questions, headers, labels and descriptions.
func planted(d dialect.Dialect, input []byte, t *testing.T) []byte {
	t.Helper()
	r, err := d.Decode(input, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(input)
	plant := func(s string) {
		if before, _ := json.Marshal(s); s != "" && !strings.Contains(s, canary) {
			after, _ := json.Marshal(s + " " + canary)
			text = strings.ReplaceAll(text, string(before), string(after))
		}
	}
	for _, q := range r.Request.Questions {
		plant(q.Text)
		plant(q.Header)
		for _, o := range q.Options {
			plant(o.Label)
			plant(o.Description)
			plant(o.Preview)
		}
	}
	if _, err := d.Decode([]byte(text), nil); err != nil {
		return input // Texts such as allow and deny are keywords.
	}
	return []byte(text)
}

// TestInfoLogOmitsQuestionAndAnswerText plants a canary in every text, over every dialect and the API's own form.
// People choose and type.
func TestInfoLogOmitsQuestionAndAnswerText(t *testing.T) {
	files, err := filepath.Glob("../dialect/testdata/*.txtar")
	if err != nil || len(files) < len(dialect.All()) {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		sown := 0
		for _, file := range files {
			name, variant, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), ".")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d, _ := dialect.Get(name)
			for _, f := range archive.Files {
				switch f.Name {
				case "input.json":
					input := planted(d, f.Data, t)
					if strings.Contains(string(input), canary) {
						sown++
					}
					for n, end := range []func(*bridge.Record){w.fill, w.overfill, w.replies, w.withdraws} {
						path := fmt.Sprintf("/v1/ask/%s%s&responders=anyone&session=%s%s&tool_call_id=c%d", name, toSlack, name, variant, n)
						w.endsAfter(path, string(input), end)
					}
				case "bad.json":
					w.call("", "POST", "/v1/ask/"+name+toSlack, strings.ReplaceAll(string(f.Data), "?", " "+canary+"?"))
				}
			}
		}
		if sown < len(dialect.All()) {
			t.Fatalf("the canary is in %d inputs only", sown)
		}
		body := strings.NewReplacer("Which database?", canary+"?", "Postgres", canary+" 1", "SQLite", canary+" 2", "Managed", canary).Replace(oneQuestion)
		for n, end := range []func(*bridge.Record){w.fill, w.overfill, w.replies, w.withdraws} {
			w.endsAfter("/v1/requests", with(body, fmt.Sprintf(`"context":"canary","tool_call_id":"plain %d"`, n)), end)
		}
		w.call("", "POST", "/v1/requests", strings.Replace(body, canary+" 2", canary+" 1", 1)).want(t, http.StatusUnprocessableEntity)
		w.call("", "GET", "/v1/requests?cursor="+canary, "")
		synctest.Wait() // A call is logged after its response.
		info, debug := infoLines(t, w.logs.String())
		for _, line := range info {
			if strings.Contains(line, canary) {
				t.Errorf("at info: %s", line)
			}
		}
		if log := strings.Join(debug, ""); !strings.Contains(log, "tool result is lossy") || !strings.Contains(log, canary) {
			t.Error("what a host's form could not carry is not in the log at debug")
		}
	})
}

// endsAfter submits a request, ends it and reads the result.
func (w *fixture) endsAfter(path, body string, end func(*bridge.Record)) {
	w.t.Helper()
	open := w.call("", "POST", path, body)
	id := open.Header.Get(client.HeaderRequestID)
	if id == "" {
		id = open.request(w.t).ID
	}
	r, err := w.bridge.Load(w.t.Context(), id)
	if err != nil {
		w.t.Fatalf("%s: %d %s: %v", path, open.StatusCode, open.body, err)
	}
	end(&r)
	if r, err = w.bridge.Load(w.t.Context(), id); err != nil || r.Open() {
		w.t.Fatalf("%s is still %s, %v", path, r.Outcome.State, err)
	}
	if w.call("", "GET", "/v1/requests/"+id, ""); r.Outcome.Reason != canary || r.Outcome.Replied {
		w.call("", "POST", path, body) // The result in the host's format. A withdrawn request may have none.
	}
}

// overfill selects and types as much as every question allows.
func (w *fixture) overfill(r *bridge.Record) {
	w.t.Helper()
	picks := map[int][]int{}
	for n, q := range r.Questions {
		w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.SubmitText, Question: n}, Texts: map[int]string{n: "typed " + canary + "\nline, \"two\""}})
		for o := range q.Options {
			if q.MultiSelect || q.NoOther && o == 0 {
				picks[n] = append(picks[n], o)
			}
		}
	}
	w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.Submit}, Picks: picks})
}

// replies answers no question and gives a reason.
func (w *fixture) replies(r *bridge.Record) {
	w.t.Helper()
	w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.SubmitText, Question: -1}, Texts: map[int]string{-1: canary}})
}

// withdraws has the agent cancel the request with a reason.
func (w *fixture) withdraws(r *bridge.Record) {
	w.t.Helper()
	w.call("", "POST", "/v1/requests/"+url.PathEscape(r.ID)+"/cancel", `{"reason":"`+canary+`"}`)
}

package api

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/words"
)

func TestLanguageComesFromQueryOnly(t *testing.T) {
	bubble(t, &settings{}, func(t *testing.T, w *fixture) {
		input := strings.Replace(hookInput, `"tool_input":{`, `"tool_input":{"language":"es",`, 1)
		for query, want := range map[string]string{"": "", "&language=de": "de"} {
			open := w.call("", "POST", "/v1/ask/claude"+toSlack+"&same=off&tool_call_id=t"+want+query, input).want(t, http.StatusAccepted)
			r, err := w.bridge.Load(t.Context(), open.Header.Get(client.HeaderRequestID))
			if err != nil || r.Language != want {
				t.Errorf("%q: the card is in %q, %v", query, r.Language, err)
			}
		}
		w.call("", "POST", "/v1/ask/claude"+toSlack+"&language=tlh", hookInput).want(t, http.StatusUnprocessableEntity)
		got := w.call("", "POST", "/v1/requests", with(oneQuestion, `"language":"de-AT"`)).want(t, http.StatusUnprocessableEntity)
		if !strings.Contains(got.body, `"path":"language"`) || !strings.Contains(got.body, strings.Join(words.Languages(), ", ")) {
			t.Errorf("a language that is none: %s", got.body)
		}
	})
}

func TestLanguagesAreDocumented(t *testing.T) {
	t.Parallel()
	all := words.Languages()
	last := len(all) - 1
	list := strings.Join(all[:last], ", ") + " or " + all[last]
	for path, places := range map[string]int{
		"../docs/reference/openapi.json": 2, "../cmd/askbridge/ask.go": 1, "../sdk/typescript/src/schema.ts": 1,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), list) < places {
			t.Errorf("%s does not name the languages as %q", path, list)
		}
	}
}

package dialect_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// drawn is a question set in Claude's form with an answer to every question.
type drawn struct {
	in      []byte
	answers []ask.Answer
}

func drawSet(t *rapid.T) drawn {
	text := rapid.StringMatching(`[a-z<>&"\\\n ,é✓😀]{0,12}[a-z]`)
	type option struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}
	type question struct {
		Question    string   `json:"question"`
		Header      string   `json:"header"`
		MultiSelect bool     `json:"multiSelect"`
		Options     []option `json:"options"`
	}
	var questions []question
	var d drawn
	for i := range rapid.IntRange(1, 4).Draw(t, "questions") {
		mark := string(rune('A' + i))
		q := question{Question: mark + text.Draw(t, "question") + "?", Header: mark, MultiSelect: rapid.Bool().Draw(t, "multi")}
		a := ask.Answer{Index: i, Selected: []string{}}
		for j := range rapid.IntRange(2, 4).Draw(t, "options") {
			label := string(rune('1'+j)) + text.Draw(t, "label")
			q.Options = append(q.Options, option{label, "d"})
			if q.MultiSelect && rapid.Bool().Draw(t, "chosen") {
				a.Selected = append(a.Selected, label)
			}
		}
		if len(a.Selected) == 0 {
			a.Selected = []string{rapid.SampledFrom(q.Options).Draw(t, "pick").Label}
		}
		if typed := rapid.Bool().Draw(t, "typed"); typed {
			a.Other = "typed " + text.Draw(t, "text")
			if !q.MultiSelect {
				a.Selected = []string{}
			}
		}
		questions, d.answers = append(questions, q), append(d.answers, a)
	}
	in, err := json.Marshal(map[string]any{"questions": questions})
	if err != nil {
		t.Fatal(err)
	}
	d.in = in
	return d
}

// values returns the parts of an answer as a list.
func values(a ask.Answer) []string {
	if a.Other == "" {
		return a.Selected
	}
	return append(append([]string{}, a.Selected...), a.Other)
}

func TestResultsDecodeToTheChoices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t)
		out := answered(set.answers...)
		encode := func(name string, into any) []byte {
			d, _ := dialect.Get(name)
			r := d.Encode(set.in, out, nil)
			if r.IsError {
				t.Fatalf("%s: %s", name, r.Body)
			}
			if err := json.Unmarshal(r.Body, into); err != nil {
				t.Fatalf("%s: %v in %s", name, err, r.Body)
			}
			return r.Body
		}
		d, _ := dialect.Get("claude")
		call, err := d.Decode(set.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		questions := call.Request.Questions
		var claude struct {
			UpdatedInput struct {
				Questions json.RawMessage
				Answers   map[string]any
			}
		}
		encode("claude", &claude)
		var spring map[string]string
		encode("spring", &spring)
		var agno struct{ Answers map[string][]string }
		encode("agno", &agno)
		var openCode struct{ Answers [][]string }
		encode("opencode", &openCode)
		var vscode struct {
			Answers map[string]struct {
				Selected []string
				FreeText *string
			}
		}
		encode("vscode", &vscode)
		for i, a := range set.answers {
			q, want := questions[i], values(a)
			equal(t, "agno", agno.Answers[q.Header], want)
			equal(t, "opencode", openCode.Answers[i], want)
			equal(t, "spring", []string{spring[q.Text]}, []string{strings.Join(want, ", ")})
			v := vscode.Answers[q.Header]
			equal(t, "vscode", v.Selected, a.Selected)
			if (v.FreeText == nil) != (a.Other == "") || v.FreeText != nil && *v.FreeText != a.Other {
				t.Fatalf("vscode: text %v, want %q", v.FreeText, a.Other)
			}
			got, isList := claude.UpdatedInput.Answers[q.Text].([]any)
			if isList != q.MultiSelect {
				t.Fatalf("claude: %v", claude.UpdatedInput.Answers)
			}
			for j, value := range got {
				equal(t, "claude", []string{value.(string)}, []string{want[j]})
			}
		}
		var whole struct{ UpdatedInput json.RawMessage }
		encode("claude", &whole)
		if again, err := d.Decode(whole.UpdatedInput, nil); err != nil || !reflect.DeepEqual(again.Request, call.Request) {
			t.Fatalf("claude: the updated input decodes to %+v, %v", again.Request, err)
		}
		if !bytes.Contains(set.in, claude.UpdatedInput.Questions) {
			t.Fatalf("claude: the updated input has questions %s", claude.UpdatedInput.Questions)
		}
	})
}

func equal(t *rapid.T, name string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Fatalf("%s: %q, want %q", name, got, want)
	}
}

package bridge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestLookalikeLabelsRejected(t *testing.T) {
	t.Parallel()
	labels := func(labels ...string) []ask.Question {
		q := ask.Question{Text: "Which?"}
		for _, label := range labels {
			q.Options = append(q.Options, ask.Option{Label: label})
		}
		return []ask.Question{q}
	}
	for _, tt := range []struct {
		name   string
		labels []string
		why    string // Empty if the request is accepted.
	}{
		{"a Cyrillic letter", []string{"Deploy", "Depl\u043ey"}, "\"Depl\u043ey\" looks the same as options[0].label, \"Deploy\", so people could choose the wrong one: character 5 is U+043E here and U+006F there; reword one of them"},
		{"a digit for a letter", []string{"ls -l", "ls -1"}, "character 5 is U+0031 here and U+006C there"},
		{"a full-width letter", []string{"\uff21\u6848", "A\u6848"}, "character 1 is U+0041 here and U+FF21 there"},
		{"the third like the first", []string{"Allow", "Deny", "Al\u04cfow"}, "options[0].label, \"Allow\""},
		{"equal labels are reported once", []string{"Deploy", "Deploy\ufe0f"}, "options[0].label"},
		{"letter case", []string{"userId", "userID"}, ""},
		{"a superscript", []string{"10\u00b2", "102"}, ""},
		{"another language", []string{"Ja", "\u0414\u0430"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				_, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Questions = labels(tt.labels...) }))
				revised := w.submit(database(func(r *ask.Request) { r.ToolCallID = "revised" }))
				_, revising := w.Talk().Revise(t.Context(), revised.ID, ask.Revision{Questions: labels(tt.labels...)}, ask.Voting{})
				for _, err := range []error{err, revising} {
					wrong, ok := errors.AsType[*ask.InvalidError](err)
					switch {
					case tt.why == "" && err != nil:
						t.Error(err)
					case tt.why == "":
					case !ok || len(wrong.Problems) != 1 || !errors.Is(err, ask.ErrDuplicateLabel) || !strings.Contains(wrong.Problems[0].Error(), tt.why):
						t.Errorf("got %v, want %q once", err, tt.why)
					}
				}
			})
		})
	}
}

// Package answer matches the recorded answers of a request with the questions of its tool input, in the words of the input.
package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Text returns all answers as one text: the answer alone if there is one question, otherwise each question followed by its
// answers.
func Text(s *question.Set, picks []Pick) string {
	if len(picks) == 1 {
		return Joined(s, picks[0]).Text
	}
	var parts []string
	for _, p := range picks {
		if p.Skipped {
			continue
		}
		lines := []string{p.Text.Text}
		for _, v := range p.Values() {
			lines = append(lines, "- "+v.Text)
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// Pick is the answer to one question in the words of the input.
type Pick struct {
	*question.Item
	// Labels and Keys are those of the chosen options.
	Labels, Keys []js.Token
	// Preview is the preview of a single chosen option.
	Preview js.Token
	// Other is the typed text.
	Other   string
	Notes   string
	Skipped bool
}

// Values returns the chosen labels followed by the typed text.
func (p Pick) Values() []js.Token {
	if p.Other == "" {
		return p.Labels
	}
	return append(slices.Clip(p.Labels), js.Quote(p.Other))
}

// Picks returns one pick for each question, in their order. A question without an answer keeps its note.
func Picks(s *question.Set, out ask.Outcome) ([]Pick, error) {
	picks := make([]Pick, len(s.Items))
	for i := range s.Items {
		picks[i] = Pick{Item: &s.Items[i], Skipped: true}
	}
	for _, u := range slices.Concat(out.Skipped, out.Left) {
		if u.Index >= 0 && u.Index < len(picks) {
			picks[u.Index].Notes = u.Notes
		}
	}
	for _, a := range out.Answers {
		if a.Index < 0 || a.Index >= len(picks) || !picks[a.Index].Skipped {
			continue
		}
		p, q := &picks[a.Index], s.Request.Questions[a.Index]
		p.Other, p.Notes = strings.TrimSpace(a.Other), a.Notes
		selected := a.Selected
		if !q.MultiSelect && p.Other != "" && len(selected) > 0 {
			s.AddWarning("question %d has a pick and typed text; the text counts", a.Index+1)
			selected = nil
		}
		if q.NoOther && p.Other != "" {
			return nil, fmt.Errorf("the recorded answer to question %d has typed text, which this host does not take", a.Index+1)
		}
		for _, label := range selected {
			o := slices.IndexFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
			if o < 0 {
				return nil, fmt.Errorf("the recorded answer to question %d is not one of its options", a.Index+1)
			}
			p.Labels = append(p.Labels, p.Options[o].Label)
			p.Keys = append(p.Keys, p.Options[o].Key)
			p.Preview = p.Options[o].Preview
		}
		if len(p.Labels) != 1 || p.Multi || p.Other != "" {
			p.Preview = js.Token{}
		}
		p.Skipped = len(p.Labels) == 0 && p.Other == ""
	}
	return picks, nil
}

// Joined joins the values of an answer with commas. It warns if they cannot be separated again.
func Joined(s *question.Set, p Pick) js.Token {
	values := p.Values()
	if len(values) > 1 || p.Multi {
		for _, v := range values {
			if strings.Contains(v.Text, ",") {
				s.AddWarning("question %d: %q holds a comma, so the joined answer cannot be split again", p.Index+1, quote.Brief(v.Text))
			}
		}
	}
	return js.Join(values, ", ")
}

// Map returns an object with a member for each answered question, with joined values. Several hosts use this form.
func Map(s *question.Set, picks []Pick, key func(Pick) js.Token) js.Text {
	var members []js.Member
	for _, p := range picks {
		if !p.Skipped {
			members = append(members, key(p).At(Joined(s, p).JSON))
		}
	}
	return js.Object(members...)
}

// ByText names a member of [Map] by the text of the question.
func ByText(p Pick) js.Token { return p.Text }

// ByIndex names a member of [Map] by the index of the question.
func ByIndex(p Pick) js.Token { return js.Quote(fmt.Sprint(p.Index)) }

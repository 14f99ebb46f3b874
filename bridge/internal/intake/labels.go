package intake

import (
	"fmt"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/render"
)

// checkLabels returns a problem for each label that looks like an earlier label of the
// same question, such as "Deploy" with a Cyrillic letter: people could not see which one
// they choose. Letter case distinguishes labels. [ask.Request.Validate] reports equal
// labels.
func checkLabels(questions []ask.Question) []ask.Problem {
	var problems []ask.Problem
	for n, q := range questions {
		first := make(map[string]int, len(q.Options))
		for i, o := range q.Options {
			shown := ask.Line(o.Label)
			look := lookalike.Look(shown)
			j, taken := first[look]
			if !taken {
				first[look] = i
				continue
			}
			if other := ask.Line(q.Options[j].Label); other != shown {
				problems = append(problems, Problem(fmt.Sprintf("questions[%d].options[%d].label", n, i), ask.ErrDuplicateLabel,
					fmt.Sprintf("%q looks the same as options[%d].label, %q, so people could choose the wrong one: %s; reword one of them", quoted(shown), j, quoted(other), difference(shown, other))))
			}
		}
	}
	return problems
}

// difference describes the first character in which two texts differ.
func difference(a, b string) string {
	as, bs := []rune(a), []rune(b)
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return fmt.Sprintf("character %d is %s here and %s there", n+1, charAt(as, n), charAt(bs, n))
}

func charAt(text []rune, n int) string {
	if n >= len(text) {
		return "missing"
	}
	return fmt.Sprintf("%U", text[n])
}

// maxQuoted is the length of a label in an error, in characters.
const maxQuoted = 60

func quoted(label string) string { return render.Cut(label, maxQuoted, utf8.RuneCountInString) }

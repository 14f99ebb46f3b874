package typed

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
)

// maxParts is the maximum number of parts of an answer.
const maxParts = 64

// parts returns all interpretations of a text as several options: each part between commas, semicolons
// or line breaks is one, or begins free text up to the end. A separator can belong to a label, so "a,
// b" may be one option or two.
func (r Rule) parts(question ask.Question, text string) []choice {
	starts, ends := []int{0}, []int{}
	for i, char := range text {
		if strings.ContainsRune(",;、\n", oneWidth(char)) {
			ends, starts = append(ends, i), append(starts, i+utf8.RuneLen(char))
		}
	}
	ends = append(ends, len(text))
	if len(starts) > maxParts {
		return nil
	}
	// From the last part to the first: all interpretations of everything from there on.
	from := make([][]choice, len(starts)+1)
	from[len(starts)] = []choice{{}}
	for i := len(starts) - 1; i >= 0; i-- {
		for j := i; j < len(ends); j++ {
			for _, o := range r.options(question, text[starts[i]:ends[j]]) {
				for _, rest := range from[j+1] {
					from[i] = distinct(from[i], rest.with(o))
				}
			}
		}
		if own, ok := r.own(question, strings.TrimSpace(text[starts[i]:])); ok && len(from[i]) == 0 {
			from[i] = append(from[i], choice{other: own})
		}
	}
	return from[0]
}

func (c choice) with(option int) choice {
	picks := append(slices.Clone(c.picks), option)
	slices.Sort(picks)
	return choice{picks: slices.Compact(picks), other: c.other}
}

package typed

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Rule is what a request accepts as typed text.
type Rule struct {
	Questions []ask.Question
	// Code is the request's code; see [Code].
	Code string
	// Languages are those whose words count in addition to [DefaultLanguage].
	Languages []string
	// Free accepts free text if the question does: as it is for a question without options, otherwise
	// after "other:".
	Free bool
	// Direct means that the text is a reply to the card, and not only next to it. Plain free text needs
	// that, or the code.
	Direct bool
	// Strict accepts only complete labels after the code.
	Strict bool
}

// Reading is the interpretation of a text: an answer to every question.
type Reading struct {
	// Picks are the chosen options by question, and Texts the free text instead of or in addition to
	// them.
	Picks map[int][]int
	Texts map[int]string
}

// Doubt is why a text is not an answer.
type Doubt string

// The doubts. A text with a doubt is discarded.
const (
	// Clear means that there is no doubt.
	Clear Doubt = ""
	// Unclear means that the text matches no option.
	Unclear Doubt = "unclear"
	// Several means that there is more than one interpretation.
	Several Doubt = "several"
	// Incomplete means that not every question is answered.
	Incomplete Doubt = "incomplete"
	// Uncoded means that the code is missing.
	Uncoded Doubt = "uncoded"
)

// Read interprets a text as an answer to a request. A reading comes only with [Clear].
func Read(text string, rule Rule) (Reading, Doubt) {
	code, rest := CutCode(ask.Typed(text), rule.Code)
	coded := code != ""
	if rule.Strict && !coded {
		return Reading{}, Uncoded
	}
	rule.Direct = rule.Direct || coded
	if len(rule.Questions) == 1 {
		return rule.whole(func(q int) []choice { return rule.readings(q, rest) })
	}
	return rule.lines(rest)
}

// choice is one interpretation of the answer to one question.
type choice struct {
	picks []int
	other string
}

func (c choice) same(other choice) bool {
	return c.other == other.other && slices.Equal(c.picks, other.picks)
}

// maxWays is the maximum number of interpretations that are compared. A text with more is rejected.
const maxWays = 32

// distinct adds an interpretation unless it is known.
func distinct(ways []choice, c choice) []choice {
	if len(ways) >= maxWays || slices.ContainsFunc(ways, c.same) {
		return ways
	}
	return append(ways, c)
}

// whole combines the answers to all questions, each of which must have one interpretation.
func (r Rule) whole(of func(q int) []choice) (Reading, Doubt) {
	found := Reading{Picks: map[int][]int{}, Texts: map[int]string{}}
	for q := range r.Questions {
		switch ways := of(q); {
		case len(ways) == 0:
			return Reading{}, r.unread(q)
		case len(ways) > 1:
			return Reading{}, Several
		default:
			found.Picks[q] = ways[0].picks
			if ways[0].other != "" {
				found.Texts[q] = ways[0].other
			}
		}
	}
	return found, Clear
}

// unread is the doubt about a text without an interpretation.
func (r Rule) unread(q int) Doubt {
	if r.Free && !r.Direct && len(r.Questions[q].Options) == 0 {
		return Uncoded
	}
	return Unclear
}

// lines reads an answer to several questions: one line each, in order or with its number.
func (r Rule) lines(text string) (Reading, Doubt) {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	ordered, orderedDoubt := Reading{}, Incomplete
	if len(lines) == len(r.Questions) {
		ordered, orderedDoubt = r.whole(func(q int) []choice { return r.readings(q, lines[q]) })
	}
	numbered, numberedDoubt := Reading{}, Incomplete
	of, spaced := r.numbered(lines)
	if len(of) == len(r.Questions) {
		numbered, numberedDoubt = r.whole(func(q int) []choice { return r.readings(q, of[q]) })
	}
	switch {
	case orderedDoubt == Clear && numberedDoubt == Clear:
		// Free text can be anything, so a number before each line must not become part of it.
		if !maps.EqualFunc(ordered.Picks, numbered.Picks, slices.Equal[[]int]) || !spaced && !maps.Equal(ordered.Texts, numbered.Texts) {
			return Reading{}, Several
		}
		return numbered, Clear
	case orderedDoubt == Several || numberedDoubt == Several:
		return Reading{}, Several
	case orderedDoubt == Clear:
		return ordered, Clear
	case numberedDoubt == Clear:
		return numbered, Clear
	case orderedDoubt == Incomplete:
		return Reading{}, numberedDoubt
	}
	return Reading{}, orderedDoubt
}

// numbered reads lines such as "2: yes" and reports whether a space follows each number. It returns nil
// if a line has no number, an unknown one, or the same as another line.
func (r Rule) numbered(lines []string) (of map[int]string, spaced bool) {
	of, spaced = map[int]string{}, true
	for _, line := range lines {
		n, rest, apart, ok := cutNumber(line)
		if _, twice := of[n]; !ok || twice || n >= len(r.Questions) {
			return nil, false
		}
		of[n], spaced = rest, spaced && apart
	}
	return of, spaced
}

// numberedLabel matches a label after its number, as in "2 SQLite", "2. SQLite" and "2) SQLite".
var numberedLabel = regexp.MustCompile(`^([0-9]+)(?:[:.)] ?| )(.+)$`)

// ordinal parses a number from 1 as an index.
func ordinal(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n - 1, err == nil && n >= 1 && strconv.Itoa(n) == text
}

// readings returns all interpretations of a text as the answer to one question.
func (r Rule) readings(q int, text string) []choice {
	question := r.Questions[q]
	folded, ways := fold(text), r.answers(question, text)
	skip := choice{picks: []int{question.Skip()}}
	switch skippable := question.Optional && !r.Strict; {
	case skippable && folded == SkipSign && question.TextOnly():
		return []choice{skip} // A dash is never free text.
	case skippable && (folded == SkipSign || r.counts(folded, skipWords)) && (len(ways) == 0 || question.TextOnly()):
		// It may be free text, but an option with that label takes precedence.
		return append(ways, skip)
	}
	return ways
}

// answers returns the interpretations of a text as an answer that does not skip the question.
func (r Rule) answers(question ask.Question, text string) []choice {
	if len(question.Options) == 0 {
		if r.Free && r.Direct && !r.Strict && text != "" {
			return []choice{{other: text}}
		}
		return nil
	}
	if question.MultiSelect {
		return r.parts(question, text)
	}
	var ways []choice
	for _, o := range r.options(question, text) {
		ways = distinct(ways, choice{picks: []int{o}})
	}
	if own, ok := r.own(question, text); ok && len(ways) == 0 {
		ways = distinct(ways, choice{other: own})
	}
	return ways
}

// own reads "other: …": free text for a question with options, unless an option has that label.
func (r Rule) own(question ask.Question, text string) (string, bool) {
	first, rest, found := cutColon(text)
	rest = strings.TrimSpace(rest)
	return rest, found && r.Free && !r.Strict && !question.NoOther && r.counts(fold(first), otherWords) && rest != ""
}

// options returns the options that a text names completely: by label, number or letter, by number and
// label as on the card, or by a word for yes or no. A number or letter that another label contains may
// mean that one.
func (r Rule) options(question ask.Question, text string) []int {
	folded := fold(text)
	if folded == "" {
		return nil
	}
	var found []int
	for i, o := range question.Options {
		if fold(o.Label) == folded {
			found = append(found, i)
		}
	}
	if r.Strict {
		return found
	}
	add := func(i int) {
		if !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	at, ok := ordinal(folded)
	if len(folded) == 1 && folded[0] >= 'a' && folded[0] <= 'z' {
		at, ok = int(folded[0]-'a'), true
	}
	if ok && at < len(question.Options) {
		add(at)
		for i, o := range question.Options {
			if named(plain(o.Label), folded) {
				add(i)
			}
		}
	}
	if both := numberedLabel.FindStringSubmatch(folded); both != nil {
		if n, ok := ordinal(both[1]); ok && n < len(question.Options) && fold(question.Options[n].Label) == both[2] {
			add(n)
		}
	}
	if yes, no, ok := sides(question); ok {
		if r.counts(folded, yesWords) {
			add(yes)
		}
		if r.counts(folded, noWords) {
			add(no)
		}
	}
	return found
}

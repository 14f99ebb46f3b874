package typed

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Rule says what a request takes from those who type.
type Rule struct {
	Questions []ask.Question
	// Code is the request's, see [Code].
	Code string
	// Languages are those whose words count beside those of [DefaultLanguage].
	Languages []string
	// Free takes text of one's own, where a question does: to a question without
	// options as it is, and to any other behind "other:".
	Free bool
	// Direct tells that the text was written in reply to the card, and not just beside
	// it. Text of one's own as it is needs that, or the code.
	Direct bool
	// Strict takes nothing but whole labels behind the code.
	Strict bool
}

// Reading is what a text says: an answer to every question.
type Reading struct {
	// Picks are the chosen options by question, Texts what was typed in their place or
	// beside them.
	Picks map[int][]int
	Texts map[int]string
}

// Doubt is why a text is no answer.
type Doubt string

// The doubts. Nothing of such a text is kept.
const (
	// Clear: there is none.
	Clear Doubt = ""
	// Unclear: the text is not what any option says.
	Unclear Doubt = "unclear"
	// Several: it can be read in more than one way.
	Several Doubt = "several"
	// Incomplete: it does not answer every question.
	Incomplete Doubt = "incomplete"
	// Uncoded: it would have to begin with the code.
	Uncoded Doubt = "uncoded"
)

// Read reads a text in answer to a request. A reading comes with [Clear] and with no
// other doubt.
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

// choice is one way to read what answers one question.
type choice struct {
	picks []int
	other string
}

func (c choice) same(other choice) bool {
	return c.other == other.other && slices.Equal(c.picks, other.picks)
}

// maxWays is how many ways to read one text are told apart. No text with so many is
// read.
const maxWays = 32

// distinct adds a way to read, unless it is known.
func distinct(ways []choice, c choice) []choice {
	if len(ways) >= maxWays || slices.ContainsFunc(ways, c.same) {
		return ways
	}
	return append(ways, c)
}

// whole puts together an answer to every question, each of which must be read in one
// way.
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

// unread is the doubt about a text that cannot be read at all.
func (r Rule) unread(q int) Doubt {
	if r.Free && !r.Direct && len(r.Questions[q].Options) == 0 {
		return Uncoded
	}
	return Unclear
}

// lines reads an answer to several questions: a line for each, in their order or each
// behind its number.
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
		// Own words are any text, so a number before each is no part of them.
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

// numbered reads lines such as "2: yes", and tells whether a space stands behind each number.
// It returns nil for lines of which one has no number, or that of no question or of another
// line.
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

// numberedLabel is a label behind its number, as in "2 SQLite", "2. SQLite" and "2) SQLite".
var numberedLabel = regexp.MustCompile(`^([0-9]+)(?:[:.)] ?| )(.+)$`)

// ordinal reads a number from 1 as an index.
func ordinal(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n - 1, err == nil && n >= 1 && strconv.Itoa(n) == text
}

// readings are all ways to read a text as the answer to one question.
func (r Rule) readings(q int, text string) []choice {
	question := r.Questions[q]
	said, ways := fold(text), r.said(question, text)
	skip := choice{picks: []int{question.Skip()}}
	switch skippable := question.Optional && !r.Strict; {
	case skippable && said == SkipSign && question.TextOnly():
		return []choice{skip} // Nobody's own text is a dash.
	case skippable && (said == SkipSign || r.counts(said, skipWords)) && (len(ways) == 0 || question.TextOnly()):
		// It may be somebody's own text, but where an option is called so it is that one.
		return append(ways, skip)
	}
	return ways
}

// said are the ways to read a text as an answer that says something.
func (r Rule) said(question ask.Question, text string) []choice {
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

// own reads "other: …": text of one's own in answer to a question with options, unless one
// of them says the same.
func (r Rule) own(question ask.Question, text string) (string, bool) {
	first, rest, found := cutColon(text)
	rest = strings.TrimSpace(rest)
	return rest, found && r.Free && !r.Strict && !question.NoOther && r.counts(fold(first), otherWords) && rest != ""
}

// options are the options that a text says as a whole: by label, number or letter, by number
// and label as the card and hints have them, and by a word for yes or no where those are what is
// asked. A number or letter that stands in another label as well may mean that one.
func (r Rule) options(question ask.Question, text string) []int {
	said := fold(text)
	if said == "" {
		return nil
	}
	var found []int
	for i, o := range question.Options {
		if fold(o.Label) == said {
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
	at, ok := ordinal(said)
	if len(said) == 1 && said[0] >= 'a' && said[0] <= 'z' {
		at, ok = int(said[0]-'a'), true
	}
	if ok && at < len(question.Options) {
		add(at)
		for i, o := range question.Options {
			if named(plain(o.Label), said) {
				add(i)
			}
		}
	}
	if both := numberedLabel.FindStringSubmatch(said); both != nil {
		if n, ok := ordinal(both[1]); ok && n < len(question.Options) && fold(question.Options[n].Label) == both[2] {
			add(n)
		}
	}
	if yes, no, ok := sides(question); ok {
		if r.counts(said, yesWords) {
			add(yes)
		}
		if r.counts(said, noWords) {
			add(no)
		}
	}
	return found
}

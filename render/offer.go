package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// offer is how the options of one question are worded on controls and above
// them.
type offer struct {
	question ask.Question
	// most is how long a control's label may be.
	most int
	// spelled means that the text above shows the options in full, because the controls cannot hold
	// everything.
	spelled bool
	// numbered means that the labels begin with numbers, which refer to the text above: two are alike,
	// one could be taken for a control of the bridge, or one does not fit. That one is a number only:
	// a label is never cut. bare means that all of them are, because none is whole.
	numbered, bare bool
}

// offering decides how options are worded on controls that show at most
// so many characters of a label, and describe it or not.
func (v *voice) offering(q ask.Question, most int, describes bool) offer {
	o := offer{question: q, most: most}
	seen := map[string]bool{}
	for _, option := range q.Options {
		shown := option.Description == "" || describes && Units(option.Description) <= MaxItem && !strings.Contains(option.Description, "\n")
		o.numbered = o.numbered || seen[option.Label] || v.imitates(q, option.Label)
		seen[option.Label] = true
		o.spelled = o.spelled || !shown || option.Preview != ""
	}
	for n := range q.Options {
		if !o.holds(n) {
			o.numbered, o.spelled = true, true
		}
	}
	return o
}

// label is the text of option n's control.
func (o offer) label(n int) string {
	label := o.question.Options[n].Label
	switch {
	case !o.numbered && !o.bare:
		return label
	case o.bare, !o.holds(n):
		return strconv.Itoa(n + 1)
	}
	return o.numberedLabel(n)
}

// holds reports whether a control holds the label of option n, with its number if it has one.
func (o offer) holds(n int) bool {
	if o.numbered {
		return Units(o.numberedLabel(n)) <= o.most
	}
	return Units(o.question.Options[n].Label) <= o.most
}

func (o offer) numberedLabel(n int) string {
	return fmt.Sprintf("%d. %s", n+1, Isolate(o.question.Options[n].Label))
}

// lines spells the options out, one line each, with their samples below.
func (o offer) lines() []Span {
	if !o.spelled {
		return nil
	}
	spans := []Span{{Text: "\n"}}
	for n, option := range o.question.Options {
		spans = append(spans, Span{Text: "\n"})
		if o.numbered || o.bare {
			spans = append(spans, Span{Style: Bold, Text: fmt.Sprintf("%d. ", n+1)})
		}
		spans = append(spans, Span{Style: Bold, Text: option.Label})
		if option.Description != "" {
			spans = append(append(spans, Span{Text: " – "}), behind(option.Description)...)
		}
		if option.Preview != "" {
			spans = append(spans, Span{Style: Code, Text: option.Preview})
		}
	}
	return spans
}

// chosen names options on one line.
func (o offer) chosen(selected []int) string {
	var labels []string
	for _, n := range selected {
		if n < len(o.question.Options) {
			labels = append(labels, o.label(n))
		}
	}
	return strings.Join(labels, ", ")
}

// list offers the options of question i. If skip is set, a last item skips the question, see
// [ask.Question.Skip].
func list(s Subject, i int, o offer, pick ask.Pick, skip bool) *List {
	q := s.Questions[i]
	l := &List{Token: s.token(Pick, i, -1), Label: s.voice.Card.ChooseOne, Many: q.MultiSelect || q.TextOnly()}
	switch {
	case q.TextOnly():
		l.Label = s.voice.Card.ChooseSkip
	case q.MultiSelect:
		l.Label = s.voice.Card.ChooseAny
	}
	for n, option := range q.Options {
		item := Item{Label: o.label(n), Chosen: slices.Contains(pick.Selected, n)}
		if !o.spelled {
			item.Description = option.Description
		}
		l.Items = append(l.Items, item)
	}
	if skip {
		l.Items = append(l.Items, Item{Label: s.voice.label.skip, Description: s.voice.Card.LeaveOut, Chosen: pick.Skipped})
	}
	return l
}

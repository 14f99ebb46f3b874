package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// offer is how the options of one question are worded on controls and above
// them.
type offer struct {
	question ask.Question
	// most is how long a control's text may be.
	most int
	// spelled means that the text above shows the options in full, because the controls cannot hold
	// everything.
	spelled bool
	// numbered means that the labels carry numbers that refer to the full text: one is truncated, two
	// were truncated to the same text before, or one could be taken for a control of the bridge.
	numbered bool
}

// offering decides how options are worded on controls that show most
// characters of a label, and describe it or not.
func (v *voice) offering(q ask.Question, most int, describes bool) offer {
	o := offer{question: q, most: most}
	seen := map[string]bool{}
	for _, option := range q.Options {
		long := Units(option.Label) > most
		told := option.Description == "" || describes && Units(option.Description) <= MaxItem && !strings.Contains(option.Description, "\n")
		o.numbered = o.numbered || long || seen[option.Label] || v.imitates(q, option.Label)
		seen[option.Label] = true
		o.spelled = o.spelled || long || !told || option.Preview != ""
	}
	return o
}

// label is the text of option n's control.
func (o offer) label(n int) string {
	label := o.question.Options[n].Label
	if !o.numbered {
		return label
	}
	number := fmt.Sprintf("%d. ", n+1)
	return number + Isolate(Cut(label, o.most-len(number)-2, nil))
}

// lines spells the options out, one line each, with their samples below.
func (o offer) lines() []Span {
	if !o.spelled {
		return nil
	}
	spans := []Span{{Text: "\n"}}
	for n, option := range o.question.Options {
		spans = append(spans, Span{Text: "\n"})
		if o.numbered {
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

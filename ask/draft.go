package ask

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Draft is the selection so far, one [Pick] per question index. Its moves are absolute
// ("question 2 is {1,3}"), so repeating one changes nothing. The zero value is empty and ready
// to use.
type Draft map[int]Pick

// Pick is the selection for one question so far.
type Pick struct {
	// Selected holds option indexes in ascending order.
	Selected []int  `json:"s,omitempty"`
	Other    string `json:"o,omitempty"`
	// Order is the platform's ordering of people's actions. A move older than the recorded one
	// changes nothing.
	Order int64 `json:"n,omitempty"`
	// Turned holds the order of the last action on each option that has its own toggle, so that
	// two people can use two toggles at the same time.
	Turned map[int]int64 `json:"t,omitempty"`
	// By is the author of the last move on a shared draft.
	By Person `json:"b,omitzero"`
	// Skipped means that an optional question is skipped. A skipped question has no selection.
	Skipped bool `json:"k,omitempty"`
	// Note is the note on the question. It does not count as a selection.
	Note Note `json:"m,omitzero"`
}

// Note is a note that a person wrote on a question. Its moves are ordered separately.
type Note struct {
	Text  string `json:"t,omitempty"`
	Order int64  `json:"n,omitempty"`
	// By is the author of the note on a shared draft.
	By Person `json:"b,omitzero"`
}

// Empty reports whether nothing is chosen.
func (p Pick) Empty() bool { return len(p.Selected) == 0 && p.Other == "" }

// newest returns the order of the last action on the question.
func (p Pick) newest() int64 {
	newest := p.Order
	for _, order := range p.Turned {
		newest = max(newest, order)
	}
	return newest
}

// Passed reports whether an action on one option is not newer than the recorded one.
func (p Pick) Passed(option int, order int64) bool {
	last, turned := p.Turned[option]
	return order < p.Order || turned && order <= last
}

// Select returns the draft with the options of question q set to exactly selected. Indexes
// outside the question are dropped. A single-select question keeps only the last valid one and
// loses its typed text, since the last action wins. [Question.Skip] alone skips an optional
// question; together with options it is dropped. An action older than the recorded one returns
// the draft unchanged.
func (d Draft) Select(q int, question Question, selected []int, order int64) Draft {
	old := d[q]
	if order < old.Order {
		return d
	}
	p := Pick{Selected: clean(question, selected), Other: old.Other, Order: order, By: old.By, Note: old.Note}
	p.Skipped = skips(question, selected)
	if !question.MultiSelect || p.Skipped {
		p.Other = ""
	}
	return d.with(q, p)
}

// skips reports whether selected holds only the skip index of an optional question.
func skips(q Question, selected []int) bool {
	return q.Optional && slices.Contains(selected, q.Skip()) && len(clean(q, selected)) == 0
}

// Skip returns the draft with optional question q skipped, or untouched if on is false. An
// action older than the recorded one returns the draft unchanged.
func (d Draft) Skip(q int, question Question, on bool, order int64) Draft {
	old := d[q]
	if !question.Optional || order < old.newest() || !on && !old.Skipped {
		return d
	}
	return d.with(q, Pick{Skipped: on, Order: order, By: old.By, Note: old.Note})
}

// Annotate returns the draft with text as the note of question q; blank text removes the note.
// An action older than the recorded note returns the draft unchanged.
func (d Draft) Annotate(q int, question Question, text string, order int64) Draft {
	p := d[q]
	if !question.Notes || order < p.Note.Order {
		return d
	}
	p.Note = Note{Text: strings.TrimSpace(text), Order: order}
	return d.with(q, p)
}

// Turn returns the draft with one option of question q switched on or off and the other options
// unchanged, as a toggle button does. An action that is not newer than the last one on the same
// option, or than the last [Draft.Select], returns the draft unchanged.
func (d Draft) Turn(q int, question Question, option int, on bool, order int64) Draft {
	old := d[q]
	if option < 0 || option >= len(question.Options) || old.Passed(option, order) {
		return d
	}
	p := old
	p.Turned = maps.Clone(old.Turned)
	if p.Turned == nil {
		p.Turned = map[int]int64{}
	}
	p.Turned[option] = order
	p.Selected = slices.DeleteFunc(slices.Clone(old.Selected), func(o int) bool { return o == option })
	if on {
		p.Selected, p.Skipped = clean(question, append(p.Selected, option)), false
	}
	return d.with(q, p)
}

// Write returns the draft with text as the typed answer of question q. Blank text removes the
// typed answer. On a single-select question typed text replaces the selected option. An action
// older than the recorded one returns the draft unchanged.
func (d Draft) Write(q int, question Question, text string, order int64) Draft {
	old := d[q]
	if order < old.Order {
		return d
	}
	p := old
	p.Other, p.Order = strings.TrimSpace(text), order
	if !question.MultiSelect && p.Other != "" {
		p.Selected = nil
	}
	p.Skipped = p.Skipped && p.Other == ""
	return d.with(q, p)
}

// Newest returns the order of the last selection in the draft, or zero if it is empty. Typed
// text does not count because a platform may know only roughly when a form was sent.
func (d Draft) Newest() int64 {
	var newest int64
	for _, p := range d {
		if p.Other == "" {
			newest = max(newest, p.Order)
		}
		for _, order := range p.Turned {
			newest = max(newest, order)
		}
	}
	return newest
}

// Missing returns the indexes of the questions that block submission: the required ones without
// a selection, or all of them if the draft is empty.
func (d Draft) Missing(questions []Question) []int {
	left := d.Left(questions)
	if len(left) == len(questions) {
		return left
	}
	return slices.DeleteFunc(left, func(i int) bool { return questions[i].Optional })
}

// Left returns the indexes of the questions that are neither answered nor skipped.
func (d Draft) Left(questions []Question) []int {
	var left []int
	for i := range questions {
		if d[i].Empty() && !d[i].Skipped {
			left = append(left, i)
		}
	}
	return left
}

// AttributedTo returns the draft with by as the author of the selection for question q.
func (d Draft) AttributedTo(q int, by Person) Draft {
	p, ok := d[q]
	if !ok {
		return d
	}
	p.By = by
	return d.with(q, p)
}

// FilledBy returns the draft with by as the author of every selection that differs from before.
func (d Draft) FilledBy(before Draft, by Person) Draft {
	filled := d
	for q, p := range d {
		if p.Order != before[q].Order {
			filled = filled.AttributedTo(q, by)
		}
	}
	return filled
}

// NotedBy returns the draft with by as the author of the note of question q, if there is one.
func (d Draft) NotedBy(q int, by Person) Draft {
	p := d[q]
	if p.Note.Text == "" {
		return d
	}
	p.Note.By = by
	return d.with(q, p)
}

// Answers converts the draft into answers given by one person at one time; a question with a
// recorded author keeps that author. Questions without a selection are omitted: nothing is
// filled in.
func (d Draft) Answers(questions []Question, by Person, at time.Time) []Answer {
	var answers []Answer
	for i, q := range questions {
		p := d[i]
		if p.Empty() {
			continue
		}
		a := Answer{Index: i, Question: q.Text, Header: q.Header, Selected: []string{}, Other: p.Other, Notes: p.Note.Text, By: by, At: at}
		if p.By.ID != "" {
			a.By = p.By
		}
		if p.Note.By.Key() != a.By.Key() {
			a.NotesBy = p.Note.By
		}
		for _, o := range clean(q, p.Selected) {
			a.Selected = append(a.Selected, q.Options[o].Label)
		}
		answers = append(answers, a)
	}
	return answers
}

// unanswered returns the questions without a selection, split into skipped and left.
func (d Draft) unanswered(questions []Question, by Person) (skipped, left []Unanswered) {
	for i, q := range questions {
		p := d[i]
		u := Unanswered{Index: i, Question: q.Text, Header: q.Header, Notes: p.Note.Text, NotesBy: p.Note.By}
		if u.Notes != "" && u.NotesBy.ID == "" {
			u.NotesBy = by
		}
		switch {
		case !p.Empty():
		case p.Skipped:
			if u.By = by; p.By.ID != "" {
				u.By = p.By
			}
			if u.NotesBy.Key() == u.By.Key() {
				u.NotesBy = Person{}
			}
			skipped = append(skipped, u)
		default:
			left = append(left, u)
		}
	}
	return skipped, left
}

func (d Draft) with(q int, p Pick) Draft {
	next := make(Draft, len(d)+1)
	maps.Copy(next, d)
	next[q] = p
	return next
}

func clean(q Question, selected []int) []int {
	var valid []int
	for _, o := range selected {
		if o >= 0 && o < len(q.Options) {
			valid = append(valid, o)
		}
	}
	if !q.MultiSelect && len(valid) > 1 {
		valid = valid[len(valid)-1:]
	}
	slices.Sort(valid)
	return slices.Compact(valid)
}

package record

import (
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Erased stands where a text has been erased.
const Erased = "[erased]"

// ErrStillOpen means that a request has to end before its texts can be erased.
var ErrStillOpen = errors.New("bridge: the request is still open")

// Erase takes what somebody wrote out of an ended request, and the names that they went by:
// of one person ("slack:U0000001"), or of everybody, the agent too, where that is empty. What
// was chosen stays, by whom, and when. It returns [ErrStillOpen] for an open request, and
// [ErrUnchanged] where there is nothing to erase.
func (r *Record) Erase(person string) error {
	if r.Open() {
		return ErrStillOpen
	}
	next := r.Clone()
	e := eraser(person)
	e.outcome(&next.Outcome)
	if next.Held != nil {
		e.outcome(&next.Held.Outcome)
	}
	for n := range next.AskedBack {
		asked := &next.AskedBack[n]
		if e.of(asked.By) {
			asked.Text = erased(asked.Text)
		}
		e.name(&asked.By)
		if e == "" {
			asked.Reply = erased(asked.Reply)
		}
	}
	if s := next.Schedule; s != nil && s.Claim != nil {
		claim := *s.Claim
		e.name(&claim.By)
		s.Claim = &claim
	}
	if next.Trail != nil {
		for n := range next.Trail.Events {
			event := &next.Trail.Events[n]
			if e.of(event.By) {
				event.Text = erased(event.Text)
				e.choices(event.Choices)
			}
			e.name(&event.By)
		}
	}
	// What was chosen so far is of no use any more: an own draft goes, and one that is shared.
	maps.DeleteFunc(next.Drafts, func(of string, _ ask.Draft) bool {
		return e == "" || of == person || !strings.Contains(of, ":")
	})
	if e == "" {
		next.Context, next.Links = erased(next.Context), nil
		for n := range next.Questions {
			q := &next.Questions[n]
			q.Text, q.Header = erased(q.Text), erased(q.Header)
			for o := range q.Options {
				q.Options[o].Description, q.Options[o].Preview = erased(q.Options[o].Description), erased(q.Options[o].Preview)
			}
		}
		if next.Permit != nil {
			permit := *next.Permit
			permit.What = erased(permit.What)
			next.Permit = &permit
		}
	}
	if reflect.DeepEqual(next, *r) {
		return ErrUnchanged
	}
	*r = next
	return nil
}

func erased(text string) string {
	if text == "" {
		return ""
	}
	return Erased
}

// eraser is whose texts go; empty is everybody.
type eraser string

// of reports whether a person wrote something that goes. What nobody is named for goes with
// everybody's.
func (e eraser) of(by ask.Person) bool { return e == "" || by.Key() == string(e) }

func (e eraser) name(by *ask.Person) {
	if e.of(*by) {
		by.Name = ""
	}
}

func (e eraser) choices(all []ask.Choice) {
	for n := range all {
		all[n].Other, all[n].Notes = erased(all[n].Other), erased(all[n].Notes)
	}
}

func (e eraser) outcome(o *ask.Outcome) {
	typed := map[string]bool{}
	for n := range o.Answers {
		a := &o.Answers[n]
		if e.of(a.By) {
			typed[a.Other] = true
			a.Other = erased(a.Other)
		}
		e.note(&a.Notes, a.By, &a.NotesBy)
		e.name(&a.By)
		if e == "" {
			a.Question, a.Header = erased(a.Question), erased(a.Header)
		}
	}
	for _, all := range [][]ask.Unanswered{o.Skipped, o.Left} {
		for n := range all {
			u := &all[n]
			e.note(&u.Notes, u.By, &u.NotesBy)
			e.name(&u.By)
			if e == "" {
				u.Question, u.Header = erased(u.Question), erased(u.Header)
			}
		}
	}
	for n := range o.Votes {
		v := &o.Votes[n]
		if e.of(v.By) {
			for _, c := range v.Choices {
				typed[c.Other] = true
			}
			e.choices(v.Choices)
			v.Reply, v.Human = erased(v.Reply), ""
		}
		e.name(&v.By)
	}
	for n := range o.Tally {
		if e == "" || typed[o.Tally[n].Other] {
			o.Tally[n].Other = erased(o.Tally[n].Other)
		}
	}
	if o.By.ID != "" && e.of(o.By) && o.Reason != ask.Dismissed {
		o.Reason = erased(o.Reason)
	}
	e.name(&o.By)
}

func (e eraser) note(text *string, by ask.Person, noted *ask.Person) {
	writer := by
	if noted.ID != "" {
		writer = *noted
	}
	if e.of(writer) {
		*text = erased(*text)
	}
	e.name(noted)
}

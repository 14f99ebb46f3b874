package record

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Erased replaces an erased text.
const Erased = "[erased]"

// ErrStillOpen means that a request has to end before its texts can be erased.
var ErrStillOpen = errors.New("bridge: the request is still open")

// Erase removes texts and display names from an ended request: those of one person
// ("slack:U0000001"), or of everyone including the agent if person is empty. Who chose what and when
// is kept. It returns [ErrStillOpen] for an open request, and [ErrUnchanged] if there is nothing to
// erase.
func (r *Record) Erase(person string) error {
	if r.Open() {
		return ErrStillOpen
	}
	next := r.Clone()
	e := eraser(person)
	e.outcome(&next.Outcome)
	if next.Voting != nil {
		e.voters(next.Voting)
	}
	each(&next.AskedBack, func(asked *AskedBack) {
		if e.of(asked.By) {
			asked.Text = erased(asked.Text)
		}
		e.name(&asked.By)
		if e == "" {
			asked.Reply = erased(asked.Reply)
		}
	})
	if e == "" && next.Receipt != nil {
		next.Receipt = new(*next.Receipt)
		next.Receipt.Instead = erased(next.Receipt.Instead)
	}
	if s := next.Schedule; s != nil {
		if s.Claim != nil {
			s.Claim = new(*s.Claim)
			e.name(&s.Claim.By)
		}
		each(&s.Steps, func(step *Step) {
			if step.Pass != nil {
				step.Pass = new(*step.Pass)
				e.name(&step.Pass.By)
				e.name(&step.Pass.To)
			}
		})
	}
	if next.Trail != nil {
		next.Trail = new(*next.Trail)
		each(&next.Trail.Events, func(event *Event) {
			if e.of(event.By) {
				event.Text = erased(event.Text)
				each(&event.Choices, e.choice)
			}
			e.name(&event.By)
		})
	}
	// Drafts are of no use any more: the person's own is removed, and a shared one that they wrote in.
	maps.DeleteFunc(next.Drafts, func(of string, d ask.Draft) bool {
		if e == "" || of == person {
			return true
		}
		for _, p := range d {
			if e.of(p.By) || e.of(p.Note.By) {
				return true
			}
		}
		return false
	})
	if e == "" {
		next.Context, next.Links, next.Source = erased(next.Context), nil, ask.Source{}
		each(&next.Files, func(f *ask.Attachment) { f.Name = erased(f.Name) })
		each(&next.Questions, func(q *ask.Question) {
			q.Text, q.Header = erased(q.Text), erased(q.Header)
			each(&q.Options, func(o *ask.Option) { o.Description, o.Preview = erased(o.Description), erased(o.Preview) })
		})
		if next.Permit != nil {
			next.Permit = new(*next.Permit)
			next.Permit.What, next.Permit.Where, next.Permit.Words = erased(next.Permit.What), "", ""
		}
	}
	if reflect.DeepEqual(next, *r) {
		return ErrUnchanged
	}
	*r = next
	return nil
}

// each changes every element of a list, in a copy: records share what never changes.
func each[T any](all *[]T, change func(*T)) {
	*all = slices.Clone(*all)
	for n := range *all {
		change(&(*all)[n])
	}
}

func erased(text string) string {
	if text == "" {
		return ""
	}
	return Erased
}

// lacksText reports whether a text of the answers has been erased.
func lacksText(o *ask.Outcome) bool {
	return slices.ContainsFunc(o.Answers, func(a ask.Answer) bool { return a.Question == Erased || a.Other == Erased || a.Notes == Erased }) ||
		slices.ContainsFunc(slices.Concat(o.Skipped, o.Left), func(u ask.Unanswered) bool { return u.Question == Erased || u.Notes == Erased })
}

// eraser is the key of the person whose texts are erased; empty for everyone.
type eraser string

// of reports whether a person's texts are erased. Texts without an author are erased with everyone's.
func (e eraser) of(by ask.Person) bool { return e == "" || by.Key() == string(e) }

func (e eraser) name(by *ask.Person) {
	if e.of(*by) {
		by.Name = ""
	}
}

func (e eraser) choice(c *ask.Choice) { c.Other, c.Notes = erased(c.Other), erased(c.Notes) }

func (e eraser) outcome(o *ask.Outcome) {
	typed := map[string]bool{}
	each(&o.Answers, func(a *ask.Answer) {
		if e.of(a.By) {
			typed[a.Other] = true
			a.Other = erased(a.Other)
		}
		e.note(&a.Notes, a.By, &a.NotesBy)
		e.name(&a.By)
		if e == "" {
			a.Question, a.Header = erased(a.Question), erased(a.Header)
		}
	})
	for _, all := range []*[]ask.Unanswered{&o.Skipped, &o.Left} {
		each(all, func(u *ask.Unanswered) {
			e.note(&u.Notes, u.By, &u.NotesBy)
			e.name(&u.By)
			if e == "" {
				u.Question, u.Header = erased(u.Question), erased(u.Header)
			}
		})
	}
	each(&o.Votes, func(v *ask.Vote) {
		if e.of(v.By) {
			for _, c := range v.Choices {
				typed[c.Other] = true
			}
			each(&v.Choices, e.choice)
			v.Reply, v.Human = erased(v.Reply), ""
		}
		e.name(&v.By)
	})
	each(&o.Tally, func(c *ask.Count) {
		if e == "" || typed[c.Other] {
			c.Other = erased(c.Other)
		}
	})
	if o.By.ID != "" && e.of(o.By) && o.Reason != ask.Dismissed {
		o.Reason = erased(o.Reason)
	}
	e.name(&o.By)
}

// voters erases the configured names of voters. Their number is kept.
func (e eraser) voters(v *Voting) {
	human, linked := v.Links[string(e)]
	goes := func(name string) bool { return e == "" || linked && name == human }
	v.Links = maps.Clone(v.Links)
	maps.DeleteFunc(v.Links, func(_, name string) bool { return goes(name) })
	each(&v.Roster, func(name *string) {
		if goes(*name) {
			*name = Erased
		}
	})
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

package bridge

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// nameWait is how long a card that says who acted on another platform waits for
// the name by which people know them.
const nameWait = 2 * time.Second

// introduce returns the record as cards show it: people who acted on one
// platform go by the name that people see there, if a card on another one is to
// say it. What is stored keeps the name that came with the act.
func (b *Bridge) introduce(ctx context.Context, r *Record) *Record {
	namer, ok := b.platforms[r.Outcome.By.Platform].(Namer)
	if !ok || !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target.Platform != r.Outcome.By.Platform && r.Wants(c) }) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	called := func(p ask.Person) ask.Person {
		if p.Platform == r.Outcome.By.Platform && p.ID != "" {
			p.Name = cmp.Or(namer.NameOf(ctx, p), p.Name)
		}
		return p
	}
	shown := *r
	o := &shown.Outcome
	o.Answers = slices.Clone(o.Answers)
	for i, a := range o.Answers {
		o.Answers[i].By = called(a.By)
	}
	o.By = called(o.By)
	return &shown
}

// cards lays the record out for each platform it is on, before anything is
// called, so that a record that cannot be drawn fails as a whole.
func (b *Bridge) cards(r *Record) map[look]render.Card {
	cards := map[look]render.Card{}
	for _, c := range r.Copies {
		name := c.Target.Platform
		if p, ok := b.platforms[name]; ok {
			key := b.lookOf(r, c)
			if _, done := cards[key]; !done {
				cards[key] = render.Layout(b.subject(r, p, c), p.Limits())
			}
		}
	}
	return cards
}

// look is what makes the card of one copy differ from that of another.
type look struct {
	platform, user string
	direct, plain  bool
}

func (b *Bridge) lookOf(r *Record, c Copy) look {
	l := look{platform: c.Target.Platform, plain: c.Plain}
	if r.Open() { // Only an open card says who may answer on it.
		l.user, l.direct = c.Target.User, b.direct(c.Target)
	}
	return l
}

// direct reports whether a card stands in a conversation with one person whom its
// place does not name.
func (b *Bridge) direct(at ask.Place) bool {
	p, ok := b.platforms[at.Platform]
	if !ok {
		return false
	}
	known := p.Limits().Direct
	return known != nil && known(at.Channel)
}

// firstOf is the question whose page a card opens on: the first that waits for a
// choice.
func firstOf(missing []int) int {
	if len(missing) == 0 {
		return 0
	}
	return missing[0]
}

// subject is what one copy of the record's card is laid out from.
func (b *Bridge) subject(r *Record, p Platform, c Copy) render.Subject {
	s := render.Subject{
		ID: r.ID, Mark: b.mark(r.ID), Agent: r.Agent, Context: r.Context, Questions: r.Questions,
		Policy: r.Policy, Deadline: r.Deadline, Outcome: r.Outcome, Plain: c.Plain, Direct: b.direct(c.Target),
	}
	if to := c.Target.User; to != "" {
		s.Addressee = r.Responder(ask.Responder{Person: ask.Person{Platform: p.Name(), ID: to}})
	}
	if p.Limits().SharedDraft {
		s.Draft = r.Drafts[p.Name()]
		s.At = firstOf(s.Draft.Missing(r.Questions))
	}
	if at := r.WonAt.Platform; at != "" && at != p.Name() {
		s.Place = at
	}
	return s
}

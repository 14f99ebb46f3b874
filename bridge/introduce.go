package bridge

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// nameWait is how long a card that says who acted on another platform waits for
// the name by which people know them.
const nameWait = 2 * time.Second

// introduce returns the record as cards show it: people who acted on one
// platform go by the name that people see there, if a card on another one is to
// say it. What is stored keeps the name that came with the act.
func (b *Bridge) introduce(ctx context.Context, r *Record) *Record {
	namer, ok := b.platforms[r.Outcome.By.Platform].(Namer)
	if !ok || !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target.Platform != r.Outcome.By.Platform && wants(r, c) }) {
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

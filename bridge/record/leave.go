package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// in reports whether a copy is or would be posted in an installation of a platform.
func (c Copy) in(platform, installation string, find func(ask.Place, MessageRef) string) bool {
	at := c.Target.Installation
	switch {
	case c.Target.Platform != platform:
		return false
	case find != nil:
		at = find(c.Target, c.Ref)
	case c.Ref != (MessageRef{}):
		at = c.Ref.Installation
	}
	return at == installation
}

// Leave gives up the cards of an open request in an installation that has removed the bot. Without a card
// elsewhere the request fails for that reason. find returns the installation of a card on a platform whose
// references do not name it, and is nil for others. Leave returns [ErrUnchanged] if there is no such card.
func Leave(r *Record, platform, installation, why string, find func(ask.Place, MessageRef) string, now time.Time) error {
	if catchUp(r, now) == nil {
		return nil
	}
	left, others := false, false
	for n := range r.Copies {
		c := &r.Copies[n]
		switch lost := c.State == Lost || c.State == Undeliverable; {
		case lost:
		case !c.in(platform, installation, find):
			others = true
		case c.Ref == (MessageRef{}):
			GivenUp{Why: why}.write(r, c, now)
			left = true
		default:
			LostCard{Why: why}.write(r, c, now)
			left = true
		}
	}
	switch {
	case !r.Open() || !left:
		return ErrUnchanged
	case others:
		leaseIfBehind(r, now)
	case r.Held != nil:
		end(r, r.Held.Outcome, now) // People have decided.
	default:
		end(r, ask.Outcome{State: ask.Failed, Reason: why}, now)
	}
	return nil
}

package bridge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/intake"
	"github.com/askbridge/askbridge/platform"
)

// ChannelOf returns the channel in which a message to a place would appear: the parent
// of its thread if threads are channels, else the place's channel. Errors are those of
// [platform.ThreadFinder]; they count against the tenant's failure budget.
func (b *Bridge) ChannelOf(ctx context.Context, tenant string, t ask.Place) (string, error) {
	finder, ok := b.platforms.Named[t.Platform].(platform.ThreadFinder)
	if !ok || t.Thread == "" {
		return t.Channel, nil
	}
	breaker := b.platforms.Breakers[t.Platform]
	if err := breaker.Allow(time.Now(), tenant, t, false); err != nil {
		return "", err
	}
	channel, err := finder.ParentOf(ctx, t.Thread)
	if err != nil {
		breaker.Note(time.Now(), tenant, t, err)
	}
	return channel, err
}

// Permalink returns the https address of a card posted to a place, or "" if it is unknown: see
// [platform.Linker].
func Permalink(ctx context.Context, b *Bridge, to ask.Place, ref platform.MessageRef) string {
	return b.platforms.Permalink(ctx, to, ref)
}

// PlaceName returns the name of the channel or person of a place, or "" if it is unknown: see
// [platform.PlaceNamer].
func PlaceName(ctx context.Context, b *Bridge, at ask.Place) string {
	return b.platforms.PlaceName(ctx, at)
}

// CheckToken returns the problems of a token: unknown people and groups in its terms and
// requesters, and unknown places. The channel "*" is every channel of a platform.
func (b *Bridge) CheckToken(path string, terms ask.Terms, requesters []string, places []ask.Place) []ask.Problem {
	d := b.intake.Directory
	problems := slices.Concat(d.CheckEntries(path+"responders", terms.Responders, ask.ErrResponders), d.CheckEntries(path+"notify", terms.Notify, ask.ErrNotify),
		d.CheckEntries(path+"requester", requesters, ask.ErrResponders), d.CheckSchedule(path+"schedule", terms.Schedule))
	for n, place := range places {
		at := fmt.Sprintf("%stargets[%d]", path, n)
		switch p, ok := d.Platforms.Named[place.Platform]; {
		case !ok:
			problems = append(problems, intake.Problem(at, ask.ErrTarget, fmt.Sprintf("there is no platform %q here; configured: %s", place.Platform, d.Platforms.Names())))
		case place.Channel != "*":
			if err := p.CheckTarget(place); err != nil {
				problems = append(problems, intake.Problem(at, ask.ErrTarget, err.Error()))
			}
		}
	}
	return problems
}

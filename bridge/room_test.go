package bridge_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// fate is what happens to a process at one of its outside effects.
type fate string

const (
	spared fate = ""
	dies   fate = "dies before it"
	done   fate = "dies right after it"
	unsure fate = "never learns how it went"
	cut    fate = "is cut off for a while"

	restarted fate = "is stopped, and another is started"
	forward   fate = "has its clock set forward"
	backward  fate = "has its clock set back"
)

// process is what one replica does to the outside world: nothing any more once it has died.
type process struct {
	mu    sync.Mutex
	fate  fate
	left  int // Effects before its fate.
	dead  bool
	alone time.Time // Cut off until then.
}

var errCut = errors.New("network cut off")

// meets makes the process fail at an effect from now.
func (p *process) meets(f fate, after int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fate, p.left = f, after
}

func (p *process) died() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// reads fails while the process is cut off.
func (p *process) reads() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead || time.Now().Before(p.alone) {
		return errCut
	}
	return nil
}

// does applies an effect unless fate prevents it. It reports whether the effect happened, even if the process does
// not learn of it.
func (p *process) does(effect func()) (took bool, err error) {
	if err := p.reads(); err != nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := spared
	if p.fate != spared {
		if p.left--; p.left < 0 {
			now, p.fate = p.fate, spared
		}
	}
	switch now {
	case dies:
		p.dead = true
		return false, errCut
	case cut:
		p.alone = time.Now().Add(20 * time.Second)
		return false, errCut
	case done:
		p.dead = true
	}
	effect()
	if now != spared {
		return true, errCut
	}
	return true, nil
}

// reached is a store as seen by one process.
type reached struct {
	bridge.Store

	by *process
}

func (s reached) write(f func() (bridge.Record, error)) (r bridge.Record, err error) {
	if _, cut := s.by.does(func() { r, err = f() }); cut != nil {
		return bridge.Record{}, bridge.ErrUnavailable
	}
	return r, err
}

func (s reached) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	return s.write(func() (bridge.Record, error) { return s.Store.Create(ctx, r, f) })
}

func (s reached) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	return s.write(func() (bridge.Record, error) { return s.Store.Change(ctx, id, f) })
}

func (s reached) Claim(ctx context.Context, lease time.Duration, limit int) (b bridge.Batch, err error) {
	if _, cut := s.by.does(func() { b, err = s.Store.Claim(ctx, lease, limit) }); cut != nil {
		return bridge.Batch{}, bridge.ErrUnavailable
	}
	return b, err
}

func (s reached) Load(ctx context.Context, id string) (bridge.Record, error) {
	if s.by.reads() != nil {
		return bridge.Record{}, bridge.ErrUnavailable
	}
	return s.Store.Load(ctx, id)
}

func (s reached) Due(ctx context.Context, limit int) (bridge.Batch, error) {
	if s.by.reads() != nil {
		return bridge.Batch{}, bridge.ErrUnavailable
	}
	return s.Store.Due(ctx, limit)
}

func (s reached) Scan(ctx context.Context, of bridge.Scan) ([]bridge.Record, error) {
	if s.by.reads() != nil {
		return nil, bridge.ErrUnavailable
	}
	return s.Store.Scan(ctx, of)
}

// room is a channel that all replicas post to: its messages and the notifications.
type room struct {
	mu    sync.Mutex
	cards []platform.MessageRef
	shown map[platform.MessageRef]render.Card
	below map[string]platform.MessageRef
	rung  []string
	own   map[string]bool // People with a card of their own, which notifies them.
}

func newRoom() *room {
	return &room{shown: map[platform.MessageRef]render.Card{}, below: map[string]platform.MessageRef{}, own: map[string]bool{}}
}

func (r *room) ring(c render.Card) {
	for _, who := range c.Tells {
		r.rung = append(r.rung, who.Key())
	}
}

// look returns the first card, the number of cards in the channel, who was notified there, in order, and who has a
// card of their own, which may exist twice.
func (r *room) look() (first platform.MessageRef, c render.Card, cards int, rung, own []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cards) > 0 {
		first = r.cards[0]
	}
	for _, ref := range r.cards {
		if ref.Channel == first.Channel {
			cards++
		}
	}
	return first, r.shown[first], cards, slices.Sorted(slices.Values(r.rung)), slices.Sorted(maps.Keys(r.own))
}

// waiting counts the reminders with the note that the agent is waiting.
func (r *room) waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range r.below {
		if c := r.shown[ref]; strings.Contains(fmt.Sprint(c.Sections[0].Text), "is waiting") {
			n++
		}
	}
	return n
}

// seat is the room as seen by one process.
type seat struct {
	*bridgetest.Script // For the other abilities of a platform.

	room *room
	by   *process
}

var (
	_ platform.Finder   = (*seat)(nil)
	_ platform.Reminder = (*seat)(nil)
)

func newSeat(r *room, by *process) *seat {
	return &seat{Script: bridgetest.NewScript("slack", render.Limits{}), room: r, by: by}
}

// call changes the room. A process that loses the reply gets an error although the change took effect.
func (s *seat) call(effect func()) error {
	took, err := s.by.does(func() {
		s.room.mu.Lock()
		defer s.room.mu.Unlock()
		effect()
	})
	switch {
	case err == nil:
		return nil
	case took:
		return refusal(platform.Ambiguous, "timeout")
	}
	return refusal(platform.Transient, "connection refused")
}

// channel returns the channel of a place. Each person has one of their own.
func channel(to ask.Place) string { return cmp.Or(to.Channel, "D"+to.User) }

func (s *seat) Post(_ context.Context, to ask.Place, c render.Card) (ref platform.MessageRef, err error) {
	err = s.call(func() {
		ref = platform.MessageRef{Platform: "slack", Channel: channel(to), Message: fmt.Sprint("m", len(s.room.cards)+1)}
		s.room.cards = append(s.room.cards, ref)
		s.room.shown[ref] = c
		if to.User != "" {
			s.room.own[to.User] = true
			return
		}
		s.room.ring(c)
	})
	if err != nil {
		return platform.MessageRef{}, err
	}
	return ref, nil
}

func (s *seat) Update(_ context.Context, ref platform.MessageRef, c render.Card) error {
	return s.call(func() { s.room.shown[ref] = c })
}

func (s *seat) Find(_ context.Context, to ask.Place, _ string, _ time.Time) (found []platform.MessageRef, err error) {
	err = s.call(func() {
		for _, ref := range s.room.cards {
			if ref.Channel == channel(to) {
				found = append(found, ref)
			}
		}
	})
	return found, err
}

func (s *seat) Remind(_ context.Context, _ ask.Place, ref platform.MessageRef, c render.Card, step int) (posted platform.MessageRef, err error) {
	err = s.call(func() {
		posted = platform.MessageRef{Platform: "slack", Channel: ref.Channel, Message: fmt.Sprint(ref.Message, "+", step)}
		s.room.below[fmt.Sprint(ref.Message, step)] = posted
		s.room.shown[posted] = c
		s.room.ring(c)
	})
	if err != nil {
		return platform.MessageRef{}, err
	}
	return posted, nil
}

func (s *seat) Reminded(_ context.Context, _ ask.Place, ref platform.MessageRef, step int, _ time.Time) (found platform.MessageRef, err error) {
	err = s.call(func() { found = s.room.below[fmt.Sprint(ref.Message, step)] })
	return found, err
}

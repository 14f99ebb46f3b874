package deliver

import (
	"errors"
	"sync"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// errOvertaken means that a newer revision of the card has been drawn already.
var ErrOvertaken = errors.New("bridge: a newer card has been drawn")

// locks are the per-message render locks. They let one goroutine at a time draw a card, and
// no older revision over a newer one: replies to two people's acts, and updates, may be on
// their way to the same message at once. The lock of a message is kept while somebody holds
// it or waits for it.
type Locks struct {
	Clock *state.Clock

	mu    sync.Mutex
	locks map[platform.MessageRef]*renderLock
}

// renderLock is the lock of one message.
type renderLock struct {
	holders int // who called hold and has not left; without any it is forgotten

	turn  chan struct{} // held by whoever draws
	drawn record.Drawn  // the last that was
}

// hold keeps the message remembered until the function it returns is called.
func (e *Locks) Hold(ref platform.MessageRef) (leave func()) {
	if ref == (platform.MessageRef{}) {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.locks == nil {
		e.locks = map[platform.MessageRef]*renderLock{}
	}
	s := e.locks[ref]
	if s == nil {
		s = &renderLock{turn: make(chan struct{}, 1)}
		e.locks[ref] = s
	}
	s.holders++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if s.holders--; s.holders == 0 {
			delete(e.locks, ref)
		}
	}
}

// render calls f to draw a revision of the card. It returns errOvertaken without
// calling it when a newer one has been drawn. A card whose place is unknown is
// drawn as it comes.
func (e *Locks) Render(ref platform.MessageRef, revision int64, f func() error) error {
	if ref == (platform.MessageRef{}) {
		return f()
	}
	s, leave := e.take(ref)
	defer leave()
	if s.drawn.Revision > revision {
		return ErrOvertaken
	}
	drawn := record.Drawn{Revision: revision, Begun: e.Clock.Now()}
	err := f()
	if err == nil {
		s.drawn = drawn
	}
	return err
}

// rendered returns what has been drawn here last, the zero value for nothing.
func (e *Locks) rendered(ref platform.MessageRef) record.Drawn {
	s, leave := e.take(ref)
	defer leave()
	return s.drawn
}

// shows is rendered for those who do not wait: it is zero while somebody draws the card.
func (e *Locks) shows(ref platform.MessageRef) record.Drawn {
	e.mu.Lock()
	s := e.locks[ref]
	e.mu.Unlock()
	if s == nil {
		return record.Drawn{}
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
		return s.drawn
	default:
		return record.Drawn{}
	}
}

// take waits until nobody else draws the card.
func (e *Locks) take(ref platform.MessageRef) (s *renderLock, leave func()) {
	up := e.Hold(ref)
	e.mu.Lock()
	s = e.locks[ref]
	e.mu.Unlock()
	s.turn <- struct{}{}
	return s, func() {
		<-s.turn
		up()
	}
}

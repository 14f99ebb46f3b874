package deliver

import (
	"errors"
	"sync"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// ErrOvertaken means that a newer revision of the card was drawn.
var ErrOvertaken = errors.New("bridge: a newer card has been drawn")

// Locks are the render locks of messages. They serialize the calls that draw a message,
// and prevent an older revision from replacing a newer one, since replies to
// interactions and updates run concurrently. A lock exists while it is held or awaited.
type Locks struct {
	Clock *state.Clock

	mu    sync.Mutex
	locks map[platform.MessageRef]*renderLock
}

// renderLock is the lock of one message.
type renderLock struct {
	holders int // number of holds; the lock is removed with the last one

	turn  chan struct{} // held while drawing
	drawn record.Drawn  // the last successful draw
}

// Hold keeps the lock of a message until leave is called.
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

// Render calls f to draw a revision. It returns [ErrOvertaken] without a call if a newer
// revision was drawn. Without a known message it only calls f.
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

// rendered returns what was drawn last, or the zero value.
func (e *Locks) rendered(ref platform.MessageRef) record.Drawn {
	s, leave := e.take(ref)
	defer leave()
	return s.drawn
}

// shows is rendered without waiting: it returns the zero value while a call draws the
// card.
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

// take waits for the lock.
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

package bridge

import (
	"errors"
	"sync"
)

// errOvertaken means that a newer face of the card has been drawn already.
var errOvertaken = errors.New("bridge: a newer card has been drawn")

// easel lets one hand at a time draw a card, and no older face over a newer
// one: replies to two people's acts, and repaints, may be on their way to the
// same message at once. It remembers a message while somebody sits before it.
type easel struct {
	mu    sync.Mutex
	seats map[MessageRef]*seat
}

type seat struct {
	sitting int

	drawing sync.Mutex
	face    int64
}

// sit keeps the message remembered until the function it returns is called.
func (e *easel) sit(ref MessageRef) (leave func()) {
	if ref == (MessageRef{}) {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seats == nil {
		e.seats = map[MessageRef]*seat{}
	}
	s := e.seats[ref]
	if s == nil {
		s = &seat{}
		e.seats[ref] = s
	}
	s.sitting++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if s.sitting--; s.sitting == 0 {
			delete(e.seats, ref)
		}
	}
}

// draw calls f to draw a face of the card. It returns errOvertaken without
// calling it when a newer one has been drawn.
func (e *easel) draw(ref MessageRef, face int64, f func() error) error {
	defer e.sit(ref)()
	e.mu.Lock()
	s := e.seats[ref]
	e.mu.Unlock()
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if s.face > face {
		return errOvertaken
	}
	err := f()
	if err == nil {
		s.face = face
	}
	return err
}

// drawn reports whether this face of the card, or a newer one, has been drawn.
func (e *easel) drawn(ref MessageRef, face int64) bool {
	defer e.sit(ref)()
	e.mu.Lock()
	s := e.seats[ref]
	e.mu.Unlock()
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return s.face >= face
}

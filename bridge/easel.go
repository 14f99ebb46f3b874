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

	brush chan struct{} // held by whoever draws
	face  int64
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
		s = &seat{brush: make(chan struct{}, 1)}
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
// calling it when a newer one has been drawn. A card whose place is unknown is
// drawn as it comes.
func (e *easel) draw(ref MessageRef, face int64, f func() error) error {
	if ref == (MessageRef{}) {
		return f()
	}
	s, leave := e.take(ref)
	defer leave()
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
	s, leave := e.take(ref)
	defer leave()
	return s.face >= face
}

// take waits until nobody else draws the card.
func (e *easel) take(ref MessageRef) (s *seat, leave func()) {
	up := e.sit(ref)
	e.mu.Lock()
	s = e.seats[ref]
	e.mu.Unlock()
	s.brush <- struct{}{}
	return s, func() {
		<-s.brush
		up()
	}
}

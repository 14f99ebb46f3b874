package chatsim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Seat is one person in front of one platform. Whoever writes a scene with it needs no other part of a double.
//
// A control is named by its visible text, with or without a sign or a number in front of its words. Where the same text stands more than once on a message or form, the further
// arguments narrow the search: each must occur in the text that stands over the control. An id of the control works as
// a name too.
type Seat interface {
	// Sees returns everything in front of the person as plain text: the open form if there is one, else the messages.
	Sees() string
	// Press uses a button. It returns when the platform knows whether the program acknowledged the press.
	Press(ctx context.Context, label string, under ...string) error
	// Pick changes a choice: it selects the option, or takes it away where options can be switched off.
	Pick(ctx context.Context, question, option string) error
	// Fill writes text into a field of the open form, or of a message that has fields.
	Fill(ctx context.Context, field, text string) error
	// Submit sends the open form.
	Submit(ctx context.Context) error
	// Dismiss closes the open form without sending it.
	Dismiss(ctx context.Context) error
	// Await returns when what the person sees satisfies the condition.
	Await(ctx context.Context, ok func(sees string) bool) error
}

// Ringer is a Seat that knows how many messages its person has heard of: a push, a sound or a badge on their phone.
type Ringer interface {
	// Rung counts the messages. An edit of a message is none.
	Rung() int
}

// Writer is a Seat whose person writes messages of their own to the program.
type Writer interface {
	// Answer writes in reply to the newest card of the program, as one does there for it to be heard.
	Answer(words string) error
	// Reword changes what the person wrote last, and TakeBack deletes it.
	Reword(words string) error
	TakeBack() error
}

// Rings counts the messages of a timeline that somebody heard of.
func Rings(t *Timeline, person string) int {
	n := 0
	for _, e := range t.Events(Rung) {
		if e.Person == person {
			n++
		}
	}
	return n
}

// What a person can run into. Test with errors.Is.
var (
	// ErrNotThere means that nothing with this name is in front of the person.
	ErrNotThere = errors.New("not there")
	// ErrNoForm means that no form is in front of the person; it comes with ErrNotThere.
	ErrNoForm = errors.New("no form is open")
	// ErrAmbiguous means that several controls have this name; narrow the search.
	ErrAmbiguous = errors.New("several controls match")
	// ErrUnacknowledged means that the program did not acknowledge in time and the person was shown a warning.
	ErrUnacknowledged = errors.New("not acknowledged")
	// ErrFormRejected means that the form stayed open because something in it has to be mended.
	ErrFormRejected = errors.New("form not accepted")
)

// awaitLimit bounds a wait whose context has no deadline, so that a broken test ends with the screen in its message
// and not with the test binary's own timeout.
const awaitLimit = time.Minute

// Signal wakes whoever waits for a change. The zero value is ready.
type Signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// Next returns a channel that is closed at the next change.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

// Notify tells all waiters that something changed.
func (s *Signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// Await returns when ok does, asking again after every change. Without a deadline in ctx it gives up after a minute.
func (s *Signal) Await(ctx context.Context, ok func() bool) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, awaitLimit)
		defer cancel()
	}
	for {
		next := s.Next()
		if ok() {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("await: %w", context.Cause(ctx))
		}
	}
}

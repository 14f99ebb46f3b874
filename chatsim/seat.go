package chatsim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Seat is one person using one platform. Scenes need no other part of a double.
//
// A control is named by its visible text, with or without a leading symbol or number, or by an
// id. If the same text occurs more than once on a message or form, the further arguments narrow
// the search: each must occur in the text above the control.
type Seat interface {
	// Sees returns everything the person sees as plain text: the open form if there is one,
	// else the messages.
	Sees() string
	// Press presses a button. It returns when it is known whether the program acknowledged the
	// press.
	Press(ctx context.Context, label string, under ...string) error
	// Pick changes a selection: it selects the option, or deselects it where options can be
	// toggled.
	Pick(ctx context.Context, question, option string) error
	// Fill types text into a field of the open form, or of a message that has fields.
	Fill(ctx context.Context, field, text string) error
	// Submit submits the open form.
	Submit(ctx context.Context) error
	// Dismiss closes the open form without submitting it.
	Dismiss(ctx context.Context) error
	// Await waits until what the person sees satisfies the condition.
	Await(ctx context.Context, ok func(sees string) bool) error
}

// Ringer is a Seat that counts the person's notifications: a push, a sound or a badge on their
// phone.
type Ringer interface {
	// Rung returns the number of messages that notified the person. An edit does not count.
	Rung() int
}

// Writer is a Seat whose person can type messages to the program.
type Writer interface {
	// Answer writes a reply to the newest card of the program, in the platform's way that
	// reaches the program.
	Answer(words string) error
	// Reword edits the person's last message, and TakeBack deletes it.
	Reword(words string) error
	TakeBack() error
}

// Commander is a Seat whose person can run the program's commands.
type Commander interface {
	// Run runs a command such as "/askbridge inbox" in the channel of the newest message.
	Run(ctx context.Context, command string) error
}

// Rings counts the messages in a timeline that notified a person.
func Rings(t *Timeline, person string) int {
	n := 0
	for _, e := range t.Events(Rung) {
		if e.Person == person {
			n++
		}
	}
	return n
}

// Errors of a person's action. Test with errors.Is.
var (
	// ErrNotThere means that the person sees nothing with this name.
	ErrNotThere = errors.New("not there")
	// ErrNoForm means that no form is open; it also matches ErrNotThere.
	ErrNoForm = errors.New("no form is open")
	// ErrAmbiguous means that several controls have this name; narrow the search.
	ErrAmbiguous = errors.New("several controls match")
	// ErrUnacknowledged means that the program did not acknowledge in time and the person saw a
	// warning.
	ErrUnacknowledged = errors.New("not acknowledged")
	// ErrFormRejected means that the form stayed open because it has errors.
	ErrFormRejected = errors.New("form not accepted")
)

// awaitLimit limits a wait without a deadline, so that a broken test fails with the person's
// view in its message instead of the test binary's timeout.
const awaitLimit = time.Minute

// Signal wakes waiters when something changes. The zero value is ready to use.
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

// Notify signals a change to all waiters.
func (s *Signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// Await waits until ok returns true, checking it after every change. Without a deadline in ctx
// it gives up after a minute.
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

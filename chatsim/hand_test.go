package chatsim_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
)

// slowForm is a person whose form opens at the moment they give up looking for it.
type slowForm struct {
	pressed, open, sent bool
	words               string
}

func (s *slowForm) Sees() string { return fmt.Sprintf("form open: %v", s.open) }

func (s *slowForm) Press(_ context.Context, label string, _ ...string) error {
	if s.pressed || label != "Other…" {
		return chatsim.ErrNotThere
	}
	s.pressed = true
	return nil
}

func (s *slowForm) Pick(context.Context, string, string) error { return chatsim.ErrNotThere }

func (s *slowForm) Fill(_ context.Context, field, words string) error {
	switch {
	case s.open && field == "Notes?":
		s.words = words
		return nil
	case s.open:
		return chatsim.ErrNotThere
	}
	s.open = s.pressed && field == "Notes?"
	return fmt.Errorf("%w: %w", chatsim.ErrNotThere, chatsim.ErrNoForm)
}

func (s *slowForm) Submit(context.Context) error {
	if !s.open {
		return chatsim.ErrNotThere
	}
	s.open, s.sent = false, true
	return nil
}

func (s *slowForm) Dismiss(context.Context) error {
	if !s.open {
		return chatsim.ErrNotThere
	}
	s.open = false
	return nil
}

func (s *slowForm) Await(_ context.Context, ok func(string) bool) error {
	if !ok(s.Sees()) {
		return errors.New("nothing changes any more")
	}
	return nil
}

func TestHandWaitsForLateForm(t *testing.T) {
	t.Parallel()
	s := &slowForm{}
	hand := chatsim.Hand{Seat: s, Onward: []string{"Answer"}}
	if err := hand.Own(t.Context(), "Notes?", "They begin with a B.", "q0"); err != nil {
		t.Fatal(err)
	}
	if s.words != "They begin with a B." || !s.sent {
		t.Errorf("the form was not sent with the words: %+v", *s)
	}
}

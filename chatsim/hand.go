package chatsim

import (
	"context"
	"errors"
	"fmt"
)

// Hand is a person who navigates to a control before using it, as people do. A test with it is
// the same on every platform, whatever controls the program uses there.
type Hand struct {
	Seat

	// Onward are buttons that lead to hidden controls: those that open the form of a message,
	// or its next page. If a form without the wanted control is open, it is submitted first.
	Onward []string
	// Writing are buttons that open a form for free text; the default are those of a card in
	// English.
	Writing []string
}

// maxTurns limits the number of navigation steps.
const maxTurns = 20

// Choose toggles an option of a question, whether it is a button, a list entry or a menu entry.
// question is any text above it, or "" if there is only one.
func (h Hand) Choose(ctx context.Context, question, option string) error {
	return h.Reach(ctx, func() error { return h.take(ctx, question, option) })
}

func (h Hand) take(ctx context.Context, question, option string) error {
	var under []string
	if question != "" {
		under = append(under, question)
	}
	err := h.Press(ctx, option, under...)
	if errors.Is(err, ErrNotThere) {
		err = h.Pick(ctx, question, option)
	}
	return err
}

// Own answers a question with free text: in its field of the open form, or else in the form
// that a button of the question opens, which is then submitted. fields are alternative names of
// the field.
func (h Hand) Own(ctx context.Context, question, words string, fields ...string) error {
	return h.Reach(ctx, func() error {
		err := ErrNotThere
		for _, name := range append(fields, question) {
			if errors.Is(err, ErrNotThere) {
				err = h.Fill(ctx, name, words)
			}
		}
		for _, label := range h.writing() {
			if errors.Is(err, ErrNotThere) {
				err = h.ownBy(ctx, label, question, words)
			}
		}
		return err
	})
}

func (h Hand) writing() []string {
	if h.Writing != nil {
		return h.Writing
	}
	return []string{"Answer…", "Other…"}
}

// ownBy is Own with one button, whose form may turn out to ask for something else. The form
// opens shortly after the press, and other content may appear first.
func (h Hand) ownBy(ctx context.Context, label, question, words string) error {
	if err := h.Press(ctx, label, question); err != nil {
		return err
	}
	elsewhere := false
	err := h.once(ctx, func() error {
		err := h.Fill(ctx, question, words)
		if elsewhere = errors.Is(err, ErrNotThere) && !errors.Is(err, ErrNoForm); elsewhere {
			return h.Dismiss(ctx)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case elsewhere:
		return ErrNotThere
	}
	return h.Submit(ctx)
}

// Use is Press with navigation.
func (h Hand) Use(ctx context.Context, label string, under ...string) error {
	return h.Reach(ctx, func() error { return h.Press(ctx, label, under...) })
}

// Write fills a field as soon as it appears; a form opens shortly after the press that requests
// it.
func (h Hand) Write(ctx context.Context, field, words string) error {
	return h.once(ctx, func() error { return h.Fill(ctx, field, words) })
}

// Send submits the open form, or else presses the button with this label.
func (h Hand) Send(ctx context.Context, label string) error {
	return h.once(ctx, func() error { return h.send(ctx, label) })
}

func (h Hand) send(ctx context.Context, label string) error {
	err := h.Submit(ctx)
	if errors.Is(err, ErrNotThere) {
		err = h.Press(ctx, label)
	}
	return err
}

// Decline dismisses the request, with words if there are any: with the button Dismiss… of the card, or
// of the private message that More… opens, and its form.
func (h Hand) Decline(ctx context.Context, words string) error {
	if err := h.Rare(ctx, dismissLabel); err != nil {
		return err
	}
	if words != "" {
		if err := h.Write(ctx, "", words); err != nil {
			return err
		}
	}
	return h.once(ctx, func() error { return h.Submit(ctx) })
}

// Rare presses a button of a message, or of the private message that More… opens.
func (h Hand) Rare(ctx context.Context, label string) error {
	opened := false
	err := h.Reach(ctx, func() error {
		err := h.Press(ctx, label)
		if errors.Is(err, ErrNotThere) {
			err = h.Press(ctx, moreLabel)
			opened = err == nil
		}
		return err
	})
	if err != nil || !opened {
		return err
	}
	return h.once(ctx, func() error { return h.Press(ctx, label) })
}

// once retries an action until it is possible.
func (h Hand) once(ctx context.Context, do func() error) error {
	return h.until(ctx, do, func() error { return ErrNotThere })
}

// Reach retries an action that fails with ErrNotThere, navigating to where it may succeed. An
// already open form without the control is submitted; a form opened during the search is
// closed.
func (h Hand) Reach(ctx context.Context, do func() error) error {
	turns, next := 0, 0
	return h.until(ctx, do, func() error {
		if turns++; turns > maxTurns {
			return fmt.Errorf("went on %d times and did not find it", maxTurns)
		}
		leave := h.Dismiss
		if turns == 1 {
			leave = h.Submit
		}
		if len(h.Onward) > 0 {
			switch err := leave(ctx); {
			case err == nil && turns == 1:
				return nil
			case errors.Is(err, ErrNotThere):
				next = 0 // It was a page: try its form first.
			case err != nil:
				return err
			}
		}
		for n := next; n < len(h.Onward); n++ {
			if err := h.Press(ctx, h.Onward[n]); !errors.Is(err, ErrNotThere) {
				next = n + 1
				return err
			}
		}
		turns--
		return ErrNotThere
	})
}

// until retries an action until it is possible. After each failure it calls move, if there is
// one, and waits for the person's view to change.
func (h Hand) until(ctx context.Context, do, move func() error) error {
	for {
		before := h.Sees()
		err := do()
		if !errors.Is(err, ErrNotThere) {
			return err
		}
		if trouble := move(); trouble != nil && !errors.Is(trouble, ErrNotThere) {
			return trouble
		}
		if late := h.Await(ctx, func(sees string) bool { return sees != before }); late != nil {
			return fmt.Errorf("%w: %w", err, late)
		}
	}
}

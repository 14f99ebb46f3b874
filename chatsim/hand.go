package chatsim

import (
	"context"
	"errors"
	"fmt"
)

// Hand is a person who goes on to where a control is, as people do without thinking of it. What it is used for is the
// same on every platform, whatever controls the program offers there.
type Hand struct {
	Seat

	// Onward are buttons that lead to what is not in sight: into the form of a message, or to its next page. With any of
	// them, a form without what is looked for is sent first.
	Onward []string
	// Writing are buttons that open a form for words of one's own; without any, those of a card in English.
	Writing []string
}

// maxTurns bounds how far a hand goes on.
const maxTurns = 20

// Choose takes an option of a question, be it a button, an entry of a list or one of a menu, or takes it away where it
// was chosen. The question is any text that stands over it; "" where there is only one.
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

// Own answers a question in words of one's own: in its field of the open form, or else with a button for it and the form
// that this opens, which is sent. Fields are further names of the field.
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

// ownBy is Own with one button, which may open a form that asks for something else. The form comes up a moment after
// the press, and something else may come into sight before it.
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

// Use is Press that goes on to where the button is.
func (h Hand) Use(ctx context.Context, label string, under ...string) error {
	return h.Reach(ctx, func() error { return h.Press(ctx, label, under...) })
}

// Write fills a field as soon as it is there; a form comes up a moment after the press that asks for it.
func (h Hand) Write(ctx context.Context, field, words string) error {
	return h.once(ctx, func() error { return h.Fill(ctx, field, words) })
}

// Send sends the open form, or else uses the button with this label.
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

// Decline ends what is asked without an answer, with words where there are any: with the button Dismiss… and the form
// that it opens.
func (h Hand) Decline(ctx context.Context, words string) error {
	if err := h.Use(ctx, dismissLabel); err != nil {
		return err
	}
	if words != "" {
		if err := h.Write(ctx, "", words); err != nil {
			return err
		}
	}
	return h.once(ctx, func() error { return h.Submit(ctx) })
}

// once does something as soon as it can be done.
func (h Hand) once(ctx context.Context, do func() error) error {
	return h.until(ctx, do, func() error { return ErrNotThere })
}

// Reach does something that fails with ErrNotThere until it can be done, and goes on to where that may be. A form that
// was open before is sent when it is not there; one that was opened to look for it is closed.
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
				next = 0 // It was a page: its form comes first.
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

// until does something as soon as it can be done. Where it cannot, it moves, if there is a way, and waits for the person
// to see something else.
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

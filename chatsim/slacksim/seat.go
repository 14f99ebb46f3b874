package slacksim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// Seat is one person using Slack. While a modal is open they see only that; otherwise they see
// the messages of all their conversations, or of one with In, or one message with On.
//
// If several messages have a matching control, the newest message wins. A control can be named
// by its visible text, its action_id, its block_id, or both ids as "block/action".
type Seat struct {
	s       *Server
	person  string
	channel string
	message string
	home    bool
}

var (
	_ chatsim.Seat   = (*Seat)(nil)
	_ chatsim.Writer = (*Seat)(nil)
)

// Seat returns the seat of a person.
func (s *Server) Seat(person string) *Seat { return &Seat{s: s, person: person} }

// Person returns the seat of a person, for scenes that run on any platform.
func (s *Server) Person(id string) chatsim.Seat { return s.Seat(id) }

// In restricts the seat to one conversation.
func (t *Seat) In(channel string) *Seat { return &Seat{s: t.s, person: t.person, channel: channel} }

// On restricts the seat to one message.
func (t *Seat) On(ts string) *Seat {
	return &Seat{s: t.s, person: t.person, channel: t.channel, message: ts}
}

// Sees returns everything the person sees as plain text.
func (t *Seat) Sees() string {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if c := t.s.client(t.person).confirm; c != nil {
		return t.s.seeConfirm(c)
	}
	var parts []string
	for _, f := range slices.Backward(t.s.faces(t)) {
		if f.view != nil {
			parts = append(parts, t.s.seeView(f))
		} else {
			parts = append(parts, t.s.seeMessage(f.conv, f.msg, t.person))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (s *Server) seeConfirm(c *confirmation) string {
	return fmt.Sprintf("[%s]\n%s\n[%s] [%s]", plainOf(c.dialog["title"]), s.readText(c.dialog["text"]),
		plainOf(c.dialog["deny"]), plainOf(c.dialog["confirm"]))
}

// Press presses a button: one of a message or form, the submit or close button of a form, or
// one of a confirmation dialog. It returns when the app has acknowledged, or with
// chatsim.ErrUnacknowledged after three seconds.
func (t *Seat) Press(ctx context.Context, label string, under ...string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	c := t.s.client(t.person)
	if c.confirm != nil {
		return t.answerDialog(ctx, label)
	}
	p, err := t.s.button(t, label, under)
	if err != nil && len(c.views) > 0 && len(under) == 0 {
		top := c.views[len(c.views)-1]
		closing := plainOf(top.def["close"])
		if closing == "" {
			closing = defaultClose
		}
		switch label {
		case plainOf(top.def["submit"]):
			t.s.mu.Unlock()
			return t.s.submit(ctx, t.person)
		case closing:
			t.s.mu.Unlock()
			return t.s.dismiss(ctx, t.person, false)
		}
	}
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	d := t.s.pressing(p, t.person)
	payload := t.s.do(d)
	t.s.mu.Unlock()
	return t.s.send(ctx, d, payload)
}

// answerDialog presses a button of the confirmation dialog. The caller holds the lock;
// answerDialog releases it.
func (t *Seat) answerDialog(ctx context.Context, label string) error {
	c := t.s.client(t.person)
	asked := c.confirm
	switch label {
	case plainOf(asked.dialog["confirm"]):
		payload := t.s.commit(asked.userAction)
		t.s.mu.Unlock()
		return t.s.send(ctx, asked.userAction, payload)
	case plainOf(asked.dialog["deny"]):
		c.confirm = nil
		t.s.mu.Unlock()
		t.s.notify()
		return nil
	default:
		t.s.mu.Unlock()
		return fmt.Errorf("slacksim: %s: press %q: %w: a dialog is open:\n%s",
			t.person, label, chatsim.ErrNotThere, t.s.seeConfirm(asked))
	}
}

// Pick selects an option by its text or value: it selects a radio button or a menu entry, and
// toggles a checkbox or a multi-select entry. question is any text above the options, or "" if
// there is only one set.
func (t *Seat) Pick(ctx context.Context, question, option string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	p, chosen, err := t.s.choiceFor(t, question, option)
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	d, changes, err := t.s.choosing(p, t.person, chosen)
	if err != nil || !changes {
		t.s.mu.Unlock()
		return err
	}
	payload := t.s.do(d)
	t.s.mu.Unlock()
	return t.s.send(ctx, d, payload)
}

// Fill types text into a field, named by its label, placeholder or id, or "" if there is only
// one.
func (t *Seat) Fill(ctx context.Context, field, words string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	p, err := t.s.field(t, field)
	if err != nil && len(t.s.client(t.person).views) == 0 {
		err = fmt.Errorf("%w: %w", err, chatsim.ErrNoForm)
	}
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	d := t.s.writing(p, t.person, words)
	payload := t.s.do(d)
	t.s.mu.Unlock()
	return t.s.send(ctx, d, payload)
}

// Submit submits the open form. It fails with chatsim.ErrFormRejected if the form has errors.
func (t *Seat) Submit(ctx context.Context) error { return t.s.submit(ctx, t.person) }

// Dismiss closes the open form with its close button.
func (t *Seat) Dismiss(ctx context.Context) error { return t.s.dismiss(ctx, t.person, false) }

// DismissAll closes all forms with the x in the corner.
func (t *Seat) DismissAll(ctx context.Context) error { return t.s.dismiss(ctx, t.person, true) }

// Await waits until what the person sees satisfies the condition.
func (t *Seat) Await(ctx context.Context, ok func(sees string) bool) error {
	if err := t.s.Await(ctx, func() bool { return ok(t.Sees()) }); err != nil {
		return fmt.Errorf("%s sees:\n%s\n%w", t.person, t.Sees(), err)
	}
	return nil
}

// AwaitText waits until the person sees all of the texts.
func (t *Seat) AwaitText(ctx context.Context, texts ...string) error {
	err := t.Await(ctx, func(sees string) bool {
		return !slices.ContainsFunc(texts, func(want string) bool { return !strings.Contains(sees, want) })
	})
	if err != nil {
		return fmt.Errorf("waiting for %q: %w", texts, err)
	}
	return nil
}

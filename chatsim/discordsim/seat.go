package discordsim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Seat is one person using Discord. While a form is open they see only that; otherwise they see
// the messages of all channels they can access, or of one with In, or one message with On.
//
// If several messages have a matching control, the newest message wins. A control can be named
// by its visible text or its custom_id. A disabled control cannot be used.
type Seat struct {
	s       *Server
	person  string
	channel string
	message string
}

var (
	_ chatsim.Seat   = (*Seat)(nil)
	_ chatsim.Writer = (*Seat)(nil)
)

// Seat returns the seat of a person.
func (s *Server) Seat(person string) *Seat { return &Seat{s: s, person: person} }

// Person returns the seat of a person, for scenes that run on any platform.
func (s *Server) Person(id string) chatsim.Seat { return s.Seat(id) }

// In restricts the seat to one channel.
func (t *Seat) In(channel string) *Seat { return &Seat{s: t.s, person: t.person, channel: channel} }

// On restricts the seat to one message.
func (t *Seat) On(message string) *Seat {
	return &Seat{s: t.s, person: t.person, channel: t.channel, message: message}
}

// Sees returns everything the person sees as plain text.
func (t *Seat) Sees() string {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	var parts []string
	for _, f := range slices.Backward(t.s.faces(t)) {
		if f.form != nil {
			parts = append(parts, t.s.seeForm(f.form))
		} else {
			parts = append(parts, t.s.seeMessage(f.conv, f.msg, t.person))
		}
	}
	return strings.Join(parts, "\n\n")
}

// Press presses a button of a message, or the Submit or Cancel button of a form. It returns
// when the app has responded, or with chatsim.ErrUnacknowledged after three seconds.
func (t *Seat) Press(ctx context.Context, label string, under ...string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	if t.s.client(t.person).form != nil && len(under) == 0 {
		t.s.mu.Unlock()
		switch label {
		case formSubmit:
			return t.Submit(ctx)
		case formCancel:
			return t.Dismiss(ctx)
		}
		t.s.mu.Lock()
	}
	p, err := t.s.button(t, label, under)
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	return t.s.use(ctx, p, t.person, nil)
}

// Pick selects an option by its label or value. In a single-value select it replaces the
// selection; picking the selected option sends nothing. In a multi-value select and in a
// checkbox group it toggles the option. question is any text above the options, or "" if there
// is only one set.
func (t *Seat) Pick(ctx context.Context, question, option string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	p, value, err := t.s.choiceFor(t, question, option)
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	held, _ := p.picks(t.person).value(p.control).([]string)
	return t.choose(ctx, p, afterPick(p.control, held, value), held)
}

// PickAll selects exactly these options, as a person does who opens a select, changes several
// and closes it.
func (t *Seat) PickAll(ctx context.Context, question string, options ...string) error {
	t.s.mu.Lock()
	if err := t.s.actor(t.person); err != nil {
		t.s.mu.Unlock()
		return err
	}
	p, err := t.s.seek(t, fmt.Sprintf("pick %q for %q", options, question), nonEmpty(question), func(p spot) bool {
		return p.control["options"] != nil
	})
	if err != nil {
		t.s.mu.Unlock()
		return err
	}
	var values []string
	for _, o := range objects(p.control["options"]) {
		if slices.Contains(options, text(o, "label")) || slices.Contains(options, text(o, "value")) {
			values = append(values, text(o, "value"))
		}
	}
	if len(values) != len(options) {
		t.s.mu.Unlock()
		return fmt.Errorf("discordsim: %s: pick %q: %w, there is: %v", t.person, options, chatsim.ErrNotThere, p)
	}
	held, _ := p.picks(t.person).value(p.control).([]string)
	return t.choose(ctx, p, values, held)
}

// choose sets the values of a choice. The caller holds the lock; choose releases it.
func (t *Seat) choose(ctx context.Context, p spot, values, held []string) error {
	fewest, most := valueRange(p.control)
	switch {
	case slices.Equal(values, held): // The client sends nothing.
		t.s.mu.Unlock()
		return nil
	case len(values) > most, len(values) < fewest && p.form == nil:
		t.s.mu.Unlock()
		return fmt.Errorf("discordsim: %s: pick: between %d and %d options can be chosen, not %d, in %v", t.person, fewest, most, len(values), p)
	case p.form == nil:
		return t.s.use(ctx, p, t.person, values)
	}
	id, switched := text(p.control, "custom_id"), p.switched(t.person, values)
	p.form.picks[id] = values
	delete(p.form.errors, id)
	t.s.record(chatsim.Event{
		Kind: chatsim.Picked, Person: t.person, Form: text(p.form.def, "custom_id"), Where: id, Text: chosen(p.control, values), Under: p.over, Options: switched,
	})
	t.s.mu.Unlock()
	return nil
}

// afterPick returns the selection after an option was used.
func afterPick(control object, held []string, value string) []string {
	_, most := valueRange(control)
	several := most > 1 || kindOf(control) == kindCheckboxGroup || kindOf(control) == kindCheckbox
	if !several {
		return []string{value}
	}
	if kindOf(control) == kindCheckbox {
		if len(held) > 0 {
			return []string{}
		}
		return []string{value}
	}
	after := []string{}
	for _, o := range objects(control["options"]) { // Discord lists values in the order of the options.
		v := text(o, "value")
		if slices.Contains(held, v) != (v == value) {
			after = append(after, v)
		}
	}
	return after
}

// Fill types text into a field of the open form, named by its label, placeholder or custom_id,
// or "" if there is only one.
func (t *Seat) Fill(_ context.Context, field, words string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if err := t.s.actor(t.person); err != nil {
		return err
	}
	p, err := t.s.field(t, field)
	if err != nil && t.s.client(t.person).form == nil {
		err = fmt.Errorf("%w: %w", err, chatsim.ErrNoForm)
	}
	if err != nil {
		return err
	}
	if most := integer(p.control, "max_length", maxInputLength.max); double.Length(words) > most {
		return fmt.Errorf("discordsim: %s: fill %q: the field takes no more than %d characters", t.person, field, most)
	}
	id := text(p.control, "custom_id")
	p.form.picks[id] = words
	delete(p.form.errors, id)
	t.s.record(chatsim.Event{Kind: chatsim.Filled, Person: t.person, Form: text(p.form.def, "custom_id"), Where: id, Text: words, Under: p.over})
	return nil
}

// Submit submits the open form. It fails with chatsim.ErrFormRejected if the form has errors.
func (t *Seat) Submit(ctx context.Context) error { return t.s.submit(ctx, t.person) }

// Dismiss closes the open form. The app is not notified.
func (t *Seat) Dismiss(context.Context) error { return t.s.dismiss(t.person) }

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

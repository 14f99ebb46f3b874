package chatsim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Agent is the side of a scene that is not in the chat: whoever makes the program ask.
type Agent interface {
	// Asks makes the program ask what the file of the scene says: a request of the program's own, or with a form what a
	// host of that name sends.
	Asks(ctx context.Context, request, form string) error
	// Cancels withdraws what was asked.
	Cancels(ctx context.Context, reason string) error
	// Gets waits for the end of what was asked and returns it as the agent sees it.
	Gets(ctx context.Context) (string, error)
}

// Talker is an agent that speaks with people before they answer.
type Talker interface {
	// Revises puts what the file of the scene says in the place of what it asks.
	Revises(ctx context.Context, revision string) error
	// Hears waits until a person asks the agent something, and returns who did and what.
	Hears(ctx context.Context) (string, error)
	// Replies replies to what it heard last.
	Replies(ctx context.Context, text string) error
}

// Cast are those who play a scene.
type Cast struct {
	// Agent plays what the agent does.
	Agent Agent
	// Another makes whoever asks beside the agent, once for each of them. Nil where a scene has one agent.
	Another func() Agent
	// People are the seats by the names that the scene gives them.
	People map[string]Seat
	// Onward are buttons that lead to what is not in sight, see Hand.
	Onward []string

	mu     *sync.Mutex
	others map[string]Agent // by name
}

// Play plays the scene and returns the first thing that did not go as written, with its line and with what the person
// had in front of them. Without a deadline in ctx no step waits for more than a minute.
func (s *Scene) Play(ctx context.Context, c Cast) error {
	c.mu, c.others = &sync.Mutex{}, map[string]Agent{}
	for _, st := range s.steps {
		if err := s.play(ctx, c, st); err != nil {
			return fmt.Errorf("chatsim: %s: line %d: %s: %w", s.Name, st.line, st.text, err)
		}
	}
	return nil
}

func (s *Scene) play(ctx context.Context, c Cast, st step) error {
	switch {
	case st.verb == atOnce:
		return s.together(ctx, c, st.all)
	case st.verb == passes:
		return pass(ctx, st.span)
	case isAgent(st.who):
		return s.agent(ctx, c, st)
	}
	hand, err := c.hand(st.who)
	if err != nil {
		return err
	}
	if err := hand.play(ctx, st); err != nil {
		return fmt.Errorf("%w\n%s sees:\n%s", err, st.who, hand.Sees())
	}
	if st.verb == isTold {
		return c.alone(st)
	}
	return nil
}

func (c Cast) hand(name string) (Hand, error) {
	seat := c.People[name]
	if seat == nil {
		return Hand{}, fmt.Errorf("nobody here is called %s; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(c.People)), ", "))
	}
	return Hand{Seat: seat, Onward: c.Onward}, nil
}

// refused sends the open form, which has to stay open.
func (h Hand) refused(ctx context.Context, texts []string) error {
	err := h.once(ctx, func() error { return h.Submit(ctx) })
	switch {
	case err == nil:
		return errors.New("the form was accepted")
	case !errors.Is(err, ErrFormRejected):
		return err
	}
	return h.Await(ctx, func(now string) bool { return holds(now, texts) })
}

// alone checks that nobody else sees what one person was told. A person may have several names.
func (c Cast) alone(st step) error {
	for _, name := range slices.Sorted(maps.Keys(c.People)) {
		if seat := c.People[name]; seat != c.People[st.who] && holds(seat.Sees(), texts(st.args)) {
			return fmt.Errorf("%s sees it too:\n%s", name, seat.Sees())
		}
	}
	return nil
}

func (h Hand) play(ctx context.Context, st step) error {
	args, under := texts(st.args), texts(st.under)
	switch st.verb {
	case sees, isTold:
		return h.Await(ctx, func(now string) bool { return holds(now, args) })
	case unsees:
		return h.Await(ctx, func(now string) bool {
			return !slices.ContainsFunc(args, func(text string) bool { return strings.Contains(now, text) })
		})
	case presses:
		return h.Use(ctx, args[0], under...)
	case picked:
		return h.Choose(ctx, strings.Join(under, ""), args[0])
	case fills:
		return h.Write(ctx, strings.Join(under, ""), args[0])
	case writes:
		return h.Own(ctx, strings.Join(under, ""), args[0])
	case submits:
		return h.Send(ctx, submitLabel)
	case dismisses:
		return h.Decline(ctx, strings.Join(args, ""))
	case refused:
		return h.refused(ctx, args)
	case rungOnce, rungTwice, neverRung:
		return h.rung(ctx, rings[st.verb])
	case closes:
		return h.once(ctx, func() error { return h.Dismiss(ctx) })
	case replies, rewrites, retracts:
		return h.says(ctx, st.verb, strings.Join(args, ""))
	}
	return fmt.Errorf("%s cannot be played", st.verb)
}

// says writes a message of the person's own, or changes the last one.
func (h Hand) says(ctx context.Context, how verb, words string) error {
	seat, ok := h.Seat.(Writer)
	if !ok {
		return errors.New("nobody writes messages here")
	}
	return h.once(ctx, func() error {
		switch how {
		case replies:
			return seat.Answer(words)
		case rewrites:
			return seat.Reword(words)
		default:
			return seat.TakeBack()
		}
	})
}

// rung waits until the person has heard of as many messages, and fails once they have heard of more.
func (h Hand) rung(ctx context.Context, times int) error {
	seat, ok := h.Seat.(Ringer)
	if !ok {
		return errors.New("nobody counts here who is rung")
	}
	if err := h.Await(ctx, func(string) bool { return seat.Rung() >= times }); err != nil || seat.Rung() != times {
		return errors.Join(fmt.Errorf("it is %d times", seat.Rung()), err)
	}
	return nil
}

// submitLabel is the button that a scene means by "submits" where no form is open, and dismissLabel that which opens the
// form of "dismisses".
const (
	submitLabel  = "Submit"
	dismissLabel = "Dismiss…"
)

func holds(now string, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(now, text) })
}

// agent finds an agent by name.
func (c Cast) agent(name string) (Agent, error) {
	if name == theAgent {
		return c.Agent, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.others[name] == nil {
		if c.Another == nil {
			return nil, fmt.Errorf("there is no %s here, only the agent", name)
		}
		c.others[name] = c.Another()
	}
	return c.others[name], nil
}

func (s *Scene) agent(ctx context.Context, c Cast, st step) error {
	a, err := c.agent(st.who)
	if err != nil {
		return err
	}
	switch st.verb {
	case asks:
		return a.Asks(ctx, s.Files[st.args[0].text], st.form)
	case cancels:
		return a.Cancels(ctx, st.args[0].text)
	case revises, hears, replies:
		return s.talk(ctx, a, st)
	}
	got, err := a.Gets(ctx)
	if err != nil {
		return err
	}
	for _, arg := range st.args {
		want := arg.text
		if !arg.quoted {
			want = s.Files[want]
		}
		if strings.TrimSpace(got) == strings.TrimSpace(want) {
			return nil
		}
	}
	return fmt.Errorf("it got:\n%s", got)
}

// talk plays what an agent says and hears before the end.
func (s *Scene) talk(ctx context.Context, a Agent, st step) error {
	t, ok := a.(Talker)
	switch {
	case !ok:
		return errors.New("nobody speaks here before the end")
	case st.verb == revises:
		return t.Revises(ctx, s.Files[st.args[0].text])
	case st.verb == replies:
		return t.Replies(ctx, st.args[0].text)
	}
	heard, err := t.Hears(ctx)
	if err == nil && heard != st.args[0].text {
		err = fmt.Errorf("it heard: %s", heard)
	}
	return err
}

// together plays steps at the same time. Whoever finds nothing left came second.
func (s *Scene) together(ctx context.Context, c Cast, all []step) error {
	done := make(chan error, len(all))
	for _, st := range all {
		go func() { done <- s.now(ctx, c, st) }()
	}
	var failed []error
	late := 0
	for range all {
		switch err := <-done; {
		case errors.Is(err, ErrNotThere):
			late++
		case err != nil:
			failed = append(failed, err)
		}
	}
	if late == len(all) {
		return fmt.Errorf("%w for any of them", ErrNotThere)
	}
	return errors.Join(failed...)
}

// now plays one step without waiting for its moment.
func (s *Scene) now(ctx context.Context, c Cast, st step) error {
	if isAgent(st.who) {
		return s.agent(ctx, c, st)
	}
	hand, err := c.hand(st.who)
	if err != nil {
		return err
	}
	switch st.verb {
	case presses:
		return hand.Press(ctx, st.args[0].text, texts(st.under)...)
	case picked:
		return hand.take(ctx, strings.Join(texts(st.under), ""), st.args[0].text)
	case submits:
		return hand.send(ctx, submitLabel)
	default:
		return hand.Dismiss(ctx)
	}
}

// pass waits while time passes.
func pass(ctx context.Context, span time.Duration) error {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

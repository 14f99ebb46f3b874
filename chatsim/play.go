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

// Agent is the agent in a scene, outside the chat: it makes the program ask.
type Agent interface {
	// Asks makes the program ask the content of a file of the scene: a request of the program's
	// own API or, with a form, of the host with that name.
	Asks(ctx context.Context, request, form string) error
	// Cancels withdraws the request.
	Cancels(ctx context.Context, reason string) error
	// Gets waits for the end of the request and returns it as the agent sees it.
	Gets(ctx context.Context) (string, error)
}

// Talker is an agent that exchanges messages with people before they answer.
type Talker interface {
	// Revises replaces the request with the content of a file of the scene.
	Revises(ctx context.Context, revision string) error
	// The next question from a person to the agent, with the person's name.
	Hears(ctx context.Context) (string, error)
	// Replies replies to the last question.
	Replies(ctx context.Context, text string) error
}

// Cast are the participants of a scene.
type Cast struct {
	// Agent performs the agent's steps.
	Agent Agent
	// Another creates each additional agent. Nil if a scene has one agent.
	Another func() Agent
	// People are the seats by their names in the scene.
	People map[string]Seat
	// Onward are buttons that lead to hidden controls, see Hand.
	Onward []string

	mu     *sync.Mutex
	others map[string]Agent // by name
}

// Play plays the scene and returns the first deviation, with its line and what the person saw.
// Without a deadline in ctx each step waits for at most a minute.
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
		return Hand{}, fmt.Errorf("no person %s; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(c.People)), ", "))
	}
	return Hand{Seat: seat, Onward: c.Onward}, nil
}

// refused submits the open form, which must stay open.
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

// alone checks that no one else sees a private message. A person may have several names.
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
		err := h.Use(ctx, args[0], under...)
		if err == nil && args[0] == moreLabel {
			err = h.Await(ctx, func(sees string) bool { return strings.Contains(sees, "["+detailsLabel+"]") })
		}
		return err
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
	case runs:
		return h.run(ctx, args[0])
	case replies, rewrites, retracts:
		return h.write(ctx, st.verb, strings.Join(args, ""))
	}
	return fmt.Errorf("%s cannot be played", st.verb)
}

// write writes a message by the person, or changes the last one.
func (h Hand) write(ctx context.Context, how verb, words string) error {
	seat, ok := h.Seat.(Writer)
	if !ok {
		return errors.New("the seat cannot write messages")
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

// run runs a command of the program.
func (h Hand) run(ctx context.Context, command string) error {
	seat, ok := h.Seat.(Commander)
	if !ok {
		return errors.New("the seat cannot run commands")
	}
	return h.once(ctx, func() error { return seat.Run(ctx, command) })
}

// rung waits until the person was notified of this many messages, and fails if there are more.
func (h Hand) rung(ctx context.Context, times int) error {
	seat, ok := h.Seat.(Ringer)
	if !ok {
		return errors.New("the seat does not count notifications")
	}
	if err := h.Await(ctx, func(string) bool { return seat.Rung() >= times }); err != nil || seat.Rung() != times {
		return errors.Join(fmt.Errorf("it is %d times", seat.Rung()), err)
	}
	return nil
}

// submitLabel is the button for "submits" when no form is open; dismissLabel is the button that
// opens the form for "dismisses", and moreLabel the one that leads to it where a card does not have it.
const (
	submitLabel  = "Submit"
	dismissLabel = "Dismiss…"
	moreLabel    = "More…"
	detailsLabel = "Details"
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

// talk performs an agent's messages before the end.
func (s *Scene) talk(ctx context.Context, a Agent, st step) error {
	t, ok := a.(Talker)
	switch {
	case !ok:
		return errors.New("the agent cannot talk before the end")
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

// together performs steps concurrently. A person who no longer finds the control came second.
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

// now performs one step without retrying.
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

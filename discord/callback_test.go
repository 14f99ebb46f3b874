package discord

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
)

const callback = "interaction callback"

// pressed runs a press whose first answer goes wrong over the gateway, and
// returns what the handler was told.
func pressed(t *testing.T, fault chatsim.Fault, script bridge.Handler, after func(w *world, press, told error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ModeGateway, nil)
		w.listen()
		w.post(inChannel, one())
		told := make(chan error, 1)
		w.then(func(ctx context.Context, i bridge.Interaction, r bridge.Responder) error {
			err := script(ctx, i, r)
			told <- err
			return err
		})
		w.sim.Fault(callback, fault)
		press := w.sim.Seat(idDana).Press(t.Context(), "SQLite")
		after(w, press, <-told)
	})
}

func TestAnAnswerThatWasLostIsGivenAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"the reply lost":     chatsim.LoseReply(),
		"a server error":     chatsim.Status(500),
		"a short limit":      chatsim.RateLimit(time.Second),
		"no reply at all":    chatsim.Hang(),
		"a failed exchange":  chatsim.Status(502),
		"an overloaded host": chatsim.Refuse("130000"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			twice := func(ctx context.Context, _ bridge.Interaction, r bridge.Responder) error {
				return errors.Join(r.Whisper(ctx, bridge.Note{Text: "Not you."}), r.Whisper(ctx, bridge.Note{Text: "Nor you."}))
			}
			pressed(t, fault, twice, func(w *world, press, told error) {
				if fault.LosesReply() {
					w.sim.Expect("ack.once") // Who got no reply cannot know.
				}
				w.must(errors.Join(press, told))
				w.sees(idDana, "Not you.", "Nor you.")
				if n := strings.Count(w.sim.Seat(idDana).Sees(), "Not you."); n != 1 {
					t.Errorf("the note stands %d times", n)
				}
			})
		})
	}
}

func TestAnAnswerThatCannotBeGivenIsReported(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"a long limit": chatsim.RateLimit(time.Minute),
		"never":        chatsim.Hang().Always(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pressed(t, fault, ackIt, func(w *world, press, told error) {
				if !errors.Is(press, chatsim.ErrUnacknowledged) || told == nil {
					t.Errorf("the press ends with %v, the handler with %v", press, told)
				}
				w.sim.Expect("ack.in_time")
				if n := len(w.sim.Calls(callback)); n > 2 {
					t.Errorf("%d tries", n)
				}
			})
		})
	}
}

func TestARefusedAnswerIsNoWarningForThePerson(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script func(*world) bridge.Handler
		says   string
	}{
		"a card": {func(w *world) bridge.Handler { return w.redraw(decided(one())) }, "Which database?"},
		"a form": {func(*world) bridge.Handler { return openIt }, connector.SayNotOpened},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			script := func(ctx context.Context, i bridge.Interaction, r bridge.Responder) error {
				return tc.script(w)(ctx, i, r)
			}
			synctest.Test(t, func(t *testing.T) {
				w = newWorld(t, ModeGateway, nil)
				w.listen()
				w.post(inChannel, one())
				told := make(chan error, 1)
				w.then(func(ctx context.Context, i bridge.Interaction, r bridge.Responder) error {
					err := script(ctx, i, r)
					told <- err
					return err
				})
				w.sim.Fault(callback, chatsim.Refuse("50035"))
				w.must(w.sim.Seat(idDana).Press(t.Context(), "SQLite"))
				if err := <-told; numberOf(err) != 50035 {
					t.Errorf("the handler was told %v", err)
				}
				w.sees(idDana, tc.says)
			})
		})
	}
}

func TestWhatSomebodyElseAnsweredIsDone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code   string
		script func(*world) bridge.Handler
		fails  bool
	}{
		"acknowledged elsewhere":      {"40060", func(*world) bridge.Handler { return ackIt }, false},
		"drawn elsewhere":             {"40060", func(w *world) bridge.Handler { return w.redraw(one()) }, false},
		"told elsewhere":              {"40060", func(*world) bridge.Handler { return whisper(strings.Repeat("Not you. ", 1000)) }, false},
		"a form opened elsewhere":     {"40060", func(*world) bridge.Handler { return openIt }, false},
		"over before acknowledging":   {"10062", func(*world) bridge.Handler { return ackIt }, false},
		"over before telling":         {"10062", func(*world) bridge.Handler { return whisper("Not you.") }, false},
		"over before the card is new": {"10062", func(w *world) bridge.Handler { return w.redraw(one()) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			script := func(ctx context.Context, i bridge.Interaction, r bridge.Responder) error {
				return errors.Join(tc.script(w)(ctx, i, r), r.Whisper(ctx, bridge.Note{Text: "And another word."}))
			}
			synctest.Test(t, func(t *testing.T) {
				w = newWorld(t, ModeGateway, nil)
				w.listen()
				w.post(inChannel, one())
				told := make(chan error, 1)
				w.then(func(ctx context.Context, i bridge.Interaction, r bridge.Responder) error {
					err := script(ctx, i, r)
					told <- err
					return nil
				})
				w.sim.Fault(callback, chatsim.Refuse(tc.code))
				w.sim.Expect("ack.in_time") // Nobody else is there to answer.
				_ = w.sim.Seat(idDana).Press(t.Context(), "SQLite")
				if err := <-told; (err != nil) != tc.fails {
					t.Errorf("the handler was told %v", err)
				}
				if calls := w.sim.Calls("create followup message"); len(calls) > 0 {
					t.Errorf("more was said: %v", calls)
				}
				if n := len(w.sim.Calls(callback)); n != 1 {
					t.Errorf("%d answers were tried", n)
				}
			})
		})
	}
}

func openIt(ctx context.Context, _ bridge.Interaction, r bridge.Responder) error {
	return r.OpenForm(ctx, render.WriteForm(one(), 0))
}

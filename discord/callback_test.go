package discord

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const callback = "interaction callback"

// pressed runs a press whose first answer fails over the gateway, and passes on the handler's error.
func pressed(t *testing.T, fault chatsim.Fault, script platform.Handler, after func(w *fixture, press, handled error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.listen()
		w.post(inChannel, one())
		handled := make(chan error, 1)
		w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
			err := script(ctx, i, r)
			handled <- err
			return err
		})
		w.sim.Fault(callback, fault)
		press := w.sim.Seat(idDana).Press(t.Context(), "SQLite")
		after(w, press, <-handled)
	})
}

func TestLostResponseIsRetried(t *testing.T) {
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
			twice := func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
				return errors.Join(r.ReplyEphemeral(ctx, platform.Note{Text: "Not you."}), r.ReplyEphemeral(ctx, platform.Note{Text: "Nor you."}))
			}
			pressed(t, fault, twice, func(w *fixture, press, handled error) {
				if fault.LosesReply() {
					w.sim.Expect("ack.once") // Without a reply, the connector cannot know.
				}
				w.must(errors.Join(press, handled))
				w.sees(idDana, "Not you.", "Nor you.")
				if n := strings.Count(w.sim.Seat(idDana).Sees(), "Not you."); n != 1 {
					t.Errorf("the note appears %d times", n)
				}
			})
		})
	}
}

func TestFailedResponseIsReported(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"a long limit": chatsim.RateLimit(time.Minute),
		"never":        chatsim.Hang().Always(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pressed(t, fault, ackIt, func(w *fixture, press, handled error) {
				if !errors.Is(press, chatsim.ErrUnacknowledged) || handled == nil {
					t.Errorf("the press ends with %v, the handler with %v", press, handled)
				}
				w.sim.Expect("ack.in_time")
				if n := len(w.sim.Calls(callback)); n > 2 {
					t.Errorf("%d tries", n)
				}
			})
		})
	}
}

func TestRefusedResponseFallsBack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script func(*fixture) platform.Handler
		want   string
	}{
		"a card": {func(w *fixture) platform.Handler { return w.redraw(decided(one())) }, "Which database?"},
		"a form": {func(*fixture) platform.Handler { return openIt }, words.In(words.Default).Reply.NotOpened},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *fixture
			script := func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
				return tc.script(w)(ctx, i, r)
			}
			synctest.Test(t, func(t *testing.T) {
				w = newFixture(t, ModeGateway, nil)
				w.listen()
				w.post(inChannel, one())
				handled := make(chan error, 1)
				w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					err := script(ctx, i, r)
					handled <- err
					return err
				})
				w.sim.Fault(callback, chatsim.Refuse("50035"))
				w.must(w.sim.Seat(idDana).Press(t.Context(), "SQLite"))
				if err := <-handled; numberOf(err) != 50035 {
					t.Errorf("the handler got %v", err)
				}
				w.sees(idDana, tc.want)
			})
		})
	}
}

// The act was recorded, but Discord showed "interaction failed".
func TestActionOnDeletedCardGetsNote(t *testing.T) {
	t.Parallel()
	deleted := func(w *fixture, ref platform.MessageRef) platform.Handler {
		return func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			w.sim.DeleteMessage(ref.Channel, ref.Message)
			return r.Redraw(ctx, w.card(decided(one())))
		}
	}
	for name, act := range map[string]func(w *fixture, h platform.Handler) error{
		"with a press": func(w *fixture, h platform.Handler) error {
			w.then(h)
			return w.sim.Seat(idDana).Press(w.t.Context(), "SQLite")
		},
		"with a form": func(w *fixture, h platform.Handler) error {
			w.then(openIt)
			w.press(idDana, "Other…")
			w.then(h)
			seat := w.sim.Seat(idDana)
			return errors.Join(seat.Fill(w.t.Context(), "", "MySQL"), seat.Submit(w.t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil)
				w.listen()
				ref := w.post(inChannel, one())
				handled := make(chan error, 1)
				h := deleted(w, ref)
				w.must(act(w, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					err := h(ctx, i, r)
					handled <- err
					return err
				}))
				if err := <-handled; numberOf(err) != unknownMessage {
					t.Errorf("the handler got %v", err)
				}
				w.sees(idDana, words.In(words.Default).Reply.ArrivedDeleted)
				w.doesNotSee(idSam, words.In(words.Default).Reply.ArrivedDeleted)
			})
		})
	}
}

// Discord may accept an answer that it reports as refused.
func TestDeletedCardNoteUsesFollowUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Path, "/api/v9/applications") || strings.HasPrefix(r.URL.Path, "/api/v9/users") {
				return whoami(r)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			calls = append(calls, r.URL.Path+" "+string(body))
			switch len(calls) {
			case 1:
				return no(http.StatusNotFound, unknownMessage)(r)
			case 2:
				return no(http.StatusBadRequest, alreadyAnswered)(r)
			}
			return replying(http.StatusOK, posted)(r)
		})
		listening(t, c, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			if err := r.Redraw(ctx, render.Card{}); numberOf(err) != unknownMessage {
				t.Errorf("Redraw = %v", err)
			}
			return nil
		})
		synctest.Wait()
		c.heard("INTERACTION_CREATE", payloadFile(t, "button"))
		synctest.Wait()
		if len(calls) != 3 || !strings.HasPrefix(calls[2], "/api/v9/webhooks/") || !strings.Contains(calls[2], words.In(words.Default).Reply.ArrivedDeleted) {
			t.Errorf("called %q", calls)
		}
	})
}

// People may close the private message while its form is open. The reply is then a new message.
func TestReplyOnClosedPrivateMessageIsResent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"button", "form"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls []string
				c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
					if strings.HasPrefix(r.URL.Path, "/api/v9/applications") || strings.HasPrefix(r.URL.Path, "/api/v9/users") {
						return whoami(r)
					}
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					if calls = append(calls, string(body)); len(calls) == 1 {
						return no(http.StatusNotFound, unknownMessage)(r)
					}
					return replying(http.StatusNoContent, "")(r)
				})
				listening(t, c, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					if !i.Private {
						t.Errorf("the interaction is %+v", i)
					}
					return r.ReplyEphemeral(ctx, platform.Note{Text: "Your vote is in."})
				})
				synctest.Wait()
				c.heard("INTERACTION_CREATE", bytes.Replace(payloadFile(t, name), []byte(`"flags": 32768`), []byte(`"flags": 32832`), 1))
				synctest.Wait()
				if len(calls) != 2 || !strings.Contains(calls[0], `"type":7`) || !strings.Contains(calls[1], `"type":4`) || !strings.Contains(calls[1], "Your vote is in.") || !strings.Contains(calls[1], `"flags":32832`) {
					t.Errorf("called %q", calls)
				}
			})
		})
	}
}

// A form arrived late, after part of Discord's three seconds had passed.
func TestLateAnswerGetsBusyNote(t *testing.T) {
	t.Parallel()
	for _, control := range []string{"SQLite", "Other…"} {
		t.Run(control, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil)
				w.listen()
				w.post(inChannel, one())
				seat := w.sim.Seat(idDana)
				act := func() error { return seat.Press(t.Context(), control) }
				if control == "Other…" {
					w.then(openIt)
					w.must(act())
					w.must(seat.Fill(t.Context(), "", "MySQL"))
					act = func() error { return seat.Submit(t.Context()) }
				}
				w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
					pass(4 * time.Second)
					return r.ReplyEphemeral(ctx, platform.Note{Text: "Another person was faster."})
				})
				w.sim.Fault(discordsim.Interactions, chatsim.Delay(600*time.Millisecond))
				w.sim.Fault(callback, chatsim.Delay(500*time.Millisecond))
				w.must(act())
				w.sees(idDana, "Another person was faster.")
				w.doesNotSee(idDana, "is thinking")
			})
		})
	}
}

func TestOverloadedPressGetsBusyNote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.listen()
		w.post(inChannel, one())
		release := make(chan struct{})
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			defer func() { <-release }()
			return r.Ack(ctx)
		})
		for range connector.MaxActs {
			w.must(w.sim.Seat(idSam).Press(t.Context(), "SQLite"))
		}
		w.must(w.sim.Seat(idDana).Press(t.Context(), "SQLite"))
		w.sees(idDana, words.In(words.Default).Reply.Busy)
		close(release)
	})
}

func TestAlreadyAcknowledgedCountsAsDone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code   string
		script func(*fixture) platform.Handler
		fails  bool
	}{
		"acknowledged elsewhere":      {"40060", func(*fixture) platform.Handler { return ackIt }, false},
		"drawn elsewhere":             {"40060", func(w *fixture) platform.Handler { return w.redraw(one()) }, false},
		"answered elsewhere":          {"40060", func(*fixture) platform.Handler { return ephemeralReply(strings.Repeat("Not you. ", 1000)) }, false},
		"a form opened elsewhere":     {"40060", func(*fixture) platform.Handler { return openIt }, false},
		"over before acknowledging":   {"10062", func(*fixture) platform.Handler { return ackIt }, false},
		"over before telling":         {"10062", func(*fixture) platform.Handler { return ephemeralReply("Not you.") }, false},
		"over before the card is new": {"10062", func(w *fixture) platform.Handler { return w.redraw(one()) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *fixture
			script := func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
				return errors.Join(tc.script(w)(ctx, i, r), r.ReplyEphemeral(ctx, platform.Note{Text: "And another word."}))
			}
			synctest.Test(t, func(t *testing.T) {
				w = newFixture(t, ModeGateway, nil)
				w.listen()
				w.post(inChannel, one())
				handled := make(chan error, 1)
				w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					err := script(ctx, i, r)
					handled <- err
					return nil
				})
				w.sim.Fault(callback, chatsim.Refuse(tc.code))
				w.sim.Expect("ack.in_time") // No other process can answer.
				_ = w.sim.Seat(idDana).Press(t.Context(), "SQLite")
				if err := <-handled; (err != nil) != tc.fails {
					t.Errorf("the handler got %v", err)
				}
				if calls := w.sim.Calls("create followup message"); len(calls) > 0 {
					t.Errorf("unexpected calls: %v", calls)
				}
				if n := len(w.sim.Calls(callback)); n != 1 {
					t.Errorf("%d answers were tried", n)
				}
			})
		})
	}
}

func openIt(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
	return r.OpenForm(ctx, render.WriteForm(one(), 0))
}

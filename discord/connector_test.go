package discord

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

func TestPressUpdatesCard(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		ref := w.post(inChannel, one())
		w.sees(idDana, "Which database?")
		w.press(idDana, "SQLite")
		got := w.last()
		if got.Token != token(render.Choose, 0, 1) || got.Message != ref || got.Person != dana || got.Membership != ask.Member || got.Bot || got.Order <= 0 {
			t.Errorf("the act is %+v, want SQLite on %v", got, ref)
		}
		w.press(idKim, "Postgres")
		if diff := cmp.Diff([]string{"discord-role:400000000000000001"}, w.last().Groups); diff != "" || w.last().Order <= got.Order {
			t.Errorf("order %d after %d, groups (-want +got)\n%s", w.last().Order, got.Order, diff)
		}
		w.must(w.c.Update(t.Context(), ref, w.card(decided(one()))))
		w.sees(idSam, "SQLite")
		if err := w.sim.Seat(idSam).Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("the card still has a button: %v", err)
		}
	})
}

// While the API was down, anyone counted as a member of this server.
func TestMembershipIsUnknownBeforeReady(t *testing.T) {
	t.Parallel()
	for mode, at := range map[string]ask.Membership{ModeHTTP: ask.Unknown, ModeGateway: ask.Member} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, nil, func(cfg *Config) { cfg.ApplicationID = "" })
				w.sim.Fault("get current application", chatsim.Status(503).Times(3))
				w.run(w.c)
				synctest.Wait()
				w.post(inChannel, one())
				w.press(idDana, "SQLite")
				if got := w.last().Membership; got != at {
					t.Errorf("membership %q at once, want %q, since only the gateway identifies the bot", got, at)
				}
				pass(time.Minute)
				w.press(idDana, "SQLite")
				if got := w.last().Membership; got != ask.Member {
					t.Errorf("membership %q when the API is back", got)
				}
			})
		})
	}
}

func TestPressIsAnsweredWithCard(t *testing.T) {
	t.Parallel()
	inBothModes(t, nil, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.then(w.redraw(decided(one())))
		w.press(idDana, "SQLite")
		w.sees(idSam, "Dana")
		if err := w.sim.Seat(idSam).Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("the card still has a button: %v", err)
		}
		if n := len(w.sim.Calls("edit message")); n > 0 {
			t.Errorf("%d further calls were made", n)
		}
	})
}

func TestMenuSelectionArrives(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		s := one()
		s.Questions[0].MultiSelect = true
		s.Vote = &ask.Standing{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}}
		w.post(inChannel, s)
		w.must(w.sim.Seat(idDana).PickAll(t.Context(), "", "Postgres", "SQLite"))
		got := w.last()
		if diff := cmp.Diff(map[int][]int{0: {0, 1}}, got.Picks); diff != "" || got.Token != token(render.Pick, 0, -1) {
			t.Errorf("token %v, picks (-want +got)\n%s", got.Token, diff)
		}
	})
}

func TestFormWithSeveralQuestions(t *testing.T) {
	t.Parallel()
	ofMany := func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
		if f, ok := render.PartForm(many(), i.Token, components.Limits()); ok {
			return r.OpenForm(ctx, f)
		}
		return r.Ack(ctx)
	}
	inBothModes(t, ofMany, func(t *testing.T, w *fixture) {
		w.post(inChannel, many())
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Answer…")
		w.must(seat.Pick(t.Context(), "Which database?", "SQLite"))
		w.must(seat.Pick(t.Context(), "Extras for stage 2?", "Docs"))
		w.must(seat.Pick(t.Context(), "Extras for stage 2?", "Metrics"))
		w.must(seat.Submit(t.Context()))
		got := w.last()
		want := map[int][]int{0: {1}, 1: {0, 2}, 2: {}, 3: {}, 4: {}}
		if diff := cmp.Diff(want, got.Picks); diff != "" || got.Token != token(render.AnsweredAll, 0, 4) || len(got.Texts) > 0 {
			t.Errorf("token %v, texts %v, picks (-want +got)\n%s", got.Token, got.Texts, diff)
		}
		w.press(idDana, "Other…")
		w.must(seat.Fill(t.Context(), "Extras for stage 3?", "A demo"))
		w.must(seat.Submit(t.Context()))
		got = w.last()
		if want := map[int]string{0: "", 1: "", 2: "A demo", 3: "", 4: ""}; !cmp.Equal(want, got.Texts) || len(got.Picks) > 0 {
			t.Errorf("picks %v, texts %v, want %v", got.Picks, got.Texts, want)
		}
	})
}

func TestFormTextArrives(t *testing.T) {
	t.Parallel()
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		ref := w.post(inChannel, one())
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Other…")
		w.sees(idDana, "Other answer")
		pressed := w.last().Order
		w.must(seat.Dismiss(t.Context()))
		w.press(idDana, "Other…") // Again, which a button allows.
		w.must(seat.Fill(t.Context(), "", "CockroachDB & <co>"))
		w.then(w.redraw(decided(one())))
		w.must(seat.Submit(t.Context()))
		got := w.last()
		if diff := cmp.Diff(map[int]string{0: "CockroachDB & <co>"}, got.Texts); diff != "" || got.Token != token(render.SubmitText, 0, -1) {
			t.Errorf("token %v, texts (-want +got)\n%s", got.Token, diff)
		}
		if got.Order <= pressed || got.Message != ref {
			t.Errorf("order %d after %d, message %v, want %v", got.Order, pressed, got.Message, ref)
		}
		w.sees(idSam, "Dana")
		if sees := seat.Sees(); strings.Contains(sees, "Other answer") {
			t.Errorf("the form is still open:\n%s", sees)
		}
	})
}

func TestLateFormShowsNote(t *testing.T) {
	t.Parallel()
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Other…")
		w.must(seat.Fill(t.Context(), "", "MySQL"))
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			return r.ReplyEphemeral(ctx, platform.Note{Fields: map[int]string{0: "Sam has answered already: @everyone"}})
		})
		w.must(seat.Submit(t.Context()))
		w.sees(idDana, "Sam has answered already")
		w.doesNotSee(idSam, "Sam has answered already")
	})
}

func TestNoteIsPrivate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Only <@&400000000000000001> admins & friends. ", 200)
	for name, text := range map[string]string{"short": "Only @everyone admins & friends.", "long": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothModes(t, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
				return r.ReplyEphemeral(ctx, platform.Note{Text: text, Who: ask.Eligible{Who: []ask.Answerer{
					{Person: ask.Person{Platform: "discord", ID: idSam}}, {Person: ask.Person{Platform: "discord-role", ID: "400000000000000001"}},
				}}})
			}, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.press(idDana, "SQLite")
				w.sees(idDana, "admins & friends")
				w.doesNotSee(idSam, "admins & friends")
				if pings := w.sim.Timeline().Events(chatsim.Pinged, chatsim.Mentioned); len(pings) > 0 {
					t.Errorf("unexpected mentions: %v", pings)
				}
				want := strings.Count(text, "admins & friends")
				w.must(w.sim.Seat(idDana).Await(t.Context(), func(sees string) bool {
					return strings.Count(sees, "admins & friends") == want
				}))
			})
		})
	}
}

func TestSeveralFollowUps(t *testing.T) {
	t.Parallel()
	inBothModes(t, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
		return errors.Join(
			r.ReplyEphemeral(ctx, platform.Note{Text: "Trying to save it."}),
			r.ReplyEphemeral(ctx, platform.Note{}),
			r.ReplyEphemeral(ctx, platform.Note{Text: "Saved."}))
	}, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.press(idDana, "SQLite")
		w.sees(idDana, "Trying to save it.", "Saved.")
		w.doesNotSee(idSam, "Saved.")
		if n := len(w.sim.Calls("create followup message")); n != 1 {
			t.Errorf("%d words followed", n)
		}
	})
}

func TestFollowUpIsRetried(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"limited": chatsim.RateLimit(2 * time.Second), "before the first answer counts": chatsim.Refuse("10015"), "not tonight": chatsim.Refuse("130000"), "it fails": chatsim.Status(500), "no reply": chatsim.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothModes(t, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
				return errors.Join(r.Ack(ctx), r.ReplyEphemeral(ctx, platform.Note{Text: "Saved."}))
			}, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault("create followup message", fault)
				w.press(idDana, "SQLite")
				w.sees(idDana, "Saved.")
			})
		})
	}
}

func TestPanicIsContainedAndReported(t *testing.T) {
	t.Parallel()
	inBothModes(t, func(context.Context, platform.Interaction, platform.Responder) error { panic("nil map") }, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.press(idDana, "SQLite")
		w.sees(idDana, words.In(words.Default).Reply.Broken)
		if !strings.Contains(w.log.String(), "nil map") {
			t.Error("the panic was not logged")
		}
		w.then(ackIt)
		w.press(idDana, "SQLite")
	})
}

func TestSlowBridgeIsAcknowledgedInTime(t *testing.T) {
	t.Parallel()
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Other…")
		w.must(seat.Fill(t.Context(), "", "MySQL"))
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			pass(10 * time.Second)
			return r.Ack(ctx)
		})
		w.must(seat.Submit(t.Context()))
		w.sees(idDana, "is thinking")
		w.sees(idDana, words.In(words.Default).Reply.Arrived)

		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			pass(10 * time.Second)
			return r.ReplyEphemeral(ctx, platform.Note{Text: "Saved at last."})
		})
		w.press(idDana, "SQLite")
		w.sees(idDana, "Saved at last.")
	})
}

func TestLateRedrawUpdatesCard(t *testing.T) {
	t.Parallel()
	inBothModes(t, nil, func(t *testing.T, w *fixture) {
		done := make(chan error, 2)
		slow := func(answer func(context.Context, platform.Responder) error) platform.Handler {
			return func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
				pass(5 * time.Second)
				err := answer(ctx, r)
				done <- err
				return err
			}
		}
		w.post(inChannel, one())
		w.then(slow(func(ctx context.Context, r platform.Responder) error {
			return r.OpenForm(ctx, render.WriteForm(one(), 0))
		}))
		w.press(idDana, "Other…")
		if err := <-done; !errors.Is(err, errOverdue) {
			t.Errorf("OpenForm = %v", err)
		}
		w.sees(idDana, words.In(words.Default).Reply.NotOpened)
		redraw := slow(func(ctx context.Context, r platform.Responder) error { return r.Redraw(ctx, w.card(decided(one()))) })
		w.then(redraw)
		w.sim.Fault("edit original response", chatsim.Status(404))
		w.press(idDana, "SQLite")
		if err := <-done; err == nil {
			t.Error("a card that was not drawn counts as drawn")
		}
		w.press(idDana, "SQLite")
		w.must(<-done)
		w.sees(idSam, "Dana")
		if n := len(w.sim.Calls("edit message")); n > 0 {
			t.Errorf("%d calls more were made", n)
		}
	})
}

func TestRedeliveredAction(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.sim.Fault(discordsim.Interactions, chatsim.Twice())
		w.press(idDana, "SQLite")
		w.last()
		if len(w.acts) != 2 || w.acts[0].ID != w.acts[1].ID || w.acts[0].Order != w.acts[1].Order {
			t.Errorf("the acts are %+v", w.acts)
		}
		w.press(idDana, "SQLite")
		if again := w.last(); again.ID == w.acts[0].ID {
			t.Error("a second press has the ID of the first")
		}
	})
}

func TestListenWaitsForActionsInProgress(t *testing.T) {
	t.Parallel()
	inBothModes(t, nil, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		begun := make(chan struct{})
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			close(begun)
			pass(2 * time.Second)
			return r.Redraw(ctx, w.card(decided(one())))
		})
		pressed := make(chan error, 1)
		go func() { pressed <- w.sim.Seat(idDana).Press(t.Context(), "SQLite") }()
		<-begun
		w.stop()
		w.must(<-pressed)
		w.sees(idSam, "Dana")
	})
}

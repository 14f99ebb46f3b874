package slack

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
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
		w.must(w.c.Update(t.Context(), ref, w.card(answered(one()))))
		w.sees(idSam, "SQLite")
		if err := w.sim.Seat(idSam).Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("the card still has a button: %v", err)
		}
	})
}

func TestListSelectionsArriveTogether(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		w.post(inChannel, several())
		seat := w.sim.Seat(idDana)
		w.must(seat.Pick(t.Context(), "What else?", "Docs"))
		w.must(seat.Pick(t.Context(), "What else?", "Metrics"))
		got := w.last()
		if diff := cmp.Diff(map[int][]int{0: {}, 1: {0, 2}}, got.Picks); diff != "" || got.Token != token(render.Pick, 1, -1) {
			t.Errorf("token %v, picks (-want +got)\n%s", got.Token, diff)
		}
		before := got.Order
		w.press(idDana, "Submit")
		got = w.last()
		if diff := cmp.Diff(map[int][]int{0: {}, 1: {0, 2}}, got.Picks); diff != "" || got.Token.Verb != render.Submit {
			t.Errorf("token %v, picks (-want +got)\n%s", got.Token, diff)
		}
		if got.Order <= before {
			t.Errorf("the order went from %d to %d", before, got.Order)
		}
		if len(w.sim.Calls("chat.update")) > 0 {
			t.Error("the message was updated between taps")
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
		w.must(seat.Fill(t.Context(), "", "CockroachDB & <co>"))
		w.then(ackIt)
		w.must(seat.Submit(t.Context()))
		got := w.last()
		if diff := cmp.Diff(map[int]string{0: "CockroachDB & <co>"}, got.Texts); diff != "" || got.Token != token(render.SubmitText, 0, -1) {
			t.Errorf("token %v, texts (-want +got)\n%s", got.Token, diff)
		}
		if got.Order <= pressed || got.Message != ref {
			t.Errorf("order %d after %d, message %v, want %v", got.Order, pressed, got.Message, ref)
		}
		if seat.Form() != nil {
			t.Error("the form is still open")
		}
	})
}

func TestFormWithAllQuestions(t *testing.T) {
	t.Parallel()
	inBothModes(t, nil, func(t *testing.T, w *fixture) {
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			return r.OpenForm(ctx, render.AnswerForm(several()))
		})
		s := several()
		s.Plain = true
		w.post(inChannel, s)
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Answer…")
		w.must(seat.Pick(t.Context(), "What else?", "Tests"))
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			return r.ReplyEphemeral(ctx, platform.Note{Text: "Something is missing.", Fields: map[int]string{0: "Please choose a database."}})
		})
		if err := seat.Submit(t.Context()); !errors.Is(err, chatsim.ErrFormRejected) {
			t.Fatalf("Submit = %v", err)
		}
		w.sees(idDana, "Please choose a database.")
		first := w.last()
		w.must(seat.Pick(t.Context(), "Which database?", "Postgres"))
		w.then(ackIt)
		w.must(seat.Submit(t.Context()))
		got := w.last()
		if got.ID == first.ID || got.Token.Verb != render.AnsweredAll {
			t.Errorf("the mended form is %v with the ID of the first: %v", got.Token, got.ID == first.ID)
		}
		if diff := cmp.Diff(map[int][]int{0: {0}, 1: {1}}, got.Picks); diff != "" {
			t.Errorf("picks (-want +got)\n%s", diff)
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
		w.then(ephemeralReply("Sam has answered already: <!channel> " + strings.Repeat("long ", 2000)))
		w.must(seat.Submit(t.Context()))
		w.sees(idDana, "Sam has answered already")
		if form := seat.Form(); form == nil {
			t.Error("the note is not in the form")
		}
	})
}

func TestNoteAfterClosedFormIsEphemeral(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault chatsim.Fault
		want  string
	}{
		"beside the card":     {chatsim.Fault{}, "chat.postEphemeral"},
		"as a direct message": {chatsim.Refuse("user_not_in_channel"), "chat.postMessage"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
				root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
				w.must(err)
				w.post(ask.Place{Platform: Name, Channel: "C0000001", Thread: root}, one())
				if tc.want != "chat.postEphemeral" {
					w.sim.Fault("chat.postEphemeral", tc.fault)
				}
				seat := w.sim.Seat(idDana)
				w.press(idDana, "Other…")
				w.must(seat.Fill(t.Context(), "", "MySQL"))
				w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
					return errors.Join(r.Ack(ctx), r.ReplyEphemeral(ctx, platform.Note{Text: "Noted: MySQL."}))
				})
				w.must(seat.Submit(t.Context()))
				w.sees(idDana, "Noted: MySQL.")
				w.doesNotSee(idSam, "Noted: MySQL.")
				calls := w.sim.Calls(tc.want)
				if last := calls[len(calls)-1]; last.Error != "" || (tc.want == "chat.postEphemeral" && last.Args["thread_ts"] != root) {
					t.Errorf("the last call was %+v", last)
				}
			})
		})
	}
}

func TestSecondNoteInForm(t *testing.T) {
	t.Parallel()
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		seat := w.sim.Seat(idDana)
		send := func() chan struct{} {
			w.press(idDana, "Other…")
			w.must(seat.Fill(t.Context(), "", "MySQL"))
			closed := make(chan struct{})
			w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
				err := r.ReplyEphemeral(ctx, platform.Note{Text: "Trying to save it."})
				<-closed
				return errors.Join(err, r.ReplyEphemeral(ctx, platform.Note{Text: "Saved."}))
			})
			w.must(seat.Submit(t.Context()))
			w.sees(idDana, "Trying to save it.")
			w.then(writeForm)
			return closed
		}
		close(send())
		w.sees(idDana, "Saved.")
		if seat.Form() == nil {
			t.Error("the second word is not in the form")
		}
		w.must(seat.Dismiss(t.Context()))

		closed := send()
		w.must(seat.Dismiss(t.Context()))
		close(closed)
		w.sees(idDana, "Saved.")
		if n := len(w.sim.Calls("chat.postEphemeral")); n != 1 {
			t.Errorf("chat.postEphemeral was called %d times", n)
		}
	})
}

func TestAgentTextIsShownVerbatim(t *testing.T) {
	t.Parallel()
	const odd = "*Ship* :rocket: <!channel> & `rm -rf ~/x_y` &lt;b&gt;"
	inBothModes(t, ephemeralReply("You wrote "+odd), func(t *testing.T, w *fixture) {
		s := one()
		s.Agent, s.Context = "bot :tada:", odd
		s.Questions[0].Text, s.Questions[0].Header = odd+"?", odd
		s.Questions[0].Options[0] = ask.Option{Label: "Yes :tada:", Description: odd, Preview: "```\n" + odd}
		ref := w.post(inChannel, s)
		shown := strings.ReplaceAll(odd, "`", "") // As code.
		w.sees(idDana, "bot :tada:", shown+"?", "Yes :tada: – "+shown, "```\n"+odd, "[Yes :tada:]")
		w.press(idDana, "Yes :tada:")
		w.sees(idDana, "You wrote "+odd)
		s.Outcome = ask.Outcome{State: ask.Answered, By: dana, At: time.Now(), Answers: []ask.Answer{{Index: 0, Selected: []string{"Yes :tada:"}, By: dana}}}
		w.must(w.c.Update(t.Context(), ref, w.card(s)))
		w.sees(idDana, "✓ Yes :tada:")
		if told := w.sim.Timeline().Events(chatsim.Pinged); slices.ContainsFunc(told, func(e chatsim.Event) bool { return e.Person != idDana }) {
			t.Errorf("missed: %v", told)
		}
	})
}

func TestNoteIsPrivate(t *testing.T) {
	t.Parallel()
	inBothModes(t, ephemeralReply("Only <!channel> admins & friends"), func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.press(idDana, "SQLite")
		w.sees(idDana, "admins & friends")
		w.doesNotSee(idSam, "admins & friends")
		if pings := w.sim.Timeline().Events(chatsim.Pinged, chatsim.Mentioned); len(pings) > 0 {
			t.Errorf("unexpected mentions: %v", pings)
		}
		if n := len(w.sim.Calls(slacksim.ResponseURLs)); n != 1 {
			t.Errorf("the reply URL was used %d times", n)
		}
	})
}

func TestNoteFallsBackToOtherWays(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"used up": chatsim.Refuse("used_url"), "limited": chatsim.RateLimit(time.Minute), "gone": chatsim.Status(http.StatusNotFound),
		"hanging": chatsim.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothModes(t, ephemeralReply("Not you."), func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault(slacksim.ResponseURLs, fault)
				w.press(idDana, "SQLite")
				w.sees(idDana, "Not you.")
				w.doesNotSee(idSam, "Not you.")
				if n := len(w.sim.Calls("chat.postEphemeral")); n != 1 {
					t.Errorf("chat.postEphemeral was called %d times", n)
				}
			})
		})
	}
}

func TestFormOpenFailureShowsNote(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"expired": chatsim.Refuse("expired_trigger_id"), "limited": chatsim.RateLimit(time.Minute), "broken": chatsim.Status(500),
		"hanging": chatsim.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault("views.open", fault)
				w.press(idDana, "Other…")
				w.sees(idDana, words.In(words.Default).Reply.NotOpened)
			})
		})
	}
}

func TestPanicIsContainedAndReported(t *testing.T) {
	t.Parallel()
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		seat := w.sim.Seat(idDana)
		w.press(idDana, "Other…")
		w.must(seat.Fill(t.Context(), "", "MySQL"))
		w.then(func(context.Context, platform.Interaction, platform.Responder) error { panic("nil map") })
		w.must(seat.Submit(t.Context()))
		w.sees(idDana, words.In(words.Default).Reply.Broken)
		w.must(seat.Dismiss(t.Context()))
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
		if err := seat.Submit(t.Context()); !errors.Is(err, chatsim.ErrFormRejected) {
			t.Fatalf("Submit = %v, want the form to stay", err)
		}
		w.sees(idDana, words.In(words.Default).Reply.Late)
		w.sees(idDana, words.In(words.Default).Reply.ArrivedClose)
		w.must(seat.Dismiss(t.Context()))

		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			pass(10 * time.Second)
			return r.ReplyEphemeral(ctx, platform.Note{Text: "Saved at last."})
		})
		w.press(idDana, "SQLite")
		w.sees(idDana, "Saved at last.")
	})
}

func TestRedeliveredAction(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.sim.Fault(slacksim.Interactions, chatsim.Twice())
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

func TestVisitorsAreOutsiders(t *testing.T) {
	t.Parallel()
	inBothModes(t, ephemeralReply("Only people of this workspace."), func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.press(idRobin, "SQLite")
		if got := w.last(); got.Membership != ask.Outsider || got.Person.ID != idRobin {
			t.Errorf("the act is %+v", got)
		}
		w.sees(idRobin, "Only people of this workspace.")
	})
}

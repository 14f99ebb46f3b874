package bridge_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// both is a bridge over two platforms on which Dana has an account each.
type both struct {
	*fixture
	there *bridgetest.Script
}

func onBoth(t *testing.T, f func(t *testing.T, w *both)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &both{
			fixture: &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})},
			there:   bridgetest.NewScript("discord", render.Limits{}),
		}
		stop := w.begin(&bridge.Options{People: map[string][]string{"dana": {"slack:U1", "discord:1"}}}, w.chat, w.there)
		f(t, w)
		stop()
	})
}

// asks asks on both platforms.
func (w *both) asks(change func(*ask.Request)) bridge.Record {
	w.t.Helper()
	return w.submit(database(func(r *ask.Request) {
		r.To = append(r.To, ask.Place{Platform: "discord", Channel: "D1"})
		change(r)
	}))
}

// press has somebody use a control of the card on a platform, and returns what they are told.
func (w *both) press(chat *bridgetest.Script, r bridge.Record, who string, token render.Token, chosen ...string) string {
	w.t.Helper()
	i := choose(r, who, 0)
	i.Token = token
	i.Token.Request = r.ID
	i.Person.Platform, i.Message = chat.Name(), chat.Standing()[0]
	for _, to := range chosen {
		i.Chosen = &ask.Responder{Person: ask.Person{Platform: chat.Name(), ID: to, Name: to}, Membership: ask.Member}
	}
	reply := chat.Act(w.t.Context(), i)
	synctest.Wait()
	var said []string
	for _, n := range reply.EphemeralReplies() {
		said = append(said, n.Text)
	}
	return strings.Join(said, "\n")
}

// open reports whether the request still waits for people.
func (w *both) open(r bridge.Record) bool {
	w.t.Helper()
	now := w.load(r.ID)
	return now.Open()
}

var (
	firstOption = render.Token{Verb: render.Choose, Option: 0}
	passTo      = render.Token{Verb: render.SubmitPass, Question: -1, Option: -1}
	undoing     = render.Token{Verb: render.Undo, Question: -1, Option: -1}
)

func TestWhoHasPassedItOnDoesNotAnswerThroughTheirOtherAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Schedule = ask.Schedule{PassOn: true} })
		w.press(w.chat, r, "U1", passTo, "U2")
		if told := w.press(w.there, r, "1", firstOption); !w.open(r) || !strings.Contains(told, "passed this on") {
			t.Errorf("Dana, who passed it on to U2, is told %q: %+v", told, w.load(r.ID).Outcome)
		}
		w.press(w.there, r, "2", passTo, "1")
		if got := len(w.load(r.ID).Schedule.Steps); got != 1 {
			t.Errorf("it came back to Dana's other account: %d passes", got)
		}
		if w.press(w.chat, r, "U2", firstOption); w.open(r) {
			t.Error("whom it was passed on to cannot answer")
		}
	})
}

func TestWhomItIsPassedOnToAnswersThroughTheirOtherAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) {
			r.Responders, r.Schedule = []string{"slack:U2"}, ask.Schedule{PassOn: true}
		})
		w.press(w.chat, r, "U2", passTo, "U1")
		w.press(w.there, r, "1", passTo, "1")
		if got := len(w.load(r.ID).Schedule.Steps); got != 1 {
			t.Errorf("Dana passed it on to herself: %d passes", got)
		}
		if told := w.press(w.there, r, "1", firstOption); w.open(r) {
			t.Errorf("Dana is told %q", told)
		}
	})
}

func TestAPersonWhoIsNamedByOneAccountAnswersThroughTheOther(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Responders, r.Hold = []string{"slack:U1"}, time.Minute })
		if w.press(w.there, r, "2", firstOption); w.load(r.ID).Held != nil {
			t.Fatal("somebody else decided it")
		}
		if told := w.press(w.there, r, "1", firstOption); w.load(r.ID).Held == nil {
			t.Fatalf("Dana is told %q", told)
		}
		if told := w.press(w.chat, r, "U1", undoing); w.load(r.ID).Held != nil {
			t.Errorf("Dana cannot undo what she decided: %q", told)
		}
	})
}

func TestWhoAskedDoesNotAnswerThroughTheirOtherAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) {
			r.Responders, r.Requesters = []string{"anyone", "not_requester"}, []string{"slack:U1"}
			r.Schedule = ask.Schedule{PassOn: true}
		})
		w.press(w.there, r, "1", firstOption)
		w.press(w.there, r, "2", passTo, "1")
		if now := w.load(r.ID); !w.open(r) || len(now.Schedule.Steps) != 0 {
			t.Errorf("it ended as %+v, after %d passes", now.Outcome, len(now.Schedule.Steps))
		}
	})
}

func TestAnOperatorIsEveryAccountOfTheirs(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Responders = []string{"discord:1"} })
		_, err := w.Answer(t.Context(), r.ID, bridge.Operator{Name: "dana-shell", As: []string{"slack:U1"}}, "k", ask.Action{Kind: ask.Choose, Option: 0})
		if err != nil {
			t.Errorf("Dana may not answer over the API: %v", err)
		}
	})
}

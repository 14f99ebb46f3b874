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

// both is a bridge over two platforms. Dana has an account on each.
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

// asks submits a request to both platforms.
func (w *both) asks(change func(*ask.Request)) bridge.Record {
	w.t.Helper()
	return w.submit(database(func(r *ask.Request) {
		r.To = append(r.To, ask.Place{Platform: "discord", Channel: "D1"})
		change(r)
	}))
}

// press uses a control of the card on one platform and returns the private notes.
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
	var notes []string
	for _, n := range reply.EphemeralReplies() {
		notes = append(notes, n.Text)
	}
	return strings.Join(notes, "\n")
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

func TestPasserCannotAnswerWithLinkedAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Schedule = ask.Schedule{PassOn: true} })
		w.press(w.chat, r, "U1", passTo, "U2")
		if note := w.press(w.there, r, "1", firstOption); !w.open(r) || !strings.Contains(note, "passed this on") {
			t.Errorf("note to Dana after passing on to U2: %q: %+v", note, w.load(r.ID).Outcome)
		}
		w.press(w.there, r, "2", passTo, "1")
		if got := len(w.load(r.ID).Schedule.Steps); got != 1 {
			t.Errorf("it came back to Dana's other account: %d passes", got)
		}
		if w.press(w.chat, r, "U2", firstOption); w.open(r) {
			t.Error("U2 cannot answer after the handover")
		}
	})
}

func TestSuccessorAnswersWithLinkedAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) {
			r.Responders, r.Schedule = []string{"slack:U2"}, ask.Schedule{PassOn: true}
		})
		w.press(w.chat, r, "U2", passTo, "U1")
		w.press(w.there, r, "1", passTo, "1")
		if got := len(w.load(r.ID).Schedule.Steps); got != 1 {
			t.Errorf("Dana passed it on to herself: %d passes", got)
		}
		if note := w.press(w.there, r, "1", firstOption); w.open(r) {
			t.Errorf("note to Dana: %q", note)
		}
	})
}

func TestNamedPersonAnswersWithLinkedAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Responders, r.Hold = []string{"slack:U1"}, time.Minute })
		if w.press(w.there, r, "2", firstOption); w.load(r.ID).Held != nil {
			t.Fatal("decided by another person")
		}
		if note := w.press(w.there, r, "1", firstOption); w.load(r.ID).Held == nil {
			t.Fatalf("note to Dana: %q", note)
		}
		if note := w.press(w.chat, r, "U1", undoing); w.load(r.ID).Held != nil {
			t.Errorf("Dana cannot undo her decision: %q", note)
		}
	})
}

func TestRequesterCannotAnswerWithLinkedAccount(t *testing.T) {
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

// A person who votes through two accounts has changed their mind and retracts one vote, however the votes were cast.
func TestLinkedAccountsAddedLaterHaveOneVote(t *testing.T) {
	t.Parallel()
	slackChannel, elsewhere := ask.Place{Platform: "slack", Channel: "C1"}, ask.Place{Platform: "discord", Channel: "D1"}
	adding := func(who ...string) ask.Schedule {
		return ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Add, Responders: who}}}
	}
	opts := bridge.Options{
		People: map[string][]string{"dana": {"slack:U5", "slack:U9", "discord:5", "discord:9"}},
		Routes: map[string]bridge.Route{"later": {To: []ask.Place{slackChannel}, Terms: ask.Terms{Schedule: adding("slack:U5")}}},
	}
	for name, tt := range map[string]struct {
		change      func(*ask.Request)
		first, then string
	}{
		"a step adds them":                 {func(r *ask.Request) { r.Schedule = adding("slack:U5") }, "slack:U5", "slack:U9"},
		"a step of the route does":         {func(r *ask.Request) { r.To, r.Route = nil, "later" }, "slack:U9", "slack:U5"},
		"a step of the token does":         {func(r *ask.Request) { r.Token.Schedule = adding("slack:U5") }, "slack:U5", "slack:U9"},
		"it is passed on to them":          {func(r *ask.Request) { r.Schedule.PassOn = true }, "slack:U5", "slack:U9"},
		"named without asking":             {func(r *ask.Request) { r.Responders = append(r.Responders, "discord:5") }, "slack:U5", "slack:U9"},
		"they are asked on both platforms": {func(r *ask.Request) { r.Schedule, r.To = adding("discord:5"), append(r.To, elsewhere) }, "slack:U5", "discord:5"},
		"a step asks where two accounts of theirs are": {func(r *ask.Request) {
			r.Responders = append(r.Responders, "discord:5")
			r.Schedule = ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Add, To: []ask.Place{elsewhere}}}}
		}, "discord:5", "discord:9"},
		"a step asks where they are as well": {func(r *ask.Request) {
			r.Responders = nil
			r.Schedule = ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Add, To: []ask.Place{elsewhere}}}}
		}, "slack:U5", "discord:5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chats := map[string]*bridgetest.Script{}
				for _, platform := range []string{"slack", "discord"} {
					chats[platform] = bridgetest.NewScript(platform, render.Limits{})
				}
				w := &both{fixture: &fixture{t: t, store: memory.New(), chat: chats["slack"]}, there: chats["discord"]}
				defer w.begin(&opts, w.chat, w.there)()
				r := w.submit(database(func(r *ask.Request) {
					r.Voting, r.Responders = quorum(2), []string{"slack:U1", "slack:U2"}
					tt.change(r)
				}))
				w.press(w.chat, r, "U1", passTo, "U5")
				time.Sleep(2 * time.Minute)
				act := func(account string, token render.Token) {
					t.Helper()
					platform, id, _ := strings.Cut(account, ":")
					w.press(chats[platform], r, id, token)
				}
				act(tt.first, firstOption)
				act(tt.then, render.Token{Verb: render.Choose, Option: 1})
				now := w.load(r.ID)
				if !now.Open() || now.Standing().Voted != 1 || now.Standing().Votes[0].Choices[0].Selected[0] != "SQLite" {
					t.Fatalf("with both accounts of one person it is %s with %+v", now.Outcome.State, now.Standing().Votes)
				}
				act(tt.first, render.Token{Verb: render.TakeBack, Question: -1, Option: -1})
				if now := w.load(r.ID); now.Standing().Voted != 0 {
					t.Errorf("a retracted vote is counted: %+v", now.Standing().Votes)
				}
			})
		})
	}
}

func TestOperatorIncludesLinkedAccounts(t *testing.T) {
	onBoth(t, func(t *testing.T, w *both) {
		r := w.asks(func(r *ask.Request) { r.Responders = []string{"discord:1"} })
		_, err := w.Answer(t.Context(), r.ID, bridge.Operator{Name: "dana-shell", As: []string{"slack:U1"}}, "k", ask.Action{Kind: ask.Choose, Option: 0})
		if err != nil {
			t.Errorf("Dana may not answer over the API: %v", err)
		}
	})
}

func TestAskBackOverAPIReturnsNoVerdictError(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		s, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.AskBack = ask.AskBackStay }))
		if err != nil {
			t.Fatal(err)
		}
		asks := ask.Action{Kind: ask.AskAgent, Question: -1, Option: -1, Texts: map[int]string{-1: "Which one?"}}
		got, err := w.Answer(t.Context(), s.Record.ID, bridge.Operator{Name: "dana", As: []string{"slack:U1"}}, "k", asks)
		if err != nil || len(got.AskedBack) != 1 {
			t.Errorf("%d questions stand in the record, %v", len(got.AskedBack), err)
		}
	})
}

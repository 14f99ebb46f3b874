package bridge_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// may is a permission prompt of session s1 that can be allowed for eight hours.
func may(call string, change ...func(*ask.Request)) ask.Request {
	r := ask.Request{
		Session: "s1", Agent: "deploy-bot", Tenant: "ops", ToolCallID: call, To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Permission: true,
		Questions: []ask.Question{{Text: "May the agent use Bash?", Options: []ask.Option{{Label: "Allow"}, {Label: "Deny"}}}},
	}
	r.Operation = ask.Operation{Host: "claude", Tool: "Bash", Folder: "/srv/app", Environment: "staging", Input: "npm test"}
	p := &ask.Permit{What: "Bash: npm test", Allow: "Allow"}
	p.Offer(&r.Questions[0], r.Operation, ask.Grants{Scope: ask.SameAgent, For: 8 * time.Hour}, r.Session, 1)
	r.Permit = p
	for _, f := range change {
		f(&r)
	}
	return r
}

// The options of a permission prompt.
const (
	allowOnce = iota
	allowSession
	allowAgent
)

// inGrantingFixture is inFixture with grants.
func inGrantingFixture(t *testing.T, f func(t *testing.T, w *fixture, kept keyvalue.Grants)) {
	t.Helper()
	kept := keyvalue.Grants{Store: memory.New().KeyValue()}
	inFixture(t, &bridge.Options{Grants: kept}, func(t *testing.T, w *fixture) { f(t, w, kept) })
}

// allowed submits a prompt and returns the grant that decided it, or "" if a person is asked.
func (w *fixture) allowed(r ask.Request) (via string) {
	w.t.Helper()
	made := w.submit(r)
	if made.Open() {
		return ""
	}
	if got := made.Outcome.Answers[0].Selected[0]; made.Outcome.State != ask.Answered || got != "Allow" || made.Outcome.By.ID != "U1" || len(made.Copies) > 0 {
		w.t.Errorf("the call was decided as %+v", made.Outcome)
	}
	return made.Outcome.Via
}

func TestGrantAnswersLaterCall(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, kept keyvalue.Grants) {
		first := w.submit(may("1"))
		w.act(choose(first, "U1", allowSession))
		synctest.Wait()
		seen := len(w.chat.Calls())
		for _, call := range []string{"2", "3"} {
			if via := w.allowed(may(call)); via == "" {
				t.Errorf("call %s is asked", call)
			}
		}
		if via := w.allowed(may("3")); via == "" {
			t.Error("handed in again, it is asked")
		}
		synctest.Wait()
		if calls := w.chat.Calls(); len(calls) != seen {
			t.Errorf("people see %v", calls[seen:])
		}
		all, err := kept.List(t.Context(), "ops", false, time.Now())
		if err != nil || len(all) != 1 || all[0].Uses != 2 || all[0].Request != first.ID || all[0].By.ID != "U1" {
			t.Errorf("kept: %+v, %v", all, err)
		}
		time.Sleep(8 * time.Hour)
		if via := w.allowed(may("4")); via != "" {
			t.Error("after its time it is still allowed by " + via)
		}
	})
}

func TestGrantCoversOnlyEqualCalls(t *testing.T) {
	for name, other := range map[string]func(*ask.Request){
		"another call":        func(r *ask.Request) { r.Operation.Input = "npm publish" },
		"another folder":      func(r *ask.Request) { r.Operation.Folder = "/srv/other/app" },
		"another environment": func(r *ask.Request) { r.Operation.Environment = "production" },
		"another tool":        func(r *ask.Request) { r.Operation.Tool = "PowerShell" },
		"another host":        func(r *ask.Request) { r.Operation.Host = "codex" },
		"an unknown call":     func(r *ask.Request) { r.Operation = ask.Operation{} },
		"another session":     func(r *ask.Request) { r.Session = "s2" },
		"another agent":       func(r *ask.Request) { r.Agent = "other-bot" },
		"another tenant":      func(r *ask.Request) { r.Tenant = "dev" },
		"other people":        func(r *ask.Request) { r.Responders = []string{"slack:U2"} },
		"one person alone":    func(r *ask.Request) { r.To = []ask.Place{{Platform: "slack", User: "U2"}} },
		"another channel":     func(r *ask.Request) { r.To[0].Channel = "C2" },
		"two who have to":     func(r *ask.Request) { r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2} },
		"no offer any more":   func(r *ask.Request) { r.Permit = nil },
		"a shorter time":      func(r *ask.Request) { r.Permit.Offers[0].For, r.Permit.Offers[1].For = time.Minute, time.Minute },
		"a question and none": func(r *ask.Request) { r.Permit, r.Permission = nil, false },
	} {
		t.Run(name, func(t *testing.T) {
			inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
				w.act(choose(w.submit(may("1")), "U1", allowSession))
				synctest.Wait()
				time.Sleep(5 * time.Minute)
				if via := w.allowed(may("2", other)); via != "" {
					t.Error("it is taken for allowed by " + via)
				}
				if via := w.allowed(may("3")); via == "" {
					t.Error("the same call is asked again")
				}
			})
		})
	}
}

// Prompts without a grant cannot be revised either: what people allowed on the old card would allow nothing.
func TestPermissionCannotBeRevised(t *testing.T) {
	for name, change := range map[string]func(*ask.Request){
		"for a time":        func(*ask.Request) {},
		"this once":         func(r *ask.Request) { r.Questions, r.Permit = r.WithoutOffers(), nil },
		"by several people": func(r *ask.Request) { r.Voting = quorum(2) },
	} {
		t.Run(name, func(t *testing.T) {
			inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
				r := w.submit(may("1", change))
				context := "It only lists files."
				got, err := w.Talk().Revise(t.Context(), r.ID, ask.Revision{Context: &context}, ask.Voting{})
				if !errors.Is(err, record.ErrPermission) || got.Context != "" {
					t.Errorf("context %q, %v", got.Context, err)
				}
			})
		})
	}
}

func TestAgentGrantHoldsInEverySession(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
		w.act(choose(w.submit(may("1")), "U1", allowAgent))
		synctest.Wait()
		for call, change := range map[string]func(*ask.Request){
			"another session":            func(r *ask.Request) { r.Session = "s2" },
			"one in a thread of its own": func(r *ask.Request) { r.Session, r.To[0].Thread = "s3", "1700000000.000100" },
		} {
			if via := w.allowed(may(call, change)); via == "" {
				t.Errorf("%s is asked again", call)
			}
		}
	})
}

func TestGrantDependsOnResponders(t *testing.T) {
	add := func(to ...ask.Place) ask.Schedule {
		return ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Add, Responders: []string{"slack:U2"}, To: to}}}
	}
	for name, tt := range map[string]struct {
		plan ask.Schedule
		also []ask.Place
		on   int // The card that U2 answers on.
	}{
		"it was passed on to them":           {plan: ask.Schedule{PassOn: true}, on: 1},
		"it was passed on to who had a card": {plan: ask.Schedule{PassOn: true}, also: []ask.Place{{Platform: "slack", User: "U2"}}, on: 1},
		"a step added them":                  {plan: add()},
		"a step added them elsewhere":        {plan: add(ask.Place{Platform: "slack", Channel: "C2"}), on: 1},
	} {
		t.Run(name, func(t *testing.T) {
			inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
				dana := func(r *ask.Request) {
					r.To, r.Responders, r.Schedule = append(r.To, tt.also...), []string{"slack:U1"}, tt.plan
				}
				first := w.submit(may("1", dana))
				if tt.plan.PassOn {
					pass := press(first, "U1", render.SubmitPass, -1, -1)
					pass.Chosen = &ask.Responder{Person: ask.Person{Platform: "slack", ID: "U2"}, Membership: ask.Member}
					w.act(pass)
				}
				time.Sleep(2 * time.Minute)
				answer := choose(first, "U2", allowSession)
				answer.Message = w.load(first.ID).Copies[tt.on].Ref
				w.act(answer)
				if got := w.load(first.ID).Outcome; got.By.ID != "U2" {
					t.Fatalf("it was decided as %+v", got)
				}
				if second := w.submit(may("2", dana)); !second.Open() {
					t.Errorf("what only U1 may allow was decided as %+v", second.Outcome)
				}
			})
		})
	}
}

// A person who may not decide on their own calls gets nothing allowed by a grant they gave to someone else.
func TestGrantDoesNotCoverOwnCalls(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
		askedBy := func(who string) func(*ask.Request) {
			return func(r *ask.Request) {
				r.Requesters, r.Responders = []string{who}, []string{"anyone", "not_requester"}
			}
		}
		w.act(choose(w.submit(may("1", askedBy("slack:U2"))), "U1", allowAgent))
		synctest.Wait()
		if via := w.allowed(may("2", askedBy("slack:U1"))); via != "" {
			t.Error("U1 has allowed their own call by " + via)
		}
		if via := w.allowed(may("3", askedBy("slack:U2"))); via == "" {
			t.Error("the same call for the same person is asked again")
		}
	})
}

// An undone decision grants nothing, and neither does one that can still be undone.
func TestGrantStartsAfterHold(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
		held := func(r *ask.Request) { r.Hold = 10 * time.Second }
		first := w.submit(may("1", held))
		w.act(choose(first, "U1", allowSession))
		if via := w.allowed(may("2", held)); via != "" {
			t.Error("during the hold it is allowed by " + via)
		}
		w.act(press(first, "U1", render.Undo, -1, -1))
		time.Sleep(time.Minute)
		if via, r := w.allowed(may("3", held)), w.load(first.ID); via != "" || !r.Open() {
			t.Error("what was undone allows by " + via)
		}
		w.act(choose(first, "U1", allowSession))
		time.Sleep(11 * time.Second)
		if via, r := w.allowed(may("4", held)), w.load(first.ID); via == "" || r.Open() {
			t.Error("once it is final it is asked again")
		}
	})
}

func TestAllowOnceMakesNoGrant(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
		w.act(choose(w.submit(may("1")), "U1", allowOnce))
		synctest.Wait()
		if via := w.allowed(may("2")); via != "" {
			t.Error("once is for ever: " + via)
		}
	})
}

func TestRevokedGrantStaysRevoked(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, kept keyvalue.Grants) {
		first := w.submit(may("1"))
		w.act(choose(first, "U1", allowSession))
		synctest.Wait()
		all, err := kept.List(t.Context(), "ops", false, time.Now())
		if err != nil || len(all) != 1 {
			t.Fatalf("kept: %+v, %v", all, err)
		}
		if _, err := kept.Revoke(t.Context(), all[0].ID, "dev", false, "dana", time.Now()); err == nil {
			t.Error("another tenant revokes it")
		}
		for range 2 {
			if g, err := kept.Revoke(t.Context(), all[0].ID, "ops", false, "dana", time.Now()); err != nil || g.RevokedBy != "dana" {
				t.Errorf("revoked: %+v, %v", g, err)
			}
		}
		// The card is updated again, which delivers the decision again.
		if _, err := w.Resend(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if via := w.allowed(may("2")); via != "" {
			t.Fatal("it is allowed by " + via)
		}
		second := w.submit(may("2"))
		w.act(choose(second, "U1", allowSession))
		synctest.Wait()
		if via := w.allowed(may("3")); via == "" {
			t.Error("allowed again, but still asked")
		}
	})
}

func TestVotesOfferNoGrant(t *testing.T) {
	inGrantingFixture(t, func(t *testing.T, w *fixture, _ keyvalue.Grants) {
		r := w.submit(may("1", func(r *ask.Request) { r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2} }))
		if n := len(r.Questions[0].Options); n != 2 || len(r.Permit.Offers) != 0 {
			t.Errorf("%d options: %v", n, r.Questions[0].Options)
		}
	})
}

func TestNoGrantStoreOffersNoGrant(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		if r := w.submit(may("1")); len(r.Questions[0].Options) != 2 || len(r.Permit.Offers) != 0 {
			t.Errorf("options: %v", r.Questions[0].Options)
		}
	})
}

func TestRecentAnswerIsHandedOn(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		lately := func(r *ask.Request) { r.Within = 10 * time.Minute }
		first := w.submit(alike("a", lately))
		w.act(choose(first, "U1", 1))
		synctest.Wait()
		time.Sleep(9 * time.Minute)
		s, err := w.Submit(t.Context(), alike("b", lately))
		if err != nil || !s.Handed || s.Record.ID != first.ID || s.Record.Outcome.Answers[0].Selected[0] != "SQLite" {
			t.Errorf("handed on: %t, %+v, %v", s.Handed, s.Record.Outcome, err)
		}
		synctest.Wait()
		if end := w.chat.Card(first.Copies[0].Ref).Sections; !strings.Contains(fmt.Sprint(end[0].Text), "reused once") {
			t.Errorf("the card ends with %v", end[len(end)-1].Text)
		}
		time.Sleep(2 * time.Minute)
		if s, err = w.Submit(t.Context(), alike("c", lately)); err != nil || s.Handed || s.Record.ID == first.ID {
			t.Errorf("after its time: %t, %v", s.Handed, err)
		}
	})
}

func TestOnlySinglePersonAnswerIsHandedOn(t *testing.T) {
	for name, change := range map[string]func(*ask.Request){
		"a permission": func(r *ask.Request) { r.Permission = true },
		"a vote": func(r *ask.Request) {
			r.Voting = ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"SQLite": 1}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				lately := func(r *ask.Request) { r.Within = time.Hour; change(r) }
				first := w.submit(alike("a", lately))
				w.act(choose(first, "U1", 1))
				synctest.Wait()
				if s, err := w.Submit(t.Context(), alike("b", lately)); err != nil || s.Handed || s.Existed {
					t.Errorf("handed on: %t, %t, %v", s.Handed, s.Existed, err)
				}
			})
		})
	}
	t.Run("a dismissal", func(t *testing.T) {
		inFixture(t, nil, func(t *testing.T, w *fixture) {
			lately := func(r *ask.Request) { r.Within = time.Hour }
			first := w.submit(alike("a", lately))
			if _, err := w.Cancel(t.Context(), first.ID, "enough"); err != nil {
				t.Fatal(err)
			}
			if s, err := w.Submit(t.Context(), alike("b", lately)); err != nil || s.Handed || s.Existed {
				t.Errorf("handed on: %t, %t, %v", s.Handed, s.Existed, err)
			}
		})
	})
}

func TestErasedAnswerIsAskedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		typed, person string
		handed        bool
	}{
		"typed, erased":                 {"MariaDB", "slack:U1", false},
		"typed, another person erased":  {"MariaDB", "slack:U2", true},
		"pressed, only the name erased": {"", "slack:U1", true},
		"pressed, question erased":      {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				lately := func(r *ask.Request) { r.Within = time.Hour }
				first := w.submit(alike("a", lately))
				act := choose(first, "U1", 1)
				if tt.typed != "" {
					act.Token.Verb, act.Token.Option, act.Texts = render.SubmitText, -1, map[int]string{0: tt.typed}
				}
				w.act(act)
				synctest.Wait()
				if _, err := w.store.Change(t.Context(), first.ID, func(r *bridge.Record, _ time.Time) error { return r.Erase(tt.person) }); err != nil && !errors.Is(err, bridge.ErrUnchanged) {
					t.Fatal(err)
				}
				again, err := w.Submit(t.Context(), alike("b", lately))
				if err != nil || again.Handed != tt.handed || again.Record.Open() == tt.handed {
					t.Errorf("handed on: %t, as %+v, %v", again.Handed, again.Record.Outcome, err)
				}
			})
		})
	}
}

package bridge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// panicking is a platform whose posts panic.
type panicking struct{ *bridgetest.Script }

func (panicking) Limits() render.Limits { panic("no limits") }

// The store is unreachable at the click. Within the three seconds of the platform, the person learns that nothing is
// recorded yet, and later that the click is saved.
func TestClicksDuringStoreOutage(t *testing.T) {
	for name, tt := range map[string]struct {
		fault func(*bridgetest.Faulty)
		first string
	}{
		"unreachable": {func(f *bridgetest.Faulty) { f.Away(true) }, "not recorded yet"},
		"frozen":      {func(f *bridgetest.Faulty) { f.Slow(time.Hour) }, "not recorded yet"},
		"reply lost":  {func(f *bridgetest.Faulty) { f.LoseReplies(true) }, "not recorded yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				faulty := bridgetest.NewFaulty(memory.New())
				w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
				stop := w.begin(nil)
				defer stop()
				r := w.submit(database())
				tt.fault(faulty)
				began := time.Now()
				reply := w.act(choose(r, "U1", 1))
				if took := time.Since(began); took > 2500*time.Millisecond {
					t.Errorf("the person waited %v", took)
				}
				if len(reply.EphemeralReplies()) != 1 || !strings.Contains(reply.EphemeralReplies()[0].Text, tt.first) || reply.Err == nil {
					t.Errorf("private notes %v, error %v", reply.EphemeralReplies(), reply.Err)
				}
				time.Sleep(10 * time.Second)
				faulty.Away(false)
				faulty.Slow(0)
				faulty.LoseReplies(false)
				time.Sleep(time.Minute)
				w.wantNote(reply, "Saved now")
				if r = w.load(r.ID); r.Outcome.State != ask.Answered {
					t.Errorf("got %s", r.Outcome.State)
				}
			})
		})
	}
}

// If an act is stored late, its reply can no longer draw the card.
func TestCardUpdatesAfterStoreOutage(t *testing.T) {
	votes := func(r *ask.Request) { r.Voting = quorum(2) }
	holds := func(r *ask.Request) { r.Hold = 10 * time.Minute }
	for name, tt := range map[string]struct {
		asks   func(*ask.Request)
		before func(w *fixture, r bridge.Record)
		note   string
		shows  string
	}{
		"an answer":           {note: "Saved now", shows: "✓ SQLite"},
		"a vote":              {asks: votes, note: "Saved now", shows: "SQLite 1 of 2"},
		"a choice of several": {asks: checks, note: "Saved now", shows: "Chosen by"},
		"what can be undone":  {asks: holds, note: "Saved now", shows: "can be undone"},
		"a decided request":   {before: func(w *fixture, r bridge.Record) { w.act(choose(r, "U1", 0)) }, note: "Already answered by U1", shows: "✓ Postgres"},
	} {
		if tt.asks == nil {
			tt.asks = func(*ask.Request) {}
		}
		for outage, fault := range map[string]func(f *bridgetest.Faulty, on bool){
			"unreachable": (*bridgetest.Faulty).Away, "reply lost": (*bridgetest.Faulty).LoseReplies,
		} {
			t.Run(name+" "+outage, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					faulty := bridgetest.NewFaulty(memory.New())
					w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", shared)}
					defer w.begin(nil)()
					r := w.submit(database(tt.asks))
					at := r.Copies[0].Ref
					asked := w.chat.Card(at)
					if tt.before != nil {
						tt.before(w, r)
						synctest.Wait()
						w.chat.Draw(at, asked) // The reply with the update never arrived.
					}
					fault(faulty, true)
					reply := w.act(choose(r, "U2", 1))
					time.Sleep(10 * time.Second)
					fault(faulty, false)
					time.Sleep(time.Minute)
					w.wantNote(reply, tt.note)
					if card := w.chat.Card(at); !strings.Contains(text(card), tt.shows) {
						t.Errorf("the card shows %q, want %q", text(card), tt.shows)
					}
				})
			})
		}
	}
}

func TestGroupMemberClickDuringStoreOutage(t *testing.T) {
	t.Parallel()
	for person, tt := range map[string]struct {
		broken error
		note   string
		want   ask.State
	}{
		"U1":      {note: "Saved now", want: ask.Answered},
		"U2":      {note: "not yours to answer", want: ask.Open},
		"U-wrong": {broken: errors.New("the platform is slow"), note: "Could not check", want: ask.Open},
	} {
		t.Run(person, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				faulty := bridgetest.NewFaulty(memory.New())
				chat := &club{Script: bridgetest.NewScript("slack", render.Limits{}), members: []string{"U1"}, broken: tt.broken}
				w := &fixture{t: t, store: faulty, chat: chat.Script}
				defer w.begin(nil, chat)()
				r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
				faulty.Away(true)
				reply := w.act(choose(r, person, 1))
				faulty.Away(false)
				time.Sleep(time.Minute)
				w.wantNote(reply, tt.note)
				if got := w.load(r.ID).Outcome.State; got != tt.want {
					t.Errorf("the request is %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestLongStoreOutageNote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		faulty := bridgetest.NewFaulty(memory.New())
		w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(nil)
		defer stop()
		r := w.submit(database())
		faulty.Away(true)
		reply := w.act(choose(r, "U1", 1))
		time.Sleep(3 * time.Minute)
		w.wantNote(reply, "Nothing was recorded. Please try again")
		if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.ToolCallID = "t2" })); !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("asking meanwhile gives %v", err)
		}
		faulty.Away(false)
	})
}

func TestFormsOpenBeforeAnythingSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		faulty := bridgetest.NewFaulty(memory.New())
		w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(nil)
		defer stop()
		r := w.submit(database())
		faulty.Slow(time.Hour)
		for verb, leads := range map[render.Verb]render.Verb{render.OpenText: render.SubmitText, render.Dismiss: render.Dismissed} {
			began := time.Now()
			reply := w.act(platform.Interaction{
				Person: ask.Person{ID: "U1"}, Message: r.Copies[0].Ref,
				Token: render.Token{Request: r.ID, Verb: verb, Question: 0, Option: -1},
			})
			forms, took := reply.Forms(), time.Since(began)
			if len(forms) != 1 || forms[0].Token.Verb != leads || took > time.Second {
				t.Errorf("%q opened %+v after %v", verb, forms, took)
			}
		}
		faulty.Slow(0)
	})
}

func TestDecidedRequestOpensNoForm(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		write := func(r bridge.Record, who string, v render.Verb) platform.Interaction {
			return platform.Interaction{
				Person: ask.Person{ID: who, Name: who}, Message: r.Copies[0].Ref,
				Token: render.Token{Request: r.ID, Verb: v, Question: 0, Option: -1},
			}
		}
		r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack:U1"} }))
		w.wantNote(w.act(write(r, "U2", render.OpenText)), "not yours to answer")
		if reply := w.act(write(r, "U1", render.Answer)); len(reply.Forms()) != 1 {
			t.Error("no form for the responder")
		}
		w.wantNote(w.act(write(r, "U2", render.Dismiss)), "not yours to answer")
		if reply := w.act(write(r, "U1", render.Dismiss)); len(reply.Forms()) != 1 || w.load(r.ID).Outcome.State != ask.Open {
			t.Error("a press on Dismiss opens no form, or ends the request at once")
		}
		w.act(choose(r, "U1", 0))
		w.wantNote(w.act(write(r, "U1", render.OpenText)), "Already answered by U1: Postgres")
		w.wantNote(w.act(write(r, "U1", render.Dismissed)), "Already answered by U1: Postgres")

		short := w.submit(database(func(r *ask.Request) { r.ToolCallID, r.ExpiresIn = "t2", time.Minute }))
		time.Sleep(time.Minute)
		w.wantNote(w.act(write(short, "U1", render.OpenText)), "Too late")

		unknown := r
		unknown.ID = "pgone"
		w.wantNote(w.act(write(unknown, "U1", render.OpenText)), "not known here")
	})
}

// posted asks a question on a bridge of its own, stops that bridge, and returns a press on the card.
func posted(t *testing.T, storeName string) platform.Interaction {
	t.Helper()
	w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
	defer w.begin(&bridge.Options{StoreName: storeName})()
	press := choose(w.submit(database()), "U1", 0)
	press.Token = option(t, w.chat.Card(press.Message))
	return press
}

// option is the control of a card's first option, with its mark.
func option(t *testing.T, card render.Card) render.Token {
	t.Helper()
	for _, s := range card.Sections {
		for _, b := range s.Buttons {
			if b.Token.Verb == render.Choose && b.Token.Option == 0 && b.Token.Mark != "" {
				return b.Token
			}
		}
	}
	t.Fatal("the card has no control with a mark")
	return render.Token{}
}

func TestClickOnUnknownRequestClosesOwnCardOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		by     string // the store with the card's record
		change func(*platform.Interaction)
		note   string
		closes bool
	}{
		{"our card", "production", nil, "no longer known", true},
		{"our card, whose button opens a form", "production", func(i *platform.Interaction) { i.Token.Verb = render.OpenText }, "no longer known", true},
		{"another bridge's card", "staging", nil, "Please press again", false},
		{"another bridge's form", "staging", func(i *platform.Interaction) { i.Token.Verb = render.OpenText }, "Please press again", false},
		{"a card of an older version", "production", func(i *platform.Interaction) { i.Token.Mark = "" }, "Please press again", false},
		{"a mark of another request", "production", func(i *platform.Interaction) { i.Token.Request = "pgone" }, "Please press again", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				press := posted(t, tt.by)
				if tt.change != nil {
					tt.change(&press)
				}
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(&bridge.Options{StoreName: "production"})()
				w.wantNote(w.act(press), tt.note)
				if tt.closes {
					w.calls("update " + press.Message.Message)
				} else {
					w.calls()
				}
			})
		})
	}
}

func TestControlOfOlderVersionAnswers(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.act(choose(r, "U1", 1)) // The token has no mark.
		if got := w.load(r.ID).Outcome; got.State != ask.Answered {
			t.Errorf("the request is %s", got.State)
		}
	})
}

func TestPrivateNotesAreExact(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		mixed := func(r *ask.Request) {
			r.Questions = append(r.Questions, ask.Question{Text: "Which checks?", MultiSelect: true, Options: []ask.Option{{Label: "Unit"}, {Label: "Lint"}}})
		}
		r := w.submit(database(mixed))
		act := func(v render.Verb, q int) platform.Interaction {
			return platform.Interaction{
				Person: ask.Person{ID: "U1", Name: "Dana"}, Message: r.Copies[0].Ref,
				Token: render.Token{Request: r.ID, Verb: v, Question: q, Option: -1},
			}
		}
		submit := act(render.Submit, -1)
		submit.Picks = map[int][]int{0: {1}, 1: {}}
		reply := w.act(submit)
		w.wantNote(reply, "Still missing: “Which checks?”. Nothing was sent.")
		if len(reply.EphemeralReplies()[0].Fields) != 1 || reply.EphemeralReplies()[0].Fields[1] == "" {
			t.Errorf("fields %v", reply.EphemeralReplies()[0].Fields)
		}
		wrote := act(render.SubmitText, 0)
		wrote.Texts = map[int]string{0: "Oracle"}
		reply = w.act(wrote)
		w.wantNote(reply, "Noted for Database: “Oracle”. Press Submit")
		w.wantNote(reply, "It replaces your choice there")
		if reply.Acks() != 1 {
			t.Errorf("acknowledged %d times", reply.Acks())
		}
		w.wantNote(w.act(act(render.Dismissed, -1)), "")
		w.wantNote(w.act(choose(r, "U2", 0)), "Dana dismissed this question")
	})
}

func TestFollowersSeeEveryRequestToItsEnd(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		old := w.submit(database())
		seen := make(chan bridge.Event, 100)
		follow := func(s bridge.Selection) (stop func() error) {
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error, 1)
			go func() {
				over <- w.Follow(ctx, s, func(e bridge.Event) error {
					seen <- e
					return nil
				})
			}()
			synctest.Wait()
			return func() error { cancel(); return <-over }
		}
		stop := follow(bridge.Selection{})
		if e := <-seen; e.Record.ID != old.ID || !e.Record.Open() || len(e.Record.Questions) == 0 {
			t.Errorf("a new follower first sees %+v", e)
		}
		fresh := w.submit(database(func(r *ask.Request) { r.ToolCallID = "t2" }))
		synctest.Wait()
		var last bridge.Event
		for len(seen) > 0 {
			last = <-seen
		}
		if last.Record.ID != fresh.ID || last.Record.Copies[0].State != record.Posted {
			t.Errorf("then %+v", last.Record)
		}
		w.submit(database(func(r *ask.Request) { r.Tenant = "b" }))
		w.act(choose(old, "U1", 0))
		synctest.Wait()
		states := map[string]ask.State{}
		for len(seen) > 0 {
			last = <-seen
			states[last.Record.ID] = last.Record.Outcome.State
		}
		if len(states) != 1 || states[old.ID] != ask.Answered {
			t.Errorf("then %v", states)
		}
		if err := stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped with %v", err)
		}

		w.act(choose(fresh, "U1", 1))
		synctest.Wait()
		stop = follow(bridge.Selection{After: last.ID})
		synctest.Wait()
		missed := map[string]ask.State{}
		for len(seen) > 0 {
			e := <-seen
			missed[e.Record.ID] = e.Record.Outcome.State
		}
		if missed[fresh.ID] != ask.Answered {
			t.Errorf("a returning follower sees %v", missed)
		}
		stop()

		stop = follow(bridge.Selection{Request: fresh.ID})
		if e := <-seen; e.Record.ID != fresh.ID {
			t.Errorf("a follower of one request sees %v", e.Record.ID)
		}
		stop()
		for _, s := range []bridge.Selection{{Request: "pgone"}, {Request: fresh.ID, Tenant: "b"}} {
			if err := w.Follow(t.Context(), s, nil); !errors.Is(err, bridge.ErrNotFound) {
				t.Errorf("following %+v gives %v", s, err)
			}
		}
	})
}

// hushed is a store whose notifications never arrive.
type hushed struct{ bridge.Store }

func (hushed) Watch(ctx context.Context, _ func(bridge.Notification)) error {
	<-ctx.Done()
	return nil
}

func TestAnswerWakesWaiterOnOtherReplica(t *testing.T) {
	testWake(t, func(s bridge.Store) bridge.Store { return s }, time.Second)
}

func TestLostNotificationFoundByPolling(t *testing.T) {
	testWake(t, func(s bridge.Store) bridge.Store { return hushed{s} }, 30*time.Second)
}

// testWake answers at one replica while another one waits.
func testWake(t *testing.T, through func(bridge.Store) bridge.Store, most time.Duration) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := memory.New()
		here := &fixture{t: t, store: through(shared), chat: bridgetest.NewScript("slack", render.Limits{})}
		there := &fixture{t: t, store: shared, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer here.begin(nil)()
		defer there.begin(nil)()
		r := here.submit(database())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		got := make(chan *bridge.Record)
		go func() {
			r, err := here.Wait(ctx, r.ID)
			if err != nil {
				t.Error(err)
			}
			got <- r
		}()
		synctest.Wait()
		began := time.Now()
		there.act(choose(r, "U1", 0))
		if r := <-got; r == nil || r.Outcome.State != ask.Answered {
			t.Errorf("got %+v", r)
		}
		if took := time.Since(began); took > most {
			t.Errorf("woken after %v", took)
		}
	})
}

package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// Discord accepts the reply to a press after another replica has closed the card.
func TestSlowReplyDoesNotReopenClosedCard(t *testing.T) {
	t.Parallel()
	here := func(here, _ *bridge.Bridge) *bridge.Bridge { return here }
	there := func(_, there *bridge.Bridge) *bridge.Bridge { return there }
	for name, tc := range map[string]struct {
		closes  func(here, there *bridge.Bridge) *bridge.Bridge
		dies    bool
		show    ask.Show
		verb    render.Verb
		after   time.Duration
		want    ask.State
		updates int
	}{
		"another replica closes it":                    {closes: there, want: ask.Cancelled, updates: 2},
		"another one, after the replying replica died": {closes: there, dies: true, want: ask.Cancelled, updates: 2},
		"the replica that replied closes it":           {closes: here, want: ask.Cancelled, updates: 2},
		"the reply must have arrived long ago":         {closes: there, after: 4 * time.Second, want: ask.Cancelled, updates: 1},
		"not closed":                                   {want: ask.Open},
		"votes are hidden":                             {show: ask.ShowSealed, closes: there, want: ask.Cancelled, updates: 2},
		"there was no vote to take back":               {verb: render.TakeBack, closes: there, want: ask.Cancelled, updates: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("discord", shared)}
				stop := w.begin(nil)
				other, stopOther := w.replica()
				defer stopOther()
				r := w.submit(database(func(r *ask.Request) {
					r.To[0].Platform, r.Voting = "discord", quorum(2)
					r.Voting.Show = tc.show
				}))
				card := r.Copies[0].Ref
				vote := onDiscord(choose(r, "U1", 0), 1)
				if tc.verb != "" {
					vote.Token.Verb, vote.Token.Question, vote.Token.Option = tc.verb, -1, -1
				}
				drawn := w.act(vote).Redrawn()
				if len(drawn) != 1 {
					t.Fatalf("the reply drew %d cards", len(drawn))
				}
				time.Sleep(tc.after)
				if tc.dies {
					stop()
				} else {
					defer stop()
				}
				if tc.closes != nil {
					if _, err := tc.closes(w.Bridge, other).Cancel(t.Context(), r.ID, ""); err != nil {
						t.Error(err)
					}
				}
				synctest.Wait()
				if tc.updates == 2 {
					w.chat.Draw(card, drawn[0]) // The reply arrives.
				}
				time.Sleep(10 * time.Second)
				updates := 0
				for _, call := range w.chat.Calls() {
					if strings.HasPrefix(call, "update ") {
						updates++
					}
				}
				if got := w.chat.Card(card).State; got != tc.want || updates != tc.updates {
					t.Errorf("the card is %s after %d updates", got, updates)
				}
			})
		})
	}
}

// away is a store that, once armed, goes away for five seconds after the next change.
type away struct {
	bridge.Store

	mu    sync.Mutex
	goes  bool
	until time.Time
}

func (s *away) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goes = true
}

func (s *away) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return bridge.Record{}, bridge.ErrUnavailable
	}
	if s.goes {
		s.goes, s.until = false, time.Now().Add(5*time.Second)
	}
	return s.Store.Change(ctx, id, f)
}

// The replica that closed the card could not store that until the late reply was too old to be in flight.
func TestClosedCardStaysClosedAfterOutage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ends func(w *fixture, r bridge.Record)
		want ask.State
	}{
		"by a call": {func(w *fixture, r bridge.Record) {
			if _, err := w.Cancel(w.t.Context(), r.ID, ""); err != nil {
				w.t.Error(err)
			}
		}, ask.Cancelled},
		"by a reply": {func(w *fixture, r bridge.Record) {
			closed := w.act(onDiscord(choose(r, "U2", 0), 2)).Redrawn()
			if len(closed) != 1 || closed[0].State != ask.Answered {
				w.t.Fatalf("the reply drew %d cards", len(closed))
			}
			w.chat.Draw(r.Copies[0].Ref, closed[0])
		}, ask.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &away{Store: memory.New()}
				w := &fixture{t: t, store: store, chat: bridgetest.NewScript("discord", shared)}
				defer w.begin(nil)()
				r := w.submit(database(func(r *ask.Request) { r.To[0].Platform, r.Voting = "discord", quorum(2) }))
				drawn := w.act(onDiscord(choose(r, "U1", 0), 1)).Redrawn()
				store.leave()
				tc.ends(w, r)
				synctest.Wait()
				w.chat.Draw(r.Copies[0].Ref, drawn[0]) // The reply to the first one arrives.
				time.Sleep(time.Minute)
				if got := w.chat.Card(r.Copies[0].Ref).State; got != tc.want {
					t.Errorf("the card is %s", got)
				}
			})
		})
	}
}

// onDiscord turns an act into one from Discord, of its nth person.
func onDiscord(i platform.Interaction, n int64) platform.Interaction {
	i.ID, i.Order, i.Person.Platform = fmt.Sprint("act-", n), n, "discord"
	return i
}

// The reply that closed the card never arrived. What it drew is stored only after a later press failed to update the
// card too.
func TestFoundOpenCardIsClosedAfterOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &away{Store: memory.New()}
		w := &fixture{t: t, store: store, chat: bridgetest.NewScript("discord", shared)}
		defer w.begin(nil)()
		r := w.submit(database(func(r *ask.Request) { r.To[0].Platform = "discord" }))
		at := r.Copies[0].Ref
		asked := w.chat.Card(at)
		store.leave()
		w.act(onDiscord(choose(r, "U1", 0), 1))
		w.chat.Draw(at, asked)
		time.Sleep(5 * time.Second)
		w.chat.On("redraw", bridgetest.Cue{Err: &platform.Error{Platform: "discord", Op: "reply", Kind: platform.Transient, Err: context.DeadlineExceeded}})
		w.act(onDiscord(choose(r, "U2", 1), 2))
		time.Sleep(time.Minute)
		if got := w.chat.Card(at).State; got != ask.Answered {
			t.Errorf("the card is %s after the calls %v", got, w.chat.Calls())
		}
	})
}

package bridge_test

import (
	"errors"
	"slices"
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

// The store fails between a post and the write of its message ID.
func TestStoreOutageDoesNotPostTwice(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(f *bridgetest.Faulty, yes bool){
		"unreachable": func(f *bridgetest.Faulty, yes bool) { f.Away(yes) },
		"reply lost":  func(f *bridgetest.Faulty, yes bool) { f.LoseReplies(yes) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				faulty := bridgetest.NewFaulty(memory.New())
				w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				posting := make(chan struct{})
				w.chat.On("post", bridgetest.Cue{Hold: posting})
				made := make(chan bridge.Record, 1)
				go func() {
					s, err := w.Submit(t.Context(), database())
					if err != nil {
						t.Error(err)
					}
					made <- s.Record
				}()
				synctest.Wait()
				away(faulty, true)
				close(posting)
				time.Sleep(45 * time.Second)
				away(faulty, false)
				time.Sleep(time.Minute)
				r := w.load((<-made).ID)
				if c := r.Copies; len(c) != 1 || c[0].State != record.Posted || len(w.chat.Standing()) != 1 {
					t.Fatalf("the copies are %+v, and %d cards stand", c, len(w.chat.Standing()))
				}
				w.act(choose(r, "U1", 0))
				synctest.Wait()
				if card := w.chat.Card(w.chat.Standing()[0]); card.State != ask.Answered {
					t.Errorf("the card shows %s", card.State)
				}
			})
		})
	}
}

func TestUnstoredResultIsLeftToOtherReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		faulty := bridgetest.NewFaulty(memory.New())
		w := &fixture{t: t, store: faulty, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		posting := make(chan struct{})
		w.chat.On("post", bridgetest.Cue{Hold: posting})
		// The channel cannot be searched, so the takeover posts again.
		w.chat.On("find", bridgetest.Cue{Err: errors.New("no permission")})
		done := make(chan bridge.Record, 1)
		go func() {
			s, _ := w.Submit(t.Context(), database())
			done <- s.Record
		}()
		synctest.Wait()
		faulty.Away(true)
		close(posting)
		time.Sleep(10 * time.Minute)
		faulty.Away(false)
		time.Sleep(time.Minute)
		r := w.load((<-done).ID)
		if r.Copies[0].State != record.Posted || len(w.chat.Standing()) != 2 {
			t.Errorf("the copy is %s, and %d cards stand, want one more than one", r.Copies[0].State, len(w.chat.Standing()))
		}
	})
}

// There are two cards, since the reply to the first post was lost and the channel could not be searched. The second
// one is used.
func TestUnrecordedCopyIsSearchedAtEnd(t *testing.T) {
	for name, trouble := range map[string][]bridgetest.Cue{
		"at once":                   nil,
		"once the platform answers": {{Err: refusal(platform.Transient, "http_502")}, {Err: refusal(platform.RateLimited, "ratelimited")}},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Ambiguous, "timeout"), Done: true})
				w.chat.On("find", bridgetest.Cue{Err: refusal(platform.Misconfigured, "missing_scope")})
				w.chat.On("find", trouble...)
				r := w.submit(database())
				time.Sleep(10 * time.Second)
				w.act(choose(w.load(r.ID), "U1", 0))
				time.Sleep(time.Minute)
				if cards := w.chat.Standing(); len(cards) != 2 || w.chat.Card(cards[0]).State != ask.Answered || w.chat.Card(cards[1]).State != ask.Answered {
					t.Errorf("%d cards stand, and the first shows %s", len(cards), w.chat.Card(cards[0]).State)
				}
				if r = w.load(r.ID); !r.DeliveryDue.IsZero() || len(r.Copies) != 2 {
					t.Errorf("delivery due %v, copies %+v", r.DeliveryDue, r.Copies)
				}
			})
		})
	}
	t.Run("and not for ever", func(t *testing.T) {
		inFixture(t, nil, func(t *testing.T, w *fixture) {
			w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Ambiguous, "timeout"), Done: true})
			for range 20 {
				w.chat.On("find", bridgetest.Cue{Err: refusal(platform.Transient, "http_502")})
			}
			r := w.submit(database())
			time.Sleep(10 * time.Second)
			w.act(choose(w.load(r.ID), "U1", 0))
			time.Sleep(time.Hour)
			searches := slices.DeleteFunc(w.chat.Calls(), func(call string) bool { return call != "find C1" })
			if r = w.load(r.ID); !r.DeliveryDue.IsZero() || len(searches) > 8 || r.Copies[0].State != record.Posted {
				t.Errorf("delivery due %v after %d searches, copies %+v", r.DeliveryDue, len(searches), r.Copies)
			}
		})
	})
}

// A replica posted the card of a request and died before it stored the message ID. The agent withdraws through
// another replica.
func TestWithdrawnQuestionLeavesNoButtons(t *testing.T) {
	for name, tt := range map[string]struct {
		posted bool
		finds  []bridgetest.Cue
	}{
		"posted":                               {posted: true},
		"not posted":                           {},
		"posted, and the platform is busy":     {posted: true, finds: []bridgetest.Cue{{Err: refusal(platform.RateLimited, "ratelimited")}}},
		"posted, and the platform fails twice": {posted: true, finds: []bridgetest.Cue{{Err: refusal(platform.Transient, "http_502")}, {Err: refusal(platform.Transient, "http_502")}}},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				w.chat.On("find", tt.finds...)
				q := database()
				if _, err := w.store.Create(t.Context(), bridge.Record{
					ID: "pdead", Questions: q.Questions, Policy: ask.PolicyOf(ask.Anyone), Outcome: ask.Outcome{State: ask.Open}, Revision: 1, Due: record.Forever,
					Copies: []bridge.Copy{{Target: q.To[0], State: record.Pending}},
				}, func(r *bridge.Record, now time.Time) error {
					r.DeliveryDue = now.Add(10 * time.Second)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if tt.posted {
					if _, err := w.chat.Post(t.Context(), q.To[0], render.Layout(render.Subject{ID: "pdead", Questions: q.Questions, Eligible: ask.Eligible{Anyone: true}}, render.Limits{})); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := w.Cancel(t.Context(), "pdead", "found it"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Second)
				r := w.load("pdead")
				if !r.DeliveryDue.IsZero() {
					t.Errorf("it still lags: %+v", r.Copies)
				}
				if !tt.posted {
					w.calls("find C1")
					return
				}
				calls := append([]string{"post C1"}, slices.Repeat([]string{"find C1"}, len(tt.finds)+1)...)
				w.calls(append(calls, "update m1")...)
				if card := w.chat.Card(w.chat.Standing()[0]); card.State != ask.Cancelled {
					t.Errorf("the card shows %s", card.State)
				}
			})
		})
	}
}

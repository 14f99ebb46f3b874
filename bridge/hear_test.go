package bridge_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// listening is a platform that receives typed messages before its bridge runs.
type listening struct {
	*bridgetest.Script

	begun bool
}

func (*listening) ReceivesMessages() error { return nil }

func (l *listening) Listen(ctx context.Context, h platform.Handler) error {
	if l.begun {
		<-ctx.Done()
		return nil
	}
	l.begun = true
	return l.Script.Listen(ctx, h)
}

func TestTypedAnswerOfJustAddedPersonCounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ first, second string }{
		"by the step that is due":     {"slack:U2", "slack:U3"},
		"by the second that is due":   {"slack:U3", "slack:U2"},
		"by none of them, as neither": {"slack:U3", "slack:U4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				kept, chat := memory.New(), &listening{Script: bridgetest.NewScript("slack", render.Limits{})}
				b, err := bridge.New(kept, []platform.Platform{chat}, &bridge.Options{Threads: keyvalue.Threads{Store: kept.KeyValue()}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go func() { _ = chat.Listen(ctx, b.Handle) }() // No reconciler runs.
				w := &fixture{Bridge: b, t: t, store: kept, chat: chat.Script}
				r := w.submit(database(func(r *ask.Request) {
					r.Responders, r.Replies = []string{"slack:U1"}, ask.Replies{Mode: ask.RepliesLabels}
					r.Schedule.Steps = []ask.Step{
						{After: time.Hour, Do: ask.Add, Responders: []string{tt.first}},
						{After: 2 * time.Hour, Do: ask.Add, Responders: []string{tt.second}},
					}
				}))
				time.Sleep(2 * time.Hour)
				reply := chat.Act(t.Context(), platform.Interaction{
					Person:  ask.Person{ID: "U2", Name: "U2"},
					Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m7"},
					Typed:   &platform.TypedMessage{To: r.Copies[0].Ref.Message, Text: "SQLite"},
				})
				synctest.Wait()
				cancel()
				if err := b.Run(ctx); err != nil {
					t.Error(err)
				}
				now, err := kept.Load(t.Context(), r.ID)
				if added := tt.second != "slack:U4"; err != nil || added == now.Open() {
					t.Errorf("notes to U2 after the typed answer: %+v; state %s, %v", reply.EphemeralReplies(), now.Outcome.State, err)
				}
			})
		})
	}
}

// unwritable is a store that rejects changes while its switch is on.
type unwritable struct {
	bridge.Store

	full atomic.Bool
}

func (u *unwritable) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	if u.full.Load() {
		r, _ := u.Load(ctx, id)
		return r, errors.New("no space left on device")
	}
	return u.Store.Change(ctx, id, f)
}

func TestVoteRetractionIsReportedOnlyIfStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, chat := memory.New(), &listening{Script: bridgetest.NewScript("slack", render.Limits{})}
		store := &unwritable{Store: kept}
		w := &fixture{t: t, store: store, chat: chat.Script}
		defer w.begin(&bridge.Options{Threads: keyvalue.Threads{Store: kept.KeyValue()}}, chat)()
		r := w.submit(database(func(r *ask.Request) {
			r.Replies, r.Voting = ask.Replies{Mode: ask.RepliesLabels}, ask.Voting{Mode: ask.Quorum, Need: 2}
		}))
		synctest.Wait()
		typed := func(id, text string, edited bool) []string {
			i := platform.Interaction{
				ID: id, Person: ask.Person{ID: "U1", Name: "U1"},
				Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m7"},
				Typed:   &platform.TypedMessage{To: w.load(r.ID).Copies[0].Ref.Message, Text: r.Code() + ": " + text, Edited: edited},
			}
			var notes []string
			for _, n := range w.act(i).EphemeralReplies() {
				notes = append(notes, n.Text)
			}
			return notes
		}
		typed("one", "SQLite", false)
		store.full.Store(true)
		notes := typed("two", "SQLite, or so", true)
		if votes := len(w.load(r.ID).Voting.Ballots); votes != 1 || len(notes) != 1 || !strings.Contains(notes[0], "Please try again") {
			t.Errorf("%d votes left, private notes %q", votes, notes)
		}
	})
}

// A message can be deleted only once.
func TestDeletedMessageRetractsVoteAfterOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, chat := memory.New(), &listening{Script: bridgetest.NewScript("slack", render.Limits{})}
		store := bridgetest.NewFaulty(kept)
		w := &fixture{t: t, store: store, chat: chat.Script}
		defer w.begin(&bridge.Options{Threads: keyvalue.Threads{Store: kept.KeyValue()}}, chat)()
		r := w.submit(database(func(r *ask.Request) {
			r.Replies, r.Voting = ask.Replies{Mode: ask.RepliesLabels}, ask.Voting{Mode: ask.Quorum, Need: 2}
		}))
		synctest.Wait()
		typed := func(s platform.TypedMessage) {
			s.To = r.Copies[0].Ref.Message
			w.act(platform.Interaction{
				Person: ask.Person{ID: "U1", Name: "U1"}, Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m7"}, Typed: &s,
			})
		}
		typed(platform.TypedMessage{Text: r.Code() + ": SQLite"})
		votes := func() int {
			now := w.load(r.ID)
			return now.Standing().Voted
		}
		if n := votes(); n != 1 {
			t.Fatalf("%d votes stand, want the one that was typed", n)
		}
		store.Away(true)
		typed(platform.TypedMessage{Deleted: true})
		time.Sleep(10 * time.Second)
		store.Away(false)
		time.Sleep(time.Minute)
		if n := votes(); n != 0 {
			t.Errorf("%d votes stand of a message that is gone", n)
		}
	})
}

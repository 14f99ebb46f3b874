package bridge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
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

// posts counts the posts, including failed ones.
func (w *fixture) posts() (n int) {
	for _, call := range w.chat.Calls() {
		if strings.HasPrefix(call, "post ") {
			n++
		}
	}
	return n
}

// vote votes on the first card of a request.
func (w *fixture) vote(r bridge.Record, who string, option int) *bridgetest.Reply {
	return w.act(choose(w.load(r.ID), who, option))
}

// byVote is a request that many people decide, in two channels.
func byVote(r *ask.Request) {
	twoPlaces(r)
	r.Voting = quorum(10)
}

// limited is the platform's rate limit error.
func limited(by time.Duration) bridgetest.Cue {
	return bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "chat.postMessage", Kind: platform.RateLimited, RetryAfter: by, Code: "ratelimited"}}
}

// checkCards checks that both cards exist once and show all votes.
func (w *fixture) checkCards(id string) {
	w.t.Helper()
	r := w.load(id)
	if len(w.chat.Standing()) != 2 || len(r.Copies) != 2 {
		w.t.Fatalf("%d cards stand, and the record has %+v\n%v", len(w.chat.Standing()), r.Copies, w.chat.Calls())
	}
	for _, c := range r.Copies {
		if c.State != record.Posted || c.Rendered != r.Revision {
			w.t.Errorf("%s is %s and shows revision %d of %d", c.Target, c.State, c.Rendered, r.Revision)
		}
	}
	if !r.DeliveryDue.IsZero() {
		w.t.Errorf("delivery due %v", r.DeliveryDue)
	}
}

// One replica has the request, and people vote through another.
func TestQueuedCardPostsOnceDuringVotes(t *testing.T) {
	t.Run("the platform put it off", func(t *testing.T) {
		inFixture(t, nil, func(t *testing.T, w *fixture) {
			other, stop := w.replica()
			defer stop()
			w.chat.On("post", bridgetest.Cue{}, limited(30*time.Second))
			made, err := other.Submit(t.Context(), database(byVote))
			if err != nil {
				t.Fatal(err)
			}
			w.vote(made.Record, "U1", 0)
			time.Sleep(5 * time.Second)
			w.vote(made.Record, "U2", 1)
			time.Sleep(time.Minute)
			if w.checkCards(made.Record.ID); w.posts() != 3 {
				t.Errorf("the platform was asked %v, want each card and the one that it put off once more", w.chat.Calls())
			}
		})
	})
	t.Run("it is on its way", func(t *testing.T) {
		inFixture(t, nil, func(t *testing.T, w *fixture) {
			other, stop := w.replica()
			defer stop()
			arrives := make(chan struct{})
			w.chat.On("post", bridgetest.Cue{}, bridgetest.Cue{Hold: arrives})
			made := make(chan bridge.Record, 1)
			go func() {
				s, err := other.Submit(t.Context(), database(byVote))
				if err != nil {
					t.Error(err)
				}
				made <- s.Record
			}()
			time.Sleep(time.Second)
			open, err := w.List(t.Context(), bridge.Query{All: true})
			if err != nil || len(open) != 1 {
				t.Fatalf("%d requests are open: %v", len(open), err)
			}
			for n := range 4 {
				press := choose(open[0], "U1", n%2)
				press.Message = w.chat.Standing()[0]
				w.act(press)
				time.Sleep(time.Second)
			}
			close(arrives)
			<-made
			time.Sleep(time.Minute)
			if w.checkCards(open[0].ID); w.posts() != 2 {
				t.Errorf("the platform was asked %v, want each card once", w.chat.Calls())
			}
		})
	})
	t.Run("the waiting replica dies", func(t *testing.T) {
		inFixture(t, nil, func(t *testing.T, w *fixture) {
			other, stop := w.replica()
			w.chat.On("post", bridgetest.Cue{}, limited(30*time.Second))
			made, err := other.Submit(t.Context(), database(byVote))
			if err != nil {
				t.Fatal(err)
			}
			w.vote(made.Record, "U1", 0)
			time.Sleep(5 * time.Second)
			stop()
			time.Sleep(time.Minute)
			if w.checkCards(made.Record.ID); w.posts() != 3 {
				t.Errorf("the platform was asked %v, want each card and the one that it put off once more", w.chat.Calls())
			}
		})
	})
}

// A replica posts the second card and never stores its message ID. Each vote on the first card updates it.
func TestVotesDoNotDelayMissingCard(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		reach := bridgetest.NewFaulty(w.store)
		other, stop := w.replicaOn(reach)
		defer stop()
		w.chat.On("post", bridgetest.Cue{}, bridgetest.Cue{Hold: make(chan struct{})})
		go func() { _, _ = other.Submit(t.Context(), database(byVote)) }()
		time.Sleep(time.Second)
		open, err := w.List(t.Context(), bridge.Query{All: true})
		if err != nil || len(open) != 1 {
			t.Fatalf("%d requests are open: %v", len(open), err)
		}
		reach.Away(true)
		for n := range 6 {
			press := choose(open[0], "U1", n%2)
			press.Message = w.chat.Standing()[0]
			w.act(press)
			time.Sleep(4 * time.Second)
		}
		w.checkCards(open[0].ID)
	})
}

// drawing records what each card update shows.
type drawing struct {
	*bridgetest.Script

	mu     sync.Mutex
	states []ask.State
}

func (d *drawing) Update(ctx context.Context, ref platform.MessageRef, c render.Card) error {
	d.mu.Lock()
	d.states = append(d.states, c.State)
	d.mu.Unlock()
	return d.Script.Update(ctx, ref, c)
}

// One replica waits before it updates a card, and another one ends the request. Both wait for the same moment, so
// either of them, or both, close the card.
func TestClosedCardIsNotDrawnOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		here := &drawing{Script: w.chat}
		defer w.begin(nil, here)()
		r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(2) }))
		other, stop := w.replica()
		defer stop()
		w.chat.On("update", limited(30*time.Second))
		w.vote(r, "U1", 0)
		synctest.Wait()
		if _, err := other.Cancel(t.Context(), r.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(here.states) == 0 || here.states[0] != ask.Open || slices.Contains(here.states[1:], ask.Open) {
			t.Errorf("it was drawn as %v, want open where it was put off, and never again", here.states)
		}
		if got := w.chat.Card(w.chat.Standing()[0]).State; got != ask.Cancelled {
			t.Errorf("in the end the card shows that the request is %s", got)
		}
	})
}

// Two replicas find the deleted card at the same time.
func TestRepostedCardIsTracked(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(byVote))
		other, stop := w.replica()
		defer stop()
		w.chat.Delete(r.Copies[1].Ref)
		late := make(chan struct{})
		w.chat.On("update", bridgetest.Cue{Hold: late, Err: refusal(platform.Gone, "message_not_found")})
		press := choose(r, "U1", 0)
		press.ID, press.Order, press.Person.Platform, press.Membership = "act-1", 1, "slack", ask.Member
		if err := other.Handle(t.Context(), press, acknowledging{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.vote(r, "U2", 1)
		time.Sleep(time.Second)
		close(late)
		time.Sleep(time.Minute)
		if w.checkCards(r.ID); w.posts() != 3 {
			t.Errorf("the platform was asked %v, want the card that was deleted once more", w.chat.Calls())
		}
	})
}

// Another replica had posted the same card, and a replica died before either stored its message ID.
func TestClickOnUnrecordedCardClosesIt(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*platform.Interaction)
		ended  bool
		away   bool
		closes bool
	}{
		"ours":                          {closes: true},
		"ours, by a form":               {change: func(i *platform.Interaction) { i.Token.Verb = render.OpenText }, closes: true},
		"ours, after the end":           {ended: true, closes: true},
		"ours, while the store is away": {away: true, closes: true},
		"with the mark of another one":  {change: func(i *platform.Interaction) { i.Token.Mark = "0000000000" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := bridgetest.NewFaulty(memory.New())
				w := &fixture{t: t, store: store, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				r := w.submit(database())
				card := w.chat.Card(r.Copies[0].Ref)
				stray, err := w.chat.Post(t.Context(), r.Copies[0].Target, card)
				if err != nil {
					t.Fatal(err)
				}
				press := choose(r, "U1", 0)
				press.Message = stray
				press.Token = option(t, card)
				if tt.change != nil {
					tt.change(&press)
				}
				if tt.ended {
					if _, err := w.Cancel(t.Context(), r.ID, "enough"); err != nil {
						t.Fatal(err)
					}
				}
				store.Away(tt.away)
				reply := w.act(press)
				store.Away(false)
				time.Sleep(time.Minute)
				w.wantNote(reply, "Not the original card")
				if got := w.chat.Card(stray).State; (got == ask.Failed) != tt.closes {
					t.Errorf("it shows %s", got)
				}
				if r = w.load(r.ID); r.Open() == tt.ended || len(r.Copies) != 1 {
					t.Errorf("the request is %s, with copies %+v", r.Outcome.State, r.Copies)
				}
			})
		})
	}
}

// instead is a platform that asks a person in a channel, since they accept no direct messages, and is slow to report
// it.
type instead struct {
	*bridgetest.Script

	posted chan platform.MessageRef
	slow   time.Duration
}

func (p *instead) Post(ctx context.Context, _ ask.Place, card render.Card) (platform.MessageRef, error) {
	ref, err := p.Script.Post(ctx, ask.Place{Platform: "slack", Channel: "C9"}, card)
	p.posted <- ref
	time.Sleep(p.slow)
	return ref, err
}

func TestClickOnCardBeingPostedKeepsControls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &instead{bridgetest.NewScript("slack", render.Limits{}), make(chan platform.MessageRef, 1), time.Second}
		w := &fixture{t: t, store: memory.New(), chat: p.Script}
		defer w.begin(nil, p)()
		go func() {
			if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.To = []ask.Place{{Platform: "slack", User: "U1"}} })); err != nil {
				t.Error(err)
			}
		}()
		ref := <-p.posted
		card := w.chat.Card(ref)
		press := platform.Interaction{Person: ask.Person{ID: "U2", Name: "Sam"}, Token: option(t, card), Message: ref}
		w.wantNote(w.act(press), "Not the original card")
		if got := w.chat.Card(ref).State; got != ask.Open {
			t.Fatalf("the card of another person shows %s", got)
		}
		time.Sleep(2 * p.slow)
		press.Person.ID = "U1"
		w.act(press)
		if got := w.load(card.Request).Outcome; got.State != ask.Answered || got.By.ID != "U1" {
			t.Errorf("it ends as %+v", got)
		}
	})
}

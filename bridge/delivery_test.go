package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func refusal(kind platform.Kind, code string) error {
	return &platform.Error{Platform: "slack", Op: "call", Kind: kind, Code: code}
}

func twoPlaces(r *ask.Request) { r.To = append(r.To, ask.Place{Platform: "slack", Channel: "C2"}) }

func TestRateLimitedPostIsDelayed(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "chat.postMessage", Kind: platform.RateLimited, RetryAfter: 30 * time.Second, Code: "ratelimited"}})
		began := time.Now()
		r := w.submit(database())
		if c := r.Copies[0]; c.State != record.Delayed || c.RetryAt.Sub(began) != 30*time.Second || !strings.Contains(c.Problem, "ratelimited") {
			t.Errorf("the agent sees %+v", c)
		}
		time.Sleep(29 * time.Second)
		w.calls("post C1")
		time.Sleep(2 * time.Second)
		w.calls("post C1", "post C1")
		if c := w.load(r.ID).Copies[0]; c.State != record.Posted || c.Problem != "" || !c.RetryAt.IsZero() {
			t.Errorf("the agent sees %+v", c)
		}
	})
}

func TestFailedPostRetriesWithBackoff(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		for range 6 {
			w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Transient, "http_502")})
		}
		r := w.submit(database())
		time.Sleep(10 * time.Second)
		if n := len(w.chat.Calls()); n > 5 {
			t.Errorf("%d calls in ten seconds are a storm", n)
		}
		time.Sleep(5 * time.Minute)
		if c := w.load(r.ID).Copies[0]; c.State != record.Posted {
			t.Errorf("the agent sees %+v", c)
		}
	})
}

func TestFailedUpdateIsRetried(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		for range 3 {
			w.chat.On("update", bridgetest.Cue{Err: refusal(platform.Transient, "http_502")})
		}
		w.act(choose(r, "U1", 1))
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1", "update m1", "update m1", "update m1")
		if r = w.load(r.ID); r.Copies[0].Rendered != r.Revision || !r.DeliveryDue.IsZero() {
			t.Errorf("the card shows revision %d of %d, delivery due %v", r.Copies[0].Rendered, r.Revision, r.DeliveryDue)
		}
	})
}

func TestLostReplySearchesBeforeRepost(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Ambiguous, "timeout"), Done: true})
		r := w.submit(database())
		if c := r.Copies[0]; c.State != record.Delayed || !c.Ambiguous {
			t.Errorf("the agent sees %+v", c)
		}
		time.Sleep(10 * time.Second)
		w.calls("post C1", "find C1", "update m1")
		if r = w.load(r.ID); len(r.Copies) != 1 || r.Copies[0].State != record.Posted || r.Copies[0].Ref != w.chat.Standing()[0] {
			t.Errorf("the agent sees %+v", r.Copies)
		}
	})
}

func TestLostReplyWithoutSearchPostsOneDuplicate(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Ambiguous, "timeout"), Done: true})
		w.chat.On("find", bridgetest.Cue{Err: refusal(platform.Misconfigured, "missing_scope")})
		r := w.submit(database())
		time.Sleep(10 * time.Second)
		cards := w.chat.Standing()
		if len(cards) != 2 {
			t.Fatalf("%d cards stand, want 2", len(cards))
		}
		i := choose(w.load(r.ID), "U1", 0)
		i.Message = cards[0]
		w.act(i)
		time.Sleep(10 * time.Second)
		calls := w.chat.Calls()
		slices.Sort(calls)
		if diff := cmp.Diff([]string{"find C1", "find C1", "post C1", "post C1", "update m1", "update m2"}, calls); diff != "" {
			t.Error(diff)
		}
		if r = w.load(r.ID); r.Outcome.State != ask.Answered || !r.DeliveryDue.IsZero() {
			t.Errorf("ended %s, delivery due %v", r.Outcome.State, r.DeliveryDue)
		}
	})
}

func TestRefusedCardFallsBackToPlainText(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Refused, "invalid_blocks")})
		r := w.submit(database())
		if c := r.Copies[0]; c.State != record.Posted || !c.Plain {
			t.Errorf("the agent sees %+v", c)
		}
		w.calls("post C1", "post C1")
	})
}

func TestUnpostableRequestFailsWithReason(t *testing.T) {
	for name, tt := range map[string]struct {
		cues   []error
		reason string
	}{
		"an archived channel":    {[]error{refusal(platform.Unreachable, "is_archived")}, "slack:C1: slack: is_archived"},
		"a revoked token":        {[]error{refusal(platform.Misconfigured, "token_revoked")}, "slack:C1: platform_auth: slack: token_revoked"},
		"a card refused in both": {[]error{refusal(platform.Refused, "invalid_blocks"), refusal(platform.Refused, "msg_too_long")}, "slack:C1: slack: msg_too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				for _, err := range tt.cues {
					w.chat.On("post", bridgetest.Cue{Err: err})
				}
				r := w.submit(database())
				if r.Outcome.State != ask.Failed || r.Outcome.Reason != tt.reason {
					t.Errorf("got %s because %q, want failed because %q", r.Outcome.State, r.Outcome.Reason, tt.reason)
				}
				if !r.DeliveryDue.IsZero() || !r.Due.IsZero() {
					t.Errorf("still due %v, delivery due %v", r.Due, r.DeliveryDue)
				}
			})
		})
	}
}

func TestUnreachablePlaceDoesNotStopOthers(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Unreachable, "channel_not_found")})
		r := w.submit(database(twoPlaces))
		states := map[record.Delivery]int{}
		for _, c := range r.Copies {
			states[c.State]++
		}
		if !r.Open() || states[record.Posted] != 1 || states[record.Undeliverable] != 1 {
			t.Errorf("got %s with %v", r.Outcome.State, states)
		}
	})
}

func TestAnswerUpdatesEveryCopy(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(twoPlaces))
		w.act(choose(r, "U1", 0))
		if r = w.load(r.ID); !r.DeliveryDue.IsZero() || r.Copies[0].Rendered != r.Revision || r.Copies[1].Rendered != r.Revision {
			t.Errorf("revision %d, copies %+v", r.Revision, r.Copies)
		}
	})
}

func TestRevokedTokenLimitsCalls(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		for range 100 {
			w.chat.On("update", bridgetest.Cue{Err: refusal(platform.Misconfigured, "token_revoked")})
			w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Misconfigured, "token_revoked")})
		}
		w.act(choose(r, "U1", 0))
		for n := range 30 {
			w.submit(database(func(r *ask.Request) { r.ToolCallID = strings.Repeat("x", n+1) }))
		}
		time.Sleep(time.Minute)
		if n := len(w.chat.Calls()) - 1; n > 5 {
			t.Errorf("%d calls with a dead token in a minute", n)
		}
		if err := w.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "token_revoked") {
			t.Errorf("Ready = %v", err)
		}
		if r = w.load(r.ID); r.Outcome.State != ask.Answered {
			t.Errorf("the answer is %s", r.Outcome.State)
		}
	})
}

func TestDeletedCardIsRepostedOnce(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.chat.Delete(r.Copies[0].Ref)
		w.act(choose(r, "U1", 0))
		if r = w.load(r.ID); r.Outcome.State != ask.Answered || r.Copies[0].State != record.Lost || !r.DeliveryDue.IsZero() {
			t.Errorf("got %s, copy %+v", r.Outcome.State, r.Copies[0])
		}
	})
}

func TestCardDeletedTwiceStaysDeleted(t *testing.T) {
	for name, comes := range map[string][]bridgetest.Cue{
		"at the place the platform returned":    nil,
		"where that was lost, and it was found": {{}, {Err: refusal(platform.Ambiguous, "timeout"), Done: true}},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, nil, func(t *testing.T, w *fixture) {
				w.chat.On("post", comes...)
				r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(3) }))
				for _, who := range []string{"U1", "U2"} {
					w.chat.Delete(w.load(r.ID).Copies[0].Ref)
					w.act(choose(w.load(r.ID), who, 0))
					time.Sleep(time.Minute)
				}
				if r = w.load(r.ID); len(w.chat.Standing()) > 0 || r.Copies[0].State != record.Lost || !r.DeliveryDue.IsZero() {
					t.Errorf("deleted again, the card is reposted at %v: %+v", w.chat.Standing(), r.Copies[0])
				}
				if _, err := w.Resend(t.Context(), r.ID); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if r = w.load(r.ID); len(w.chat.Standing()) != 1 || r.Copies[0].State != record.Posted {
					t.Errorf("resent, the card is at %v: %+v", w.chat.Standing(), r.Copies[0])
				}
			})
		})
	}
}

// The thread was locked when its question ended. It was unlocked since, and a person presses a button that is still
// there.
func TestAbandonedCardClosesWhenUsed(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.chat.On("update", bridgetest.Cue{Err: refusal(platform.Unreachable, "locked")})
		w.act(choose(r, "U1", 0))
		if r = w.load(r.ID); r.Copies[0].State != record.Lost {
			t.Fatalf("the copy is %+v", r.Copies[0])
		}
		time.Sleep(time.Hour)
		w.wantNote(w.act(choose(r, "U2", 1)), "Already answered by U1")
		synctest.Wait()
		if r = w.load(r.ID); r.Copies[0].State != record.Posted || r.Copies[0].Rendered != r.Revision || !r.DeliveryDue.IsZero() {
			t.Errorf("the copy is %+v", r.Copies[0])
		}
		w.calls("post C1", "update m1", "update m1")
	})
}

func TestFrozenCardGetsReply(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		w.chat.On("update", bridgetest.Cue{Err: refusal(platform.Frozen, "edit_window_closed")})
		w.act(choose(r, "U1", 0))
		w.calls("post C1", "update m1", "reply m1")
		if r = w.load(r.ID); !r.DeliveryDue.IsZero() {
			t.Errorf("still delivery due: %+v", r.Copies)
		}
	})
}

// A question ended while its thread was archived and locked. Its card kept live buttons after a moderator unlocked
// the thread.
func TestLockedCardClosesAfterUnlock(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		locked := bridgetest.Cue{Err: refusal(platform.Locked, "thread is locked")}
		w.chat.On("update", locked, locked, locked, locked)
		w.chat.On("reply", locked)
		w.act(choose(r, "U1", 0))
		w.calls("post C1", "update m1", "reply m1")
		time.Sleep(7 * time.Minute)
		w.calls("post C1", "update m1", "reply m1")
		time.Sleep(3 * time.Hour)
		if r = w.load(r.ID); r.Copies[0].State != record.Posted || r.Copies[0].Rendered != r.Revision || !r.DeliveryDue.IsZero() {
			t.Errorf("after three hours the copy is %+v, due %v", r.Copies[0], r.DeliveryDue)
		}
		w.calls("post C1", "update m1", "reply m1", "update m1", "update m1", "update m1", "update m1")
	})
}

func TestLockedOpenCardUpdatesAtEnd(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		other := w.submit(database(checks, func(r *ask.Request) { r.To = append(r.To, ask.Place{Platform: "slack", Channel: "C2"}) }))
		w.chat.On("update", bridgetest.Cue{Err: refusal(platform.Locked, "thread is locked")})
		w.act(press(other, "U1", render.Choose, 0, 1))
		if other = w.load(other.ID); !other.DeliveryDue.IsZero() {
			t.Errorf("still due at %v: %+v", other.DeliveryDue, other.Copies)
		}
		w.act(press(other, "U1", render.Dismissed, -1, -1))
		for _, c := range w.load(other.ID).Copies {
			if card := w.chat.Card(c.Ref); card.State != ask.Cancelled {
				t.Errorf("the card in %s shows %s", c.Target, card.State)
			}
		}
	})
}

func TestReconcilerTakesOverFromCrashedReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		// A replica stored the request and died before it posted, or posted and died before it stored the message
		// ID.
		r, err := w.store.Create(t.Context(), bridge.Record{
			ID: "pdead", Questions: database().Questions, Policy: ask.PolicyOf(ask.Anyone),
			Outcome: ask.Outcome{State: ask.Open}, Revision: 1, Due: record.Forever,
			Copies: []bridge.Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: record.Pending}},
		}, func(r *bridge.Record, now time.Time) error {
			r.DeliveryDue = now.Add(10 * time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := w.begin(nil)
		defer stop()
		time.Sleep(9 * time.Second)
		w.calls()
		time.Sleep(3 * time.Second)
		w.calls("find C1", "post C1")
		if r = w.load(r.ID); r.Copies[0].State != record.Posted {
			t.Errorf("got %+v", r.Copies[0])
		}
	})
}

func TestLayoutPanicFailsOneRequest(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		stop := w.begin(nil, panicking{bridgetest.NewScript("slack", render.Limits{})})
		defer stop()
		s, err := w.Submit(t.Context(), database())
		if err != nil || s.Record.Outcome.State != ask.Failed || !strings.Contains(s.Record.Outcome.Reason, "internal error") {
			t.Errorf("got %+v, %v", s.Record.Outcome, err)
		}
	})
}

// The answers and notes on it made it longer than the platform allows.
func TestRefusedOpenCardClosesAtEnd(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(3) }))
		refused := bridgetest.Cue{Err: refusal(platform.Refused, "msg_too_long")}
		w.chat.On("update", refused, refused)
		w.act(choose(r, "U1", 0))
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1", "update m1")
		if _, err := w.Cancel(t.Context(), r.ID, "not needed"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.calls("post C1", "update m1", "update m1", "update m1")
		if r = w.load(r.ID); r.Copies[0].State != record.Posted || r.Copies[0].Rendered != r.Revision || !r.DeliveryDue.IsZero() {
			t.Errorf("the copy is %+v", r.Copies[0])
		}
	})
}

package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func TestDirectMessages(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		to := ask.Place{Platform: Name, User: idDana}
		ref := w.post(to, one())
		if ref.Channel != w.sim.DM(idDana) {
			t.Errorf("posted in %s, want %s", ref.Channel, w.sim.DM(idDana))
		}
		w.sees(idDana, "Which database?")
		w.doesNotSee(idSam, "Which database?")
		w.press(idDana, "SQLite")
		if got := w.last(); got.Message != ref {
			t.Errorf("pressed on %v, want %v", got.Message, ref)
		}
		w.must(w.c.Update(t.Context(), ref, w.card(answered(one()))))
		w.post(to, one())
		if n := len(w.sim.Calls("conversations.open")); n != 1 {
			t.Errorf("the conversation was opened %d times", n)
		}
	})
}

func TestForeignWorkspaceIsRejected(t *testing.T) {
	t.Parallel()
	inBothModes(t, ephemeralReply("Not yet."), func(t *testing.T, w *fixture) {
		w.post(ask.Place{Platform: Name, Installation: "T0000001", Channel: "C0000001"}, one())
		for _, place := range []ask.Place{
			{Platform: Name, Installation: "T0000009", Channel: "C0000001"}, {Platform: Name, Installation: "T0000009", User: idDana},
		} {
			_, err := w.c.Post(t.Context(), place, w.card(one()))
			var e *platform.Error
			if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != "other_installation" {
				t.Errorf("%s: %v", place, err)
			}
		}
		if err := w.c.CheckTarget(ask.Place{Platform: Name, Installation: "acme", Channel: "C0000001"}); err == nil || !strings.Contains(err.Error(), "no workspace") {
			t.Errorf("CheckTarget = %v", err)
		}
		if n := len(w.sim.Calls("chat.postMessage")); n != 1 {
			t.Errorf("%d cards were posted", n)
		}
	})
}

func TestNamedWorkspaceNeedsAuthTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, func(*http.Request) (*http.Response, error) {
			t.Error("a call was made")
			return nil, io.EOF
		})
		_, err := c.Post(t.Context(), ask.Place{Platform: Name, Installation: "T0000001", Channel: "C0000001"}, render.Card{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Transient {
			t.Errorf("Post = %v", err)
		}
	})
}

func TestThreads(t *testing.T) {
	t.Parallel()
	inBothModes(t, ephemeralReply("Not yet."), func(t *testing.T, w *fixture) {
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		ref := w.post(ask.Place{Platform: Name, Channel: "C0000001", Thread: root}, one())
		w.press(idDana, "SQLite")
		if got := w.last(); got.Message != ref {
			t.Errorf("pressed on %v, want %v", got.Message, ref)
		}
		w.sees(idDana, "Not yet.")
		for _, call := range w.sim.Calls("chat.postMessage", slacksim.ResponseURLs) {
			if call.Args["thread_ts"] != root {
				t.Errorf("%s went to thread %v, want %s", call.Method, call.Args["thread_ts"], root)
			}
		}
	})
}

func TestPostsHaveMetadataAndNoPings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		s := one()
		s.Context = "<!channel> see https://example.com/<@U0000002>"
		s.Questions[0].Text = "Which <!here> database? https://example.com"
		w.post(inChannel, s)
		call := w.sim.Calls("chat.postMessage")[0]
		for name, want := range map[string]any{"unfurl_links": false, "unfurl_media": false, "link_names": nil, "parse": nil} {
			if call.Args[name] != want {
				t.Errorf("%s is %v, want %v", name, call.Args[name], want)
			}
		}
		if metadata := fmt.Sprint(call.Args["metadata"]); !strings.Contains(metadata, metadataEvent) || !strings.Contains(metadata, rid) {
			t.Errorf("metadata is %s", metadata)
		}
		if odd := w.sim.Timeline().Events(chatsim.Pinged, chatsim.Mentioned, chatsim.Warned); len(odd) > 0 {
			t.Errorf("Slack wondered: %v", odd)
		}
	})
}

func TestReplyIsPostedBelowCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		w.sim.Fault("chat.update", chatsim.Refuse("edit_window_closed"))
		err := w.c.Update(t.Context(), ref, w.card(answered(one())))
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Frozen {
			t.Fatalf("Update = %v", err)
		}
		w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(answered(one()))))
		calls := w.sim.Calls("chat.postMessage")
		if reply := calls[len(calls)-1]; reply.Args["thread_ts"] != ref.Message {
			t.Errorf("the reply went to thread %v, want %s", reply.Args["thread_ts"], ref.Message)
		}
		refs, err := w.c.Find(t.Context(), inChannel, rid, time.Time{})
		if err != nil || len(refs) != 1 {
			t.Errorf("Find = %v, %v, want the card alone", refs, err)
		}
	})
}

func TestReplyToThreadedCardStaysInThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		to := ask.Place{Platform: Name, Channel: "C0000001", Thread: root}
		w.must(w.c.Reply(t.Context(), to, w.post(to, one()), w.card(answered(one()))))
		calls := w.sim.Calls("chat.postMessage")
		if reply := calls[len(calls)-1]; reply.Args["thread_ts"] != root {
			t.Errorf("the reply went to thread %v, want the one of %s", reply.Args["thread_ts"], root)
		}
	})
}

func TestPlatformErrorKinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		kind := func(err error) platform.Kind {
			var e *platform.Error
			if !errors.As(err, &e) {
				t.Fatalf("%v is no PlatformError", err)
			}
			return e.Kind
		}
		post := func(to ask.Place) error {
			_, err := w.c.Post(t.Context(), to, w.card(one()))
			return err
		}
		if got := kind(post(ask.Place{Platform: Name, Channel: "C0000404"})); got != platform.Unreachable {
			t.Errorf("an unknown channel: %s", got)
		}
		if got := kind(post(ask.Place{Platform: Name, User: "U0000404"})); got != platform.Unreachable {
			t.Errorf("an unknown person: %s", got)
		}
		gone := ref
		gone.Message = "1.000001"
		if got := kind(w.c.Update(t.Context(), gone, w.card(one()))); got != platform.Gone {
			t.Errorf("a deleted message: %s", got)
		}
		w.sim.Archive("C0000001")
		if got := kind(post(inChannel)); got != platform.Unreachable {
			t.Errorf("an archived channel: %s", got)
		}
		w.sim.Revoke(canaryBot)
		if got := kind(w.c.Update(t.Context(), ref, w.card(one()))); got != platform.Misconfigured {
			t.Errorf("a revoked token: %s", got)
		}
	})
}

func TestReadyFollowsToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		if err := w.c.Ready(); err == nil {
			t.Error("ready before Listen")
		}
		w.sim.Fault("auth.test", chatsim.Status(503))
		w.sim.Fault("auth.test", chatsim.Refuse("invalid_auth"))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.c.Listen(ctx, ackIt) }()
		synctest.Wait()
		if err := w.c.Ready(); err == nil {
			t.Error("ready although auth.test failed")
		}
		if err := w.c.Listen(ctx, ackIt); err == nil {
			t.Error("a second Listen was welcome")
		}
		time.Sleep(time.Minute)
		if err := w.c.Ready(); err != nil {
			t.Errorf("not ready although auth.test succeeded: %v", err)
		}
		if n := len(w.sim.Calls("auth.test")); n != 3 {
			t.Errorf("auth.test was called %d times", n)
		}
		w.sim.Revoke(canaryBot)
		_, _ = w.c.Post(t.Context(), inChannel, w.card(one()))
		if err := w.c.Ready(); err == nil {
			t.Error("ready with a revoked token")
		}
		if err := w.c.Check(ctx); err == nil {
			t.Error("a revoked token was taken for a good one")
		}
		w.sim.Restore(canaryBot)
		if err := w.c.Check(ctx); err != nil || w.c.Ready() != nil {
			t.Errorf("the token is good again: Check = %v, Ready = %v", err, w.c.Ready())
		}
		if _, err := w.c.Post(t.Context(), inChannel, w.card(one())); err != nil {
			t.Errorf("the token is good again and no card can be posted: %v", err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestListenWaitsForActionsInProgress(t *testing.T) {
	t.Parallel()
	inBothModes(t, nil, func(t *testing.T, w *fixture) {
		done := false
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			time.Sleep(2 * time.Second)
			err := r.Ack(ctx)
			time.Sleep(time.Second)
			done = true
			return err
		})
		w.post(inChannel, one())
		pressed := make(chan error, 1)
		go func() { pressed <- w.sim.Seat(idDana).Press(t.Context(), "SQLite") }()
		synctest.Wait()
		w.stop()
		if err := <-pressed; err != nil {
			t.Errorf("the press was not acknowledged: %v", err)
		}
		if err := <-w.ended; err != nil || !done {
			t.Errorf("Listen = %v, the act was done: %v", err, done)
		}
		synctest.Wait()
		if n := w.sim.Sockets(); n > 0 {
			t.Errorf("%d sockets are still open", n)
		}
	})
}

// What is refused is pressed again; what was recorded and not acknowledged looks refused, and counts.
func TestClickDuringSocketStop(t *testing.T) {
	t.Parallel()
	socketWorld(t, func(t *testing.T, w *fixture) {
		var taken atomic.Int32
		w.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			taken.Add(1)
			time.Sleep(2 * time.Second)
			return r.Ack(ctx)
		})
		w.post(inChannel, one())
		press := func(person, label string) <-chan error {
			pressed := make(chan error, 1)
			go func() { pressed <- w.sim.Seat(person).Press(t.Context(), label) }()
			synctest.Wait()
			return pressed
		}
		first := press(idDana, "SQLite")
		w.stop()
		time.Sleep(1500 * time.Millisecond)
		second := press(idSam, "Postgres")
		if err := <-first; err != nil {
			t.Errorf("what was under way is not acknowledged: %v", err)
		}
		if err := <-second; err != nil && taken.Load() > 1 {
			t.Errorf("it is taken, and Sam sees: %v", err)
		}
	})
}

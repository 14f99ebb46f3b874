package discord

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

var (
	toDana   = ask.Place{Platform: Name, User: idDana}
	inThread = ask.Place{Platform: Name, Channel: deploys, Thread: idThread}
)

func TestDirectMessages(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		ref := w.post(toDana, one())
		if ref.Channel != w.sim.DM(idDana) {
			t.Errorf("posted in %s, want %s", ref.Channel, w.sim.DM(idDana))
		}
		w.sees(idDana, "Which database?")
		w.doesNotSee(idSam, "Which database?")
		w.press(idDana, "SQLite")
		if got := w.last(); got.Message != ref || got.Person != dana || len(got.Groups) > 0 {
			t.Errorf("the act is %+v, want it on %v", got, ref)
		}
		w.then(ephemeralReply("Not yet."))
		w.press(idDana, "SQLite")
		w.sees(idDana, "Not yet.")
		w.must(w.c.Update(t.Context(), ref, w.card(decided(one()))))
		second := one()
		second.ID = "p0OTHER"
		w.post(toDana, second)
		if n := len(w.sim.Calls("create dm")); n != 1 {
			t.Errorf("the conversation was opened %d times", n)
		}
	})
}

func TestThreads(t *testing.T) {
	t.Parallel()
	inBothModes(t, ephemeralReply("Not yet."), func(t *testing.T, w *fixture) {
		ref := w.post(inThread, one())
		if ref.Channel != idThread {
			t.Errorf("posted in %s", ref.Channel)
		}
		w.press(idDana, "SQLite")
		if got := w.last(); got.Message != ref {
			t.Errorf("pressed on %v, want %v", got.Message, ref)
		}
		w.sees(idDana, "Not yet.")
	})
}

// A caller limited to #deploys named a thread of #general with it, and the card was posted in #general.
func TestForeignThreadIsRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		thread, code string
	}{
		"a thread of another channel":          {otherThread, codeOtherThread},
		"another channel in place of a thread": {general, codeNoThread},
		"the channel itself":                   {deploys, codeNoThread},
		"an unknown thread":                    {"200000000000000404", "10003 unknown channel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, nil)
				to := ask.Place{Platform: Name, Channel: deploys, Thread: tc.thread}
				_, err := w.c.Post(t.Context(), to, w.card(one()))
				_, findErr := w.c.Find(t.Context(), to, rid, time.Time{})
				for _, err := range []error{err, findErr} {
					var e *platform.Error
					if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != tc.code {
						t.Errorf("%v, want %s", err, tc.code)
					}
				}
				if calls := w.sim.Calls("create message", "list messages"); len(calls) > 0 {
					t.Errorf("called %v", calls)
				}
			})
		})
	}
}

func TestForeignServerIsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		for range 2 {
			if _, err := w.c.Post(t.Context(), ask.Place{Platform: Name, Installation: "100000000000000001", Channel: deploys}, w.card(one())); err != nil {
				t.Errorf("in its own server: %v", err)
			}
		}
		_, err := w.c.Post(t.Context(), ask.Place{Platform: Name, Installation: "100000000000000009", Channel: deploys}, w.card(one()))
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != codeOtherServer {
			t.Errorf("in another server: %v", err)
		}
		if asked, posted := len(w.sim.Calls("get channel")), len(w.sim.Calls("create message")); asked != 1 || posted != 2 {
			t.Errorf("asked %d times for the server and posted %d cards", asked, posted)
		}
		for place, part := range map[ask.Place]string{
			{Platform: Name, Installation: "T0001", Channel: deploys}:          "no server id",
			{Platform: Name, Installation: "100000000000000001", User: idDana}: "belong to no server",
		} {
			if err := w.c.CheckTarget(place); err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v", place, err)
			}
		}
	})
}

func TestThreadParentIsCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		w.sim.Fault("get channel", chatsim.Status(503))
		_, err := w.c.ParentOf(t.Context(), idThread)
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Transient {
			t.Errorf("ParentOf = %v during the outage", err)
		}
		for range 3 {
			if parent, err := w.c.ParentOf(t.Context(), idThread); err != nil || parent != deploys {
				t.Errorf("ParentOf = %q, %v", parent, err)
			}
			w.post(inThread, one())
		}
		if n := len(w.sim.Calls("get channel")); n != 2 {
			t.Errorf("asked %d times", n)
		}
		if parent, err := w.c.ParentOf(t.Context(), "../users/@me"); err == nil {
			t.Errorf("%q is the channel of no thread", parent)
		}
	})
}

func TestReplyIsPostedBelowCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		w.sim.Fault("edit message", chatsim.Refuse("30046"))
		err := w.c.Update(t.Context(), ref, w.card(decided(one())))
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Frozen {
			t.Fatalf("Update = %v", err)
		}
		w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(decided(one()))))
		w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(decided(one()))))
		w.sees(idSam, "Dana")
		calls := w.sim.Calls("create message")
		below, _ := calls[len(calls)-1].Body["message_reference"].(map[string]any)
		if below["message_id"] != ref.Message {
			t.Errorf("the reply refers to %v, want %s", below, ref.Message)
		}
		if n := len(w.sim.Timeline().Events(chatsim.Posted)); n != 2 {
			t.Errorf("%d messages, want the card and one reply", n)
		}
		refs, err := w.c.Find(t.Context(), inChannel, rid, time.Time{})
		if err != nil || len(refs) != 1 {
			t.Errorf("Find = %v, %v, want the card alone", refs, err)
		}
	})
}

func TestReplyWithoutHistoryPermission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		w.sim.Deny(deploys, discordsim.ReadMessageHistory)
		w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(decided(one()))))
		w.sees(idSam, "Dana")
	})
}

func TestAskInForumPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const forum, inForum = "200000000000000005", "200000000000000006"
		w := newFixture(t, ModeHTTP, &discordsim.Options{Channels: []discordsim.Channel{
			{ID: forum, Name: "incidents", Forum: true}, {ID: inForum, Name: "database down", Parent: forum},
		}})
		_, err := w.c.Post(t.Context(), ask.Place{Platform: Name, Channel: forum}, w.card(one()))
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Unreachable || !strings.Contains(e.Code, "name one of its posts") {
			t.Errorf("Post = %v", err)
		}
		w.post(ask.Place{Platform: Name, Channel: forum, Thread: inForum}, one())
		w.sees(idDana, "Which database?")
	})
}

// Many old questions end in one channel at once.
func TestOldCardEditsAreRateLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		var refs []platform.MessageRef
		for n := range 5 {
			s := one()
			s.ID += string(rune('A' + n))
			refs = append(refs, w.post(inChannel, s))
		}
		pass(2 * time.Hour)
		began := time.Now()
		for _, ref := range refs {
			for {
				err := w.c.Update(t.Context(), ref, w.card(decided(one())))
				e, _ := errors.AsType[*platform.Error](err)
				if e == nil {
					break
				}
				if e.Kind != platform.RateLimited {
					t.Fatalf("Update = %v", err)
				}
				pass(e.RetryAfter)
			}
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// The thread was archived while the question was open, and its card kept dead buttons.
func TestCardInArchivedThreadIsClosed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		denied discordsim.Permission
		below  bool // also announced below the card
	}{
		"which we may open":  {},
		"which a word opens": {discordsim.SendMessages, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, nil)
				w.listen()
				ref := w.post(inThread, one())
				w.sim.Archive(idThread, false)
				w.sim.Deny(idThread, tc.denied)
				err := w.c.Update(t.Context(), ref, w.card(decided(one())))
				var e *platform.Error
				if tc.below {
					if !errors.As(err, &e) || e.Kind != platform.Locked {
						t.Fatalf("Update = %v", err)
					}
					err = w.c.Reply(t.Context(), inChannel, ref, w.card(decided(one())))
				}
				w.must(err)
				w.sees(idSam, "Dana")
				if err := w.sim.Seat(idSam).Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrNotThere) {
					t.Errorf("the card still has a button: %v", err)
				}
			})
		})
	}
}

func TestAllCardsInArchivedThreadAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		w.listen()
		other := one()
		other.ID = strings.ToLower(rid)
		first, second := w.post(inThread, one()), w.post(inThread, other)
		w.sim.Archive(idThread, false)
		w.sim.Deny(idThread, discordsim.SendMessages)
		cards := map[platform.MessageRef]render.Card{first: w.card(decided(one())), second: w.card(decided(other))}
		for ref, card := range cards {
			var e *platform.Error
			if err := w.c.Update(t.Context(), ref, card); !errors.As(err, &e) || e.Kind != platform.Locked {
				t.Fatalf("Update = %v", err)
			}
		}
		for ref, card := range cards {
			w.must(w.c.Reply(t.Context(), inThread, ref, card))
			if err := w.sim.Seat(idSam).On(ref.Message).Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrNotThere) {
				t.Errorf("%v still has a button: %v", ref, err)
			}
			if got := w.sim.Seat(idSam).On(ref.Message).Sees(); !strings.Contains(got, "Dana") {
				t.Errorf("%v does not name the person who answered:\n%s", ref, got)
			}
		}
	})
}

// Discord was rate limiting when the thread had to be unarchived, and the card kept its buttons as long as in a
// thread locked by a moderator.
func TestArchivedCardIsClosedWhenDiscordIsBusy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer transport
		kind   platform.Kind
		after  time.Duration
	}{
		"rate limited": {replying(429, `{"message":"limited","code":40062,"retry_after":5}`), platform.RateLimited, 5 * time.Second},
		"overloaded":   {replying(503, `{"message":"overloaded","code":130000}`), platform.Transient, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archived := no(400, archivedThread)
			d := newDesk(t, func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, "/messages/") {
					return archived(r)
				}
				return tc.answer(r)
			})
			if e := d.update(); e == nil || e.Kind != tc.kind || e.RetryAfter != tc.after || e.Op != opModify {
				t.Errorf("Update = %+v", e)
			}
		})
	}
}

func TestCardInLockedThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inThread, one())
		w.sim.Archive(idThread, true)
		for op, err := range map[string]error{
			"Update": w.c.Update(t.Context(), ref, w.card(decided(one()))), "Reply": w.c.Reply(t.Context(), inChannel, ref, w.card(decided(one()))),
		} {
			var e *platform.Error
			if !errors.As(err, &e) || e.Kind != map[string]platform.Kind{"Update": platform.Locked, "Reply": platform.Unreachable}[op] {
				t.Errorf("%s = %v", op, err)
			}
		}
	})
}

func TestPlatformErrorKinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		post := func(to ask.Place) error {
			_, err := w.c.Post(t.Context(), to, w.card(one()))
			return err
		}
		update := func() error { return w.c.Update(t.Context(), ref, w.card(decided(one()))) }
		want := func(kind platform.Kind, err error) {
			t.Helper()
			var e *platform.Error
			if !errors.As(err, &e) || e.Kind != kind {
				t.Errorf("%v, want it to be %s", err, kind)
			}
		}
		want(platform.Unreachable, post(ask.Place{Platform: Name, Channel: "200000000000000404"}))
		w.sim.Deny(general, discordsim.ViewChannel)
		want(platform.Unreachable, post(ask.Place{Platform: Name, Channel: general}))
		w.sim.Deny(general, discordsim.SendMessages)
		want(platform.Unreachable, post(ask.Place{Platform: Name, Channel: general}))
		w.sim.Archive(idThread, true)
		want(platform.Unreachable, post(inThread))
		w.sim.Expect("field.kind")
		want(platform.Unreachable, post(ask.Place{Platform: Name, User: "300000000000000404"}))
		w.sim.DeleteMessage(ref.Channel, ref.Message)
		want(platform.Gone, update())
		w.sim.DeleteChannel(deploys)
		want(platform.Unreachable, update())
		w.sim.Revoke()
		want(platform.Misconfigured, update())
		want(platform.Misconfigured, post(inChannel))
	})
}

func TestLostReplyPostsOnce(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]ask.Place{"in a channel": inChannel, "in a thread": inThread, "with a person": toDana} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, nil)
				w.sim.Fault("create message", chatsim.LoseReply())
				_, err := w.c.Post(t.Context(), to, w.card(one()))
				var e *platform.Error
				if !errors.As(err, &e) || e.Kind != platform.Ambiguous {
					t.Fatalf("Post = %v, want it to be unclear", err)
				}
				ref := w.post(to, one())
				if n := len(w.sim.Timeline().Events(chatsim.Posted)); n != 1 {
					t.Errorf("%d messages stand there", n)
				}
				refs, err := w.c.Find(t.Context(), to, rid, time.Time{})
				if err != nil || len(refs) != 1 || refs[0] != ref {
					t.Errorf("Find = %v, %v, want %v", refs, err, ref)
				}
			})
		})
	}
}

func TestDeletedCardCanBeReposted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		first := w.post(inChannel, one())
		w.sim.DeleteMessage(first.Channel, first.Message)
		if second := w.post(inChannel, one()); second == first {
			t.Errorf("posted as %v again", second)
		}
		w.sees(idSam, "Which database?")
	})
}

func TestManyCardsAreQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		for n := range 30 {
			s := one()
			s.ID += string(rune('A' + n))
			w.postInTurn(inChannel, s)
		}
		for _, call := range w.sim.Calls() {
			if call.Status == 429 {
				t.Errorf("%s ran into a limit", call.Route)
			}
		}
		pass(time.Second)
	})
}

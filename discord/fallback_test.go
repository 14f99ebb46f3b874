package discord

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/platform"
)

func TestClosedDirectMessagesUseFallback(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"closed direct messages": "create message: 50007", "no server in common": "create message: 50278",
		"no new ones after too many": "create dm: 20026",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil, func(cfg *Config) { cfg.DMFallback = general })
				w.listen()
				call, code, _ := strings.Cut(code, ": ")
				w.sim.Fault(call, chatsim.Refuse(code))
				ref := w.post(toDana, one())
				if ref.Channel != general {
					t.Errorf("posted in %s, want %s", ref.Channel, general)
				}
				w.sees(idSam, "Which database?", "this question is for you")
				pings := w.sim.Timeline().Events(chatsim.Pinged)
				if len(pings) != 1 || pings[0].Person != idDana {
					t.Errorf("pinged were %v, want Dana", pings)
				}
				w.press(idDana, "SQLite")
				if got := w.last(); got.Message != ref {
					t.Errorf("pressed on %v, want %v", got.Message, ref)
				}
				w.must(w.c.Update(t.Context(), ref, w.card(decided(one()))))
				refs, err := w.c.Find(t.Context(), toDana, rid, time.Time{})
				if err != nil || len(refs) > 0 {
					t.Errorf("Find = %v, %v for a card without controls", refs, err)
				}
			})
		})
	}
}

func TestClosedDirectMessagesWithoutFallbackFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.sim.CloseDM(idDana, true)
		_, err := w.c.Post(t.Context(), toDana, w.card(one()))
		var e *platform.Error
		if !errors.As(err, &e) || e.Kind != platform.Unreachable || e.Code != "50007 cannot send messages to this user" {
			t.Errorf("Post = %v", err)
		}
	})
}

// The card was posted without notifying anyone.
func TestFallbackCardMentionsPerson(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		asked int
		spoil func(w *fixture)
	}{
		"among more than Discord takes at once": {4, func(*fixture) {}},
		"where the bot may not read":            {1, func(w *fixture) { w.sim.Deny(general, discordsim.ReadMessageHistory) }},
		"while Discord is down for a moment": {1, func(w *fixture) {
			for _, f := range []chatsim.Fault{chatsim.Delay(0), chatsim.Delay(0), chatsim.Status(502)} {
				w.sim.Fault("create message", f)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil, func(cfg *Config) { cfg.DMFallback = general })
				w.listen()
				w.sim.CloseDM(idDana, true)
				tc.spoil(w)
				for n := range tc.asked {
					s := one()
					s.ID += string(rune('A' + n))
					w.postInTurn(toDana, s)
				}
				if n := len(w.sim.Timeline().Events(chatsim.Pinged)); n != tc.asked {
					t.Errorf("Dana was rung %d times, want %d\n%s", n, tc.asked, w.log)
				}
			})
		})
	}
}

// Looking up names may take longer than the lease of a delivery.
func TestTakeoverDuringMentionPostsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inGeneral := func(cfg *Config) { cfg.DMFallback = general }
		w := newFixture(t, ModeGateway, nil, inGeneral)
		w.listen()
		w.sim.CloseDM(idDana, true)
		for _, f := range []chatsim.Fault{chatsim.Delay(0), chatsim.Delay(0), chatsim.RateLimit(11 * time.Second)} {
			w.sim.Fault("create message", f)
		}
		other := w.another(ModeGateway, inGeneral)
		var ours, theirs platform.MessageRef
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { ours, errs[0] = w.c.Post(t.Context(), toDana, w.card(one())) })
		both.Go(func() {
			time.Sleep(record.Lease)
			theirs, errs[1] = other.Post(t.Context(), toDana, w.card(one()))
		})
		both.Wait()
		if ours != theirs || errors.Join(errs[:]...) != nil {
			t.Errorf("posted as %v and %v: %v", ours, theirs, errs)
		}
		if n := len(w.sim.Timeline().Events(chatsim.Pinged)); n != 1 {
			t.Errorf("Dana was rung %d times, want once\n%s", n, w.log)
		}
	})
}

// A card whose reply was lost kept its buttons forever or was posted twice.
func TestFindCardInFallbackChannel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inGeneral := func(cfg *Config) { cfg.DMFallback = general }
		w := newFixture(t, ModeGateway, nil, inGeneral)
		w.listen()
		for range 2 {
			w.sim.Fault("create dm", chatsim.Refuse("20026"))
		}
		ref := w.post(toDana, one())
		other := w.another(ModeGateway, inGeneral)
		refs, err := other.Find(t.Context(), toDana, rid, time.Time{})
		if err != nil || len(refs) != 1 || refs[0] != ref {
			t.Errorf("Find = %v, %v, want %v", refs, err, ref)
		}
	})
}

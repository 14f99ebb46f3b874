package discord

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/platform"
)

func TestShardsAreIndependent(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t, ModeGateway, nil, func(cfg *Config) { cfg.ShardCount = shards })
			w.run(w.c)
			synctest.Wait()
			if err := w.c.Ready(); err == nil || !strings.Contains(err.Error(), "shards") {
				t.Errorf("Ready = %v with one of %d shards", err, shards)
			}
			pass(2 * identifySpace)
			synctest.Wait()
			if err := w.c.Ready(); err != nil || w.sim.Sessions() != shards {
				t.Fatalf("Ready = %v with %d sessions", err, w.sim.Sessions())
			}
			w.post(inChannel, one())
			w.press(idDana, "SQLite")
			w.last()
			if len(w.acts) != 1 {
				t.Errorf("one press arrived %d times", len(w.acts))
			}
		})
	}
}

// A large bot that may begin many sessions at once was slow to reconnect.
func TestConcurrentSessionStarts(t *testing.T) {
	t.Parallel()
	for atOnce, want := range map[int][]int{1: {1, 2, 3, 4}, 2: {2, 4}, 16: {4}} {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t, ModeGateway, &discordsim.Options{MaxConcurrency: atOnce}, func(cfg *Config) { cfg.ShardCount = 4 })
			w.run(w.c)
			for _, sessions := range want {
				synctest.Wait()
				if n := w.sim.Sessions(); n != sessions {
					t.Errorf("%d sessions, want %d, where %d may begin at once", n, sessions, atOnce)
				}
				pass(identifySpace)
			}
		})
	}
}

func TestTwoBridgesOnOneShardRespondOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.listen()
		pass(identifySpace)
		w.run(w.another(ModeGateway))
		pass(time.Minute)
		w.post(inChannel, one())
		for _, script := range []platform.Handler{ackIt, w.redraw(one()), ephemeralReply("Not you."), ephemeralReply(strings.Repeat("Not you at all. ", 500))} {
			w.then(script)
			before := len(w.acts)
			w.press(idDana, "SQLite")
			w.last()
			if n := len(w.acts) - before; n != 2 {
				t.Fatalf("one press arrived %d times", n)
			}
		}
		if n := strings.Count(w.sim.Seat(idDana).Sees(), "Not you."); n != 1 {
			t.Errorf("the note appears %d times", n)
		}
		if strings.Contains(w.log.String(), "interaction failed") {
			t.Errorf("the second answer counts as a failure:\n%s", w.log)
		}
	})
}

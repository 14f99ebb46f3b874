//go:build faults

package storm

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/faults"
)

var (
	lives   = flag.Int("lives", 400, "how many lives the storm has")
	atATime = flag.Int("at-a-time", 24, "how many of them go on at once")
	seed    = flag.Uint64("seed", 0, "what chance begins with; 0 takes another one each time")
)

func TestMain(m *testing.M) {
	code := m.Run()
	faults.Remove()
	os.Exit(code)
}

// storm is one run: a world, the lives in it and what happened to them.
type storm struct {
	*faults.World

	trio     *faults.Trio
	history  history
	channels []place
	// vanished are the lives whose request was lost by Redis.
	vanished sync.Map

	replicas []*faults.Replica

	struck strikes
}

// place is a channel of its own on each platform, so that one life at a time is
// played there.
type place struct{ slack, discord string }

// strikes counts what went wrong on purpose.
type strikes struct {
	kills, restarts, pauses, failovers, cuts, limits, lost, errors, twice atomic.Int64
}

func (s *strikes) String() string {
	return fmt.Sprintf("%d kill -9, %d rolling restarts, %d pauses, %d failovers of Redis, %d cut subscriptions, "+
		"%d rate limits, %d lost replies, %d server errors, %d double deliveries",
		s.kills.Load(), s.restarts.Load(), s.pauses.Load(), s.failovers.Load(), s.cuts.Load(),
		s.limits.Load(), s.lost.Load(), s.errors.Load(), s.twice.Load())
}

func TestStorm(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-lives %d -seed %d", *lives, *seed)
	s := begin(t)
	began := time.Now()
	ctx, calm := context.WithCancel(t.Context())
	chaos := make(chan struct{})
	go func() {
		defer close(chaos)
		s.rage(ctx)
	}()
	t.Cleanup(func() {
		calm()
		<-chaos
	})
	s.play()
	stormy := time.Since(began)
	calm()
	<-chaos
	if t.Failed() {
		return
	}
	s.prove()
	t.Logf("%d lives in %s, proved %s later", *lives, stormy.Round(time.Second), (time.Since(began) - stormy).Round(time.Second))
	t.Logf("struck: %v", &s.struck)
	t.Logf("seen: %v", s.history.figures())
}

// begin starts three replicas over a Redis that fails over.
func begin(t *testing.T) *storm {
	t.Helper()
	s := &storm{trio: faults.StartTrio(t)}
	slack, discord := &slacksim.Options{}, &discordsim.Options{}
	for n := range min(*atATime, *lives) {
		p := place{fmt.Sprintf("C1%06d", n), fmt.Sprintf("2100000000%08d", n)}
		s.channels = append(s.channels, p)
		slack.Channels = append(slack.Channels, slacksim.Channel{
			ID: p.slack, Name: fmt.Sprintf("storm-%d", n), Members: []string{"U0000001", "U0000002", "U0000003", "U0000BOT"},
		})
		discord.Channels = append(discord.Channels, discordsim.Channel{ID: p.discord, Name: fmt.Sprintf("storm-%d", n)})
	}
	s.World = faults.NewWorld(t, faults.Setup{
		Slack: "http", Discord: "http", Store: s.trio.Store(1), SlackOptions: slack, DiscordOptions: discord, Quiet: true,
	})
	// They are limited on cue, again and again, and a replica that was paused
	// cannot know that its reply came too late for what it says next.
	s.Forgive("requests.invalid", "webhook.early")
	for range 3 {
		s.replicas = append(s.replicas, s.Start())
	}
	return s
}

// play lets the lives go on, a number of them at a time.
func (s *storm) play() {
	var (
		next atomic.Int64
		all  sync.WaitGroup
	)
	for _, p := range s.channels {
		all.Go(func() {
			for n := int(next.Add(1)); n <= *lives && !s.Failed(); n = int(next.Add(1)) {
				s.live(n, p)
			}
		})
	}
	all.Wait()
}

// chance is a source of its own for everybody, so that a seed repeats a run as
// far as the machine does.
func chance(who int) *rand.Rand { return rand.New(rand.NewPCG(*seed, uint64(who))) }

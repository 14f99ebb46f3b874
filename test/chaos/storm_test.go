//go:build faults

package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/test/faults"
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

// storm is one run: a world, its lives, and the observations.
type storm struct {
	*faults.World

	trio     *faults.Trio
	history  history
	channels []place
	// vanished are the lives whose request was lost by Redis.
	vanished sync.Map

	replicas []*faults.Replica

	// begun counts the lives that have begun.
	begun atomic.Int64

	struck  strikes
	figures []string
}

// clocks are the offsets of the replicas' clocks in seconds: less than the five minutes for which a platform's
// signature is valid, and more than any lease, hold or pause.
var clocks = []int{0, -2, 30}

// perPlace is how many lives are played in a place. Reading a channel reads all of it.
const perPlace = 10

// place is one channel on each platform, where one life at a time is played.
type place struct{ slack, discord string }

// strikes counts the injected failures. The failures of the platforms are in their timelines.
type strikes struct{ kills, restarts, pauses, failovers, cuts atomic.Int64 }

// struckBy names the failures.
func (s *storm) struckBy() string {
	n := map[string]int{}
	for _, e := range append(s.Slack.Timeline().Events(chatsim.Faulted), s.Discord.Timeline().Events(chatsim.Faulted)...) {
		n[e.Text]++
	}
	return fmt.Sprintf("%d kill -9, %d rolling restarts, %d pauses, %d masters of Redis killed, %d times all subscriptions cut; "+
		"by the platforms %d rate limits, %d lost replies, %d server errors, %d clicks delivered twice",
		s.struck.kills.Load(), s.struck.restarts.Load(), s.struck.pauses.Load(), s.struck.failovers.Load(), s.struck.cuts.Load(),
		n[chatsim.RateLimit(0).Name()], n[chatsim.LoseReply().Name()], n[chatsim.Status(0).Name()], n[chatsim.Twice().Name()])
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
	if !t.Failed() {
		t.Logf("the storm in figures:\n- %d lives, %d at once, over three replicas and a Redis with two replicas and three Sentinels: %s, proved %s later\n- struck: %v\n- people and agents: %s\n- %s",
			*lives, *atATime, stormy.Round(time.Second), (time.Since(began) - stormy).Round(time.Second), s.struckBy(), s.history.figures(), strings.Join(s.figures, "\n- "))
	}
}

// say adds a figure to the summary.
func (s *storm) say(format string, args ...any) {
	s.figures = append(s.figures, fmt.Sprintf(format, args...))
}

// begin starts three replicas over a Redis with failovers.
func begin(t *testing.T) *storm {
	t.Helper()
	s := &storm{trio: faults.StartTrio(t)}
	slack, discord := &slacksim.Options{}, &discordsim.Options{}
	for n := range max(min(*atATime, *lives), *lives/perPlace) {
		p := place{fmt.Sprintf("C1%06d", n), fmt.Sprintf("2100000000%08d", n)}
		s.channels = append(s.channels, p)
		slack.Channels = append(slack.Channels, slacksim.Channel{
			ID: p.slack, Name: fmt.Sprintf("storm-%d", n), Members: []string{"U0000001", "U0000002", "U0000003", "U0000BOT"},
		})
		discord.Channels = append(discord.Channels, discordsim.Channel{ID: p.discord, Name: fmt.Sprintf("storm-%d", n)})
	}
	s.World = faults.NewWorld(t, faults.Setup{
		Slack: "http", Discord: "http", Store: s.trio.Store(1), SlackOptions: slack, DiscordOptions: discord, Quiet: true, Config: linking, Clocks: clocks,
	})
	// The platforms limit them repeatedly, and a paused replica cannot know that its reply came too late.
	s.Forgive("requests.invalid", "webhook.early")
	for range 3 {
		s.replicas = append(s.replicas, s.Start())
	}
	return s
}

// play runs the lives, several at a time.
func (s *storm) play() {
	var all sync.WaitGroup
	free := make(chan place, len(s.channels))
	for _, p := range s.channels {
		free <- p
	}
	for range min(*atATime, *lives) {
		all.Go(func() {
			for n := int(s.begun.Add(1)); n <= *lives && !s.Failed(); n = int(s.begun.Add(1)) {
				p := <-free
				s.live(n, p)
				free <- p
			}
		})
	}
	all.Wait()
}

// chance returns a separate random source for each caller, so that a seed repeats a run as far as possible.
func chance(who int) *rand.Rand { return rand.New(rand.NewPCG(*seed, uint64(who))) }

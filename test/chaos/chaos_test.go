//go:build faults

package chaos

import (
	"context"
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// rage breaks something again and again until ctx ends, and then repairs everything.
func (s *storm) rage(ctx context.Context) {
	dice := chance(-1)
	var redis sync.WaitGroup
	redis.Go(func() {
		for first := time.Second; wait(ctx, first); first = 5 * time.Second {
			s.struck.failovers.Add(1)
			s.trio.Rejoin(s.trio.FailOver())
		}
	})
	defer func() {
		redis.Wait()
		s.mend()
	}()
	for wait(ctx, time.Duration(100+dice.IntN(300))*time.Millisecond) {
		s.Enter()
		n, blow := dice.IntN(3), dice.IntN(10)
		if s.begun.Load() > int64(*lives) && blow > 4 {
			// Otherwise the last lives would get all failures.
			s.mend()
			continue
		}
		switch blow {
		case 0, 1:
			s.struck.kills.Add(1)
			s.replicas[n].Kill()
			s.replicas[n] = s.Start()
		case 2:
			s.struck.restarts.Add(1)
			next := s.Start()
			s.replicas[n].Terminate()
			s.replicas[n] = next
		case 3:
			s.pause(ctx, n)
		case 4:
			s.struck.cuts.Add(1)
			s.trio.CutSubscriptions()
		case 5:
			s.Slack.Fault("chat.postMessage", chatsim.RateLimit(time.Second))
			s.Discord.Fault("create message", chatsim.RateLimit(time.Second))
		case 6:
			s.Slack.Fault("chat.update", chatsim.RateLimit(time.Second))
			s.Discord.Fault("edit message", chatsim.RateLimit(time.Second))
		case 7:
			s.Slack.Fault("chat.postMessage", chatsim.LoseReply())
			s.Slack.Fault("chat.update", chatsim.LoseReply())
			s.Discord.Fault("create message", chatsim.LoseReply())
		case 8:
			s.Slack.Fault("chat.postMessage", chatsim.Status(500))
			s.Slack.Fault("chat.update", chatsim.Status(503))
			s.Discord.Fault("create message", chatsim.Status(502))
		case 9:
			s.Slack.Fault("interactions", chatsim.Twice())
			s.Discord.Fault("interactions", chatsim.Twice())
		}
	}
}

// pause stops a replica for a second or two, as on an overloaded machine.
func (s *storm) pause(ctx context.Context, n int) {
	s.struck.pauses.Add(1)
	s.replicas[n].Pause()
	defer s.replicas[n].Resume()
	wait(ctx, 2*time.Second)
}

// wait reports whether the storm continues after d.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// mend removes all pending faults.
func (s *storm) mend() {
	s.Slack.ClearFaults()
	s.Discord.ClearFaults()
}

package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/test/redistest"
)

const (
	racers  = 32
	races   = 100
	replays = 2
)

// Two bridges share one Redis. Everyone clicks at the same time, and each click is delivered to both.
func TestThirtyTwoConcurrentClicksOneWins(t *testing.T) {
	t.Parallel()
	addr := redistest.Start(t).Addr
	var bridges [replays]*bridge.Bridge
	var chats [replays]*bridgetest.Script
	for n := range bridges {
		s, err := redis.Open(t.Context(), redis.Options{Addrs: []string{addr}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		chats[n] = bridgetest.NewScript("slack", render.Limits{})
		if bridges[n], err = bridge.New(s, []platform.Platform{chats[n]}, nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- bridges[n].Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-over; err != nil {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for round := range races {
		s, err := bridges[0].Submit(ctx, database(func(r *ask.Request) { r.ToolCallID = fmt.Sprint(round) }))
		if err != nil {
			t.Fatal(err)
		}
		race(ctx, t, chats, s.Record)
		last, err := bridges[round%replays].Wait(ctx, s.Record.ID)
		if err != nil || last.Outcome.State != ask.Answered {
			t.Fatalf("round %d ended as %+v, %v", round, last, err)
		}
	}
}

// race has everyone click and checks that all of them see the same winner.
func race(ctx context.Context, t *testing.T, chats [replays]*bridgetest.Script, r bridge.Record) {
	t.Helper()
	var all sync.WaitGroup
	start := make(chan struct{})
	replies := make([][replays]*bridgetest.Reply, racers)
	for who := range racers {
		for to, chat := range chats {
			all.Go(func() {
				<-start
				click := choose(r, fmt.Sprintf("U%02d", who), who%2)
				click.ID, click.Order = fmt.Sprintf("%s-%d", r.ID, who), int64(who+1)
				replies[who][to] = chat.Act(ctx, click)
			})
		}
	}
	close(start)
	all.Wait()
	winner, named := "", map[string]int{}
	for who, deliveries := range replies {
		for _, reply := range deliveries {
			last, err := lastNote(ctx, reply)
			if err != nil || reply.Acks() != 1 {
				t.Fatalf("a click of U%02d was acknowledged %d times: %v", who, reply.Acks(), err)
			}
			if last == "" || strings.HasPrefix(last, "Saved now") {
				if name := fmt.Sprintf("U%02d", who); winner != "" && winner != name {
					t.Fatalf("both %s and %s won", winner, name)
				} else {
					winner = name
				}
				continue
			}
			_, name, _ := strings.Cut(last, "Already answered by ")
			name, _, _ = strings.Cut(name, ":")
			named[name]++
		}
	}
	if len(named) != 1 || named[winner] != (racers-1)*replays {
		t.Fatalf("%q won, the notes name %v", winner, named)
	}
}

// lastNote returns the last private note about a click ("" if only the card shows the result) and why it was not
// stored. On a busy machine the store may take longer than the platform waits: then the click is stored after the
// reply, and a second note follows.
func lastNote(ctx context.Context, reply *bridgetest.Reply) (last string, err error) {
	for {
		notes := reply.EphemeralReplies()
		switch {
		case len(notes) == 0:
			return "", reply.Err
		case !strings.HasPrefix(notes[len(notes)-1].Text, "Your answer is not recorded yet"):
			return notes[len(notes)-1].Text, nil
		}
		select {
		case <-ctx.Done():
			return "", errors.Join(reply.Err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

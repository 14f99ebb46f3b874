package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// settled is how long a bridge gets to store the result of its last call.
const settled = 40 * time.Millisecond

// Cost counts Redis round trips, commands and memory per life-cycle and per pending request.
func (s *Suite) Cost(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for _, k := range []struct {
		kind  string
		trips float64
	}{{"slack", 3}, {"discord", 3}} {
		figures, err := s.trips(ctx, k.kind, k.trips)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	pending, err := s.pendingBytes(ctx)
	if err != nil {
		return nil, err
	}
	idle, err := s.idleWaiters(ctx)
	return append(append(all, pending), idle), err
}

// trips counts round trips and commands of sequential life-cycles.
func (s *Suite) trips(ctx context.Context, kind string, most float64) ([]Figure, error) {
	count := &counter{}
	w, err := s.world(ctx, setting{program: s.unpaced, kind: kind, proxy: count.proxy})
	if err != nil {
		return nil, err
	}
	defer w.close()
	const warm, lives = 3, 20
	var trips int64
	var before []float64
	var commands map[string]int
	for n := range warm + lives {
		if n == warm {
			if commands, err = w.redis.commands(ctx); err != nil {
				return nil, err
			}
			trips, before = -count.trips.Load(), nil
		}
		acked, err := w.oneAtATime(ctx, w.url, w.url, count)
		if err != nil {
			return nil, err
		}
		before = append(before, float64(acked))
	}
	trips += count.trips.Load()
	clicked, _ := median(before)
	total, each, err := w.redis.spent(ctx, commands)
	if err != nil {
		return nil, err
	}
	cold, err := s.coldClicks(ctx, w)
	if err != nil {
		return nil, err
	}
	name := title(kind)
	return []Figure{
		atMost("trips_"+kind, "Redis round trips per life-cycle, "+name, float64(trips)/lives, "", most, "one life-cycle at a time, on one replica"),
		atMost("trips_before_ack_"+kind, "of them between click and ack, warm replica, "+name, clicked, "", 1, "the replica that asked"),
		atMost("trips_before_ack_cold_"+kind, "between click and ack, cold replica, "+name, cold, "", 2, "asked on one replica, clicked on another"),
		atMost("commands_"+kind, "Redis commands per life-cycle, including those in scripts, "+name, float64(total)/lives, "", 10, "%s", listed(each, lives)),
	}, nil
}

// hold is the delay of each round trip between click and acknowledgement. Dividing the time of the acknowledgement
// by it gives the number of round trips before it.
const hold = 20 * time.Millisecond

// oneAtATime runs one life-cycle with pauses, so that its steps do not overlap, and returns the round trips between
// click and acknowledgement.
func (w *fixture) oneAtATime(ctx context.Context, ask, click string, count *counter) (int, error) {
	mark, posted := w.expect()
	if _, err := call(ctx, w.agent, token, http.MethodPost, ask+"/v1/requests", question(w.kind, mark, mark, "")); err != nil {
		return 0, err
	}
	if err := rest(ctx, settled); err != nil {
		return 0, err
	}
	count.hold.Store(int64(hold))
	acked, err := w.person.press(ctx, click, <-posted)
	count.hold.Store(0)
	if err != nil {
		return 0, err
	}
	return int(acked / hold), rest(ctx, 2*settled)
}

// coldClicks counts the round trips before the acknowledgement on a replica that has not seen the request.
func (s *Suite) coldClicks(ctx context.Context, asked *fixture) (float64, error) {
	count := &counter{}
	other, err := s.world(ctx, setting{program: s.unpaced, kind: asked.kind, redis: asked.redis, proxy: count.proxy})
	if err != nil {
		return 0, err
	}
	defer other.close()
	const warm, lives = 2, 10
	var each []float64
	for n := range warm + lives {
		acked, err := asked.oneAtATime(ctx, asked.url, other.url, count)
		if err != nil {
			return 0, err
		}
		if n >= warm {
			each = append(each, float64(acked))
		}
	}
	middle, _ := median(each)
	return middle, nil
}

// pendingBytes measures the Redis memory of an open one-question request.
func (s *Suite) pendingBytes(ctx context.Context) (Figure, error) {
	each := map[string]float64{}
	for name, program := range map[string]string{"product": s.unpaced, "floor": s.floor} {
		w, err := s.world(ctx, setting{program: program, kind: "slack", args: quiet(program, s)})
		if err != nil {
			return Figure{}, err
		}
		defer w.close()
		if _, err := w.many(ctx, 10, 4, ""); err != nil {
			return Figure{}, err
		}
		before, err := w.redis.memory(ctx)
		if err != nil {
			return Figure{}, err
		}
		if _, err := w.many(ctx, s.size.Requests, 16, ""); err != nil {
			return Figure{}, err
		}
		if err := rest(ctx, settled); err != nil {
			return Figure{}, err
		}
		after, err := w.redis.memory(ctx)
		if err != nil {
			return Figure{}, err
		}
		each[name] = float64(after-before) / float64(s.size.Requests)
	}
	return atMost("bytes_pending", "Redis memory per pending one-question request", each["product"], "B", 1200,
		"all keys and indexes, card posted; floor %.0f B, its question alone", each["floor"]), nil
}

// quiet turns off request logs where they do not affect the result.
func quiet(program string, s *Suite) []string {
	if program == s.unpaced {
		return []string{"-log-level", "warn"}
	}
	return nil
}

// many submits requests, waits until they are posted, and returns their IDs.
func (w *fixture) many(ctx context.Context, n, at int, more string) ([]string, error) {
	ids := make([]string, n)
	return ids, together(ctx, n, at, func(ctx context.Context, i int) error {
		mark, posted := w.expect()
		_, err := call(ctx, w.agent, token, http.MethodPost, w.url+"/v1/requests", question(w.kind, mark, mark%1000, more))
		if err != nil {
			return err
		}
		ids[i] = (<-posted).Request
		return nil
	})
}

// idleWaiters compares the number of Redis commands with many waiting agents and with one.
func (s *Suite) idleWaiters(ctx context.Context) (Figure, error) {
	w, err := s.world(ctx, setting{program: s.unpaced, kind: "slack", args: []string{"-max-wait", "10m"}})
	if err != nil {
		return Figure{}, err
	}
	defer w.close()
	waiters := min(s.size.Requests, 500)
	ids, err := w.many(ctx, waiters, 16, "")
	if err != nil {
		return Figure{}, err
	}
	waiting, cancel := context.WithCancel(ctx)
	parked := make(chan struct{}, waiters)
	var started int
	defer func() {
		cancel()
		for range started {
			<-parked
		}
	}()
	var during [2]int
	for n, many := range []int{1, waiters} {
		for ; started < many; started++ {
			id := ids[started]
			go func() {
				_, _ = call(waiting, w.agent, token, http.MethodGet, w.url+"/v1/requests/"+id+"?wait=10m", "") // The end of the measurement cancels it.
				parked <- struct{}{}
			}()
		}
		if err := rest(ctx, 20*settled); err != nil {
			return Figure{}, err
		}
		before, err := w.redis.commands(ctx)
		if err != nil {
			return Figure{}, err
		}
		if err := rest(ctx, s.size.Idle); err != nil {
			return Figure{}, err
		}
		total, each, err := w.redis.spent(ctx, before)
		if err != nil {
			return Figure{}, err
		}
		during[n] = total
		s.log("with %d waiting: %s", many, listed(each, 1))
	}
	return atMost("idle_commands", "Redis commands a second while agents wait", float64(during[1])/s.size.Idle.Seconds(), "/s", 2,
		"with %d waiting %d commands in %s, with one waiting %d: the bridge's own polls", waiters, during[1], s.size.Idle, during[0]), nil
}

// listed formats commands as "evalsha 3, set 2".
func listed(each map[string]int, lives int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(each)) {
		words = append(words, fmt.Sprintf("%s %s", strings.ReplaceAll(name, "|", " "), number(float64(each[name])/float64(lives))))
	}
	return strings.Join(words, ", ")
}

func title(kind string) string { return strings.ToUpper(kind[:1]) + kind[1:] }

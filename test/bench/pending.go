package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/redis"
)

// fill puts open requests into Redis as a bridge leaves them when their cards
// stand, without asking for each.
func fill(ctx context.Context, addr string, from, to int) (err error) {
	st, err := redis.Open(ctx, redis.Options{Addrs: []string{addr}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return together(ctx, to-from, 32, func(ctx context.Context, i int) error {
		i += from
		_, err := st.Create(ctx, pendingRecord(i), func(r *bridge.Record, now time.Time) error {
			r.Deadline = now.Add(24*time.Hour + time.Duration(i)*time.Millisecond)
			r.Due = r.Deadline
			return nil
		})
		return err
	})
}

func pendingRecord(i int) bridge.Record {
	return bridge.Record{
		ID: fmt.Sprintf("%c%026d", 'a'+i%bridge.Partitions, i), Outcome: ask.Outcome{State: ask.Open}, Policy: ask.PolicyOf(ask.Anyone), Revision: 1,
		Questions: []ask.Question{{
			Text: "Which database should the service use?", Header: "Database", Options: []ask.Option{
				{Label: "Postgres", Description: "Managed, one more thing to run"},
				{Label: "SQLite", Description: "In the process, one machine only"},
				{Label: "Redis", Description: "There already, in memory"},
			},
		}},
		Copies: []bridge.Copy{{
			Target: ask.Place{Platform: "slack", Channel: "C0000001"}, State: record.Posted, Rendered: 1,
			Ref: bridge.MessageRef{Platform: "slack", Channel: "C0000001", Message: fmt.Sprintf("1712345678.%06d", i%1_000_000)},
		}},
	}
}

// Pending measures whether a click gets slower, and a life-cycle dearer, as
// requests pile up: in turn with a bridge that has one.
func (s *Suite) Pending(ctx context.Context) ([]Figure, error) {
	all := players{{program: s.unpaced, name: "few"}, {program: s.unpaced, name: "many"}}
	if err := all.start(ctx, s, "slack", false); err != nil {
		return nil, err
	}
	defer all.close()
	least := s.size.Pending[0]
	var figures []Figure
	have := 0
	for _, n := range s.size.Pending {
		began := time.Now()
		if n == least {
			if err := fill(ctx, all[0].here.redis.addr, 0, least); err != nil {
				return nil, err
			}
		}
		if err := fill(ctx, all[1].here.redis.addr, have, n); err != nil {
			return nil, err
		}
		have = n
		s.log("%d pending after %s", n, time.Since(began))
		if n == least {
			continue
		}
		played, err := s.rounds(ctx, all, think, false)
		if err != nil {
			return nil, err
		}
		figures = append(figures, flat(played, "pending", n, fmt.Sprintf("with %d pending", n), fmt.Sprintf("× with %d", least))...)
	}
	return figures, nil
}

// Tenants measures the same as those grow in number who may call, one after the other: each
// asks one question after all others have, in turn with a bridge that has one tenant.
func (s *Suite) Tenants(ctx context.Context) ([]Figure, error) {
	least := s.size.Tenants[0]
	var figures []Figure
	for _, n := range s.size.Tenants[1:] {
		all := players{{program: s.unpaced, name: "few", tenants: least}, {program: s.unpaced, name: "many", tenants: n}}
		played, err := s.onSlack(ctx, all)
		if err != nil {
			return nil, err
		}
		figures = append(figures, flat(played, "tenants", n, fmt.Sprintf("with %d tenants", n), fmt.Sprintf("× with %d", least))...)
	}
	return figures, nil
}

// onSlack starts them there and has them play.
func (s *Suite) onSlack(ctx context.Context, all players) ([][]*lives, error) {
	if err := all.start(ctx, s, "slack", false); err != nil {
		return nil, err
	}
	defer all.close()
	return s.rounds(ctx, all, think, false)
}

// flat compares a bridge that has much with one that has little: what a click
// and a life-cycle take.
func flat(played [][]*lives, what string, n int, with, than string) []Figure {
	key := fmt.Sprintf("%s_%d", what, n)
	few, many := played[0], played[1]
	ack, ackSpread := ratio(many, few, acks, 0.5)
	cost := func(rounds []*lives) float64 {
		var each []float64
		for _, l := range rounds {
			each = append(each, l.cpu)
		}
		middle, _ := median(each)
		return middle
	}
	cpu, cpuSpread := ratios(len(few), func(n int) (float64, float64) { return many[n].cpu, few[n].cpu })
	return []Figure{
		atMost(key, "ack p50 "+with, ack, than, 1.2, "%.2f ms against %.2f; rounds %.0f %% apart",
			ms(pooled(many, acks).at(0.5)), ms(pooled(few, acks).at(0.5)), 100*ackSpread).in(what, "ack p50", what, float64(n)),
		atMost(key+"_cpu", "processor time per life-cycle "+with, cpu, than, 1.2, "%.2f ms against %.2f; rounds %.0f %% apart",
			cost(many), cost(few), 100*cpuSpread).in(what, "processor time per life-cycle", what, float64(n)),
	}
}

// Due measures how soon requests end whose time is up, among many whose is not.
func (s *Suite) Due(ctx context.Context) ([]Figure, error) {
	w, err := s.world(ctx, setting{program: s.unpaced, kind: "slack"})
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := fill(ctx, w.redis.addr, 0, s.size.Many); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	drawn := map[string]time.Time{}
	w.onUpdate(func(message string, at time.Time) {
		mu.Lock()
		defer mu.Unlock()
		drawn[message] = at
	})
	type end struct {
		message  string
		deadline time.Time
		told     time.Duration
		err      error
	}
	ends := make(chan end, s.size.Due)
	const life = 5 * time.Second
	for range s.size.Due {
		mark, posted := w.expect()
		go func() {
			body := question("slack", mark, mark%1000, fmt.Sprintf(`"expires_in":"%s",`, life))
			got, err := call(ctx, w.agent, token, http.MethodPost, w.url+"/v1/requests?wait=60s", body)
			now := time.Now()
			if err == nil && got.State != "expired" {
				err = fmt.Errorf("bench: ended as %s", got.State)
			}
			e := end{deadline: got.ExpiresAt, told: now.Sub(got.ExpiresAt), err: err}
			if err == nil {
				e.message = (<-posted).Message
			}
			ends <- e
		}()
	}
	if err := rest(ctx, life/2); err != nil {
		return nil, err
	}
	before, err := w.redis.commands(ctx)
	if err != nil {
		return nil, err
	}
	var told, updated times
	var late []end
	for range s.size.Due {
		e := <-ends
		if e.err != nil {
			return nil, e.err
		}
		told, late = append(told, e.told), append(late, e)
	}
	has := func(e end) (time.Time, bool) {
		mu.Lock()
		defer mu.Unlock()
		at, ok := drawn[e.message]
		return at, ok
	}
	for _, e := range late {
		var at time.Time
		if err := until(ctx, 20*time.Second, "every card to be updated", func() (ok bool) { at, ok = has(e); return ok }); err != nil {
			return nil, err
		}
		updated = append(updated, at.Sub(e.deadline))
	}
	if err := rest(ctx, 5*settled); err != nil {
		return nil, err
	}
	total, each, err := w.redis.spent(ctx, before)
	if err != nil {
		return nil, err
	}
	among := fmt.Sprintf("%d due at once among %d", s.size.Due, s.size.Many)
	return []Figure{
		atMost("due_told_ms", "deadline to agent told, p99, "+among, ms(told.at(0.99)), "ms", 250, "p50 %.0f ms; all ended as expired", ms(told.at(0.5))),
		atMost("due_updated_ms", "deadline to card updated, p99, "+among, ms(updated.at(0.99)), "ms", 250, "p50 %.0f ms; all updated", ms(updated.at(0.5))),
		atMost("due_commands", "Redis commands per due request", float64(total)/float64(s.size.Due), "", 15, "%s", strings.TrimSpace(listed(each, s.size.Due))),
	}, nil
}

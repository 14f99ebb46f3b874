package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/redis"
)

// fill writes open requests to Redis as a bridge leaves them after it posted their cards.
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
			Ref: platform.MessageRef{Platform: "slack", Channel: "C0000001", Message: fmt.Sprintf("1712345678.%06d", i%1_000_000)},
		}},
	}
}

// Pending measures whether clicks get slower and life-cycles cost more as requests accumulate. It takes turns with
// a bridge that has one open request.
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

// flat compares the acknowledgement and the processor time of a bridge with many open requests and one with few.
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

package metrics

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

const (
	// lookEvery is how often open requests are counted.
	lookEvery = 30 * time.Second
	// lookBudget limits one count.
	lookBudget = 10 * time.Second
	// lookPage and lookMost are how many requests are read at a time and in total.
	lookPage = 200
	lookMost = 5000
)

// The ages of open requests, and the state of their cards.
var (
	ages       = []string{"1m", "1h", "1d", "older"}
	deliveries = []string{standing, waiting, troubled}
)

const (
	// standing: people see a card and nothing is wrong.
	standing = "standing"
	// waiting: no card is posted yet.
	waiting = "waiting"
	// troubled: a card could not be posted, or was postponed because a call failed.
	troubled = "troubled"
)

// Watch updates the gauges of a bridge until ctx ends: its platforms, waiting calls, and open requests.
func (m *Metrics) Watch(ctx context.Context, b *bridge.Bridge) {
	for {
		m.look(ctx, b)
		timer := time.NewTimer(lookEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// Refresh updates what is cheap to read. Call it before each scrape.
func (m *Metrics) Refresh(b *bridge.Bridge) {
	m.parked.Set(float64(b.Waiting()))
	for name, err := range b.Platforms() {
		up := 1.0
		if err != nil {
			up = 0
		}
		m.up.WithLabelValues(name).Set(up)
	}
}

// look counts open requests. After an error the next run counts again.
func (m *Metrics) look(ctx context.Context, b *bridge.Bridge) {
	ctx, cancel := context.WithTimeout(ctx, lookBudget)
	defer cancel()
	var open []bridge.Record
	for r, err := range b.All(ctx, bridge.Query{All: true, Limit: lookPage}) {
		if err != nil {
			return
		}
		if open = append(open, *r); len(open) == lookMost {
			break
		}
	}
	all := 0.0
	if len(open) < lookMost {
		all = 1
	}
	m.counts.Set(all)
	m.openCounts(open)
}

// openCounts sets the gauges of open requests.
func (m *Metrics) openCounts(open []bridge.Record) {
	now := time.Now()
	counted := map[[2]string]int{}
	var oldest, unposted time.Time
	for _, r := range open {
		state := deliveryOf(&r)
		counted[[2]string{state, ageOf(now.Sub(r.Created))}]++
		if oldest.IsZero() || r.Created.Before(oldest) {
			oldest = r.Created
		}
		if !seen(&r) && (unposted.IsZero() || r.Created.Before(unposted)) {
			unposted = r.Created
		}
	}
	for _, state := range deliveries {
		for _, age := range ages {
			m.open.WithLabelValues(state, age).Set(float64(counted[[2]string{state, age}]))
		}
	}
	m.oldestOpen.Set(unix(oldest))
	m.oldestUnposted.Set(unix(unposted))
}

func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func ageOf(d time.Duration) string {
	for n, most := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
		if d < most {
			return ages[n]
		}
	}
	return ages[len(ages)-1]
}

// seen reports whether people see a card of the request.
func seen(r *bridge.Record) bool {
	for _, c := range r.Copies {
		if c.State == record.Posted {
			return true
		}
	}
	return false
}

func deliveryOf(r *bridge.Record) string {
	for _, c := range r.Copies {
		if c.State == record.Undeliverable || c.State == record.Lost || c.Problem != "" {
			return troubled
		}
	}
	if seen(r) {
		return standing
	}
	return waiting
}

package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askbridge/askbridge/bridge"
)

// storeOps are the measured operations, by the names of [bridge.Store].
var storeOps = []string{"create", "load", "change", "due", "claim", "scan", "count", "write_behind"}

// Store wraps a store and measures it. Optional abilities of the store remain available.
func (m *Metrics) Store(s bridge.Store) bridge.Store {
	behind, _ := s.(bridge.WriteBehinder)
	cache, _ := s.(bridge.OutcomeCache)
	ops := make(map[string]*operation, len(storeOps))
	for _, op := range storeOps {
		ops[op] = &operation{m.storeTime.WithLabelValues(op), m.storeDone.WithLabelValues(op, resultOK)}
	}
	return &measured{Store: s, m: m, ops: ops, behind: behind, cache: cache}
}

type measured struct {
	bridge.Store

	m      *Metrics
	ops    map[string]*operation
	behind bridge.WriteBehinder
	cache  bridge.OutcomeCache
}

// operation is one of [storeOps] with its series. Looking them up for each call would cost more than
// counting.
type operation struct {
	time prometheus.Observer
	ok   prometheus.Counter
}

var (
	_ bridge.WriteBehinder = (*measured)(nil)
	_ bridge.OutcomeCache  = (*measured)(nil)
	_ bridge.HealthChecker = (*measured)(nil)
)

// done counts an operation. It is deferred, so that no record is on the stack of the caller.
func (s *measured) done(op string, began time.Time, err *error) {
	s.ops[op].time.Observe(time.Since(began).Seconds())
	s.count(op, *err)
}

func (s *measured) count(op string, err error) {
	switch {
	case err == nil, errors.Is(err, bridge.ErrNotFound), errors.Is(err, bridge.ErrExists), errors.Is(err, bridge.ErrUnchanged), errors.Is(err, context.Canceled):
		s.ops[op].ok.Inc()
	case errors.Is(err, bridge.ErrNotReplicated):
		s.m.storeDone.WithLabelValues(op, "not_replicated").Inc()
	default:
		s.m.storeDone.WithLabelValues(op, resultError).Inc()
	}
}

// retried returns a transition that counts every run except the first.
func (s *measured) retried(f bridge.Transition) bridge.Transition {
	runs := 0
	return func(r *bridge.Record, now time.Time) error {
		if runs++; runs > 1 {
			s.m.storeRetries.Inc()
		}
		return f(r, now)
	}
}

// Create implements [bridge.Store].
func (s *measured) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (_ bridge.Record, err error) {
	defer s.done("create", time.Now(), &err)
	return s.Store.Create(ctx, r, f)
}

// Load implements [bridge.Store].
func (s *measured) Load(ctx context.Context, id string) (_ bridge.Record, err error) {
	defer s.done("load", time.Now(), &err)
	return s.Store.Load(ctx, id)
}

// Change implements [bridge.Store].
func (s *measured) Change(ctx context.Context, id string, f bridge.Transition) (_ bridge.Record, err error) {
	defer s.done("change", time.Now(), &err)
	return s.Store.Change(ctx, id, s.retried(f))
}

// Due implements [bridge.Store].
func (s *measured) Due(ctx context.Context, limit int) (_ bridge.Batch, err error) {
	defer s.done("due", time.Now(), &err)
	return s.Store.Due(ctx, limit)
}

// Claim implements [bridge.Store].
func (s *measured) Claim(ctx context.Context, lease time.Duration, limit int) (_ bridge.Batch, err error) {
	defer s.done("claim", time.Now(), &err)
	return s.Store.Claim(ctx, lease, limit)
}

// Scan implements [bridge.Store].
func (s *measured) Scan(ctx context.Context, q bridge.Scan) (_ []bridge.Record, err error) {
	defer s.done("scan", time.Now(), &err)
	return s.Store.Scan(ctx, q)
}

// Count implements [bridge.Store].
func (s *measured) Count(ctx context.Context, tenant string) (_ int, err error) {
	defer s.done("count", time.Now(), &err)
	return s.Store.Count(ctx, tenant)
}

// WriteBehind implements [bridge.WriteBehinder].
func (s *measured) WriteBehind(id string, f bridge.Transition, done func(bridge.Record, error)) bool {
	if s.behind == nil {
		return false
	}
	return s.behind.WriteBehind(id, f, func(r bridge.Record, err error) {
		s.count("write_behind", err)
		done(r, err)
	})
}

// Ended implements [bridge.OutcomeCache].
func (s *measured) Ended(id string) (bridge.Record, bool) {
	if s.cache == nil {
		return bridge.Record{}, false
	}
	return s.cache.Ended(id)
}

// CheckHealth implements [bridge.HealthChecker].
func (s *measured) CheckHealth(ctx context.Context) error {
	if c, ok := s.Store.(bridge.HealthChecker); ok {
		return c.CheckHealth(ctx)
	}
	return nil
}

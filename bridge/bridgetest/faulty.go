package bridgetest

import (
	"context"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Faulty is a store that can be taken away and slowed down while a test runs.
type Faulty struct {
	storage.Store

	mu    sync.Mutex
	away  bool
	delay time.Duration
	lose  bool
}

// NewFaulty wraps a store that works until the test makes it fail.
func NewFaulty(s storage.Store) *Faulty { return &Faulty{Store: s} }

// Away makes every call fail as unreachable, or ends that.
func (f *Faulty) Away(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

// Slow makes every call take at least d.
func (f *Faulty) Slow(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delay = d
}

// LoseReplies makes changes take effect and then fail, as when a connection
// breaks before the reply.
func (f *Faulty) LoseReplies(lose bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose = lose
}

// Create implements [storage.Store].
func (f *Faulty) Create(ctx context.Context, r record.Record, t record.Transition) (record.Record, error) {
	if err := f.meet(ctx); err != nil {
		return record.Record{}, err
	}
	return f.Store.Create(ctx, r, t)
}

// Load implements [storage.Store].
func (f *Faulty) Load(ctx context.Context, id string) (record.Record, error) {
	if err := f.meet(ctx); err != nil {
		return record.Record{}, err
	}
	return f.Store.Load(ctx, id)
}

// Change implements [storage.Store].
func (f *Faulty) Change(ctx context.Context, id string, t record.Transition) (record.Record, error) {
	if err := f.meet(ctx); err != nil {
		return record.Record{}, err
	}
	r, err := f.Store.Change(ctx, id, t)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lose && err == nil {
		return record.Record{}, storage.ErrUnavailable
	}
	return r, err
}

// Due implements [storage.Store].
func (f *Faulty) Due(ctx context.Context, limit int) (storage.Batch, error) {
	if err := f.meet(ctx); err != nil {
		return storage.Batch{}, err
	}
	return f.Store.Due(ctx, limit)
}

// Claim implements [storage.Store].
func (f *Faulty) Claim(ctx context.Context, lease time.Duration, limit int) (storage.Batch, error) {
	if err := f.meet(ctx); err != nil {
		return storage.Batch{}, err
	}
	return f.Store.Claim(ctx, lease, limit)
}

// Scan implements [storage.Store].
func (f *Faulty) Scan(ctx context.Context, s storage.Scan) ([]record.Record, error) {
	if err := f.meet(ctx); err != nil {
		return nil, err
	}
	return f.Store.Scan(ctx, s)
}

// Count implements [storage.Store].
func (f *Faulty) Count(ctx context.Context, tenant string) (int, error) {
	if err := f.meet(ctx); err != nil {
		return 0, err
	}
	return f.Store.Count(ctx, tenant)
}

func (f *Faulty) meet(ctx context.Context) error {
	f.mu.Lock()
	away, delay := f.away, f.delay
	f.mu.Unlock()
	if delay > 0 {
		t := time.NewTimer(delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if away {
		return storage.ErrUnavailable
	}
	return nil
}

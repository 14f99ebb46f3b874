package state

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

const (
	// sampled is the number of awaited requests to check after a gap in the
	// notifications. Otherwise one is checked per poll, so that waiting costs nothing.
	sampled = 100
	// secondLook is when to check a missing request again, because a failover may
	// restore it.
	secondLook = 5 * time.Second
)

// missing detects requests that the store has lost, such as after it was emptied, and
// wakes their callers.
type missing struct {
	records *Records
	log     *slog.Logger
	// suspects were missing at the last check.
	suspects map[string]bool
}

// look checks a sample of the awaited requests. It reports whether to call it again
// after [secondLook].
func (m *missing) look(ctx context.Context, gap bool) (again bool) {
	ids := m.records.Waiter.some(1)
	if gap || len(m.suspects) > 0 {
		ids = m.records.Waiter.some(sampled)
	}
	for id := range m.suspects {
		ids = append(ids, id)
	}
	before := m.suspects
	m.suspects = map[string]bool{}
	for _, id := range ids {
		if m.suspects[id] {
			continue
		}
		r, err := m.records.Store.Load(ctx, id)
		switch {
		case err == nil:
			m.records.Publish(&r)
		case errors.Is(err, storage.ErrNotFound) && before[id]:
			m.log.Error("request vanished from the store", "request_id", id)
			m.records.Waiter.lose(id, err)
			again = true // Others may be missing too.
		case errors.Is(err, storage.ErrNotFound):
			m.suspects[id] = true
			again = true
		case before[id]:
			m.suspects[id] = true // The store is unavailable.
		}
	}
	return again || len(m.suspects) > 0
}

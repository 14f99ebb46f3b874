package state

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

const (
	// sampled is how many of the requests that somebody waits for are looked at
	// in one go when there may be news that nobody told of. Without a reason it
	// is one, so that those who wait cost nothing.
	sampled = 100
	// secondLook is when a request that the store does not have is looked at
	// again: after a failover it may be put back.
	secondLook = 5 * time.Second
)

// missing tells those who wait for a request that the store has forgotten it.
// An emptied store says nothing, so one has to look.
type missing struct {
	records *Records
	log     *slog.Logger
	// suspects were not there the last time.
	suspects map[string]bool
}

// look asks the store for a few of the requests that somebody waits for. Once
// one is not there it wants to be called again after a [secondLook].
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
			again = true // Others may have vanished with it.
		case errors.Is(err, storage.ErrNotFound):
			m.suspects[id] = true
			again = true
		case before[id]:
			m.suspects[id] = true // Nobody can tell now.
		}
	}
	return again || len(m.suspects) > 0
}

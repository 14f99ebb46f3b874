package bridge

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Event is one visible change of a request.
type Event struct {
	// ID resumes the stream after this event.
	ID     string
	Record record.Record
}

// overlap is how far a resumed stream reaches back, so that a change that a replica saw
// late is not skipped. Clients may receive an event twice, with the same ID.
const overlap = 10 * time.Second

// Follow calls f with each change of the selected requests until f returns an error or
// ctx ends. Changes of one request arrive in order; intermediate ones may be skipped,
// the last one never. A malformed After starts from the beginning. Follow returns
// [ErrNotFound] for an unknown single request and [ErrClosed] when the bridge stops.
func (b *Bridge) Follow(ctx context.Context, q state.Selection, f func(Event) error) error {
	return b.streams.follow(ctx, q, f)
}

// streams sends followers first what they have missed, then new changes.
type streams struct {
	records    *state.Records
	deadlines  *deliver.Deadlines
	background *state.Background
}

func (s *streams) follow(ctx context.Context, q state.Selection, f func(Event) error) error {
	me := s.records.Followers.Join(q)
	defer s.records.Followers.Leave(me)
	since := parseEventID(q.After)
	sent := map[string]int64{}
	emit := func(r *record.Record) error {
		if r.Version <= sent[r.ID] || !q.Holds(r) || eventID(r) == q.After {
			return nil
		}
		sent[r.ID] = r.Version
		if !r.Open() {
			delete(sent, r.ID)
		}
		return f(Event{ID: eventID(r), Record: *r})
	}
	if err := s.replay(ctx, q, since, emit); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.background.Stopping():
			return storage.ErrClosed
		case <-me.Ready:
		}
		for _, r := range me.Take() {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
}

// replay emits what a follower has missed.
func (s *streams) replay(ctx context.Context, q state.Selection, since time.Time, emit func(*record.Record) error) error {
	if q.Request != "" {
		r, err := s.deadlines.Load(ctx, q.Request)
		if err != nil {
			return err
		}
		if !q.Holds(&r) {
			return storage.ErrNotFound
		}
		return emit(&r)
	}
	var tenant *string
	if !q.All {
		tenant = &q.Tenant
	}
	seen := since.Add(-overlap)
	scans := []storage.Scan{{Tenant: tenant, Limit: state.BatchSize}}
	if !since.IsZero() {
		scans = []storage.Scan{{Ended: true, Tenant: tenant, From: seen, Limit: state.BatchSize}, scans[0]}
	}
	for _, scan := range scans {
		for r, err := range s.deadlines.All(ctx, scan) {
			if err == nil && !r.Changed.Before(seen) {
				err = emit(r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func eventID(r *record.Record) string {
	return fmt.Sprintf("%d-%s-%d", r.Changed.UnixMicro(), r.ID, r.Version)
}

func parseEventID(id string) time.Time {
	micros, _, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

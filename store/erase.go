package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Erasure selects what to erase from ended requests: one request, those that ended before a time, or all;
// the data of one person or, if Person is empty, of everyone, including the agent.
type Erasure struct {
	Request, Person string
	Before          time.Time
	// DryRun only counts.
	DryRun bool
}

// Erased is the result of one call of [Erase].
type Erased struct {
	// Requests were checked, and Erased of them had data to erase. Open requests were skipped; the
	// first call counts them.
	Requests, Erased, Open int
}

// Place is a position in the list of ended requests, in order of their end. The zero Place is the
// beginning.
type Place struct {
	EndedAt time.Time `json:"ended_at,omitzero"`
	ID      string    `json:"id,omitempty"`
}

// eraseShare is the number of requests per call of [Erase].
const eraseShare = 100

// ErrErasure means an erasure without a request, a person and a time.
var ErrErasure = errors.New("store: erasure needs a request, a person or a time")

// Erase removes texts and names from some of the requests that ended after a place, as the method Erase of
// [record.Record] does. It returns the next place, the zero Place at the end. It is idempotent and can
// continue from any place. It skips open requests, and returns an error for a named request that is
// open. The store may be in use.
func Erase(ctx context.Context, s storage.Store, e Erasure, behind Place) (n Erased, next Place, err error) {
	if e.Request == "" && e.Person == "" && e.Before.IsZero() {
		return n, behind, ErrErasure
	}
	var share []record.Record
	switch {
	case e.Request != "":
		share = make([]record.Record, 1)
		share[0], err = s.Load(ctx, e.Request)
	default:
		if behind == (Place{}) {
			open, err := listed(ctx, s, false)
			if err != nil {
				return n, behind, fmt.Errorf("store: erase: %w", err)
			}
			n.Open = len(open)
		}
		share, err = s.Scan(ctx, storage.Scan{Ended: true, From: behind.EndedAt, After: behind.ID, Limit: eraseShare})
	}
	if err != nil {
		return n, behind, fmt.Errorf("store: erase: %w", err)
	}
	next = behind
	for _, r := range share {
		if !e.Before.IsZero() && !r.Open() && !r.EndedAt.Before(e.Before) {
			return n, Place{}, nil // All others ended later.
		}
		switch err := e.erase(ctx, s, r); {
		case err == nil, errors.Is(err, storage.ErrNotReplicated):
			n.Erased++
		case errors.Is(err, storage.ErrUnchanged):
		case e.Request == "" && (errors.Is(err, storage.ErrNotFound) || errors.Is(err, ask.ErrGone)):
			// It expired in the meantime.
		default:
			return n, next, fmt.Errorf("store: erase %s: %w", r.ID, err)
		}
		n.Requests++
		next = Place{r.EndedAt, r.ID}
	}
	if e.Request != "" || len(share) < eraseShare {
		next = Place{}
	}
	return n, next, nil
}

func (e Erasure) erase(ctx context.Context, s storage.Store, r record.Record) error {
	// Most records have nothing to erase and are not written.
	looked := r.Clone()
	if err := looked.Erase(e.Person); err != nil || e.DryRun {
		return err
	}
	_, err := s.Change(ctx, r.ID, func(r *record.Record, _ time.Time) error { return r.Erase(e.Person) })
	return err
}

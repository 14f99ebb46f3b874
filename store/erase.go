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

// Erasure is what to erase of requests that have ended: of one request, of all that ended
// before a moment, or of all. Of one person, or of everybody, the agent too, where Person is
// empty.
type Erasure struct {
	Request, Person string
	Before          time.Time
	// DryRun changes nothing, and counts all the same.
	DryRun bool
}

// Erased is what a share of an erasure has come to.
type Erased struct {
	// Requests were looked at, and Erased of them had something to erase. Open are those that
	// have not ended and were left alone; the first share counts them.
	Requests, Erased, Open int
}

// Place is a request that has ended, in the order in which they do. The zero Place stands
// before all of them.
type Place struct {
	EndedAt time.Time `json:"ended_at,omitzero"`
	ID      string    `json:"id,omitempty"`
}

// eraseShare is how many requests one call of [Erase] looks at.
const eraseShare = 100

// ErrErasure means an erasure that names neither a request, nor a person, nor a moment.
var ErrErasure = errors.New("store: say what to erase: a request, a person, or what ended before a moment")

// Erase takes texts and names out of a share of the requests that ended behind a place, as
// the method Erase of [record.Record] does. It returns where to go on: the zero Place when nothing is left. What
// is erased already is left alone, so it can be repeated from any place. Open requests are
// counted; one that is named has to have ended. The store may be in use meanwhile.
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
			return n, Place{}, nil // Nor did any that follow.
		}
		switch err := e.erase(ctx, s, r); {
		case err == nil, errors.Is(err, storage.ErrNotReplicated):
			n.Erased++
		case errors.Is(err, storage.ErrUnchanged):
		case e.Request == "" && (errors.Is(err, storage.ErrNotFound) || errors.Is(err, ask.ErrGone)):
			// Its time was over meanwhile.
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
	// Most have nothing to erase, and are not written.
	looked := r.Clone()
	if err := looked.Erase(e.Person); err != nil || e.DryRun {
		return err
	}
	_, err := s.Change(ctx, r.ID, func(r *record.Record, _ time.Time) error { return r.Erase(e.Person) })
	return err
}

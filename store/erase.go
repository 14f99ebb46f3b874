package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/bridge"
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

// Erasing is how far [Erase] is.
type Erasing struct {
	// Requests of Total were looked at, and Erased had something to erase. Open are those
	// that have not ended and were left alone.
	Requests, Total, Erased, Open int
}

// ErrErasure means an erasure that names neither a request, nor a person, nor a moment.
var ErrErasure = errors.New("say what to erase: a request, a person, or what ended before a moment")

// Erase takes texts and names out of ended requests, see [record.Record.Erase]. What is
// erased already is left alone, so running it again goes on where it was interrupted. Open
// requests are counted; one that is named has to have ended. The store may be in use
// meanwhile. Progress, which may be nil, is told now and then.
func Erase(ctx context.Context, s bridge.Store, e Erasure, progress func(Erasing)) (n Erasing, err error) {
	if e.Request == "" && e.Person == "" && e.Before.IsZero() {
		return n, fmt.Errorf("store: erase: %w", ErrErasure)
	}
	ids := []string{e.Request}
	if e.Request == "" {
		if ids, err = listed(ctx, s, true); err != nil {
			return n, fmt.Errorf("store: erase: %w", err)
		}
		open, err := listed(ctx, s, false)
		if err != nil {
			return n, fmt.Errorf("store: erase: %w", err)
		}
		n.Open = len(open)
	}
	n.Total = len(ids)
	for _, id := range ids {
		switch err := e.erase(ctx, s, id); {
		case err == nil, errors.Is(err, bridge.ErrNotReplicated):
			n.Erased++
		case errors.Is(err, bridge.ErrUnchanged):
		case e.Request == "" && (errors.Is(err, bridge.ErrNotFound) || errors.Is(err, bridge.ErrGone)):
			// Its time was over meanwhile.
		default:
			return n, fmt.Errorf("store: erase %s: %w", id, err)
		}
		if n.Requests++; progress != nil {
			progress(n)
		}
	}
	return n, nil
}

func (e Erasure) erase(ctx context.Context, s bridge.Store, id string) error {
	r, err := s.Load(ctx, id)
	if err != nil {
		return err
	}
	transition := func(r *bridge.Record, _ time.Time) error {
		if !e.Before.IsZero() && !r.EndedAt.Before(e.Before) {
			return bridge.ErrUnchanged
		}
		return r.Erase(e.Person)
	}
	// Most have nothing to erase, and are not written.
	if r = r.Clone(); e.DryRun {
		return transition(&r, time.Time{})
	}
	if err := transition(&r, time.Time{}); err != nil {
		return err
	}
	_, err = s.Change(ctx, id, transition)
	return err
}

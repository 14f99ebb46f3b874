package deliver

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

const (
	// statusBudget bounds the calls for one thread.
	statusBudget = 10 * time.Second
	// statusTries is how often a call is repeated that can succeed later.
	statusTries = 6
)

// Status shows in threads whether an agent waits there for people: from the first card until the
// last request with a card in the thread has ended. Which requests have one is stored, and which of
// them are open is what their records say, so every replica comes to the same result. No failure
// here affects a card.
type Status struct {
	Threads    storage.Threads // nil shows nothing
	Records    *state.Records
	Platforms  *Platforms
	Background *state.Background
	Log        *slog.Logger
}

// Begin notes the requests whose cards were just posted in threads, before the records contain the
// cards, and shows in the background that the agent waits.
func (s *Status) Begin(ctx context.Context, r *record.Record, results []record.Result) {
	for n, c := range r.Copies {
		if n >= len(results) || len(record.PostedRefs(results[n])) == 0 || !s.shows(c.Target) {
			continue
		}
		if err := s.Threads.Put(ctx, statusKey(c.Target), r.ID, state.ThreadLife); err != nil {
			s.Log.Warn("agent status not noted", "request_id", r.ID, "error", err)
			continue
		}
		s.Background.Go(func() {
			if err := s.refresh(s.Background.Ctx, c.Target); err != nil {
				s.retry(c.Target, err)
			}
		})
	}
}

// End returns the calls for the threads of an ended request.
func (s *Status) End(ctx context.Context, r *record.Record) (calls []func()) {
	if r.Open() {
		return nil
	}
	var seen []string
	for _, c := range r.Copies {
		key := statusKey(c.Target)
		if slices.Contains(seen, key) || !s.shows(c.Target) {
			continue
		}
		seen = append(seen, key)
		calls = append(calls, func() {
			if err := s.refresh(ctx, c.Target); err != nil {
				s.Background.Go(func() { s.retry(c.Target, err) })
			}
		})
	}
	return calls
}

// shows reports whether a place is a thread with a status.
func (s *Status) shows(at ask.Place) bool {
	if s.Threads == nil || at.Thread == "" {
		return false
	}
	p, able := s.Platforms.Named[at.Platform].(platform.StatusShower)
	return able && p.ShowsStatus()
}

// statusKey is the key of a thread, apart from those of [state.Thread].
func statusKey(at ask.Place) string { return "status " + at.String() }

// refresh shows whether the agent waits in a thread. Other replicas may do the same for other
// requests, so it reads again after the call: the last call of all is the right one.
func (s *Status) refresh(ctx context.Context, at ask.Place) error {
	ctx, cancel := context.WithTimeoutCause(ctx, statusBudget, errors.New("status takes too long"))
	defer cancel()
	shower, _ := s.Platforms.Named[at.Platform].(platform.StatusShower)
	waiting, ended, err := s.noted(ctx, at)
	if err != nil || !waiting && len(ended) == 0 {
		return err // Nothing noted: it was shown before.
	}
	for {
		shown := waiting
		if err := state.Protect(s.Log, func() error { return shower.ShowWaiting(ctx, at, shown) }); err != nil && again(err) {
			return err
		}
		for _, id := range ended {
			if err := s.Threads.Remove(ctx, statusKey(at), id); err != nil {
				return err
			}
		}
		if waiting, ended, err = s.noted(ctx, at); err != nil || waiting == shown {
			return err
		}
	}
}

// again reports whether a call can succeed later.
func again(err error) bool {
	var pe *platform.Error
	return errors.As(err, &pe) && temporary(pe.Kind)
}

// noted reports whether a request with a card in a thread is open, and returns those that have ended.
func (s *Status) noted(ctx context.Context, at ask.Place) (waiting bool, ended []string, err error) {
	ids, err := s.Threads.Of(ctx, statusKey(at))
	if err != nil {
		return false, nil, err
	}
	for _, id := range ids {
		r, err := s.Records.Store.Load(ctx, id)
		switch {
		case err == nil && r.Open():
			waiting = true
		case err == nil, errors.Is(err, storage.ErrNotFound):
			ended = append(ended, id)
		default:
			return false, nil, err
		}
	}
	return waiting, ended, nil
}

// retry repeats a refresh that failed.
func (s *Status) retry(at ask.Place, err error) {
	for n := range statusTries {
		pause := state.Backoff(n)
		if pe, ok := errors.AsType[*platform.Error](err); ok {
			pause = max(pause, pe.RetryAfter)
		}
		if wait.For(s.Background.Ctx, pause) != nil {
			return
		}
		if err = s.refresh(s.Background.Ctx, at); err == nil {
			return
		}
	}
	s.Log.Warn("agent status not shown", "platform", at.Platform, "target", at.String(), "error", err)
}

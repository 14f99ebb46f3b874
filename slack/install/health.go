package install

import (
	"context"
	"errors"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Counts are the numbers of installations and of refreshed tokens.
type Counts struct {
	// Working installations have a token that works as far as known; a stuck one works until it
	// expires, and a dead one no longer.
	Working, Stuck, Dead int
	// Refreshed and Failed count the refreshes of this process.
	Refreshed, Failed int64
}

// add counts an installation.
func (c *Counts) add(i *saved) {
	switch {
	case i.Dead != "":
		c.Dead++
	case i.Stuck != "":
		c.Stuck++
	default:
		c.Working++
	}
}

// Counts returns the numbers as of the last look at the store, a few minutes ago at most.
func (s *Service) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// refreshed counts a refresh.
func (s *Service) refreshed(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok {
		s.counts.Refreshed++
	} else {
		s.counts.Failed++
	}
}

// settle finishes the removals and counts the installations.
func (s *Service) settle(ctx context.Context, end func(ctx context.Context, id, reason string) error) error {
	var (
		errs  []error
		found Counts
	)
	for e, err := range keyvalue.All(ctx, s.o.Values(), keyvalue.Range{Kind: kindInstallation, Prefix: ofSlack}) {
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		i, err := decode(e)
		switch {
		case err != nil:
		case i.Leaving == "":
			found.add(i)
		default:
			err = s.finish(ctx, e, i, end)
		}
		errs = append(errs, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Working, s.counts.Stuck, s.counts.Dead = found.Working, found.Stuck, found.Dead
	return errors.Join(errs...)
}

// finish ends the open requests of a removed installation and deletes its value.
func (s *Service) finish(ctx context.Context, e keyvalue.Entry, i *saved, end func(ctx context.Context, id, reason string) error) error {
	err := end(ctx, i.ID, i.Leaving)
	if err == nil {
		err = s.o.Values().Delete(ctx, e.Key, e.Version)
	}
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, keyvalue.ErrConflict) {
		return nil // Another replica was first, or the app was installed again.
	}
	return err
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// Leave gives up all open cards in an installation of a platform that has removed the bot. Requests
// without a card elsewhere fail for that reason. It can be repeated.
func Leave(ctx context.Context, b *Bridge, name, installation, why string) error {
	var find func(ask.Place, record.MessageRef) string
	if finder, ok := b.platforms.Named[name].(platform.InstallationFinder); ok {
		find = finder.InstallationOf
	}
	open := storage.Scan{Limit: state.BatchSize, TooNew: func(string, error) {}}
	for r, err := range open.All(ctx, b.records.Store) {
		if err != nil {
			return fmt.Errorf("bridge: leave %s: %w", installation, err)
		}
		leave := func(r *record.Record, now time.Time) error {
			return record.Leave(r, name, installation, why, find, now)
		}
		if leave(r, r.Changed) != nil {
			continue // It has no card there.
		}
		_, err := b.workers.Change(ctx, r.ID, leave)
		switch {
		case errors.Is(err, storage.ErrUnchanged), errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrNotReplicated):
		case err != nil:
			return fmt.Errorf("bridge: leave %s: request %s: %w", installation, r.ID, err)
		default:
			b.opts.Logger.Info("request left an installation", "request_id", r.ID, "platform", name, "installation", installation)
		}
	}
	return nil
}

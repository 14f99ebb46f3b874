package app

import (
	"context"
	"sync"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/rota"
)

// newFeeds are the rotas of calendars.
func (a *App) newFeeds(cfg *config.Config) map[string]*rota.Feed {
	feeds := map[string]*rota.Feed{}
	for name, r := range cfg.Rotas {
		if r.ICal.Set() {
			feeds[name] = rota.NewFeed(name, r.ICal.Reveal(), r.Calls(cfg.People), r.Location(), &rota.Options{Logger: a.log})
		}
	}
	return feeds
}

// readRotas reads calendars until the function that it returns is called. Before it returns
// each was read, or could not be.
func (a *App) readRotas(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, feed := range a.feeds {
		all.Go(func() { feed.Run(ctx) })
	}
	for _, feed := range a.feeds {
		<-feed.Ready()
	}
	return func() {
		cancel()
		all.Wait()
	}
}

package app

import (
	"context"
	"sync"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/rota"
)

// newFeeds creates the rotas with calendars.
func (a *App) newFeeds(cfg *config.Config) map[string]*rota.Feed {
	feeds := map[string]*rota.Feed{}
	for name, r := range cfg.Rotas {
		if r.ICal.Set() {
			feeds[name] = rota.NewFeed(name, r.ICal.Reveal(), r.Calls(cfg.People), r.Location(), &rota.Options{Logger: a.log})
		}
	}
	return feeds
}

// readRotas reads the calendars once, then until stop is called.
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

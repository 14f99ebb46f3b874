package doctor

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/rota"
)

// examineRotas tells who is on call, and whether calendars can be read.
func examineRotas(ctx context.Context, r *Report, cfg *config.Config) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Rotas)) {
		id, known := "rota/"+name, cfg.Rotas[name]
		if !known.ICal.Set() {
			tellOnCall(r, id, known.Turns().OnCall(time.Now()))
			continue
		}
		feed := rota.NewFeed(name, known.ICal.Reveal(), known.Calls(cfg.People), known.Location(), nil)
		if err := feed.Read(ctx); err != nil {
			r.Add(id, Broken, "Name a calendar that can be read, or mend what it says.", "%v", err)
			continue
		}
		tellOnCall(r, id, feed.OnCall(time.Now()))
		if unknown := feed.Unknown(); len(unknown) > 0 {
			r.Add(id, Warn, "Name them in rotas."+name+".names.", "the calendar names people whom nobody knows: %s", strings.Join(unknown, "; "))
		}
	}
}

func tellOnCall(r *Report, id string, who []string) {
	if len(who) == 0 {
		r.Add(id, Warn, "", "nobody is on call now")
		return
	}
	r.OK(id, "on call now: %s", strings.Join(who, ", "))
}

package doctor

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/rota"
)

// examineRotas reports who is on call, unreadable calendars, and events that are not understood.
func examineRotas(ctx context.Context, r *Report, cfg *config.Config) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Rotas)) {
		id, known := "rota/"+name, cfg.Rotas[name]
		if !known.ICal.Set() {
			who, err := known.Turns(cfg.People).OnCall(time.Now())
			reportOnCall(r, id, who, err)
			continue
		}
		feed := rota.NewFeed(name, known.ICal.Reveal(), known.Calls(cfg.People), known.Location(), nil)
		if err := feed.Read(ctx); err != nil {
			reportOnCall(r, id, nil, err)
			continue
		}
		who, err := feed.OnCall(time.Now())
		reportOnCall(r, id, who, err)
		due, other := feed.Skipped()
		if len(due) > 0 {
			r.Add(id, Warn, "Correct them in the calendar: while one of them may be due, requests that need the rota are rejected.",
				"events of the next 60 days are not understood: %s", rota.Shortened(due))
		}
		if len(other) > 0 {
			r.OK(id, "skipped events that are not understood; none affects the next 60 days: %s", rota.Shortened(other))
		}
		if unknown := feed.Unknown(); len(unknown) > 0 {
			r.Add(id, Warn, "Name them in rotas."+name+".names.", "the calendar has unknown names: %s", strings.Join(unknown, "; "))
		}
	}
}

func reportOnCall(r *Report, id string, who []string, err error) {
	switch {
	case err != nil:
		r.Add(id, Broken, "Correct the calendar or its address.", "%v", err)
	case len(who) == 0:
		r.Add(id, Warn, "", "no one is on call now")
	default:
		r.OK(id, "on call now: %s", strings.Join(who, ", "))
	}
}

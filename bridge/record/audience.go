package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// asStored is a moment as every store returns it: in UTC, in whole microseconds.
func asStored(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }

// Audience is who is notified of a request, as resolved when the request was made.
type Audience struct {
	// Who are people and groups, written as in [ask.Request.Notify].
	Who []string
	// Unknown are entries that could not be resolved to anyone.
	Unknown []string
}

// OnCall returns the accounts of those on call at a moment, by the name of a rota.
type OnCall func(rota string, at time.Time) []string

// ResolveRotas replaces the rotas in a list with those on call at a moment. A rota without anyone
// on call stays.
func ResolveRotas(list []string, on OnCall, at time.Time) []string {
	if !slices.ContainsFunc(list, isRota) {
		return list
	}
	var all []string
	for _, entry := range list {
		called := []string{entry}
		if e, _ := ask.ParseEntry(entry); e.Platform == ask.OnCall {
			if people := on(e.ID, at); len(people) > 0 {
				called = people
			}
		}
		for _, entry := range called {
			if !slices.Contains(all, entry) {
				all = append(all, entry)
			}
		}
	}
	return all
}

func isRota(entry string) bool {
	e, _ := ask.ParseEntry(entry)
	return e.Platform == ask.OnCall
}

// Called is the audience with its rotas replaced by those on call at a moment. A rota without anyone
// on call becomes unknown.
func (a *Audience) Called(on OnCall, at time.Time) *Audience {
	if !slices.ContainsFunc(a.Who, isRota) {
		return a
	}
	next := &Audience{Who: []string{}, Unknown: slices.Clip(a.Unknown)}
	for _, entry := range ResolveRotas(a.Who, on, at) {
		if isRota(entry) {
			next.Unknown = append(next.Unknown, entry)
			continue
		}
		next.Who = append(next.Who, entry)
	}
	return next
}

package intake

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// audience returns who is notified of a request: by the request, or else its route,
// or else its token; nil if none does. The requester is resolved here, so that a change
// of the configuration does not affect open requests.
func audience(req *ask.Request, route Route) *record.Audience {
	list := req.Notify
	for _, otherwise := range [][]string{route.Notify, req.Token.Notify} {
		if list == nil {
			list = otherwise
		}
	}
	if list == nil {
		return nil
	}
	return resolved(list, req)
}

// resolved replaces words by people.
func resolved(list []string, req *ask.Request) *record.Audience {
	a := &record.Audience{}
	add := func(who string) {
		if !slices.Contains(a.Who, who) {
			a.Who = append(a.Who, who)
		}
	}
	for _, who := range ask.NormalNotify(list) {
		if who != ask.Requester {
			add(who)
			continue
		}
		if len(req.Requesters) == 0 {
			a.Unknown = append(a.Unknown, who)
		}
		for _, account := range req.Requesters {
			add(account)
		}
	}
	return a
}

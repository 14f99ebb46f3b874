package intake

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// audience is who is told of a request: as it says itself, or else its route, or else
// its token. It returns nil where none of them says anything. Who the requester is, is
// settled here, so that a change of the configuration touches no open request.
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

// resolved puts people in place of words.
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

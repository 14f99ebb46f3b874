package bridge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// policy is who may answer a request: at most whom its route and its token let
// answer, unless the operator lets the token choose; and of those whom the
// request names.
func (in *intake) policy(req *ask.Request, route Route) (ask.Policy, error) {
	lists := floors(req, route)
	if req.Responders != nil {
		lists = append(lists, req.Responders)
	}
	if len(lists) == 0 {
		otherwise, err := in.called("responders", in.opts.Responders, in.records.clock.now())
		if err != nil {
			return ask.Policy{}, err
		}
		lists = [][]string{otherwise}
	}
	p := ask.PolicyOf(lists[0]...)
	for _, list := range lists[1:] {
		p = p.Narrow(ask.PolicyOf(list...))
	}
	switch {
	case p.Vacant():
		return p, invalid("responders", fmt.Sprintf("names nobody of those who may answer here: %s; a request can only narrow that",
			strings.Join(slices.Concat(lists[:len(lists)-1]...), ", ")))
	case p.Has(ask.NotRequester) && len(req.Requesters) == 0:
		return p, invalid("responders", `"not_requester" needs to know who asks, and this caller's token names nobody`)
	}
	return p, nil
}

// floors are the lists of whom a route and a token let answer at most: none of a token whose
// requests may name anybody, where this one names people.
func floors(req *ask.Request, route Route) [][]string {
	if req.Unbound && req.Responders != nil {
		return nil
	}
	return slices.DeleteFunc([][]string{route.Responders, req.Floor}, func(list []string) bool { return list == nil })
}

func invalid(path, detail string) error {
	return &ask.InvalidError{Problems: []ask.Problem{problem(path, ask.ErrResponders, detail)}}
}

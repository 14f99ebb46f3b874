package intake

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// answering lists who may answer a request: at most the responders of its route and
// token, unless the operator lets the token choose, restricted to those that the request
// names. A nil list restricts nothing.
type answering struct {
	route, token, named []string
	unbound             bool
}

func answeringOf(req *ask.Request, route Route) answering {
	return answering{route.Responders, req.Token.Responders, req.Responders, req.Unbound}
}

// policy combines the lists, for a request of these requesters.
func (in *Intake) policy(a answering, requesters []string) (ask.Policy, error) {
	lists := a.floors()
	if a.named != nil {
		lists = append(lists, a.named)
	}
	if len(lists) == 0 {
		otherwise, err := in.resolveRotas("responders", in.Settings.Responders, in.Records.Clock.Now())
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
		return p, invalid("responders", ask.ErrResponders, fmt.Sprintf("contains none of those who may answer here: %s; a request can only narrow that",
			strings.Join(slices.Concat(lists[:len(lists)-1]...), ", ")))
	case p.Has(ask.NotRequester) && len(requesters) == 0:
		return p, invalid("responders", ask.ErrResponders, `"not_requester" needs to know who asks, and this caller's token has no requester`)
	}
	return p, nil
}

// floors returns the lists that a request cannot widen.
func (a answering) floors() [][]string {
	if a.unbound && a.named != nil {
		return nil
	}
	return slices.DeleteFunc([][]string{a.route, a.token}, func(list []string) bool { return list == nil })
}

package doctor

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// examineTokens warns about tokens created at run time that can answer but name no person.
func examineTokens(ctx context.Context, r *Report, values keyvalue.Store) {
	const id = "tokens"
	all, err := access.NewTokens(values, nil, nil).List(ctx)
	if err != nil {
		r.Add(id, Broken, "Check the store's log.", "tokens cannot be read: %v", err)
		return
	}
	for n := range all {
		if t := &all[n]; t.State(time.Now()) == access.TokenActive && t.Agent.NamesNobody() {
			r.Add(id, Warn, "Create another one with --requester, and revoke this one.", "%s (%s): %s", t.Agent.Name, t.ID, access.AnswersAsNobody)
		}
	}
}

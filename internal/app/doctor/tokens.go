package doctor

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// examineTokens warns of tokens made at run time that answer for nobody.
func examineTokens(ctx context.Context, r *Report, values keyvalue.Store) {
	const id = "tokens"
	all, err := access.NewTokens(values, nil, nil).List(ctx)
	if err != nil {
		r.Add(id, Broken, "Look at the store's log.", "tokens cannot be read: %v", err)
		return
	}
	for n := range all {
		if t := &all[n]; t.State(time.Now()) == access.TokenActive && t.Agent.NamesNobody() {
			r.Add(id, Warn, "Make another one with --requester, and revoke it.", "%s (%s): %s", t.Agent.Name, t.ID, access.AnswersAsNobody)
		}
	}
}

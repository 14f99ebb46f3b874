package bridge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// replyTime is how long a reply that draws a card can be on its way: platforms take none to an
// interaction that is older
// (https://docs.discord.com/developers/interactions/receiving-and-responding).
const replyTime = 3 * time.Second

// replies looks after cards that a reply has drawn. One replica draws a card in the order in
// which it changes, see [locks], but another one may close it while a reply is on its way here, and
// the platform takes the reply last.
type replies struct {
	records    *records
	workers    *workers
	locks      *locks
	background *background
	log        *slog.Logger
}

// sent looks, when the reply that drew the open request at this place must have arrived, whether
// another replica has closed the card meanwhile, and has it closed once more then.
func (rs *replies) sent(r *Record, at MessageRef) {
	leave := rs.locks.hold(at) // So that it is remembered what is drawn here later.
	time.AfterFunc(replyTime, func() {
		if !rs.background.start(func() {
			defer leave()
			rs.look(r.ID, at)
		}) {
			leave()
		}
	})
}

func (rs *replies) look(id string, at MessageRef) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), sweepBudget, errors.New("store too slow for a look at a card"))
	defer cancel()
	shown := rs.locks.rendered(at)
	_, err := rs.workers.change(ctx, id, func(r *Record, now time.Time) error { return r.Overtaken(at, shown, now) })
	if err != nil && !errors.Is(err, record.ErrUnchanged) && !errors.Is(err, ErrNotFound) {
		rs.log.Warn("card not looked at again", "request_id", id, "error", err)
	}
}

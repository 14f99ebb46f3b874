package discord

import (
	"cmp"
	"context"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// removedReason is why the requests of a server end.
const removedReason = "the bot was removed from the Discord server"

// removeAgain is how long to wait after requests could not be ended.
const removeAgain = 30 * time.Second

// FinishRemovals calls end for every listed server that the bot was removed from, until its open requests
// have ended, and returns when ctx ends. It learns of removals over the gateway: also of one during a
// pause, when the next session begins.
func (c *Connector) FinishRemovals(ctx context.Context, end func(ctx context.Context, installation, reason string) error) {
	for ctx.Err() == nil {
		failed := false
		for _, id := range c.servers.gone() {
			if err := end(ctx, id, removedReason); err != nil {
				failed = true
				c.log.Warn("requests of a discord server not ended", "server", id, "error", err)
				continue
			}
			c.servers.ended(id)
		}
		again := make(<-chan time.Time)
		if failed {
			again = time.After(removeAgain)
		}
		select {
		case <-c.servers.wake:
		case <-again:
		case <-ctx.Done():
		}
	}
}

// InstallationOf returns the server of a card as far as it is known, or "". It implements
// [platform.InstallationFinder].
func (c *Connector) InstallationOf(to ask.Place, ref platform.MessageRef) string {
	if to.Installation != "" {
		return to.Installation
	}
	channel := cmp.Or(to.Channel, ref.Channel)
	server, _ := c.places.servers.Peek(channel)
	return cmp.Or(server, c.servers.serverOf(channel))
}

package discord

import (
	"context"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/render"
)

// clockSlack is how far Discord's clock may be behind the store's.
const clockSlack = 5 * time.Second

// Remind posts a message that answers a card, which rings whom it names. For a few minutes
// Discord takes the same one again for the first. It implements [bridge.Reminder].
func (c *Connector) Remind(ctx context.Context, _ ask.Place, ref bridge.MessageRef, card render.Card, step int) error {
	body := ringing(card)
	body.To = ref.Message
	_, err := c.create(ctx, ref.Channel, body, card.Request, ref.Message, "step", strconv.Itoa(step))
	return err
}

// Reminded looks for a message of ours behind a card that answers it, has no files and was
// posted since: nothing else of ours does while the request is open. Without the permission
// Read Message History Discord shows none.
func (c *Connector) Reminded(ctx context.Context, _ ask.Place, ref bridge.MessageRef, _ int, since time.Time) (bool, error) {
	return c.answers(ctx, ref, func(m found) bool { return len(m.Attachments) == 0 && !m.Timestamp.Before(since.Add(-clockSlack)) })
}

// answers reports whether a message of ours that answers a card is what is looked for.
func (c *Connector) answers(ctx context.Context, ref bridge.MessageRef, is func(found) bool) (bool, error) {
	for m, err := range c.history(ctx, ref.Channel, after, ref.Message) {
		if err != nil {
			return false, err
		}
		if m.Author.ID == c.whoWeAre().bot && m.Reference.Message == ref.Message && is(m) {
			return true, nil
		}
	}
	return false, nil
}

package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
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
	return c.answers(ctx, ref, func(m below) bool { return len(m.Attachments) == 0 && !m.Timestamp.Before(since.Add(-clockSlack)) })
}

// below is the part of a message behind a card that tells what it is.
type below struct {
	ID          string            `json:"id"`
	Author      user              `json:"author"`
	Timestamp   time.Time         `json:"timestamp"`
	Content     string            `json:"content"`
	Attachments []json.RawMessage `json:"attachments"`
	Reference   struct {
		Message string `json:"message_id"`
	} `json:"message_reference"`
}

// answers reports whether a message of ours that answers a card is what is looked for.
func (c *Connector) answers(ctx context.Context, ref bridge.MessageRef, is func(below) bool) (bool, error) {
	if c.whoWeAre().bot == "" {
		if err := c.Check(ctx); err != nil {
			return false, err
		}
	}
	after := ref.Message
	for range findPages {
		var page []json.RawMessage
		path := fmt.Sprintf("channels/%s/messages?limit=%d&after=%s", ref.Channel, findPage, after)
		if err := c.do(ctx, call{op: opHistory, lane: ref.Channel}, route{method: http.MethodGet, path: path}, &page); err != nil {
			return false, err
		}
		for _, raw := range page {
			var m below
			if connector.ReadLoosely(raw, &m) != nil {
				continue
			}
			if m.Author.ID == c.whoWeAre().bot && m.Reference.Message == ref.Message && is(m) {
				return true, nil
			}
			if older(after, m.ID) < 0 {
				after = m.ID
			}
		}
		if len(page) < findPage {
			return false, nil
		}
	}
	return false, &bridge.PlatformError{Platform: Name, Op: opHistory, Kind: bridge.Ambiguous, Code: "too many messages", Err: errTooFar}
}

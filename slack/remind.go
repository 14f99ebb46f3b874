package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// reminderEvent marks messages below our cards, which are none themselves.
const reminderEvent = "askbridge_reminder"

// Remind posts a message in the thread of a card, which rings whom it names. It implements
// [bridge.Reminder].
func (c *Connector) Remind(ctx context.Context, to ask.Place, ref bridge.MessageRef, card render.Card, step int) error {
	blocks, text := blockkit.Message(c.naming(ctx, card))
	_, err := c.send(ctx, ref.Channel, cmp.Or(to.Thread, ref.Message), saying(blocks, text).marked(reminderEvent, map[string]any{"card": ref.Message, "step": step}))
	return err
}

// Reminded looks for a message in the thread of a card by the metadata that Remind put on
// it. It needs the history scopes, as Find does.
func (c *Connector) Reminded(ctx context.Context, to ask.Place, ref bridge.MessageRef, step int, _ time.Time) (bool, error) {
	if c.whoWeAre().botUser == "" {
		if err := c.Check(ctx); err != nil {
			return false, err
		}
	}
	const method = "conversations.replies"
	cursor := ""
	for range findPages {
		messages, next, err := c.page(ctx, method, ref.Channel, cmp.Or(to.Thread, ref.Message), cursor)
		if err != nil {
			return false, err
		}
		for _, raw := range messages {
			if c.reminds(raw, ref.Message, step) {
				return true, nil
			}
		}
		if next == "" {
			return false, nil
		}
		cursor = next
	}
	return false, &bridge.PlatformError{Platform: Name, Op: method, Kind: bridge.Ambiguous, Code: "too_many_messages", Err: errTooFar}
}

// reminds reports whether a message is ours and says a step below a card, or a later one.
func (c *Connector) reminds(raw json.RawMessage, card string, step int) bool {
	var m struct {
		BotID    string `json:"bot_id"`
		User     string `json:"user"`
		Metadata struct {
			EventType string `json:"event_type"`
			Payload   struct {
				Card string `json:"card"`
				Step int    `json:"step"`
			} `json:"event_payload"`
		} `json:"metadata"`
	}
	us := c.whoWeAre()
	if connector.ReadLoosely(raw, &m) != nil || m.User != us.botUser && (us.botID == "" || m.BotID != us.botID) {
		return false
	}
	return m.Metadata.EventType == reminderEvent && m.Metadata.Payload.Card == card && m.Metadata.Payload.Step >= step
}

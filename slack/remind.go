package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// reminderEvent marks reminders, which are posted below cards.
const reminderEvent = "askbridge_reminder"

// Remind posts a message in the thread of a card, which notifies the people it mentions. It
// implements [platform.Reminder].
func (c *Connector) Remind(ctx context.Context, to ask.Place, ref platform.MessageRef, card render.Card, step int) (platform.MessageRef, error) {
	w, err := c.at(ctx, "chat.postMessage", ref.Installation)
	if err != nil {
		return platform.MessageRef{}, err
	}
	blocks, text := blockkit.Message(w.directory.naming(ctx, card))
	return w.api.send(ctx, ref.Channel, cmp.Or(to.Thread, ref.Message), saying(blocks, text).marked(reminderEvent, map[string]any{"card": ref.Message, "step": step}))
}

// Reminded searches the thread of a card for a message with the metadata of Remind. It needs
// the history scopes, like Find.
func (c *Connector) Reminded(ctx context.Context, to ask.Place, ref platform.MessageRef, step int, _ time.Time) (found platform.MessageRef, err error) {
	w, err := c.at(ctx, "conversations.replies", ref.Installation)
	if err != nil {
		return platform.MessageRef{}, err
	}
	_, err = w.search.below(ctx, to, ref, func(raw json.RawMessage) bool {
		ts := w.search.reminds(raw, ref.Message, step)
		if ts != "" {
			found = platform.MessageRef{Platform: Name, Installation: ref.Installation, Channel: ref.Channel, Message: ts}
		}
		return ts != ""
	})
	return found, err
}

// below reports whether a message in the thread of a card, after it, matches is.
func (s *search) below(ctx context.Context, to ask.Place, ref platform.MessageRef, is func(json.RawMessage) bool) (bool, error) {
	for raw, err := range s.history(ctx, "conversations.replies", ref.Channel, cmp.Or(to.Thread, ref.Message), ref.Message) {
		if err != nil {
			return false, err
		}
		if is(raw) {
			return true, nil
		}
	}
	return false, nil
}

// author identifies the author of a message.
type author struct {
	BotID string `json:"bot_id"`
	User  string `json:"user"`
}

// wrote reports whether the author is the bot.
func (s *search) wrote(a author) bool {
	us := s.self.home()
	return a.User == us.botUser || us.botID != "" && a.BotID == us.botID
}

// reminds returns the timestamp of a message that is the bot's reminder for this step of a card, or
// for a later one.
func (s *search) reminds(raw json.RawMessage, card string, step int) string {
	var m struct {
		author

		TS       string `json:"ts"`
		Metadata struct {
			EventType string `json:"event_type"`
			Payload   struct {
				Card string `json:"card"`
				Step int    `json:"step"`
			} `json:"event_payload"`
		} `json:"metadata"`
	}
	if connector.ReadLoosely(raw, &m) != nil || !s.wrote(m.author) ||
		m.Metadata.EventType != reminderEvent || m.Metadata.Payload.Card != card || m.Metadata.Payload.Step < step {
		return ""
	}
	return m.TS
}

package discord

import (
	"context"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// clockSlack is the tolerated lag of Discord's clock behind the store's.
const clockSlack = 5 * time.Second

// Remind posts a reply to a card that notifies the people it mentions. Within a few minutes
// Discord deduplicates it by nonce. It implements [platform.Reminder].
func (c *Connector) Remind(ctx context.Context, _ ask.Place, ref platform.MessageRef, card render.Card, step int) (platform.MessageRef, error) {
	body := ringing(card)
	body.To = reference(ref.Message)
	shown, err := c.api.create(ctx, ref.Channel, body, card.Request, ref.Message, "step", strconv.Itoa(step))
	return shown.ref(), err
}

// Reminded searches for a reply to a card by the bot, without files and posted since the given
// time: while the request is open only reminders match. Without the permission Read Message
// History Discord returns none.
func (c *Connector) Reminded(ctx context.Context, _ ask.Place, ref platform.MessageRef, _ int, since time.Time) (reminder platform.MessageRef, err error) {
	_, err = c.search.answers(ctx, ref, func(m found) bool {
		is := len(m.Attachments) == 0 && !m.Timestamp.Before(since.Add(-clockSlack))
		if is {
			reminder = platform.MessageRef{Platform: Name, Channel: ref.Channel, Message: m.ID}
		}
		return is
	})
	return reminder, err
}

// answers reports whether a reply to a card by the bot matches is.
func (s *search) answers(ctx context.Context, ref platform.MessageRef, is func(found) bool) (bool, error) {
	for m, err := range s.history(ctx, ref.Channel, after, ref.Message) {
		if err != nil {
			return false, err
		}
		if m.Author.ID == s.self.home().bot && m.Reference.Message == ref.Message && is(m) {
			return true, nil
		}
	}
	return false, nil
}

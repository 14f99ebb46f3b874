package discord

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// Attach posts files in a reply to a card. It is a plain message because Discord previews only
// its files. It implements [platform.Attacher].
// https://docs.discord.com/developers/reference#uploading-files
func (c *Connector) Attach(ctx context.Context, _ ask.Place, ref platform.MessageRef, up platform.Upload) error {
	body := outgoing{Content: up.Text, To: reference(ref.Message), Files: up.Files}
	_, err := c.api.create(ctx, ref.Channel, body, up.Request, ref.Message, up.Text) // The nonce depends on the files: other files are another message.
	return err
}

// Attached searches for a reply to a card by the bot that has files and contains their digests,
// as Attach posts it. A bot can read its own messages. Without the permission Read Message
// History Discord returns none.
func (c *Connector) Attached(ctx context.Context, _ ask.Place, ref platform.MessageRef, up platform.Upload) (bool, error) {
	return c.search.answers(ctx, ref, func(m found) bool { return len(m.Attachments) > 0 && up.NamedIn(m.Content) })
}

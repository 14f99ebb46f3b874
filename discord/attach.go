package discord

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Attach posts files in a message that answers a card. It is a plain message, of whose files
// Discord shows the beginning. It implements [bridge.Attacher].
// https://docs.discord.com/developers/reference#uploading-files
func (c *Connector) Attach(ctx context.Context, _ ask.Place, ref bridge.MessageRef, up bridge.Upload) error {
	body := outgoing{Content: up.Text, To: ref.Message, Files: up.Files}
	_, err := c.create(ctx, ref.Channel, body, up.Request, ref.Message, up.Text) // Other files are another message.
	return err
}

// Attached looks for a message of ours behind a card that answers it, has files and names
// their digests, as Attach has: what it has of its own a bot may read. Without the permission
// Read Message History Discord shows none.
func (c *Connector) Attached(ctx context.Context, _ ask.Place, ref bridge.MessageRef, up bridge.Upload) (bool, error) {
	return c.answers(ctx, ref, func(m found) bool { return len(m.Attachments) > 0 && up.NamedIn(m.Content) })
}

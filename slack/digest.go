package slack

import (
	"context"
	"net/url"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// digests posts and deletes digests, in the time zones of people.
type digests struct {
	// workspace returns the workspace that an installation names.
	workspace func(ctx context.Context, op, installation string) (*workspace, error)
}

var (
	_ platform.Digester   = digests{}
	_ platform.ZoneFinder = digests{}
)

// PostDigest posts a digest.
func (d digests) PostDigest(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	w, err := d.workspace(ctx, "chat.postMessage", to.Installation)
	if err != nil {
		return platform.MessageRef{}, err
	}
	return w.post(ctx, to, card)
}

// DeleteDigest deletes a message of the bot, which needs no scope besides chat:write
// (https://docs.slack.dev/reference/methods/chat.delete).
func (d digests) DeleteDigest(ctx context.Context, ref platform.MessageRef) error {
	const method = "chat.delete"
	w, err := d.workspace(ctx, method, ref.Installation)
	if err != nil {
		return err
	}
	return w.api.do(ctx, call{op: method}, func(ctx context.Context) error {
		var reply chatResponse
		return w.api.form(ctx, method, url.Values{"channel": {ref.Channel}, "ts": {ref.Message}}, &reply)
	})
}

// ZoneOf returns a person of a direct message and the time zone of their profile
// (https://docs.slack.dev/reference/objects/user-object).
func (d digests) ZoneOf(ctx context.Context, to ask.Place) (ask.Person, string, error) {
	w, err := d.workspace(ctx, "users.info", to.Installation)
	if err != nil {
		return ask.Person{}, "", err
	}
	return ask.Person{Platform: Name, Installation: w.api.installation, ID: to.User}, w.directory.look(ctx, to.User).zone, nil
}

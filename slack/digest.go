package slack

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// digests posts and deletes digests, in the time zones of people.
type digests struct {
	// workspace returns the workspace that an installation names.
	workspace func(ctx context.Context, op, installation string) (digestWorkspace, error)
}

// digestWorkspace is the workspace of a digest.
type digestWorkspace interface {
	post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error)
	remove(ctx context.Context, ref platform.MessageRef) error
	zoneOf(ctx context.Context, user string) (ask.Person, string)
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

// DeleteDigest deletes a message of the bot.
func (d digests) DeleteDigest(ctx context.Context, ref platform.MessageRef) error {
	w, err := d.workspace(ctx, methodDelete, ref.Installation)
	if err != nil {
		return err
	}
	return w.remove(ctx, ref)
}

// ZoneOf returns a person of a direct message and the time zone of their profile.
func (d digests) ZoneOf(ctx context.Context, to ask.Place) (ask.Person, string, error) {
	w, err := d.workspace(ctx, "users.info", to.Installation)
	if err != nil {
		return ask.Person{}, "", err
	}
	who, zone := w.zoneOf(ctx, to.User)
	return who, zone, nil
}

package discord

import (
	"context"
	"net/http"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// digests posts and deletes digests.
type digests struct {
	api    *restAPI
	postTo func(ctx context.Context, to ask.Place, card render.Card) (created, error)
}

var _ platform.Digester = digests{}

// PostDigest posts a digest, without the fallback channel of direct messages, where others would read it.
func (d digests) PostDigest(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	shown, err := d.postTo(ctx, to, card)
	return shown.ref(), err
}

// DeleteDigest deletes a message of the bot, which needs no permission
// (https://docs.discord.com/developers/resources/message#delete-message).
func (d digests) DeleteDigest(ctx context.Context, ref platform.MessageRef) error {
	if !snowflake.MatchString(ref.Channel) || !snowflake.MatchString(ref.Message) {
		return &platform.Error{Platform: Name, Op: opDelete, Kind: platform.Gone, Code: codeNoPlace, Err: errNoPlace}
	}
	return d.api.do(ctx, call{op: opDelete, place: ref.Channel},
		route{method: http.MethodDelete, path: "channels/" + ref.Channel + "/messages/" + ref.Message}, nil)
}

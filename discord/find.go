package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
)

const (
	// findPage is how many messages are asked for at once, the most that Discord
	// gives (https://docs.discord.com/developers/resources/message#get-channel-messages).
	findPage = 100
	// findPages bounds the search. A lost reply is looked for soon after.
	findPages = 5
)

var errTooFar = errors.New("discord: too many messages since to tell")

// found is the part of a message that tells whether it is ours.
type found struct {
	ID         string          `json:"id"`
	Author     user            `json:"author"`
	Nonce      json.RawMessage `json:"nonce"`
	Components json.RawMessage `json:"components"`
}

// Find looks for cards of a request by their controls. Beyond a few hundred newer
// messages nobody can tell. Without the permission Read Message History Discord
// shows no messages at all, so none are found; the nonce still keeps a second
// post from standing beside the first.
func (c *Connector) Find(ctx context.Context, to ask.Place, requestID string) ([]bridge.MessageRef, error) {
	channel, err := c.place(ctx, opHistory, to)
	if err != nil {
		return nil, err
	}
	if c.whoWeAre().bot == "" {
		if err := c.Check(ctx); err != nil {
			return nil, err
		}
	}
	refs, err := c.findIn(ctx, channel, to, requestID)
	if err == nil && len(refs) == 0 && to.User != "" && c.cfg.DMFallback != "" {
		return c.findIn(ctx, c.cfg.DMFallback, to, requestID)
	}
	return refs, err
}

func (c *Connector) findIn(ctx context.Context, channel string, to ask.Place, requestID string) ([]bridge.MessageRef, error) {
	refs := []bridge.MessageRef{}
	k := call{op: opHistory, lane: channel}
	before := ""
	for range findPages {
		path := fmt.Sprintf("channels/%s/messages?limit=%d", channel, findPage)
		if before != "" {
			path += "&before=" + before
		}
		var page []json.RawMessage
		if err := c.do(ctx, k, route{method: http.MethodGet, path: path}, &page); err != nil {
			return nil, err
		}
		before = ""
		for _, raw := range page {
			var m found
			if connector.ReadLoosely(raw, &m) != nil || !snowflake.MatchString(m.ID) {
				continue
			}
			if before == "" || older(m.ID, before) < 0 {
				before = m.ID
			}
			if c.ours(m, requestID, to) {
				refs = append(refs, bridge.MessageRef{Platform: Name, Channel: channel, Message: m.ID})
			}
		}
		if len(page) < findPage || before == "" {
			return oldestFirst(refs), nil
		}
	}
	if len(refs) == 0 {
		return nil, &bridge.PlatformError{Platform: Name, Op: k.op, Kind: bridge.Ambiguous, Code: "too many messages", Err: errTooFar}
	}
	return oldestFirst(refs), nil
}

// ours tells whether our bot posted a message for the request. Its controls name
// the request; a message that was posted a moment ago may still have its nonce.
func (c *Connector) ours(m found, requestID string, to ask.Place) bool {
	if requestID == "" || m.Author.ID != c.whoWeAre().bot {
		return false
	}
	return render.HasControl(m.Components, requestID) ||
		string(m.Nonce) == `"`+nonce(requestID, to.String())+`"`
}

func oldestFirst(refs []bridge.MessageRef) []bridge.MessageRef {
	slices.SortFunc(refs, func(a, b bridge.MessageRef) int { return older(a.Message, b.Message) })
	return refs
}

// older compares ids by age.
func older(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

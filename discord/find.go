package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sort"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const (
	// findPage is the page size, Discord's maximum
	// (https://docs.discord.com/developers/resources/message#get-channel-messages).
	findPage = 100
	// findPages limits the search. A lost response is searched for soon afterwards.
	findPages = 5
)

var errTooFar = errors.New("discord: too many newer messages to search")

// search finds the bot's own messages in channels.
type search struct {
	api  *restAPI
	self *identity
}

// found contains the members that identify the bot's messages.
type found struct {
	ID          string            `json:"id"`
	Author      user              `json:"author"`
	Nonce       json.RawMessage   `json:"nonce"`
	Timestamp   time.Time         `json:"timestamp"`
	Content     string            `json:"content"`
	Components  json.RawMessage   `json:"components"`
	Attachments []json.RawMessage `json:"attachments"`
	Reference   struct {
		Message string `json:"message_id"`
	} `json:"message_reference"`
}

// Find searches for cards of a request by their controls. Beyond a few hundred newer messages
// the result is unknown. Without the permission Read Message History Discord returns no
// messages, so none are found; the nonce still prevents a duplicate post.
func (c *Connector) Find(ctx context.Context, to ask.Place, requestID string, _ time.Time) ([]platform.MessageRef, error) {
	refs := []platform.MessageRef{}
	channel, err := c.places.of(ctx, opHistory, to)
	if err == nil {
		refs, err = c.search.findIn(ctx, channel, to, requestID)
	}
	if c.cfg.fallsBack(to) && (shutOut(err) || err == nil && len(refs) == 0) {
		return c.search.findIn(ctx, c.cfg.DMFallback, to, requestID)
	}
	return refs, err
}

func (s *search) findIn(ctx context.Context, channel string, to ask.Place, requestID string) ([]platform.MessageRef, error) {
	refs := []platform.MessageRef{}
	for m, err := range s.history(ctx, channel, before, "") {
		if err != nil && (len(refs) == 0 || !errors.Is(err, errTooFar)) {
			return nil, err
		}
		if err == nil && s.ours(m, requestID, to) {
			refs = append(refs, platform.MessageRef{Platform: Name, Channel: channel, Message: m.ID})
		}
	}
	return oldestFirst(refs), nil
}

// The directions of a search from a message, in Discord's terms.
const (
	before = "before"
	after  = "after"
)

// history iterates over the messages of a channel on one side of a message, moving away from
// it; an empty id starts at the newest. An error ends the iteration; it matches errTooFar if
// there are more messages than the search covers.
func (s *search) history(ctx context.Context, channel, side, of string) iter.Seq2[found, error] {
	k := call{op: opHistory, place: channel}
	return func(yield func(found, error) bool) {
		if s.self.home().bot == "" {
			if err := s.self.check(ctx); err != nil {
				yield(found{}, err)
				return
			}
		}
		for range findPages {
			path := fmt.Sprintf("channels/%s/messages?limit=%d", channel, findPage)
			if of != "" {
				path += "&" + side + "=" + of
			}
			var page []json.RawMessage
			if err := s.api.do(ctx, k, route{method: http.MethodGet, path: path}, &page); err != nil {
				yield(found{}, err)
				return
			}
			for _, raw := range page {
				var m found
				if connector.ReadLoosely(raw, &m) != nil || !snowflake.MatchString(m.ID) {
					continue
				}
				if of == "" || (older(m.ID, of) < 0) == (side == before) {
					of = m.ID
				}
				if !yield(m, nil) {
					return
				}
			}
			if len(page) < findPage {
				return
			}
		}
		yield(found{}, &platform.Error{Platform: Name, Op: k.op, Kind: platform.Ambiguous, Code: "too many messages", Err: errTooFar})
	}
}

// ours reports whether the bot posted the message for the request. Its controls contain the
// request id; a very recent message may also have its nonce.
func (s *search) ours(m found, requestID string, to ask.Place) bool {
	if requestID == "" || m.Author.ID != s.self.home().bot {
		return false
	}
	return render.HasControl(m.Components, requestID) ||
		string(m.Nonce) == `"`+nonce(requestID, to.String())+`"`
}

func oldestFirst(refs []platform.MessageRef) []platform.MessageRef {
	sort.Slice(refs, func(i, j int) bool { return older(refs[i].Message, refs[j].Message) < 0 })
	return refs
}

// older compares ids by age.
func older(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

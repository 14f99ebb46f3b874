package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"sort"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const (
	// findPage is the page size; some apps get smaller pages
	// (https://docs.slack.dev/reference/methods/conversations.history).
	findPage = 200
	// findPages limits the search. A lost response is searched for soon afterwards.
	findPages = 3
	// clockSlack is the tolerated lag of Slack's clock behind the store's.
	clockSlack = time.Minute
)

var errTooFar = errors.New("slack: too many newer messages to search")

// search finds the bot's own messages in conversations.
type search struct {
	api  *webAPI
	self *identity
}

// found contains the members that identify the bot's messages.
type found struct {
	author

	TS       string          `json:"ts"`
	Blocks   json.RawMessage `json:"blocks"`
	Metadata struct {
		EventType string `json:"event_type"`
		Payload   struct {
			RequestID string `json:"request_id"`
		} `json:"event_payload"`
	} `json:"metadata"`
}

// Find searches for cards of a request by the metadata that Post attached. It needs the history
// scopes in [Scopes]. Without them, or beyond a few hundred newer messages, the result is
// unknown.
func (c *Connector) Find(ctx context.Context, to ask.Place, requestID string, since time.Time) ([]platform.MessageRef, error) {
	method, behind := "conversations.history", ""
	if to.Thread != "" {
		method = "conversations.replies"
		if !since.IsZero() {
			behind = fmt.Sprintf("%d.000000", since.Add(-clockSlack).Unix())
		}
	}
	w, err := c.at(ctx, method, to.Installation)
	if err != nil {
		return nil, err
	}
	channel, err := w.places.of(ctx, method, to)
	if err != nil {
		return nil, err
	}
	refs := []platform.MessageRef{}
	for raw, err := range w.search.history(ctx, method, channel, to.Thread, behind) {
		if err != nil && (len(refs) == 0 || !errors.Is(err, errTooFar)) {
			return nil, err
		}
		if ts := w.search.ours(raw, requestID); ts != "" {
			refs = append(refs, platform.MessageRef{Platform: Name, Installation: w.api.installation, Channel: channel, Message: ts})
		}
	}
	return oldestFirst(refs), nil
}

// history iterates over the messages of a channel, newest first, or of a thread, oldest first:
// all of them, or those after one. An error ends the iteration; it matches errTooFar if there
// are more messages than the search covers.
func (s *search) history(ctx context.Context, method, channel, thread, behind string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if s.self.home().botUser == "" {
			if err := s.self.check(ctx); err != nil {
				yield(nil, err)
				return
			}
		}
		cursor := ""
		for range findPages {
			messages, next, err := s.page(ctx, method, channel, thread, behind, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, raw := range messages {
				if !yield(raw, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			cursor = next
		}
		yield(nil, &platform.Error{Platform: Name, Op: method, Kind: platform.Ambiguous, Code: "too_many_messages", Err: errTooFar})
	}
}

// page fetches one page of messages and the cursor of the next.
func (s *search) page(ctx context.Context, method, channel, thread, behind, cursor string) ([]json.RawMessage, string, error) {
	values := url.Values{
		"channel": {channel}, "limit": {strconv.Itoa(findPage)}, "include_all_metadata": {"true"},
	}
	if thread != "" {
		values.Set("ts", thread)
	}
	if behind != "" {
		values.Set("oldest", behind)
	}
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	var reply struct {
		Messages []json.RawMessage `json:"messages"`
		HasMore  bool              `json:"has_more"`
		Metadata struct {
			NextCursor string `json:"next_cursor"`
		} `json:"response_metadata"`
	}
	err := s.api.do(ctx, call{op: method}, func(ctx context.Context) error { return s.api.form(ctx, method, values, &reply) })
	if err != nil {
		return nil, "", err
	}
	if reply.HasMore && reply.Metadata.NextCursor == "" {
		return nil, "", &platform.Error{Platform: Name, Op: method, Kind: platform.Ambiguous, Code: "too_many_messages", Err: errTooFar}
	}
	return reply.Messages, reply.Metadata.NextCursor, nil
}

// ours returns the timestamp of a message that the bot posted for the request. Any app can
// write the same metadata, so the author is checked. The controls also contain the request id,
// in case the metadata is withheld.
func (s *search) ours(raw json.RawMessage, requestID string) string {
	var m found
	if connector.ReadLoosely(raw, &m) != nil || requestID == "" || !s.wrote(m.author) {
		return ""
	}
	named := m.Metadata.EventType == metadataEvent && m.Metadata.Payload.RequestID == requestID
	if named || render.HasControl(m.Blocks, requestID) {
		return m.TS
	}
	return ""
}

func oldestFirst(refs []platform.MessageRef) []platform.MessageRef {
	sort.Slice(refs, func(i, j int) bool {
		left, _ := microseconds(refs[i].Message)
		right, _ := microseconds(refs[j].Message)
		return left < right
	})
	return refs
}

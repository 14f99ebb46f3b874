package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// message contains the arguments of the chat methods for a card or a note.
// https://docs.slack.dev/reference/methods/chat.postMessage
type message struct {
	Channel string `json:"channel"`
	// TS is the message that chat.update edits.
	TS     string `json:"ts,omitempty"`
	Thread string `json:"thread_ts,omitempty"`
	// User is the recipient of chat.postEphemeral.
	User     string                  `json:"user,omitempty"`
	Text     string                  `json:"text"`
	Blocks   []slackapi.Block        `json:"blocks,omitempty"`
	Metadata *slackapi.SlackMetadata `json:"metadata,omitempty"`
	previews
}

// previews switch link previews. chat.update and chat.postEphemeral do not support them.
type previews struct {
	Links *bool `json:"unfurl_links,omitempty"`
	Media *bool `json:"unfurl_media,omitempty"`
}

// noPreviews suppresses them for agents' texts.
var noPreviews = previews{new(bool), new(bool)}

// saying returns a new message.
func saying(blocks []slackapi.Block, text string) message {
	return message{Text: render.Cut(text, blockkit.MaxUpdateText, nil), Blocks: blocks}
}

// marked returns the message with metadata for searching it.
func (m message) marked(event string, payload map[string]any) message {
	m.Metadata = &slackapi.SlackMetadata{EventType: event, EventPayload: payload}
	return m
}

// send posts a message to a channel or a thread.
func (a *webAPI) send(ctx context.Context, channel, thread string, m message) (platform.MessageRef, error) {
	m.Channel, m.Thread, m.previews = channel, thread, noPreviews
	ref := platform.MessageRef{Platform: Name, Installation: a.installation, Channel: channel}
	err := a.do(ctx, call{op: "chat.postMessage", place: channel, once: true}, func(ctx context.Context) error {
		sent, err := a.chat(ctx, "chat.postMessage", m)
		if err == nil && sent.TS == "" {
			return fmt.Errorf("%w: no timestamp", errUnreadable)
		}
		if sent.Channel != "" {
			ref.Channel = sent.Channel
		}
		ref.Message = sent.TS
		return err
	})
	if err != nil {
		return platform.MessageRef{}, err
	}
	return ref, nil
}

// sendEphemeral shows an ephemeral note to a person, near the card they used or the message they
// wrote.
func (a *webAPI) sendEphemeral(ctx context.Context, at origin, person string, m message) error {
	m.Channel, m.Thread, m.User = at.Channel, at.Thread, person
	return a.do(ctx, call{op: "chat.postEphemeral", place: at.Channel, once: true}, func(ctx context.Context) error {
		_, err := a.chat(ctx, "chat.postEphemeral", m)
		return err
	})
}

// chatResponse contains the used members of the chat methods' responses.
type chatResponse struct {
	slackapi.SlackResponse
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// chat calls one of the chat methods.
func (a *webAPI) chat(ctx context.Context, method string, m message) (chatResponse, error) {
	// JSON, since in a form, as slack-go sends it, every quotation mark of the blocks takes three
	// characters. https://docs.slack.dev/apis/web-api/#post_bodies
	body, err := json.Marshal(m)
	if err != nil {
		return chatResponse{}, fmt.Errorf("slack: %s: %w", method, err)
	}
	reply, err := a.method(ctx, method, "application/json; charset=utf-8", bytes.NewReader(body))
	if err != nil {
		return chatResponse{}, err
	}
	var s chatResponse
	// A decoder distinguishes truncated responses from invalid JSON.
	if err := json.NewDecoder(bytes.NewReader(reply)).Decode(&s); err != nil {
		return chatResponse{}, fmt.Errorf("slack: %s: %w", method, err)
	}
	if !s.Ok && s.Error == "" {
		return chatResponse{}, fmt.Errorf("%w: %s", errUnreadable, method)
	}
	return s, s.Err()
}

// methodDelete deletes a message of the bot. It needs no other scope than chat:write
// (https://docs.slack.dev/reference/methods/chat.delete).
const methodDelete = "chat.delete"

func (a *webAPI) remove(ctx context.Context, ref platform.MessageRef) error {
	return a.do(ctx, call{op: methodDelete}, func(ctx context.Context) error {
		var reply chatResponse
		return a.form(ctx, methodDelete, url.Values{"channel": {ref.Channel}, "ts": {ref.Message}}, &reply)
	})
}

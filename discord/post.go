package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// maxNonce is the maximum length of a nonce
// (https://docs.discord.com/developers/resources/message#create-message).
const maxNonce = 25

// outgoing is a message to send. discordgo's type has no nonce, and includes content where that
// is not allowed.
type outgoing struct {
	Content    string          `json:"content,omitempty"`
	Components components.List `json:"components,omitempty"`
	Flags      int             `json:"flags,omitempty"`
	// Mentions is always sent, also for edits: without it Discord parses mentions in the text
	// (https://docs.discord.com/developers/resources/message#allowed-mentions-object).
	Mentions mentions  `json:"allowed_mentions"`
	To       reference `json:"message_reference,omitempty"`
	Nonce    string    `json:"nonce,omitempty"`
	Enforce  bool      `json:"enforce_nonce,omitempty"`

	// Files are uploaded as multipart parts.
	Files []ask.File `json:"-"`
}

// mentions are the people to notify; the zero value is none.
type mentions struct {
	Parse [0]string `json:"parse"`
	Users []string  `json:"users,omitempty"`
	Roles []string  `json:"roles,omitempty"`
}

// reference is the ID of the message being replied to. If that is gone Discord posts a plain
// message.
type reference string

// MarshalJSON implements [json.Marshaler].
func (r reference) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"message_id": string(r), "fail_if_not_exists": false})
}

func newMessage(card render.Card) outgoing {
	return outgoing{Components: components.Message(card), Flags: components.Flags}
}

// ringing returns a new card with mentions that notify the people it asks.
func ringing(card render.Card) outgoing {
	m := newMessage(card)
	for _, p := range card.Tells {
		if p.Platform == RolePrefix {
			m.Mentions.Roles = append(m.Mentions.Roles, p.ID)
		} else {
			m.Mentions.Users = append(m.Mentions.Users, p.ID)
		}
	}
	return m
}

// nonce derives a nonce from everything that distinguishes messages.
func nonce(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:maxNonce]
}

// create posts a message idempotently: Discord responds to a call with the same nonce within a
// few minutes with the first message. If that was deleted Discord reports an unknown message;
// only then is another nonce used. If the bot cannot read the message history a reply becomes a
// plain message.
func (a *restAPI) create(ctx context.Context, channel string, m outgoing, what ...string) (created, error) {
	m.Enforce = true
	m.Nonce = nonce(what...)
	shown, err := a.send(ctx, channel, m)
	switch n := numberOf(err); {
	case n == unknownMessage:
		m.Nonce = nonce(append(what, "again")...)
		return a.send(ctx, channel, m)
	case n == noReplyWithoutHistory && m.To != "":
		m.To = ""
		return a.create(ctx, channel, m, append(what, "plain")...)
	}
	return shown, err
}

// say posts a message once, for callers that do not retry. No client waits for it, so it waits
// for the rate limit as long as ctx lasts.
func (a *restAPI) say(ctx context.Context, channel string, m outgoing, what ...string) error {
	for try := 1; ; {
		_, err := a.create(ctx, channel, m, what...)
		e, ok := errors.AsType[*platform.Error](err)
		if !ok {
			return err
		}
		pause := e.RetryAfter
		if e.Kind != platform.RateLimited {
			if e.Kind != platform.Transient && e.Kind != platform.Ambiguous || try == tellTries {
				return err
			}
			pause = connector.Backoff(try-1, pauseMost)
			try++
		}
		if !fits(ctx, pause) {
			return err
		}
		_ = wait.For(ctx, pause)
	}
}

func (a *restAPI) send(ctx context.Context, channel string, m outgoing) (created, error) {
	k := call{op: opPost, place: channel, once: true, files: len(m.Files) > 0}
	var p created
	if err := a.do(ctx, k, route{http.MethodPost, "channels/" + channel + "/messages", m, m.Files}, &p); err != nil {
		return created{}, err
	}
	if !snowflake.MatchString(p.ID) {
		return created{}, classify(k, nil, fmt.Errorf("%w: no message id", errUnreadable), true)
	}
	if p.Channel == "" {
		p.Channel = channel
	}
	return p, nil
}

// edit replaces a card.
func (a *restAPI) edit(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	body := newMessage(card)
	body.Flags = 0 // The message keeps its flags; they cannot be removed.
	return a.do(ctx, call{op: opEdit, place: ref.Channel},
		route{method: http.MethodPatch, path: "channels/" + ref.Channel + "/messages/" + ref.Message, body: body}, nil)
}

// created is a posted message in Discord's response, with its mentions.
// https://docs.discord.com/developers/resources/message#message-object
type created struct {
	message

	Mentions []user   `json:"mentions"`
	Roles    []string `json:"mention_roles"`
}

func (p created) ref() platform.MessageRef {
	if p.ID == "" {
		return platform.MessageRef{}
	}
	return platform.MessageRef{Platform: Name, Channel: p.Channel, Message: p.ID}
}

// missed returns the people that a message should notify but does not mention.
func (p created) missed(tells []ask.Person) []platform.Missed {
	var missed []platform.Missed
	for _, who := range tells {
		switch {
		case who.Platform == RolePrefix && !slices.Contains(p.Roles, who.ID):
			missed = append(missed, platform.Missed{Who: who.Key(), Why: "no such role, or one that the bot may not mention"})
		case who.Platform == Name && !slices.ContainsFunc(p.Mentions, func(u user) bool { return u.ID == who.ID }):
			missed = append(missed, platform.Missed{Who: who.Key(), Why: "Discord knows no such person"})
		}
	}
	return missed
}

package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"net/http"
	"strings"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// maxNonce is how long a nonce may be
// (https://docs.discord.com/developers/resources/message#create-message).
const maxNonce = 25

// sayForYou names a person below a card that could not be sent to them.
const sayForYou = "<@%s>, this question is for you. It is here since your direct messages are closed to this bot."

// outgoing is a message on its way. discordgo's own has no nonce, and says
// content where none may be.
type outgoing struct {
	Content    string                 `json:"content,omitempty"`
	Components []dgo.MessageComponent `json:"components,omitempty"`
	Flags      int                    `json:"flags,omitempty"`
	// Mentions names who is told. It stands in everything that is written, edits
	// too: without it Discord looks for mentions in the text
	// (https://docs.discord.com/developers/resources/message#allowed-mentions-object).
	Mentions  mentions   `json:"allowed_mentions"`
	Reference *reference `json:"message_reference,omitempty"`
	Nonce     string     `json:"nonce,omitempty"`
	Enforce   bool       `json:"enforce_nonce,omitempty"`
}

type mentions struct {
	Parse []string `json:"parse"`
	Users []string `json:"users,omitempty"`
}

// reference makes a message a reply, and a plain message if the other has gone.
type reference struct {
	Message string `json:"message_id"`
	Fail    bool   `json:"fail_if_not_exists"`
}

func nobody() mentions { return mentions{Parse: []string{}} }

func newMessage(card render.Card) outgoing {
	return outgoing{Components: components.Message(card), Flags: components.Flags, Mentions: nobody()}
}

// ringing is a card that is new, so that those whom it asks hear of it.
func ringing(card render.Card) outgoing {
	m := newMessage(card)
	for _, p := range card.Tells {
		m.Mentions.Users = append(m.Mentions.Users, p.ID)
	}
	return m
}

// nonce makes an id of whatever tells one message from another.
func nonce(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:maxNonce]
}

// create posts a message once: Discord answers a second call with the same nonce
// in the next few minutes with the first message. If that has been deleted it
// says that there is no such message, and only then may another nonce stand for
// the same thing.
func (c *Connector) create(ctx context.Context, channel string, m outgoing, what ...string) (bridge.MessageRef, error) {
	m.Enforce = true
	m.Nonce = nonce(what...)
	ref, err := c.send(ctx, channel, m)
	if numberOf(err) == unknownMessage {
		m.Nonce = nonce(append(what, "again")...)
		return c.send(ctx, channel, m)
	}
	return ref, err
}

func (c *Connector) send(ctx context.Context, channel string, m outgoing) (bridge.MessageRef, error) {
	k := call{op: opPost, lane: channel, once: true}
	var posted message
	if err := c.do(ctx, k, route{http.MethodPost, "channels/" + channel + "/messages", m}, &posted); err != nil {
		return bridge.MessageRef{}, err
	}
	if !snowflake.MatchString(posted.ID) {
		return bridge.MessageRef{}, classify(k, nil, fmt.Errorf("%w: no message id", errUnreadable), true)
	}
	if posted.Channel == "" {
		posted.Channel = channel
	}
	return bridge.MessageRef{Platform: Name, Channel: posted.Channel, Message: posted.ID}, nil
}

package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// The codes of invalid places.
const (
	codeNoPlace     = "invalid target"
	codeNoThread    = "not a thread"
	codeOtherThread = "thread of another channel"
	codeOtherServer = "channel of another server"
)

var (
	errNoPlace     = errors.New("discord: not a message's ids")
	errNoThread    = errors.New("discord: the id of something that is no thread")
	errOtherThread = errors.New("discord: the thread belongs to another channel")
	errOtherServer = errors.New("discord: the channel belongs to another server")
)

// threadTypes are the channel types of threads
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var threadTypes = []int{10, 11, 12}

// maxPlaces is the size of a cache of places.
const maxPlaces = 4096

// places caches an id by another id, such as the channel of a thread.
type places = lru.Cache[string, string]

func newPlaces() *places {
	p, _ := lru.New[string, string](maxPlaces) // New fails only for a size below one.
	return p
}

// place returns the channel id of a target: threads and direct messages are channels too. A
// thread must belong to the named channel, since permission to ask in that channel does not
// extend to others.
func (c *Connector) place(ctx context.Context, op string, to ask.Place) (string, error) {
	if err := c.CheckTarget(to); err != nil {
		return "", nowhere(op, codeNoPlace, err)
	}
	if to.Installation != "" {
		server, err := c.serverOf(ctx, to.Channel)
		if err != nil {
			return "", err
		}
		if server != to.Installation {
			return "", nowhere(op, codeOtherServer, errOtherServer)
		}
	}
	switch {
	case to.User != "":
		return c.directOf(ctx, to.User)
	case to.Thread == "":
		return to.Channel, nil
	}
	parent, err := c.ParentOf(ctx, to.Thread)
	if err != nil {
		return "", err
	}
	if parent != to.Channel {
		return "", nowhere(op, codeOtherThread, errOtherThread)
	}
	return to.Thread, nil
}

// nowhere returns the error for a place that can never be posted to.
func nowhere(op, code string, err error) *platform.Error {
	return &platform.Error{Platform: Name, Op: op, Kind: platform.Unreachable, Code: code, Err: err}
}

// ParentOf returns the channel of a thread. The result is cached, since a thread never moves.
// Its errors are of type [*platform.Error]; the kind [platform.Unreachable] means that the
// id is not a thread's, or that the bot cannot see the thread
// (https://docs.discord.com/developers/resources/channel#get-channel).
func (c *Connector) ParentOf(ctx context.Context, thread string) (string, error) {
	if !snowflake.MatchString(thread) {
		return "", nowhere(opChannel, codeNoPlace, errNoPlace)
	}
	if parent, ok := c.parents.Get(thread); ok {
		return parent, nil
	}
	found, err := c.channel(ctx, thread)
	if err != nil {
		return "", err
	}
	if !slices.Contains(threadTypes, found.Type) || !snowflake.MatchString(found.Parent) {
		return "", nowhere(opChannel, codeNoThread, errNoThread)
	}
	c.parents.Add(thread, found.Parent)
	return found.Parent, nil
}

// serverOf returns the server of a channel, or "" for direct messages. The result is cached.
func (c *Connector) serverOf(ctx context.Context, channel string) (string, error) {
	if server, ok := c.servers.Get(channel); ok && server != "" {
		return server, nil
	}
	found, err := c.channel(ctx, channel)
	if err != nil {
		return "", err
	}
	c.servers.Add(channel, found.Server)
	return found.Server, nil
}

// channelObject contains the used members of a channel
// (https://docs.discord.com/developers/resources/channel#channel-object).
type channelObject struct {
	ID     string `json:"id"`
	Type   int    `json:"type"`
	Parent string `json:"parent_id"`
	Server string `json:"guild_id"`
}

func (c *Connector) channel(ctx context.Context, id string) (found channelObject, err error) {
	k := call{op: opChannel, place: id}
	if err := c.do(ctx, k, route{method: http.MethodGet, path: "channels/" + id}, &found); err != nil {
		return found, err
	}
	if found.ID != id {
		return found, classify(k, nil, fmt.Errorf("%w: another channel", errUnreadable), true)
	}
	return found, nil
}

// directOf returns the channel of a person's direct messages. The result is cached.
func (c *Connector) directOf(ctx context.Context, person string) (string, error) {
	if channel, ok := c.direct.Get(person); ok {
		return channel, nil
	}
	var opened struct {
		ID string `json:"id"`
	}
	k := call{op: opDM, place: person}
	err := c.do(ctx, k, route{method: http.MethodPost, path: "users/@me/channels", body: map[string]string{"recipient_id": person}}, &opened)
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Kind == platform.Refused {
		e.Kind = platform.Unreachable // The person's id is invalid, not a card.
	}
	if err != nil {
		return "", err
	}
	if !snowflake.MatchString(opened.ID) {
		return "", classify(k, nil, fmt.Errorf("%w: no channel", errUnreadable), true)
	}
	c.direct.Add(person, opened.ID)
	return opened.ID, nil
}

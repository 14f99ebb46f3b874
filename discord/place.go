package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

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
	errLinkTime    = errors.New("discord: no reply in time")
)

// threadTypes are the channel types of threads
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var threadTypes = []int{10, 11, 12}

// CheckTarget checks the format of a target's ids. Whether a thread belongs to its channel is
// checked when the card is posted, see [Connector.ParentOf].
func (c *Connector) CheckTarget(t ask.Place) error { return checkTarget(t) }

func checkTarget(t ask.Place) error {
	switch {
	case t.Platform != Name:
		return fmt.Errorf("discord: target is on %q", t.Platform)
	case t.Installation != "" && !snowflake.MatchString(t.Installation):
		return fmt.Errorf("discord: %q is no server id; those are 17 to 20 digits (right click on the server, Copy Server ID)", t.Installation)
	case t.Installation != "" && t.User != "":
		return errors.New("discord: a person's direct messages belong to no server; leave the server out")
	case t.Channel != "" && t.User != "":
		return errors.New("discord: target names a channel and a user; it can be one of them")
	case t.Channel == "" && t.User == "":
		return errors.New("discord: target names neither a channel nor a user")
	case t.User != "" && t.Thread != "":
		return errors.New("discord: a thread needs its channel, not a user")
	case t.User != "" && !snowflake.MatchString(t.User):
		return fmt.Errorf("discord: %q is no user id; those are 17 to 20 digits (right click on the person, Copy User ID)", t.User)
	case t.Channel != "" && !snowflake.MatchString(t.Channel):
		return fmt.Errorf("discord: %q is no channel id; those are 17 to 20 digits (right click on the channel, Copy Channel ID)", t.Channel)
	case t.Thread != "" && !snowflake.MatchString(t.Thread):
		return fmt.Errorf("discord: %q is no thread id; those are 17 to 20 digits (right click on the thread, Copy Thread ID)", t.Thread)
	}
	return nil
}

// places resolves targets to channels and looks up what a channel belongs to.
type places struct {
	api     *restAPI
	direct  *cache // direct message channels by user
	parents *cache // channels of threads
	servers *cache // servers of channels
	served  *servers
	asking  singleflight.Group
	unknown *lru.Cache[string, time.Time] // when the server of a channel could not be looked up
}

func newPlaces(api *restAPI, served *servers) *places {
	unknown, _ := lru.New[string, time.Time](maxPlaces) // New fails only for a size below one.
	return &places{api: api, served: served, direct: newCache(), parents: newCache(), servers: newCache(), unknown: unknown}
}

// of returns the channel id of a target: threads and direct messages are channels too. A
// thread must belong to the named channel, since permission to ask in that channel does not
// extend to others.
func (p *places) of(ctx context.Context, op string, to ask.Place) (string, error) {
	if err := checkTarget(to); err != nil {
		return "", nowhere(op, codeNoPlace, err)
	}
	if to.Channel != "" && (to.Installation != "" || len(p.served.listed) > 0) {
		server, err := p.serverOf(ctx, to.Channel)
		switch {
		case err != nil:
			return "", err
		case to.Installation != "" && server != to.Installation:
			return "", nowhere(op, codeOtherServer, errOtherServer)
		case !p.served.serves(server):
			return "", nowhere(op, codeUnlisted, errUnlisted)
		}
	}
	switch {
	case to.User != "":
		return p.directOf(ctx, to.User)
	case to.Thread == "":
		return to.Channel, nil
	}
	parent, err := p.parentOf(ctx, to.Thread)
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
	return c.places.parentOf(ctx, thread)
}

func (p *places) parentOf(ctx context.Context, thread string) (string, error) {
	if !snowflake.MatchString(thread) {
		return "", nowhere(opChannel, codeNoPlace, errNoPlace)
	}
	if parent, ok := p.parents.Get(thread); ok {
		return parent, nil
	}
	found, err := p.channel(ctx, thread)
	if err != nil {
		return "", err
	}
	if !slices.Contains(threadTypes, found.Type) || !snowflake.MatchString(found.Parent) {
		return "", nowhere(opChannel, codeNoThread, errNoThread)
	}
	p.parents.Add(thread, found.Parent)
	return found.Parent, nil
}

// serverOf returns the server of a channel, or "" for direct messages. The result is cached.
func (p *places) serverOf(ctx context.Context, channel string) (string, error) {
	if server, ok := p.servers.Get(channel); ok && server != "" {
		return server, nil
	}
	found, err := p.channel(ctx, channel)
	if err != nil {
		return "", err
	}
	return found.Server, nil
}

const (
	// linkTime limits the lookup of a channel's server for an address.
	linkTime = time.Second
	// unknownLife is how long a failed lookup is not repeated.
	unknownLife = 30 * time.Second
	// noServer replaces the server in the address of a direct message.
	noServer = "@me"
)

// Permalink returns the address of a posted card, or "" while the server of its channel cannot be
// looked up. Discord does not document the format; it is what "Copy Message Link" copies. It
// implements [platform.Linker].
func (c *Connector) Permalink(ctx context.Context, to ask.Place, ref platform.MessageRef) string {
	if !snowflake.MatchString(ref.Channel) || !snowflake.MatchString(ref.Message) {
		return ""
	}
	server := to.Installation
	switch {
	case to.User != "" && ref.Channel != c.cfg.DMFallback:
		server = noServer
	case server == "":
		server = c.places.linkedServer(ctx, ref.Channel)
	}
	if server == "" {
		return ""
	}
	return "https://discord.com/channels/" + server + "/" + ref.Channel + "/" + ref.Message
}

// linkedServer returns what the address of a message in a channel begins with: its server, or
// noServer. It looks the channel up once. A failure is "", and is not repeated at once.
func (p *places) linkedServer(ctx context.Context, channel string) string {
	if server, ok := p.servers.Get(channel); ok {
		return cmp.Or(server, noServer)
	}
	if failed, ok := p.unknown.Get(channel); ok && time.Since(failed) < unknownLife {
		return ""
	}
	found, err, _ := p.asking.Do(channel, func() (any, error) {
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), linkTime, errLinkTime)
		defer cancel()
		return p.serverOf(ctx, channel)
	})
	if err != nil {
		p.unknown.Add(channel, time.Now())
		return ""
	}
	server, _ := found.(string)
	return cmp.Or(server, noServer)
}

// channelObject contains the used members of a channel
// (https://docs.discord.com/developers/resources/channel#channel-object).
type channelObject struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   int    `json:"type"`
	Parent string `json:"parent_id"`
	Server string `json:"guild_id"`
}

func (p *places) channel(ctx context.Context, id string) (found channelObject, err error) {
	k := call{op: opChannel, place: id}
	if err := p.api.do(ctx, k, route{method: http.MethodGet, path: "channels/" + id}, &found); err != nil {
		return found, err
	}
	if found.ID != id {
		return found, classify(k, nil, fmt.Errorf("%w: another channel", errUnreadable), true)
	}
	p.servers.Add(id, found.Server)
	p.served.names.channel(id, found.Name)
	return found, nil
}

// directOf returns the channel of a person's direct messages. The result is cached.
func (p *places) directOf(ctx context.Context, person string) (string, error) {
	if channel, ok := p.direct.Get(person); ok {
		return channel, nil
	}
	var opened struct {
		ID         string `json:"id"`
		Recipients []user `json:"recipients"`
	}
	k := call{op: opDM, place: person}
	err := p.api.do(ctx, k, route{method: http.MethodPost, path: "users/@me/channels", body: map[string]string{"recipient_id": person}}, &opened)
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Kind == platform.Refused {
		e.Kind = platform.Unreachable // The person's id is invalid, not a card.
	}
	if err != nil {
		return "", err
	}
	if !snowflake.MatchString(opened.ID) {
		return "", classify(k, nil, fmt.Errorf("%w: no channel", errUnreadable), true)
	}
	p.direct.Add(person, opened.ID)
	for _, who := range opened.Recipients {
		if who.ID == person {
			p.served.names.person(who.ID, nameOf("", who))
		}
	}
	return opened.ID, nil
}

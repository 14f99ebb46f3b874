package discord

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"

	dgo "github.com/bwmarrin/discordgo"
	"golang.org/x/time/rate"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// Name is the platform's name in targets and people's ids.
const Name = "discord"

// RolePrefix is the prefix of a responder that is a role: "discord-role:400000000000000001".
const RolePrefix = "discord-role"

// Connector is one bot on Discord. It is safe for concurrent use.
type Connector struct {
	cfg       Config
	log       *slog.Logger
	key       ed25519.PublicKey // nil without one
	to        *address
	transport http.RoundTripper
	api       *dgo.Session // for calls only
	limiter   limiter
	starts    starts
	acts      *connector.Acts
	inbox     *connector.Inbox // receives HTTP requests
	direct    *places          // direct message channels by user
	hints     *rate.Limiter    // rate limit of opening direct messages for hints
	parents   *places          // channels of threads
	servers   *places          // servers of channels
	shut      *places          // cards in archived threads that the bot cannot unarchive
	turning   chan struct{}
	turned    sync.WaitGroup // pending busy responses

	mu      sync.Mutex
	us      home
	checked error         // error of the last identity check; nil after success
	down    map[int]error // errors of disconnected shards
	links   int64         // number of connections that became ready, over all shards
}

// home is the bot's identity; empty members are not known yet.
type home struct{ application, bot string }

var (
	_ platform.Platform        = (*Connector)(nil)
	_ platform.Finder          = (*Connector)(nil)
	_ platform.Replier         = (*Connector)(nil)
	_ platform.Mentioner       = (*Connector)(nil)
	_ platform.Reminder        = (*Connector)(nil)
	_ platform.Readier         = (*Connector)(nil)
	_ platform.Checker         = (*Connector)(nil)
	_ platform.Pacer           = (*Connector)(nil)
	_ platform.Grouper         = (*Connector)(nil)
	_ platform.ThreadFinder    = (*Connector)(nil)
	_ platform.Attacher        = (*Connector)(nil)
	_ platform.MessageReceiver = (*Connector)(nil)
	_ platform.MessageDater    = (*Connector)(nil)
)

var (
	errNotChecked = errors.New("discord: bot identity not known yet")
	errNoLink     = errors.New("discord: the gateway is not connected")
)

// New creates a connector, or returns every error in the settings. It makes no calls.
func New(cfg Config) (*Connector, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c := &Connector{
		cfg:       cfg,
		log:       cfg.Logger.With("platform", Name),
		key:       keyOf(cfg.PublicKey),
		transport: cfg.HTTPClient.Transport,
		us:        home{application: cfg.ApplicationID},
		checked:   errNotChecked,
		down:      map[int]error{},
		turning:   make(chan struct{}, maxTurned),
		direct:    newPlaces(),
		hints:     rate.NewLimiter(rate.Every(time.Minute/newHints), newHints),
		parents:   newPlaces(),
		servers:   newPlaces(),
		shut:      newPlaces(),
	}
	c.limiter.good = newPlaces()
	c.limiter.invalid.Length, c.limiter.strange.Length = invalidWindow, invalidWindow
	c.acts = connector.NewActs(c.log, cfg.Language)
	c.inbox = connector.NewInbox(signed(c.key))
	if c.transport == nil {
		c.transport = http.DefaultTransport
	}
	if c.to, err = addressOf(cfg.APIURL); err != nil {
		return nil, err
	}
	if c.api, err = newSession(cfg.BotToken); err != nil {
		return nil, err
	}
	if cfg.Mode == ModeGateway {
		for _, id := range cfg.ShardIDs {
			c.down[id] = errNoLink
		}
	}
	return c, nil
}

// Name returns "discord".
func (c *Connector) Name() string { return Name }

// Mode returns how interactions are received: [ModeHTTP] or [ModeGateway].
func (c *Connector) Mode() string { return c.cfg.Mode }

// allowed are Discord's limits: 50 requests per second globally
// (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit), and per channel
// the five messages in five seconds observed in its headers, plus a margin for latency. If the
// headers report less, the channel waits.
var allowed = platform.Pace{
	Channel: platform.Rate{Every: 1020 * time.Millisecond, Burst: 5},
	All:     platform.Rate{Every: 20 * time.Millisecond, Burst: 50},
}

// Pace returns the rate limit for new cards; none with Config.Unpaced.
func (c *Connector) Pace() platform.Pace {
	if c.cfg.Unpaced {
		return platform.Pace{}
	}
	return allowed
}

// Limits returns the limits of component messages.
func (c *Connector) Limits() render.Limits { return components.Limits() }

// Prefixes returns the prefix for roles.
func (c *Connector) Prefixes() []string { return []string{RolePrefix} }

// Close closes idle connections. Listen stops everything else.
func (c *Connector) Close() error {
	c.cfg.HTTPClient.CloseIdleConnections()
	return nil
}

var (
	// snowflake matches Discord ids (https://docs.discord.com/developers/reference#snowflakes).
	snowflake = regexp.MustCompile(`^[1-9][0-9]{16,19}$`)
	version   = regexp.MustCompile(`^v[0-9]+$`)
)

// CheckTarget checks the format of a target's ids. Whether a thread belongs to its channel is
// checked when the card is posted, see [Connector.ParentOf].
func (c *Connector) CheckTarget(t ask.Place) error {
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

// CheckResponder checks the format of "discord:…" or "discord-role:…".
func (c *Connector) CheckResponder(who string) error {
	e, _ := ask.ParseEntry(who)
	if prefix := e.Prefix(); (prefix != Name && prefix != RolePrefix) || !snowflake.MatchString(e.ID) {
		return fmt.Errorf("discord: responder %q is not supported; name a person by id, such as discord:300000000000000001, "+
			"or a role, such as %s:400000000000000001", who, RolePrefix)
	}
	return nil
}

// Post posts a card. If a person cannot be reached by direct message the card is posted in the
// configured channel instead, followed by a message that mentions them.
func (c *Connector) Post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	shown, err := c.postTo(ctx, to, card)
	if !c.fallsBack(to) || !shutOut(err) {
		return shown.ref(), err
	}
	instead := ask.Place{Platform: Name, Channel: c.cfg.DMFallback}
	c.log.Info("direct message refused, posting in fallback channel", "person", to.User, "channel", instead.Channel)
	if shown, err = c.create(ctx, instead.Channel, newMessage(card), card.Request, to.String(), "instead"); err != nil {
		return platform.MessageRef{}, err
	}
	c.nameBelow(ctx, shown, to, card)
	return shown.ref(), nil
}

// fallsBack reports whether a target has a fallback channel.
func (c *Connector) fallsBack(to ask.Place) bool { return to.User != "" && c.cfg.DMFallback != "" }

// shutOut reports whether an error means that a person cannot be reached by direct message.
func shutOut(err error) bool {
	n := numberOf(err)
	return n == closedDM || n == noMutualServer || n == noNewDMs
}

// nameBelow mentions a person below a card posted in the fallback channel. It may outlast the
// delivery's lease: another replica then finds the card or gets the same one by its nonce, and
// does not mention the person again.
func (c *Connector) nameBelow(ctx context.Context, shown created, to ask.Place, card render.Card) {
	name := outgoing{
		Content:  words.In(card.Language).Reply.ForYou("<@" + to.User + ">"),
		Mentions: mentions{Users: []string{to.User}},
		To:       reference(shown.ID),
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	if err := c.say(ctx, shown.Channel, name, card.Request, to.String(), "name"); err != nil {
		c.log.Warn("mention below fallback card failed", "request_id", card.Request, "person", to.User, "error", err)
	}
}

// PostMentioning is Post with a report of the people who were not mentioned. It implements
// [platform.Mentioner].
func (c *Connector) PostMentioning(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, []platform.Missed, error) {
	if to.User != "" {
		ref, err := c.Post(ctx, to, card)
		return ref, nil, err
	}
	shown, err := c.postTo(ctx, to, card)
	if err != nil {
		return platform.MessageRef{}, nil, err
	}
	return shown.ref(), shown.missed(card.Tells), nil
}

func (c *Connector) postTo(ctx context.Context, to ask.Place, card render.Card) (created, error) {
	channel, err := c.place(ctx, opPost, to)
	if err != nil {
		return created{}, err
	}
	return c.create(ctx, channel, ringing(card), card.Request, to.String())
}

// Update updates a card. A message in an archived thread cannot be edited, so the thread is
// unarchived first if permitted; it archives itself again. Otherwise the error is
// [platform.Locked], and the card is updated once the thread is open again
// (https://docs.discord.com/developers/topics/threads#active--archived-threads).
func (c *Connector) Update(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	if !snowflake.MatchString(ref.Channel) || !snowflake.MatchString(ref.Message) {
		return &platform.Error{Platform: Name, Op: opEdit, Kind: platform.Gone, Code: codeNoPlace, Err: errNoPlace}
	}
	err := c.edit(ctx, ref, card)
	if numberOf(err) != archivedThread {
		return err
	}
	open := route{method: http.MethodPatch, path: "channels/" + ref.Channel, body: map[string]bool{"archived": false}}
	failed := c.do(ctx, call{op: opModify, place: ref.Channel}, open, nil)
	if failed == nil {
		return c.edit(ctx, ref, card)
	}
	if e, _ := errors.AsType[*platform.Error](failed); numberOf(e) == 0 || e.Kind != platform.Unreachable && e.Kind != platform.Refused {
		return failed // Retry later.
	}
	c.shut.Add(ref.Message, ref.Channel)
	return err
}

func (c *Connector) edit(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	body := newMessage(card)
	body.Flags = 0 // The message keeps its flags; they cannot be removed.
	return c.do(ctx, call{op: opEdit, place: ref.Channel},
		route{method: http.MethodPatch, path: "channels/" + ref.Channel + "/messages/" + ref.Message, body: body}, nil)
}

// Reply posts the result of a request below its card. A message unarchives an archived thread,
// so the card can then be edited; Reply fails until that is done.
func (c *Connector) Reply(ctx context.Context, _ ask.Place, ref platform.MessageRef, card render.Card) error {
	body := newMessage(card)
	body.To = reference(ref.Message)
	_, err := c.create(ctx, ref.Channel, body, card.Request, ref.Channel, ref.Message, string(card.State))
	if err == nil && c.shut.Remove(ref.Message) {
		return c.edit(ctx, ref, card)
	}
	return err
}

package discord

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// Connector is one bot on Discord. It is safe for concurrent use.
type Connector struct {
	names

	cfg     Config
	log     *slog.Logger
	key     ed25519.PublicKey // nil without one
	api     *restAPI
	self    *identity
	places  *places
	servers *servers
	search  *search
	gateway *gateway
	acts    *connector.Acts
	inbox   *connector.Inbox // receives HTTP requests
	hints   *rate.Limiter    // rate limit of opening direct messages for hints
	shut    *cache           // cards in archived threads that the bot cannot unarchive
	turned  *turnaways

	digests
}

var (
	_ platform.Platform        = (*Connector)(nil)
	_ platform.Finder          = (*Connector)(nil)
	_ platform.Replier         = (*Connector)(nil)
	_ platform.Linker          = (*Connector)(nil)
	_ platform.PlaceNamer      = (*Connector)(nil)
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

	_ platform.InstallationFinder = (*Connector)(nil)
)

var errNoLink = errors.New("discord: the gateway is not connected")

// New creates a connector, or returns every error in the settings. It makes no calls.
func New(cfg Config) (*Connector, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	log, key := cfg.Logger.With("platform", Name), keyOf(cfg.PublicKey)
	api, err := newRESTAPI(cfg, log)
	if err != nil {
		return nil, err
	}
	self := &identity{cfg: cfg, log: log, key: key, api: api, us: home{application: cfg.ApplicationID}, checked: errNotChecked}
	served := newServers(cfg.Servers, cfg.ShardCount, log)
	c := &Connector{
		names: served.names, cfg: cfg, log: log, key: key, api: api, self: self,
		places: newPlaces(api, served), servers: served,
		search: &search{api: api, self: self},
		acts:   connector.NewActs(log, cfg.Language),
		inbox:  connector.NewInbox(signed(key)),
		hints:  rate.NewLimiter(rate.Every(time.Minute/newHints), newHints),
		shut:   newCache(),
		turned: &turnaways{running: make(chan struct{}, maxTurned)},
	}
	c.digests = digests{c.api, c.postTo}
	c.gateway = newGateway(cfg, log, api, self, c.heard, served.begun)
	return c, nil
}

func newRESTAPI(cfg Config, log *slog.Logger) (*restAPI, error) {
	to, err := addressOf(cfg.APIURL)
	if err != nil {
		return nil, err
	}
	session, err := newSession(cfg.BotToken)
	if err != nil {
		return nil, err
	}
	a := &restAPI{to: to, next: cfg.HTTPClient.Transport, session: session, log: log}
	if a.next == nil {
		a.next = http.DefaultTransport
	}
	a.limiter.good = newCache()
	a.limiter.invalid.Length, a.limiter.strange.Length = invalidWindow, invalidWindow
	return a, nil
}

// Name returns "discord".
func (c *Connector) Name() string { return Name }

// Mode returns how interactions are received: [ModeHTTP] or [ModeGateway].
func (c *Connector) Mode() string { return c.cfg.Mode }

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
	if !c.cfg.fallsBack(to) || !shutOut(err) {
		return shown.ref(), err
	}
	instead := ask.Place{Platform: Name, Channel: c.cfg.DMFallback}
	c.log.Info("direct message refused, posting in fallback channel", "person", to.User, "channel", instead.Channel)
	if shown, err = c.api.create(ctx, instead.Channel, newMessage(card), card.Request, to.String(), "instead"); err != nil {
		return platform.MessageRef{}, err
	}
	c.api.nameBelow(ctx, shown, to, card)
	return shown.ref(), nil
}

// fallsBack reports whether a target has a fallback channel.
func (c Config) fallsBack(to ask.Place) bool { return to.User != "" && c.DMFallback != "" }

// shutOut reports whether an error means that a person cannot be reached by direct message.
func shutOut(err error) bool {
	n := numberOf(err)
	return n == closedDM || n == noMutualServer || n == noNewDMs
}

// nameBelow mentions a person below a card posted in the fallback channel. It may outlast the
// delivery's lease: another replica then finds the card or gets the same one by its nonce, and
// does not mention the person again.
func (a *restAPI) nameBelow(ctx context.Context, shown created, to ask.Place, card render.Card) {
	name := outgoing{
		Content:  words.In(card.Language).Reply.ForYou("<@" + to.User + ">"),
		Mentions: mentions{Users: []string{to.User}},
		To:       reference(shown.ID),
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	if err := a.say(ctx, shown.Channel, name, card.Request, to.String(), "name"); err != nil {
		a.log.Warn("mention below fallback card failed", "request_id", card.Request, "person", to.User, "error", err)
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
	channel, err := c.places.of(ctx, opPost, to)
	if err != nil {
		return created{}, err
	}
	return c.api.create(ctx, channel, ringing(card), card.Request, to.String())
}

// Update updates a card. A message in an archived thread cannot be edited, so the thread is
// unarchived first if permitted; it archives itself again. Otherwise the error is
// [platform.Locked], and the card is updated once the thread is open again
// (https://docs.discord.com/developers/topics/threads#active--archived-threads).
func (c *Connector) Update(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	if !snowflake.MatchString(ref.Channel) || !snowflake.MatchString(ref.Message) {
		return &platform.Error{Platform: Name, Op: opEdit, Kind: platform.Gone, Code: codeNoPlace, Err: errNoPlace}
	}
	err := c.api.edit(ctx, ref, card)
	if numberOf(err) != archivedThread {
		return err
	}
	open := route{method: http.MethodPatch, path: "channels/" + ref.Channel, body: map[string]bool{"archived": false}}
	failed := c.api.do(ctx, call{op: opModify, place: ref.Channel}, open, nil)
	if failed == nil {
		return c.api.edit(ctx, ref, card)
	}
	if e, _ := errors.AsType[*platform.Error](failed); numberOf(e) == 0 || e.Kind != platform.Unreachable && e.Kind != platform.Refused {
		return failed // Retry later.
	}
	c.shut.Add(ref.Message, ref.Channel)
	return err
}

// Reply posts the result of a request below its card. A message unarchives an archived thread,
// so the card can then be edited; Reply fails until that is done.
func (c *Connector) Reply(ctx context.Context, _ ask.Place, ref platform.MessageRef, card render.Card) error {
	body := newMessage(card)
	body.To = reference(ref.Message)
	_, err := c.api.create(ctx, ref.Channel, body, card.Request, ref.Channel, ref.Message, string(card.State))
	if err == nil && c.shut.Remove(ref.Message) {
		return c.api.edit(ctx, ref, card)
	}
	return err
}

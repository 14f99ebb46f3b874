package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// metadataEvent marks the bot's messages so that Find recognizes them
// (https://docs.slack.dev/messaging/message-metadata).
const metadataEvent = "askbridge_request"

// Connector is one app in one Slack workspace or, with [Config.Installations], in any number of them. It is safe for concurrent use.
type Connector struct {
	placeNames

	cfg Config
	log *slog.Logger
	// only is the workspace of the configured token; nil if the app is installed by OAuth.
	only      *workspace
	installed *installed
	jobs      *jobs // lookups in advance
	socket    *socket
	acts      *connector.Acts
	seen      clock
	inbox     *connector.Inbox // receives HTTP requests
	inboxes   *inboxes

	digests
}

var (
	_ platform.Platform         = (*Connector)(nil)
	_ platform.Finder           = (*Connector)(nil)
	_ platform.Replier          = (*Connector)(nil)
	_ platform.Linker           = (*Connector)(nil)
	_ platform.PlaceNamer       = (*Connector)(nil)
	_ platform.Mentioner        = (*Connector)(nil)
	_ platform.Reminder         = (*Connector)(nil)
	_ platform.Readier          = (*Connector)(nil)
	_ platform.Checker          = (*Connector)(nil)
	_ platform.Namer            = (*Connector)(nil)
	_ platform.Pacer            = (*Connector)(nil)
	_ platform.GroupFinder      = (*Connector)(nil)
	_ platform.MembershipFinder = (*Connector)(nil)
	_ platform.Attacher         = (*Connector)(nil)
	_ platform.MessageReceiver  = (*Connector)(nil)
	_ platform.MessageDater     = (*Connector)(nil)
	_ platform.StatusShower     = (*Connector)(nil)
)

var (
	// errOtherInstallation means that a place is in a workspace without the bot.
	errOtherInstallation = errors.New("slack: the bot is installed in another workspace than the one that is named")
	errNoInstallation    = errors.New("slack: the place or person names no workspace, and the app is installed in several")
	errNoLink            = errors.New("slack: socket mode is not connected")
)

// New creates a connector, or returns every error in the settings. It makes no calls.
func New(cfg Config) (*Connector, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	log := cfg.Logger.With("platform", Name)
	c := &Connector{
		cfg: cfg, log: log, jobs: newJobs(),
		acts:  connector.NewActs(log, cfg.Language),
		inbox: connector.NewInbox(signed(cfg.SigningSecret)),
	}
	c.placeNames.workspace = c.at
	c.inboxes = &inboxes{log: log, acts: c.acts, receiving: c.receiving, unserved: c.unserved}
	c.socket = &socket{cfg: cfg, log: log, take: c.take, heard: c.heard, commanded: c.inboxes.commanded, apart: cfg.Installations != nil}
	c.digests = digests{func(ctx context.Context, op, installation string) (digestWorkspace, error) {
		return c.at(ctx, op, installation)
	}}
	if cfg.Mode == ModeSocket {
		c.socket.down = errNoLink
	}
	if cfg.Installations != nil {
		c.installed = newInstalled(c)
		return c, nil
	}
	c.only = newWorkspace(cfg, log, c.jobs, "")
	c.socket.met = c.only.self.setApp
	if cfg.Mode == ModeSocket {
		c.only.self.setApp(appOf(cfg.AppToken))
	}
	return c, nil
}

// appOf extracts the app id from an app-level token ("xapp-1-A0123-…").
func appOf(token string) string {
	parts := strings.Split(token, "-")
	if len(parts) > 3 && appID.MatchString(parts[2]) {
		return parts[2]
	}
	return ""
}

// Name returns "slack".
func (c *Connector) Name() string { return Name }

// Mode returns how interactions are received: [ModeHTTP] or [ModeSocket].
func (c *Connector) Mode() string { return c.cfg.Mode }

// allowed is Slack's limit per channel, one message per second
// (https://docs.slack.dev/apis/web-api/rate-limits). The workspace limit of several hundred
// messages per minute is enforced by Slack's 429 responses.
var allowed = platform.Pace{Channel: platform.Rate{Every: time.Second, Burst: 1}}

// Pace returns the rate limit for new cards; none with Config.Unpaced.
func (c *Connector) Pace() platform.Pace {
	if c.cfg.Unpaced {
		return platform.Pace{}
	}
	return allowed
}

// Limits returns the limits of Block Kit messages.
func (c *Connector) Limits() render.Limits { return blockkit.Limits() }

// Close closes idle connections. Listen stops everything else.
func (c *Connector) Close() error {
	c.cfg.HTTPClient.CloseIdleConnections()
	return nil
}

// SentAt returns the time a message was written. It implements [platform.MessageDater].
func (*Connector) SentAt(message string) time.Time {
	if n, ok := microseconds(message); ok {
		return time.UnixMicro(n)
	}
	return time.Time{}
}

// Check verifies the bot token and learns the app's identity. The tokens of installations are judged
// one by one, when they are used: one that is dead must not stop the others.
func (c *Connector) Check(ctx context.Context) error {
	if c.only == nil {
		return nil
	}
	return c.only.self.check(ctx)
}

// CheckResponder checks the format of "slack:U…" or "slack-group:S…". While Listen runs the
// entry is also looked up in the background, so that the result is known when the person acts.
func (c *Connector) CheckResponder(who string) error {
	e, _ := ask.ParseEntry(who)
	if e.Platform == Name {
		if err := c.checkEntry(e); err != nil {
			return err
		}
	}
	if e.Prefix() == GroupPrefix {
		id, err := groupOf(who)
		if err == nil && c.only != nil {
			c.only.directory.warm(id)
		}
		return err
	}
	if e.Prefix() != Name || !userID.MatchString(e.ID) {
		return fmt.Errorf("slack: responder %q is not supported; name a person by member id, such as slack:U0123ABCD, "+
			"or a user group, such as %s:S0123ABCD", who, GroupPrefix)
	}
	if c.only != nil {
		c.only.directory.meet(e.ID)
	}
	return nil
}

// Post posts a card.
func (c *Connector) Post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	w, err := c.at(ctx, "chat.postMessage", to.Installation)
	if err != nil {
		return platform.MessageRef{}, err
	}
	return w.post(ctx, to, card)
}

func (w *workspace) post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	channel, err := w.places.of(ctx, "chat.postMessage", to)
	if err != nil {
		return platform.MessageRef{}, err
	}
	blocks, text := blockkit.Message(w.directory.naming(ctx, card))
	return w.api.send(ctx, channel, to.Thread, saying(blocks, text).marked(metadataEvent, map[string]any{"request_id": card.Request}))
}

// Update updates a card. Slack keeps the message's metadata.
func (c *Connector) Update(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	w, err := c.at(ctx, "chat.update", ref.Installation)
	if err != nil {
		return err
	}
	blocks, text := blockkit.Message(w.directory.naming(ctx, card))
	return w.api.do(ctx, call{op: "chat.update"}, func(ctx context.Context) error {
		// chat.update removes the blocks if none are sent, and without text notifications have
		// none; so always send both.
		_, err := w.api.chat(ctx, "chat.update", message{
			Channel: ref.Channel, TS: ref.Message, Text: render.Cut(text, blockkit.MaxUpdateText, nil), Blocks: blocks,
		})
		return err
	})
}

// Reply posts the result of a request below its card. Threads are not nested: for a card inside
// a thread the reply goes to that thread.
func (c *Connector) Reply(ctx context.Context, to ask.Place, ref platform.MessageRef, card render.Card) error {
	w, err := c.at(ctx, "chat.postMessage", ref.Installation)
	if err != nil {
		return err
	}
	blocks, text := blockkit.Message(w.directory.naming(ctx, card))
	_, err = w.api.send(ctx, ref.Channel, cmp.Or(to.Thread, ref.Message), saying(blocks, text))
	return err
}

// ReceivesMessages returns nil: events arrive like interactions if the app subscribes to them (askbridge
// slack manifest). It implements [platform.MessageReceiver].
func (c *Connector) ReceivesMessages() error { return nil }

package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// Name is the platform's name in targets and people's ids.
const Name = "slack"

// metadataEvent marks the bot's messages so that Find recognizes them
// (https://docs.slack.dev/messaging/message-metadata).
const metadataEvent = "askbridge_request"

// Connector is one app in one Slack workspace. It is safe for concurrent use.
type Connector struct {
	cfg     Config
	log     *slog.Logger
	api     *slackapi.Client
	limiter limiter
	acts    *connector.Acts
	seen    clock
	// inbox receives HTTP requests.
	inbox *connector.Inbox

	groups  *known[members]
	handles *known[map[string]string] // names of all user groups, under allGroups
	people  *known[account]
	teams   *known[[]string] // workspaces of an organization, under allWorkspaces
	jobs    *jobs
	direct  *lru.Cache[string, string] // conversation ids of direct messages by user
	// nameless is the last time Slack refused a name lookup.
	nameless atomic.Pointer[time.Time]

	mu       sync.Mutex
	us       home
	checked  error // error of the last auth.test; nil after success
	linkDown error // why no socket is open; nil over HTTP
	opened   int64 // number of sockets opened so far
}

var (
	_ platform.Platform         = (*Connector)(nil)
	_ platform.Finder           = (*Connector)(nil)
	_ platform.Replier          = (*Connector)(nil)
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
)

var (
	errNotChecked = errors.New("slack: auth.test has not succeeded yet")
	// errOtherInstallation means that a place is in a workspace without the bot.
	errOtherInstallation = errors.New("slack: the bot is installed in another workspace than the one that is named")
	errNoLink            = errors.New("slack: socket mode is not connected")
)

// New creates a connector, or returns every error in the settings. It makes no calls.
func New(cfg Config) (*Connector, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c := &Connector{
		cfg: cfg,
		log: cfg.Logger.With("platform", Name),
		api: slackapi.New(cfg.BotToken,
			slackapi.OptionAPIURL(cfg.APIURL), slackapi.OptionHTTPClient(cfg.HTTPClient)),
		checked: errNotChecked,
		direct:  newConversations(),
		jobs:    newJobs(),
	}
	c.acts = connector.NewActs(c.log, cfg.Language)
	c.inbox = connector.NewInbox(signed(cfg.SigningSecret))
	c.us.guests = cfg.Guests != GuestsRefuse
	c.groups, c.people, c.handles, c.teams = newKnown(c.askGroup), newKnown(c.askAccount), newKnown(c.askHandles), newKnown(c.askWorkspaces)
	if cfg.Mode == ModeSocket {
		c.linkDown = errNoLink
		c.us.app = appOf(cfg.AppToken)
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

// Slack's id formats: https://docs.slack.dev/reference/objects/conversation-object and
// https://docs.slack.dev/reference/objects/user-object.
var (
	channelID = regexp.MustCompile(`^[CGD][A-Z0-9]{2,}$`)
	userID    = regexp.MustCompile(`^[UW][A-Z0-9]{2,}$`)
	// installationID matches the id of a workspace or an organization.
	installationID = regexp.MustCompile(`^[TE][A-Z0-9]{2,}$`)
	appID          = regexp.MustCompile(`^A[A-Z0-9]{2,}$`)
	messageTS      = regexp.MustCompile(`^\d+\.\d+$`)
)

// CheckTarget checks the format of a target's ids.
func (c *Connector) CheckTarget(t ask.Place) error {
	switch {
	case t.Platform != Name:
		return fmt.Errorf("slack: target is on %q", t.Platform)
	case t.Installation != "" && !installationID.MatchString(t.Installation):
		return fmt.Errorf("slack: %q is no workspace or organisation; those look like T0123ABCD or E0123ABCD (in the address of Slack in a browser)",
			t.Installation)
	case t.Channel != "" && t.User != "":
		return errors.New("slack: target names a channel and a user; it can be one of them")
	case t.Channel == "" && t.User == "":
		return errors.New("slack: target names neither a channel nor a user")
	case t.User != "" && !userID.MatchString(t.User):
		return fmt.Errorf("slack: %q is no user id; those look like U0123ABCD (profile, three dots, copy member ID)", t.User)
	case t.User != "" && t.Thread != "":
		return errors.New("slack: a thread needs its channel, not a user")
	case t.Channel != "" && !channelID.MatchString(t.Channel):
		return fmt.Errorf("slack: %q is no channel id; those look like C0123ABCD (channel name, About, at the end)", t.Channel)
	case t.Thread != "" && !messageTS.MatchString(t.Thread):
		return fmt.Errorf("slack: %q is no thread; those look like 1712345678.000100", t.Thread)
	}
	return nil
}

// CheckResponder checks the format of "slack:U…" or "slack-group:S…". While Listen runs the
// entry is also looked up in the background, so that the result is known when the person acts.
func (c *Connector) CheckResponder(who string) error {
	e, _ := ask.ParseEntry(who)
	if e.Prefix() == GroupPrefix {
		id, err := groupOf(who)
		if err == nil {
			c.warm(id)
		}
		return err
	}
	if e.Prefix() != Name || !userID.MatchString(e.ID) {
		return fmt.Errorf("slack: responder %q is not supported; name a person by member id, such as slack:U0123ABCD, "+
			"or a user group, such as %s:S0123ABCD", who, GroupPrefix)
	}
	c.meet(e.ID)
	return nil
}

// Post posts a card.
func (c *Connector) Post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	channel, err := c.place(ctx, "chat.postMessage", to)
	if err != nil {
		return platform.MessageRef{}, err
	}
	blocks, text := blockkit.Message(c.naming(ctx, card))
	return c.send(ctx, channel, to.Thread, saying(blocks, text).marked(metadataEvent, map[string]any{"request_id": card.Request}))
}

// Update updates a card. Slack keeps the message's metadata.
func (c *Connector) Update(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	blocks, text := blockkit.Message(c.naming(ctx, card))
	return c.do(ctx, call{op: "chat.update"}, func(ctx context.Context) error {
		// chat.update removes the blocks if none are sent, and without text notifications have
		// none; so always send both.
		_, err := c.chat(ctx, "chat.update", message{
			Channel: ref.Channel, TS: ref.Message, Text: render.Cut(text, blockkit.MaxUpdateText, nil), Blocks: blocks,
		})
		return err
	})
}

// Reply posts the result of a request below its card. Threads are not nested: for a card inside
// a thread the reply goes to that thread.
func (c *Connector) Reply(ctx context.Context, to ask.Place, ref platform.MessageRef, card render.Card) error {
	blocks, text := blockkit.Message(c.naming(ctx, card))
	_, err := c.send(ctx, ref.Channel, cmp.Or(to.Thread, ref.Message), saying(blocks, text))
	return err
}

func newConversations() *lru.Cache[string, string] {
	all, _ := lru.New[string, string](maxKnown) // New fails only for a size below one.
	return all
}

// place returns the conversation id of a target. A direct message has its own id, which
// chat.update needs; it is looked up once.
func (c *Connector) place(ctx context.Context, op string, to ask.Place) (string, error) {
	if err := c.CheckTarget(to); err != nil {
		return "", &platform.Error{Platform: Name, Op: op, Kind: platform.Unreachable, Code: "invalid_target", Err: err}
	}
	if err := c.installedIn(ctx, op, to.Installation); err != nil {
		return "", err
	}
	if to.User == "" {
		return to.Channel, nil
	}
	if channel, known := c.direct.Get(to.User); known {
		return channel, nil
	}
	var channel string
	err := c.do(ctx, call{op: "conversations.open"}, func(ctx context.Context) error {
		conversation, _, _, err := c.api.OpenConversationContext(ctx,
			&slackapi.OpenConversationParameters{Users: []string{to.User}})
		if err == nil && (conversation == nil || conversation.ID == "") {
			return fmt.Errorf("%w: no channel", errUnreadable)
		}
		if err == nil {
			channel = conversation.ID
		}
		return err
	})
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Code == "missing_scope" {
		e.Kind = platform.Unreachable // Channels can still be posted to.
	}
	if err != nil {
		return "", err
	}
	c.direct.Add(to.User, channel)
	return channel, nil
}

// ReceivesMessages returns nil: events arrive like interactions if the app subscribes to them (askbridge
// slack manifest). It implements [platform.MessageReceiver].
func (c *Connector) ReceivesMessages() error { return nil }

package slack

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// The handled events; see https://docs.slack.dev/reference/events.
const (
	eventMessage = "message"
	eventMention = "app_mention"

	typeChallenge = "url_verification"
	typeEvent     = "event_callback"
)

// event contains the members of an event and its envelope that are used
// (https://docs.slack.dev/apis/events-api#events-JSON).
type event struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	AppID     string `json:"api_app_id"`
	// Authorizations contains one installation of the app that can see the event.
	Authorizations    []authorization `json:"authorizations"`
	TeamID            string          `json:"team_id"`
	Enterprise        string          `json:"enterprise_id"`
	ContextTeam       string          `json:"context_team_id"`
	ContextEnterprise string          `json:"context_enterprise_id"`
	Shared            bool            `json:"is_ext_shared_channel"`
	Time              int64           `json:"event_time"`
	Message           utterance       `json:"event"`
}

type authorization struct {
	TeamID     string `json:"team_id"` // may be null for an organization-wide installation
	Enterprise string `json:"enterprise_id"`
	Wide       truth  `json:"is_enterprise_install"`
}

// owner returns the id of the one of several installations that an event is for. Only authorizations
// names it reliably; a removal may come without.
func (e *event) owner() string {
	switch {
	case len(e.Authorizations) > 0 && (bool(e.Authorizations[0].Wide) || e.Authorizations[0].TeamID == ""):
		return e.Authorizations[0].Enterprise
	case len(e.Authorizations) > 0:
		return e.Authorizations[0].TeamID
	case e.removal() != "":
		return cmp.Or(e.TeamID, e.Enterprise)
	}
	return ""
}

// installation returns the workspace and the organization whose installation the event belongs
// to. In a channel shared with another company only authorizations identifies it: the
// envelope's other members may be that company's
// (https://github.com/slackapi/bolt-js/issues/935). The two sources are never mixed, since the
// other company's workspace does not belong to our organization.
func (e *event) installation() (team, enterprise string) {
	for _, a := range e.Authorizations {
		switch {
		case !e.Shared && a.Enterprise != "" && a.Enterprise == e.Enterprise && e.TeamID != "":
			return e.TeamID, e.Enterprise // A workspace of the organization, identified by the envelope.
		case a.TeamID != "" || a.Enterprise != "":
			return cmp.Or(a.TeamID, a.Enterprise), a.Enterprise
		}
	}
	if e.ContextTeam != "" {
		return e.ContextTeam, e.ContextEnterprise
	}
	return e.TeamID, e.Enterprise
}

// envelope returns the installation of an event, as an interaction has it.
func (e *event) envelope(us home) payload {
	team, enterprise := e.installation()
	p := payload{AppID: e.AppID, Team: named{team}, Enterprise: named{enterprise}, User: user{ID: e.Message.User}}
	if us.id != "" {
		p.Wide = truth(us.wide && e.owner() == us.id)
	}
	return p
}

// utterance is a message by a person, or its edit or deletion.
type utterance struct {
	Type     string `json:"type"`
	Subtype  string `json:"subtype"`
	Channel  string `json:"channel"`
	Kind     string `json:"channel_type"`
	User     string `json:"user"`
	BotID    string `json:"bot_id"`
	Team     string `json:"team"`
	UserTeam string `json:"user_team"`
	Text     string `json:"text"`
	TS       string `json:"ts"`
	ThreadTS string `json:"thread_ts"`
	EventTS  string `json:"event_ts"`
	Tab      string `json:"tab"` // of the app's home
	// Teams are the workspaces that an organization added to its installation, or removed.
	Teams  []string `json:"team_ids"`
	Edited struct {
		TS string `json:"ts"`
	} `json:"edited"`
	// Tokens are the owners of revoked tokens.
	Tokens struct {
		Bot []string `json:"bot"`
	} `json:"tokens"`
	// Now and Before are an edited message's new and old version; a deleted one has only
	// Before.
	Now    *utterance `json:"message"`
	Before *utterance `json:"previous_message"`
}

// decodeEvent parses an event. It fails only for input that is not JSON.
func decodeEvent(raw []byte) (*event, error) {
	var e event
	err := connector.ReadLoosely(raw, &e)
	return &e, err
}

// Reasons to ignore an event. Ignored events are acknowledged.
var (
	errNoMessage = errors.New("not a message written by a person")
	errUnchanged = errors.New("message text unchanged")
)

// interaction converts the event to the bridge's type.
func (e *event) interaction(us home) (platform.Interaction, error) {
	if e.Type != typeEvent || e.Message.Type != eventMessage && e.Message.Type != eventMention {
		return platform.Interaction{}, errUnwanted
	}
	envelope := e.envelope(us)
	if envelope.foreign(us) {
		return platform.Interaction{}, errForeign
	}
	m, typed, err := e.Message.current()
	if err != nil {
		return platform.Interaction{}, err
	}
	if m.BotID != "" || m.User == "" || m.User == "USLACKBOT" || m.User == us.botUser {
		return platform.Interaction{}, errNoMessage
	}
	stamp, gone := cmp.Or(m.Edited.TS, m.TS), ""
	if typed.Deleted {
		stamp, gone = cmp.Or(e.Message.EventTS, e.Message.TS, m.TS), "deleted"
	}
	order, ok := microseconds(stamp)
	if !ok || !channelID.MatchString(e.Message.Channel) || !messageTS.MatchString(m.TS) {
		return platform.Interaction{}, errUnwanted
	}
	envelope.User = user{ID: m.User, TeamID: cmp.Or(m.UserTeam, m.Team)}
	typed.Addressed = e.Message.Kind == "im" || e.Message.Type == eventMention
	if us.botUser != "" {
		mention := "<@" + us.botUser + ">"
		typed.Addressed = typed.Addressed || strings.Contains(m.Text, mention)
		m.Text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(m.Text), mention), mention)
	}
	typed.Text, typed.At = plainText(m.Text), time.UnixMicro(order)
	if m.ThreadTS != m.TS {
		typed.To = m.ThreadTS // The first message of a thread is not a reply.
	}
	return us.own(platform.Interaction{
		// A mention is also delivered as a message; both are one action.
		ID: fingerprint("said", envelope.Team.ID, e.Message.Channel, m.TS, m.Edited.TS, gone), Order: order,
		Person:     ask.Person{Platform: Name, ID: m.User},
		Membership: envelope.membership(us),
		Message:    platform.MessageRef{Platform: Name, Channel: e.Message.Channel, Message: m.TS},
		Typed:      &typed,
	}), nil
}

// current returns the current version of the event's message. For the subtypes written by people
// see https://docs.slack.dev/reference/events/message#subtypes.
func (u utterance) current() (utterance, platform.TypedMessage, error) {
	switch {
	case u.deleted() && u.Before != nil:
		return *u.Before, platform.TypedMessage{Deleted: true}, nil
	case u.Subtype == "message_changed" && u.Now != nil:
		if u.Now.Edited.TS == "" || u.Before != nil && u.Before.Text == u.Now.Text {
			return u, platform.TypedMessage{}, errUnchanged // A link preview, or a new reply count.
		}
		if !u.Now.spoken() {
			return u, platform.TypedMessage{}, errNoMessage
		}
		return *u.Now, platform.TypedMessage{Edited: true}, nil
	case !u.spoken():
		return u, platform.TypedMessage{}, errNoMessage
	}
	return u, platform.TypedMessage{Edited: u.Edited.TS != ""}, nil
}

// deleted reports whether the message was deleted. One with replies becomes a tombstone, and
// Slack reports that as an edit (https://github.com/42wim/matterbridge/issues/600).
func (u utterance) deleted() bool {
	return u.Subtype == "message_deleted" || u.Subtype == "message_changed" && u.Now != nil && u.Now.Subtype == "tombstone"
}

// spoken reports whether a person wrote the message.
func (u utterance) spoken() bool {
	return u.Subtype == "" || u.Subtype == "thread_broadcast" || u.Subtype == "file_share"
}

// inserted matches Slack's markup for URLs, channels, user groups and everyone in typed text
// (https://docs.slack.dev/messaging/formatting-message-text). Mentions of people keep their
// ids, which are unambiguous.
var inserted = regexp.MustCompile(`<(?:((?:https?|mailto|tel):[^<>|]*)(?:\|([^<>]*))?|#C[A-Z0-9]+\|([^<>]+)|!subteam\^S[A-Z0-9]+\|([^<>]+)|!(here|channel|everyone)(?:\|[^<>]*)?)>`)

var unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// plainText restores what the person typed, as far as Slack preserves it.
func plainText(text string) string {
	text = inserted.ReplaceAllStringFunc(text, func(found string) string {
		switch part := inserted.FindStringSubmatch(found); {
		case part[3] != "":
			return "#" + part[3]
		case part[4] != "":
			return "@" + strings.TrimPrefix(part[4], "@")
		case part[5] != "":
			return "@" + part[5]
		default:
			return cmp.Or(part[2], part[1])
		}
	})
	return strings.TrimSpace(unescaped.Replace(text))
}

// heard handles an event.
func (c *Connector) heard(raw []byte, when arrival, reply replier) fate {
	e, err := decodeEvent(raw)
	if err != nil {
		c.log.Warn("unreadable slack event", "bytes", len(raw))
		return dropped
	}
	id := e.owner()
	switch {
	case c.only == nil && e.removal() != "":
		return c.removed(e, id)
	case e.Type == typeEvent && (e.Message.Type == eventGranted || e.Message.Type == eventUngranted):
		return regranted(c, e)
	}
	w, err := c.receiving(id)
	if err != nil {
		return c.unserved(err, id)
	}
	if e.Type == typeEvent && e.Message.Type == EventHome {
		return c.inboxes.homeOpened(w, e, when, reply)
	}
	envelope := e.envelope(w.self.home())
	i, err := e.interaction(w.homeFor(&envelope))
	if err != nil {
		c.log.Debug("slack event ignored", "reason", err, "type", e.Message.Type, "subtype", e.Message.Subtype, "team", e.TeamID)
		return dropped
	}
	w.directory.introduce(&i)
	r := &speaker{in: w, at: origin{Channel: i.Message.Channel, Message: i.Message.Message, Thread: i.Typed.To}, person: i.Person.ID, reply: reply}
	if !c.acts.Begin(when.at, connector.HandlerTime, i, r) {
		return busy
	}
	return begun
}

// challenged returns the response to Slack's URL verification
// (https://docs.slack.dev/reference/events/url_verification).
func challenged(raw []byte) (any, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	e, err := decodeEvent(raw)
	if err != nil || e.Type != typeChallenge {
		return nil, false
	}
	return map[string]string{"challenge": e.Challenge}, true
}

// The events by which Slack reports that an installation ended, in either order
// (https://docs.slack.dev/reference/events/app_uninstalled).
const (
	eventUninstalled = "app_uninstalled"
	eventRevoked     = "tokens_revoked"
)

// The events by which Slack reports that an admin added workspaces to the installation of their
// organization, or removed them (https://docs.slack.dev/reference/events/team_access_granted).
const (
	eventGranted   = "team_access_granted"
	eventUngranted = "team_access_revoked"
)

// InstallationEvents returns the events about installations that an app in several workspaces
// subscribes to.
func InstallationEvents() []string {
	return []string{eventUninstalled, eventRevoked, eventGranted, eventUngranted}
}

// removalTime limits recording a removal, which Slack wants acknowledged within three seconds.
const removalTime = 2 * time.Second

// removal returns why the installation of an event ended, or "" if it did not. The lists of
// tokens_revoked contain people, not tokens: one under "bot" means the bot's own token
// (https://docs.slack.dev/reference/events/tokens_revoked).
func (e *event) removal() string {
	switch {
	case e.Type != typeEvent:
	case e.Message.Type == eventUninstalled:
		return "the app was removed from the Slack workspace"
	case e.Message.Type == eventRevoked && len(e.Message.Tokens.Bot) > 0:
		return "the app's token was revoked in the Slack workspace"
	}
	return ""
}

// removed records that an installation ended. Unless that is stored Slack repeats the event.
func (c *Connector) removed(e *event, id string) fate {
	ctx, cancel := context.WithTimeoutCause(context.Background(), removalTime, errCallTimeout)
	defer cancel()
	w, err := c.at(ctx, "receive", id)
	if err != nil {
		return c.unserved(err, id)
	}
	if e.AppID != w.self.home().app {
		c.log.Debug("slack event ignored", "reason", errForeign, "type", e.Message.Type, "team", e.TeamID, "app", e.AppID)
		return dropped
	}
	c.installed.forget(id)
	if err := c.cfg.Installations.Removed(ctx, id, e.removal(), time.Unix(e.Time, 0)); err != nil {
		c.log.Warn("slack removal not stored", "installation", id, "error", err)
		return busy
	}
	c.log.Info("slack installation removed", "installation", id, "event", e.Message.Type)
	return dropped
}

// regranted drops what is known about the workspaces of an organization, so that the next call sees the
// change. Slack may mark the event as one of a workspace
// (https://github.com/slackapi/bolt-js/issues/1778), so it is found by its organization.
func regranted(c *Connector, e *event) fate {
	id := e.Enterprise
	if len(e.Authorizations) > 0 {
		id = cmp.Or(e.Authorizations[0].Enterprise, id)
	}
	w, err := c.receiving(id)
	if err != nil {
		return c.unserved(err, id)
	}
	us := w.self.home()
	if us.app != "" && e.AppID != us.app || !us.wide || id != us.enterprise {
		c.log.Debug("slack event ignored", "reason", errForeign, "type", e.Message.Type, "team", e.TeamID, "app", e.AppID)
		return dropped
	}
	w.directory.regranted()
	c.log.Info("slack workspaces of an organization changed", "installation", id, "event", e.Message.Type, "workspaces", strings.Join(e.Message.Teams, ","))
	return dropped
}

package slacksim

import (
	"net/http"
	"slices"
	"time"
)

// Options configure the workspace and the app installed in it. Nil and zero values mean the
// defaults, which New lists.
type Options struct {
	Team       string // the workspace's id
	Enterprise string // the workspace's organization, E…; none by default
	// OrgInstall installs the app for the whole organization: payloads of forms then name no
	// workspace, and auth.test returns the organization.
	OrgInstall bool
	TeamDomain string
	TeamName   string

	AppID         string
	BotUser       string // the bot's user id
	BotID         string // the bot's own id, as messages carry it
	BotName       string
	BotToken      string
	BotScopes     []string
	AppToken      string
	AppScopes     []string
	SigningSecret string
	ClientID      string // for OAuth
	ClientSecret  string
	// RedirectURLs are where people may be sent after an installation: to one of these URLs or
	// below it. By default to any.
	RedirectURLs []string
	// Undistributed lets the app be installed only in the first workspace, which owns it.
	Undistributed bool

	People   []Person
	Channels []Channel
	Groups   []Group
	// Commands are the slash commands of the app, such as "/ask"; they require the commands
	// scope.
	Commands []string
	// Emojis are the custom emoji by name, with the text displayed for each.
	Emojis map[string]string

	// URL is the base URL of this server, without a trailing slash. It is required only if the
	// server is mounted as a handler in another listener; Listen and Client do not need it.
	URL string
	// RequestURL is where interactions are posted. If empty the app uses Socket Mode.
	RequestURL string
	// Events are the kinds of events that the app is subscribed to: EventMessage,
	// EventAppMention, EventHomeOpened. EventsURL is where they are posted; if empty they are
	// sent over Socket Mode.
	Events    []string
	EventsURL string
	// HTTPClient posts them. The default has its own connections.
	HTTPClient *http.Client
	// SocketMode enables Socket Mode despite a request URL: the app then receives nothing over
	// HTTP.
	SocketMode bool

	// PostPerSecond is the number of messages per second and channel before calls fail with
	// ratelimited. Zero means no limit.
	PostPerSecond int
	// EditWindow is how long a message can be edited; after it chat.update fails with
	// edit_window_closed. Zero means no limit.
	EditWindow time.Duration
	// Patience is the deadline of an acknowledgement and the lifetime of a trigger_id: three
	// seconds by default, as on Slack. Increase it for tests that run in real time on a busy
	// machine.
	Patience time.Duration
	// MessagesTabOff disables the app's Messages tab: direct messages fail with
	// messages_tab_disabled.
	MessagesTabOff bool
	// AgentView declares the app an agent: without it agents.sessions.setStatus fails with
	// feature_disabled.
	AgentView bool
	// HomeTabOff disables the app's Home tab: views.publish fails with not_enabled.
	HomeTabOff bool
	// MessagesTabReadOnly prevents people from typing in the app's direct messages; the app can
	// still post there.
	MessagesTabReadOnly bool
	// TokenRotation issues tokens that expire after twelve hours, each with a refresh token.
	TokenRotation bool
	// FilesOff makes uploads fail with file_uploads_disabled, as in a workspace that allows
	// none.
	FilesOff bool
	// FreePlan makes the user group methods fail with plan_upgrade_required.
	FreePlan bool
}

// Person is a user account.
type Person struct {
	ID       string   // U…
	Name     string   // the user name, "dana"
	RealName string   // the name people see, "Dana"
	Team     string   // the home workspace; a stranger in a shared channel has a different one
	Teams    []string // with Options.Enterprise: the person's workspaces in the organization; none for people of other companies
	Guest    Guest
	Email    string
	Away     bool  // presence is away
	Quiet    Quiet // Do Not Disturb hours; none by default
	Zone     *time.Location
	Locale   string // locale, "en-US" by default; not returned for strangers
	Bot      bool
	Disabled bool
}

// Guest is whether a person was invited into some channels only.
// https://slack.com/help/articles/202518103
type Guest int

// The kinds of guests.
const (
	NoGuest            Guest = iota
	MultiChannelGuest        // is_restricted
	SingleChannelGuest       // is_restricted and is_ultra_restricted
)

// Channel is a conversation with several members.
type Channel struct {
	ID       string // C…
	Name     string // without the #
	Members  []string
	Private  bool
	Together bool // a group direct message, which is also private
	Archived bool
	Session  bool // the channel of one agent session, which has no threads of its own
}

// Group is a user group.
type Group struct {
	ID      string // S…
	Handle  string
	Members []string
}

// defaultScopes are the scopes for everything this double implements, except chat:write.public.
var defaultScopes = []string{
	"app_mentions:read", "channels:history", "channels:join", "channels:read", "chat:write", "commands", "dnd:read", "files:read", "files:write",
	"groups:history", "groups:read", "im:history",
	"im:read", "im:write", "metadata.message:read", "mpim:history", "mpim:read", "reactions:write", "team:read", "usergroups:read",
	"users:read", "users:read.email",
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	setDefault(&out.Team, "T0000001")
	if out.OrgInstall {
		setDefault(&out.Enterprise, "E0000001")
	}
	setDefault(&out.TeamDomain, "sim")
	setDefault(&out.TeamName, "Sim")
	setDefault(&out.AppID, "A0000001")
	setDefault(&out.BotUser, "U0000BOT")
	setDefault(&out.BotID, "B0000001")
	setDefault(&out.BotName, "askbridge")
	setDefault(&out.BotToken, "xoxb-sim")
	setDefault(&out.AppToken, "xapp-sim")
	setDefault(&out.SigningSecret, "8f742231b10e8888abcd99yyyzzz85a5")
	setDefault(&out.ClientID, "1.2")
	setDefault(&out.ClientSecret, "sim-client-secret")
	setDefault(&out.URL, "http://slack.sim")
	if out.Patience == 0 {
		out.Patience = patience
	}
	if out.BotScopes == nil {
		out.BotScopes = defaultScopes
	}
	if out.AppScopes == nil {
		out.AppScopes = []string{"connections:write"}
	}
	if out.People == nil {
		out.People = []Person{
			{ID: "U0000001", Name: "dana", RealName: "Dana"},
			{ID: "U0000002", Name: "sam", RealName: "Sam"},
			{ID: "U0000003", Name: "kim", RealName: "Kim"},
			{ID: "U0000009", Name: "robin", RealName: "Robin", Team: "T0000009"},
		}
	}
	if out.Channels == nil {
		out.Channels = []Channel{{ID: "C0000001", Name: "deploys"}, {ID: "C0000002", Name: "general"}}
	}
	if out.Groups == nil {
		out.Groups = []Group{{ID: "S0000001", Handle: "releasers", Members: []string{"U0000001", "U0000002"}}}
	}
	out.People = slices.Clone(out.People)
	for i := range out.People {
		out.People[i].fill(&out)
	}
	return out
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// fill sets the defaults of a person.
func (p *Person) fill(o *Options) {
	setDefault(&p.Team, o.Team)
	setDefault(&p.Name, p.ID)
	setDefault(&p.RealName, p.Name)
	setDefault(&p.Locale, "en-US")
	if p.Zone == nil {
		p.Zone = time.UTC
	}
	if p.Teams == nil && o.Enterprise != "" && p.Team == o.Team {
		p.Teams = []string{o.Team}
	}
}

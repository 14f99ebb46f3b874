package slacksim

import (
	"net/http"
	"slices"
	"time"
)

// Options describe the workspace and the app installed in it. Nil and zero values mean the defaults, which New lists.
type Options struct {
	Team       string // the workspace's id
	Enterprise string // the organisation that the workspace belongs to, E…; none unless set
	// OrgInstall says that the app is installed for the whole organisation: then payloads name no workspace, and auth.test
	// the organisation in its place.
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

	People   []Person
	Channels []Channel
	Groups   []Group
	// Commands are the slash commands of the app, such as "/ask"; they take the scope commands.
	Commands []string
	// Emojis are the workspace's own, by name; what stands for each is shown in its place.
	Emojis map[string]string

	// URL is where the app reaches this server, without a slash at the end. It need only be set when the server is
	// mounted as a handler in somebody else's listener; Listen and Client take care of themselves.
	URL string
	// RequestURL is where interactions are posted. Without one the app uses Socket Mode.
	RequestURL string
	// Events are the kinds of events that the app subscribed to: EventMessage, EventAppMention, EventHomeOpened. EventsURL is where they
	// are posted; without one they arrive over Socket Mode.
	Events    []string
	EventsURL string
	// HTTPClient posts them. The default has its own connections.
	HTTPClient *http.Client
	// SocketMode is set to use Socket Mode although there is a request URL: then nothing arrives over HTTP.
	SocketMode bool

	// PostPerSecond is how many messages a second one channel takes before it says ratelimited. Zero is no limit.
	PostPerSecond int
	// EditWindow is how long a message can be edited; after it chat.update says edit_window_closed. Zero is for ever.
	EditWindow time.Duration
	// Patience is how long Slack waits for an acknowledgement, and how long a trigger_id works: three seconds unless set,
	// as on Slack. Give more where a test runs in real time on a busy machine, so that it does not judge the machine.
	Patience time.Duration
	// MessagesTabOff is set where the app's Messages tab is off: direct messages say messages_tab_disabled.
	MessagesTabOff bool
	// HomeTabOff is set where the app's Home tab is off: views.publish says not_enabled.
	HomeTabOff bool
	// MessagesTabReadOnly lets nobody type in the app's direct messages; the app can write there.
	MessagesTabReadOnly bool
	// TokenRotation gives out tokens that live twelve hours, each with a token that is traded for the next.
	TokenRotation bool
	// FilesOff makes uploads say file_uploads_disabled, as where the workspace allows none.
	FilesOff bool
	// FreePlan makes the user group methods say plan_upgrade_required.
	FreePlan bool
}

// Person is somebody with an account.
type Person struct {
	ID       string   // U…
	Name     string   // the user name, "dana"
	RealName string   // the name people see, "Dana"
	Team     string   // the home workspace; a stranger in a shared channel has another one than ours
	Teams    []string // with Options.Enterprise: the organisation's workspaces they belong to; none for people of other companies
	Guest    Guest
	Email    string
	Away     bool  // not at their desk
	Quiet    Quiet // when they are not to be disturbed; never unless set
	Zone     *time.Location
	Locale   string // the language they read Slack in, "en-US" unless set; strangers' is not told
	Bot      bool
	Disabled bool
}

// Guest says that somebody was invited into some channels only.
// https://slack.com/help/articles/202518103
type Guest int

// The kinds of guests.
const (
	NoGuest            Guest = iota
	MultiChannelGuest        // is_restricted
	SingleChannelGuest       // is_restricted and is_ultra_restricted
)

// Channel is a conversation people share.
type Channel struct {
	ID       string // C…
	Name     string // without the #
	Members  []string
	Private  bool
	Together bool // a group direct message, which is private, too
	Archived bool
}

// Group is a user group.
type Group struct {
	ID      string // S…
	Handle  string
	Members []string
}

// defaultScopes are those a bot needs for everything this double answers, but for chat:write.public.
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

// fill gives somebody what is not said of them.
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

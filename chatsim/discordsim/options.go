package discordsim

import (
	"crypto/ed25519"
	"net/http"
	"slices"
	"time"
)

// Options describe the guild and the app installed in it. Nil and zero values mean the defaults, which New lists.
type Options struct {
	Guild     string // the guild's id
	GuildName string

	Application string // the application's id
	BotUser     string // the bot's user id
	BotName     string
	BotToken    string

	// Locale is the guild's preferred language; the default is "en-US".
	Locale   string
	People   []Person
	Roles    []Role
	Channels []Channel

	// URL is where the app reaches this server, without a slash at the end. It need only be set when the server is
	// mounted as a handler in somebody else's listener; Listen and Client take care of themselves.
	URL string
	// InteractionsURL is where interactions are posted. Without one they arrive over the gateway.
	InteractionsURL string
	// HTTPClient posts them. The default has its own connections.
	HTTPClient *http.Client

	// MaxConcurrency is how many sessions may identify in five seconds; the default is 1.
	MaxConcurrency int
	// ShardsRequired makes the gateway refuse a session without shards, as it does with bots in 2,500 guilds.
	ShardsRequired bool
	// PrivilegedIntents are those that the app was granted; the default is none.
	PrivilegedIntents int
	// OldEdits is how often messages older than an hour can be edited in six seconds, for each channel; the default is
	// 3, as is reported. Discord does not publish its number.
	OldEdits int
	// Patience is how long Discord waits for the first response to an interaction: three seconds unless set, as on
	// Discord. Give more where a test runs in real time on a busy machine, so that it does not judge the machine.
	Patience time.Duration
	// Permissions are what the bot was given beyond what everybody may, such as ManageMessages.
	Permissions Permission
	// UserInstalled says that people installed the app for themselves: its bot is no member of the guild.
	UserInstalled bool
	// PrivateKey signs what arrives over HTTP. The default is a new one each time.
	PrivateKey ed25519.PrivateKey
	// MentionsUnsaid lets messages leave allowed_mentions away, as Discord does. Unless it is set that is a broken rule:
	// what an agent writes may notify a whole guild then.
	MentionsUnsaid bool
	// Unlimited switches the rate limits off. The headers that tell about them still come.
	Unlimited bool
}

// Person is somebody with an account.
type Person struct {
	ID       string
	Name     string   // the user name, "dana"
	RealName string   // the name people see, "Dana"
	Roles    []string // ids of the roles the person has in the guild
	Bot      bool
	Outside  bool   // not a member of the guild
	ClosedDM bool   // does not take direct messages from the app
	Locale   string // the language of their client, "en-US" unless set
}

// Role is a role of the guild.
type Role struct {
	ID   string
	Name string // without the @
	// Mentionable roles may be notified by everybody, others by those who may mention everyone.
	Mentionable bool
}

// Channel is a conversation of the guild.
type Channel struct {
	ID       string
	Name     string // without the #
	Parent   string // in a thread: the channel it hangs on
	Members  []string
	Archived bool // threads only
	Locked   bool // threads only: nobody but a moderator can bring it back
	// Forum channels hold posts, which are threads, and take no messages. A post can have Tags, and must have one where
	// NeedsTag says so.
	Forum    bool
	Tags     []Tag
	NeedsTag bool
	// Denied is what the bot may not do here.
	Denied Permission
}

// Permission is a set of things a member may do. The bits are Discord's.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
type Permission uint64

// The permissions an app that posts messages deals with.
const (
	ViewChannel           Permission = 1 << 10
	SendMessages          Permission = 1 << 11
	EmbedLinks            Permission = 1 << 14
	AttachFiles           Permission = 1 << 15
	ReadMessageHistory    Permission = 1 << 16
	MentionEveryone       Permission = 1 << 17
	UseExternalEmojis     Permission = 1 << 18
	CreatePublicThreads   Permission = 1 << 35
	SendMessagesInThreads Permission = 1 << 38
)

// everything is what the guild allows everybody unless a channel denies it.
const everything = ViewChannel | SendMessages | EmbedLinks | AttachFiles | ReadMessageHistory | MentionEveryone |
	UseExternalEmojis | CreatePublicThreads | SendMessagesInThreads | SendPolls

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	setDefault(&out.Guild, "100000000000000001")
	setDefault(&out.GuildName, "Sim")
	setDefault(&out.Locale, english)
	setDefault(&out.Application, "600000000000000001")
	setDefault(&out.BotUser, "500000000000000001")
	setDefault(&out.BotName, "askbridge")
	setDefault(&out.BotToken, "discord-sim-token")
	setDefault(&out.URL, "http://discord.sim")
	if out.MaxConcurrency == 0 {
		out.MaxConcurrency = 1
	}
	if out.OldEdits == 0 {
		out.OldEdits = 3
	}
	if out.Patience == 0 {
		out.Patience = patience
	}
	if out.Roles == nil {
		out.Roles = []Role{{ID: "400000000000000001", Name: "deployers"}}
	}
	if out.People == nil {
		out.People = []Person{
			{ID: "300000000000000001", Name: "dana", RealName: "Dana"},
			{ID: "300000000000000002", Name: "sam", RealName: "Sam"},
			{ID: "300000000000000003", Name: "kim", RealName: "Kim", Roles: []string{"400000000000000001"}},
		}
	}
	if out.Channels == nil {
		out.Channels = []Channel{
			{ID: "200000000000000001", Name: "deploys"},
			{ID: "200000000000000002", Name: "general"},
		}
	}
	out.People = slices.Clone(out.People)
	for i := range out.People {
		out.People[i].fill()
	}
	return out
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// fill gives somebody what is not said of them.
func (p *Person) fill() {
	setDefault(&p.Name, p.ID)
	setDefault(&p.RealName, p.Name)
	setDefault(&p.Locale, english)
	p.Roles = slices.Clone(p.Roles)
}

package discordsim

import (
	"crypto/ed25519"
	"net/http"
	"slices"
	"time"
)

// Options configure the guild and the app installed in it. Nil and zero values mean the
// defaults, which New lists.
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

	// URL is the base URL of this server, without a trailing slash. It is required only if the
	// server is mounted as a handler in another listener; Listen and Client do not need it.
	URL string
	// InteractionsURL is where interactions are posted. If empty they are sent over the
	// gateway.
	InteractionsURL string
	// HTTPClient posts them. The default has its own connections.
	HTTPClient *http.Client

	// MaxConcurrency is the number of sessions that may identify within five seconds; the
	// default is 1.
	MaxConcurrency int
	// ShardsRequired makes the gateway reject a session without shards, as it does for bots in
	// 2,500 guilds.
	ShardsRequired bool
	// PrivilegedIntents are the intents granted to the app; the default is none.
	PrivilegedIntents int
	// OldEdits is the number of edits of messages older than an hour per six seconds and
	// channel; the default is the reported 3. Discord does not publish its number.
	OldEdits int
	// Patience is the deadline of the first response to an interaction: three seconds by
	// default, as on Discord. Increase it for tests that run in real time on a busy machine.
	Patience time.Duration
	// Permissions are the bot's permissions beyond those of everyone, such as ManageMessages.
	Permissions Permission
	// UserInstalled makes the app user-installed: its bot is not a member of the guild.
	UserInstalled bool
	// PrivateKey signs interactions over HTTP. The default is a new key for each server.
	PrivateKey ed25519.PrivateKey
	// MentionsUnsaid accepts messages without allowed_mentions, as Discord does. By default
	// that is a broken rule, because an agent's text could then notify the whole guild.
	MentionsUnsaid bool
	// Unlimited disables the rate limits. The rate limit headers are still sent.
	Unlimited bool
}

// Person is a user account.
type Person struct {
	ID       string
	Name     string   // the user name, "dana"
	RealName string   // the name people see, "Dana"
	Roles    []string // the person's role ids in the guild
	Bot      bool
	Outside  bool   // not a member of the guild
	ClosedDM bool   // rejects direct messages from the app
	Locale   string // client locale, "en-US" by default
}

// Role is a role of the guild.
type Role struct {
	ID   string
	Name string // without the @
	// Mentionable roles can be notified by everyone, others only with the permission to mention
	// everyone.
	Mentionable bool
}

// Channel is a channel or thread of the guild.
type Channel struct {
	ID       string
	Name     string // without the #
	Parent   string // for a thread: its parent channel
	Members  []string
	Archived bool // threads only
	Locked   bool // threads only: only a moderator can unarchive it
	// Forum channels contain posts, which are threads, and accept no messages. A post can have
	// Tags; NeedsTag requires one.
	Forum    bool
	Tags     []Tag
	NeedsTag bool
	// Denied are the bot's denied permissions in the channel.
	Denied Permission
}

// Permission is a set of permission bits with Discord's values.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
type Permission uint64

// The permissions relevant to an app that posts messages.
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

// everything are the default permissions of everyone.
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

// fill sets the defaults of a person.
func (p *Person) fill() {
	setDefault(&p.Name, p.ID)
	setDefault(&p.RealName, p.Name)
	setDefault(&p.Locale, english)
	p.Roles = slices.Clone(p.Roles)
}

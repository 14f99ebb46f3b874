package slack

import (
	"slices"
	"strings"
)

// Scope is an OAuth scope of the app.
type Scope struct {
	Name string
	// For explains the scope to the person who grants it.
	For string
	// Needed scopes are required for basic operation.
	Needed bool
}

// Feature is a part of the bridge that needs scopes of its own.
type Feature struct {
	// Name describes the feature, as in "user groups".
	Name string
	// Switch adds the feature to the manifest; empty for a feature that every app has.
	Switch string
	// Help explains the switch.
	Help   string
	Scopes []string
	// Events are the events that the app has to subscribe to
	// (https://docs.slack.dev/reference/events).
	Events []string
	// Setting is the setting that uses the feature; empty for one that works whenever its scopes
	// are granted. A feature with a setting is not part of "all features".
	Setting string
}

// AppScope is the scope of the app-level token for Socket Mode.
const AppScope = "connections:write"

// ScopePublic lets the bot post in public channels that it has not joined. It is not among
// [Scopes]: inviting the bot has the same effect for one channel.
const ScopePublic = "chat:write.public"

// The scopes to look up names of channels and addresses of people. Cards do not need them, and they show no message.
const (
	ScopeChannels = "channels:read"
	ScopePrivate  = "groups:read"
	ScopeEmail    = "users:read.email"
)

// ScopeAgent is the scope of an app that is declared an agent. Slack adds it, and no call of the
// connector needs it (https://docs.slack.dev/ai/agent-sessions).
const ScopeAgent = "assistant:write"

// SettingAgent is the setting of the feature that shows an agent's status.
const SettingAgent = "agent_status"

// Scopes returns the scopes that the connector uses. Each method's page under
// https://docs.slack.dev/reference/methods lists its own.
func Scopes() []Scope {
	const find = "find a card whose post was not confirmed, and receive typed answers, in "
	return []Scope{
		{Name: "chat:write", For: "post questions and update them", Needed: true},
		{Name: "im:write", For: "ask people in direct messages"},
		{Name: "users:read", For: "show display names, and distinguish members from guests"},
		{Name: "usergroups:read", For: "let the members of a user group answer"},
		{Name: "channels:history", For: find + "public channels"},
		{Name: "groups:history", For: find + "private channels"},
		{Name: "im:history", For: find + "direct messages"},
		{Name: "mpim:history", For: find + "direct messages of several people"},
		{Name: "app_mentions:read", For: "receive typed answers that mention the bot"},
		{Name: "files:write", For: "upload what is too long for a card below it"},
		{Name: "commands", For: "show people what waits for them: " + Command},
		{Name: "metadata.message:read", For: "identify such a card by its metadata"},
	}
}

// SetupScopes returns the scopes that no card needs: of the setup and its checks, of names next to IDs, and of an agent.
func SetupScopes() []Scope {
	return []Scope{
		{Name: ScopeChannels, For: "show the names of public channels, and find those in the configuration"},
		{Name: ScopePrivate, For: "the same for private channels that the bot is in"},
		{Name: ScopeEmail, For: "find people by the e-mail addresses in the configuration"},
		{Name: ScopeAgent, For: "be an agent, whose threads show that it waits for people"},
	}
}

// Features returns what the scopes are for. Every app has those without a switch.
func Features() []Feature {
	history := []string{"channels:history", "groups:history", "im:history", "mpim:history"}
	return []Feature{
		{Name: "cards", Scopes: []string{"chat:write"}},
		{Name: "direct messages", Scopes: []string{"im:write"}},
		{Name: "display names and guests", Scopes: []string{"users:read"}},
		{Name: "channel names", Scopes: []string{ScopeChannels}},
		{Name: "names of private channels", Switch: "private-channels", Help: "show the names of private channels", Scopes: []string{ScopePrivate}},
		{Name: "people by e-mail address", Switch: "email", Help: "name people in the configuration by their e-mail addresses", Scopes: []string{ScopeEmail}},
		{Name: "user groups", Switch: "groups", Help: "let user groups answer", Scopes: []string{"usergroups:read"}},
		{Name: "files below cards", Switch: "files", Help: "upload files below cards", Scopes: []string{"files:write"}},
		{
			Name: "typed answers", Switch: "typed-answers", Help: "let people answer by typing; the bot then receives every message of its channels",
			Scopes: slices.Concat([]string{"app_mentions:read"}, history), Events: BotEvents(),
		},
		{Name: "inbox", Switch: "inbox", Help: "show people what waits for them, on the app's Home tab and with " + Command, Scopes: []string{"commands"}, Events: []string{EventHome}},
		{
			Name: "search for lost cards", Switch: "find-cards", Help: "search a channel for a card whose post was not confirmed; the bot then may read the channel's messages",
			Scopes: slices.Concat(history, []string{"metadata.message:read"}),
		},
		{
			Name: "agent status", Switch: "agent", Help: "declare the app an agent, for the setting " + SettingAgent + "; not part of --all", Setting: SettingAgent,
			Scopes: []string{ScopeAgent},
		},
	}
}

// Lacking returns the features that do not work with these scopes, each with the scopes that it lacks.
// A feature with a setting is left out unless agent is true, as the setting.
func Lacking(granted []string, agent bool) []Feature {
	var lacking []Feature
	for _, f := range Features() {
		if f.Setting != "" && !agent {
			continue
		}
		f.Scopes = slices.DeleteFunc(f.Scopes, func(s string) bool { return slices.Contains(granted, s) })
		if len(f.Scopes) > 0 {
			lacking = append(lacking, f)
		}
	}
	return lacking
}

// String returns the name of the feature and its scopes.
func (f Feature) String() string { return f.Name + " (" + strings.Join(f.Scopes, ", ") + ")" }

// BotEvents returns the events that the app subscribes to for typed answers
// (https://docs.slack.dev/reference/events).
func BotEvents() []string {
	return []string{"app_mention", "message.channels", "message.groups", "message.im", "message.mpim"}
}

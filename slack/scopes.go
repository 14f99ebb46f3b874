package slack

// Scope is something the app asks its workspace to be allowed.
type Scope struct {
	Name string
	// For says what it is good for, to whoever grants it.
	For string
	// Needed scopes are those without which nothing works.
	Needed bool
}

// AppScope is what the app-level token of Socket Mode needs.
const AppScope = "connections:write"

// ScopePublic lets the bot post in public channels that it does not belong to.
// It is not among [Scopes]: inviting the bot does the same, in one channel.
const ScopePublic = "chat:write.public"

// Scopes are those that the connector uses. Each method's page under
// https://docs.slack.dev/reference/methods names its own.
func Scopes() []Scope {
	const find = "find a card whose post was not confirmed, and hear typed answers, in "
	return []Scope{
		{Name: "chat:write", For: "post questions and update them", Needed: true},
		{Name: "im:write", For: "ask somebody in a direct message"},
		{Name: "users:read", For: "call people by the name that others see, and tell members from guests"},
		{Name: "usergroups:read", For: "let the members of a user group answer"},
		{Name: "channels:history", For: find + "public channels"},
		{Name: "groups:history", For: find + "private channels"},
		{Name: "im:history", For: find + "direct messages"},
		{Name: "mpim:history", For: find + "direct messages of several people"},
		{Name: "app_mentions:read", For: "hear typed answers that mention the bot"},
		{Name: "files:write", For: "upload what is too long for a card below it"},
		{Name: "metadata.message:read", For: "know such a card by the mark on it"},
	}
}

// BotEvents are those that the app subscribes to, so that a message can answer a card
// (https://docs.slack.dev/reference/events).
func BotEvents() []string {
	return []string{"app_mention", "message.channels", "message.groups", "message.im", "message.mpim"}
}

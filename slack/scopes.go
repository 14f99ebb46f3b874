package slack

// Scope is an OAuth scope of the app.
type Scope struct {
	Name string
	// For explains the scope to the person who grants it.
	For string
	// Needed scopes are required for basic operation.
	Needed bool
}

// AppScope is the scope of the app-level token for Socket Mode.
const AppScope = "connections:write"

// ScopePublic lets the bot post in public channels that it has not joined. It is not among
// [Scopes]: inviting the bot has the same effect for one channel.
const ScopePublic = "chat:write.public"

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
		{Name: "metadata.message:read", For: "identify such a card by its metadata"},
	}
}

// BotEvents returns the events that the app subscribes to for typed answers
// (https://docs.slack.dev/reference/events).
func BotEvents() []string {
	return []string{"app_mention", "message.channels", "message.groups", "message.im", "message.mpim"}
}

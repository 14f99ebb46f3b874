package discord

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/internal/connector"
)

// The ways to receive interactions.
const (
	ModeHTTP    = "http"
	ModeGateway = "gateway"
)

// Config selects the bot. It prints without its secrets.
type Config struct {
	// BotToken is on the Bot page of the application, without the prefix "Bot".
	BotToken string
	// ApplicationID is compared with Discord's if it is set.
	ApplicationID string
	// PublicKey is the application's public key in hexadecimal, required for HTTP.
	PublicKey string
	// APIURL replaces https://discord.com/api for every call, for a double or a proxy. It also
	// determines the gateway, whose URL the API returns.
	APIURL string
	// Mode is ModeHTTP, ModeGateway, or empty: HTTP if there is a public key, else the gateway.
	Mode string
	// ShardCount is the total number of shards, and ShardIDs those of this connector. The
	// defaults are one, and all.
	ShardCount int
	ShardIDs   []int
	// Servers are the ids of the only servers that the bot serves: it posts to no channel of
	// another server and ignores what people do there. If empty, it serves every server that it
	// is in.
	Servers []string
	// DMFallback is the channel to use when a person accepts no direct messages. If empty, such
	// a question cannot be delivered.
	DMFallback string
	// Messages enables typed answers. They require the gateway, but no privileged intent.
	Messages bool
	// Inbox registers the command "/askbridge inbox", which shows people what waits for them.
	Inbox bool
	// Language is the language of the connector's own messages to people whose language is
	// unknown, such as "de"; empty means English.
	Language string
	// Unpaced posts new cards as fast as they come, for a platform that takes them
	// so. Otherwise they queue at the pace that it allows.
	Unpaced bool
	// HTTPClient's transport makes the calls; redirects are never followed, and
	// none waits for ever. Nil means an own one.
	HTTPClient *http.Client
	// NetDialContext opens the connection below the gateway's websocket. Nil means
	// the network, through the environment's proxy if there is one.
	NetDialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Logger gets what an operator should know. Nil discards it.
	Logger *slog.Logger
}

// String formats the settings without the secrets.
func (c Config) String() string {
	token := "[none]"
	if c.BotToken != "" {
		token = "[redacted]"
	}
	return fmt.Sprintf("discord.Config{Mode:%s APIURL:%s ApplicationID:%s PublicKey:%s BotToken:%s}",
		c.Mode, c.APIURL, c.ApplicationID, c.PublicKey, token)
}

// GoString is [Config.String], for %#v.
func (c Config) GoString() string { return c.String() }

// LogValue is [Config.String], for logs.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON keeps secrets out of JSON as well.
func (c Config) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", c.String()), nil }

// complete fills in the defaults, or names everything that is wrong.
func (c Config) complete() (Config, error) {
	if c.Mode == "" {
		c.Mode = ModeGateway
		if c.PublicKey != "" {
			c.Mode = ModeHTTP
		}
	}
	c.APIURL = cmp.Or(c.APIURL, dgo.EndpointDiscord+"api")
	if wrong := c.wrong(); len(wrong.Problems) > 0 {
		return Config{}, wrong
	}
	c.ShardCount = max(c.ShardCount, 1)
	if c.ShardIDs == nil {
		for id := range c.ShardCount {
			c.ShardIDs = append(c.ShardIDs, id)
		}
	}
	if c.HTTPClient == nil {
		c.HTTPClient = connector.NewClient(callTimeout)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// wrong returns the errors in settings whose mode and URL are set.
func (c Config) wrong() *connector.SettingsError {
	all := &connector.SettingsError{Platform: Name}
	switch {
	case c.BotToken == "":
		all.Add("", "bot_token is missing: it is on the Bot page of the application")
	case strings.HasPrefix(c.BotToken, "Bot "), strings.HasPrefix(c.BotToken, "Bearer "):
		all.Add("bot_token", "starts with the kind of token: give the token alone")
	case strings.ContainsFunc(c.BotToken, connector.Unprintable):
		all.Add("bot_token", "holds spaces or control characters")
	}
	if c.ApplicationID != "" && !snowflake.MatchString(c.ApplicationID) {
		all.Add("application_id", "is no id: those are 17 to 20 digits, under General Information")
	}
	if c.DMFallback != "" && !snowflake.MatchString(c.DMFallback) {
		all.Add("dm_fallback", "is no channel id: those are 17 to 20 digits (right click on the channel, Copy Channel ID)")
	}
	for n, id := range c.Servers {
		path := fmt.Sprintf("servers[%d]", n)
		if !snowflake.MatchString(id) {
			all.Add(path, "is no server id: those are 17 to 20 digits (right click on the server, Copy Server ID)")
		}
		if slices.Contains(c.Servers[:n], id) {
			all.Add(path, "names %s a second time", id)
		}
	}
	if c.PublicKey != "" && keyOf(c.PublicKey) == nil {
		all.Add("public_key", "is not one: it has %d hex digits, under General Information", 2*ed25519.PublicKeySize)
	}
	switch {
	case c.Mode != ModeHTTP && c.Mode != ModeGateway:
		all.Add("mode", "is %q: it can be http or gateway", c.Mode)
	case c.Mode == ModeHTTP && c.PublicKey == "":
		all.Add("", "public_key is missing: it is under General Information, and without it anybody could answer")
	}
	if c.ShardCount < 0 {
		all.Add("shard_count", "is negative")
	}
	seen := map[int]bool{}
	for n, id := range c.ShardIDs {
		path := fmt.Sprintf("shard_ids[%d]", n)
		if id < 0 || id >= max(c.ShardCount, 1) {
			all.Add(path, "is %d: they go from 0 to shard_count - 1", id)
		}
		if seen[id] {
			all.Add(path, "names %d a second time", id)
		}
		seen[id] = true
	}
	if _, err := addressOf(c.APIURL); err != nil {
		all.Add("api_url", "is not a plain http or https address")
	}
	return all
}

// keyOf parses a public key; nil if it is invalid.
func keyOf(text string) ed25519.PublicKey {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize || !slices.ContainsFunc(key, func(b byte) bool { return b != 0 }) {
		return nil
	}
	return key
}

// address is the base URL of the API.
type address struct {
	base *url.URL
	// skip is the length of the prefix of discordgo's paths that the base replaces.
	skip string
}

// addressOf parses an API URL. Its path may include or omit the API's version; a URL without a
// path replaces Discord's host.
func addressOf(text string) (*address, error) {
	base, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("discord: unreadable address")
	}
	if base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		return nil, errors.New("discord: not a plain http or https address")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	a := &address{base: base}
	switch last := base.Path[strings.LastIndex(base.Path, "/")+1:]; {
	case version.MatchString(last):
		a.skip = "/api/v" + dgo.APIVersion
	case base.Path != "":
		a.skip = "/api"
	}
	return a, nil
}

// lead rewrites a URL of discordgo.
func (a *address) lead(u *url.URL) *url.URL {
	to := *u
	to.Scheme, to.Host = a.base.Scheme, a.base.Host
	to.Path, to.RawPath = a.base.Path+strings.TrimPrefix(u.Path, a.skip), ""
	return &to
}

// intents returns the intents of a session.
func (c Config) intents() int {
	all := 0
	if c.Messages {
		all |= messageIntents
	}
	if len(c.Servers) > 0 {
		all |= serverIntent
	}
	return all
}

// messageIntents are the intents for those events: GUILD_MESSAGES and DIRECT_MESSAGES. Neither
// is privileged; without MESSAGE_CONTENT the bot can read messages that mention it, and direct
// messages (https://docs.discord.com/developers/events/gateway#list-of-intents).
const messageIntents = 1<<9 | 1<<12

package slack

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/internal/connector"
)

// The ways in which interactions arrive.
const (
	ModeHTTP   = "http"
	ModeSocket = "socket"
)

// Whether guests are among "anyone".
const (
	GuestsAllow  = "allow"
	GuestsRefuse = "refuse"
)

// minSecret refuses secrets that are a slip of the hand. Slack's own have 32
// characters (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const minSecret = 8

// Config says which app of which workspace to be. It prints without its
// secrets.
type Config struct {
	// BotToken starts with "xoxb-".
	BotToken string
	// AppToken starts with "xapp-"; Socket Mode needs it.
	AppToken string
	// SigningSecret is the app's; HTTP needs it. In Socket Mode it may be set as
	// well, so that requests are still taken while the app is switched over.
	SigningSecret string
	// APIURL replaces https://slack.com/api/ for every call: a double or a proxy.
	APIURL string
	// Mode is ModeHTTP, ModeSocket, or empty: Socket Mode when there is an app
	// token, else HTTP.
	Mode string
	// Guests says whether people whom the workspace invited into some channels only
	// are among "anyone": GuestsAllow, which is the default, or GuestsRefuse. To
	// refuse them Slack is asked about whoever acts, once a minute.
	Guests string
	// Language is what the connector itself tells people in whose own language it does not
	// know, such as "de"; empty for English.
	Language string
	// Unpaced posts new cards as fast as they come, for a platform that takes them
	// so. Otherwise they queue at the pace that it allows.
	Unpaced bool
	// HTTPClient makes the calls; redirects are never followed, and none waits
	// for ever. Nil means an own one.
	HTTPClient *http.Client
	// NetDialContext opens the connection below Socket Mode's websocket. Nil
	// means the network, through the environment's proxy if there is one.
	NetDialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Logger gets what an operator should know. Nil discards it.
	Logger *slog.Logger
}

// String tells the settings without the secrets.
func (c Config) String() string {
	return fmt.Sprintf("slack.Config{Mode:%s APIURL:%s BotToken:%s AppToken:%s SigningSecret:%s}",
		c.Mode, c.APIURL, redacted(c.BotToken), redacted(c.AppToken), redacted(c.SigningSecret))
}

// GoString is [Config.String], for %#v.
func (c Config) GoString() string { return c.String() }

// LogValue is [Config.String], for logs.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON keeps secrets out of JSON as well.
func (c Config) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", c.String()), nil }

func redacted(secret string) string {
	if secret == "" {
		return "[none]"
	}
	return "[redacted]"
}

// complete fills in the defaults, or names everything that is wrong.
func (c Config) complete() (Config, error) {
	if c.Mode == "" {
		c.Mode = ModeHTTP
		if c.AppToken != "" {
			c.Mode = ModeSocket
		}
	}
	c.APIURL = cmp.Or(c.APIURL, slackapi.APIURL)
	if wrong := c.wrong(); len(wrong.Problems) > 0 {
		return Config{}, wrong
	}
	if !strings.HasSuffix(c.APIURL, "/") {
		c.APIURL += "/" // slack-go appends the method's name to it.
	}
	if c.HTTPClient == nil {
		c.HTTPClient = connector.NewClient(callTimeout)
	}
	// A redirect would carry tokens elsewhere, and Slack's API never sends one.
	client := *c.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if client.Timeout == 0 {
		client.Timeout = 2 * callTimeout // slack-go has none of its own.
	}
	c.HTTPClient = &client
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// wrong names what is wrong with settings that have a mode and an address.
func (c Config) wrong() *connector.SettingsError {
	all := &connector.SettingsError{Platform: Name}
	switch {
	case c.BotToken == "":
		all.Add("", "bot_token is missing: it is under OAuth & Permissions and starts with xoxb-")
	case strings.HasPrefix(c.BotToken, "xapp-"):
		all.Add("bot_token", "is an app-level token: the bot's own starts with xoxb-")
	case strings.HasPrefix(c.BotToken, "xoxp-"):
		all.Add("bot_token", "is a person's token: the bot's own starts with xoxb-")
	case strings.ContainsFunc(c.BotToken, connector.Unprintable):
		all.Add("bot_token", "holds spaces or control characters")
	}
	switch {
	case c.AppToken == "":
	case !strings.HasPrefix(c.AppToken, "xapp-"):
		all.Add("app_token", "is no app-level token: those start with xapp-")
	case strings.ContainsFunc(c.AppToken, connector.Unprintable):
		all.Add("app_token", "holds spaces or control characters")
	}
	if c.Mode != ModeHTTP && c.Mode != ModeSocket {
		all.Add("mode", "is %q: it can be http or socket", c.Mode)
	}
	if c.Mode == ModeSocket && c.AppToken == "" {
		all.Add("", "app_token is missing: socket mode needs an app-level token with connections:write")
	}
	if c.Guests != "" && c.Guests != GuestsAllow && c.Guests != GuestsRefuse {
		all.Add("guests", "is %q: it can be allow or refuse", c.Guests)
	}
	switch {
	case c.SigningSecret == "" && c.Mode == ModeHTTP:
		all.Add("", "signing_secret is missing: it is under Basic Information, and without it anybody could answer")
	case c.SigningSecret != "" && len(c.SigningSecret) < minSecret:
		all.Add("signing_secret", "has fewer than %d characters: Slack's have 32", minSecret)
	}
	if u, err := url.Parse(c.APIURL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		all.Add("api_url", "is not a plain http or https address")
	}
	return all
}

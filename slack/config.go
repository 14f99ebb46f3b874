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

// The ways to receive interactions.
const (
	ModeHTTP   = "http"
	ModeSocket = "socket"
)

// Whether "anyone" includes guests.
const (
	GuestsAllow  = "allow"
	GuestsRefuse = "refuse"
)

// minSecret rejects secrets that are obviously wrong. Slack's have 32 characters
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const minSecret = 8

// Config selects the app and its workspace. It prints without its secrets.
type Config struct {
	// BotToken starts with "xoxb-". It is empty with Installations.
	BotToken string
	// Installations are the workspaces that have installed the app, instead of the one of a
	// BotToken. Places and people must name theirs then.
	Installations Installations
	// AppToken starts with "xapp-"; Socket Mode needs it.
	AppToken string
	// SigningSecret is the app's signing secret, required for HTTP. If it is set in Socket
	// Mode, HTTP requests are accepted as well, so that an app can be switched over.
	SigningSecret string
	// APIURL replaces https://slack.com/api/ for every call, for a double or a proxy.
	APIURL string
	// Mode is ModeHTTP, ModeSocket, or empty: Socket Mode if there is an app token, else HTTP.
	Mode string
	// Guests is whether "anyone" includes people who were invited into some channels only:
	// GuestsAllow, the default, or GuestsRefuse. To exclude them the connector looks up
	// everyone who acts, at most once a minute each.
	Guests string
	// Language is the language of the connector's own messages to people whose language is
	// unknown, such as "de"; empty means English.
	Language string
	// AgentStatus shows in threads that the agent there waits for people. The app must be declared
	// an agent (https://docs.slack.dev/ai/agent-sessions).
	AgentStatus bool
	// Unpaced disables the rate limit for new cards, for a platform without one.
	Unpaced bool
	// HTTPClient makes the calls; redirects are not followed, and every call has a timeout. Nil
	// uses a new client.
	HTTPClient *http.Client
	// NetDialContext opens the connection for Socket Mode. Nil uses the network and the
	// environment's proxy settings.
	NetDialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Logger receives messages for operators. Nil discards them.
	Logger *slog.Logger
}

// String returns the settings without the secrets.
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

// complete sets the defaults, or returns every error.
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
		c.APIURL += "/" // slack-go appends the method name.
	}
	if c.HTTPClient == nil {
		c.HTTPClient = connector.NewClient(callTimeout)
	}
	// A redirect would send tokens elsewhere, and Slack's API never redirects.
	client := *c.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if client.Timeout == 0 {
		client.Timeout = 2 * callTimeout // slack-go sets no timeout.
	}
	c.HTTPClient = &client
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// wrong returns the errors in settings whose mode and URL are set.
func (c Config) wrong() *connector.SettingsError {
	all := &connector.SettingsError{Platform: Name}
	switch {
	case c.Installations != nil && c.BotToken != "":
		all.Add("bot_token", "excludes client_id: a bot token is for one workspace, and client_id for several that install the app")
	case c.Installations != nil:
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

// Package provider defines what the program needs from a platform in addition to its connector:
// configuration, doctor checks, setup help and a double. Each platform fills in a [Bundle] in its own
// folder, such as slack/bundle; internal/app lists them, and no other package of the program names a
// platform.
package provider

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Bundle is one platform.
type Bundle struct {
	// Name prefixes the IDs of its places and people, and is its key in the configuration.
	Name string
	// Title is the display name.
	Title string
	// Signature is the header that every request of the platform to the path of [Callback] has; empty
	// if there is none.
	Signature string
	// Section returns a pointer to an empty section, a struct with yaml tags.
	Section func() Section
	// Help describes Commands.
	Help string
	// Commands help to set up the platform.
	Commands []Command
	// Start is the platform's part of a first configuration.
	Start Start
	// Guide returns the guided setup of the platform. api replaces the address of the platform's API;
	// it is empty except for a double. Guide is nil if there is no guided setup.
	Guide func(api string) Guide
	// Installations lists where the app of the platform is installed, from the key-value store; nil if
	// nothing is installed there.
	Installations func(ctx context.Context, values keyvalue.Store) ([]Installation, error)
	// Simulate starts a double of the platform on loopback for the simulator; nil if there is none.
	// Cast is the usual cast of it.
	Simulate func(Cast) (*Double, error)
	Cast     Cast
}

// Section is the platform's part of the configuration, as read by package config.
type Section interface {
	// Connector creates the connector without network calls. Its error names all problems.
	Connector(Outside) (Connector, error)
	// Secret is known only to this app and its replicas. It remains valid as long as IDs do.
	Secret() string
	// Examine checks the section against the platform without changing anything.
	Examine(ctx context.Context, r *doctor.Report, named doctor.Named)
}

// Outside is what the program gives a connector.
type Outside struct {
	// HTTPClient may be nil.
	HTTPClient *http.Client
	// Language is used for people whose language is unknown; empty for English.
	Language string
	// Logger receives messages for operators.
	Logger *slog.Logger
	// Values returns the key-value store of the running program, and Sealed is whether it is encrypted.
	Values func() keyvalue.Store
	Sealed bool
}

// ModeHTTP is the mode of a connector that receives interactions over HTTP.
const ModeHTTP = "http"

// Connector is a platform with the ways it receives interactions.
type Connector interface {
	platform.Platform
	// Mode is ModeHTTP, or the platform's name of the connection.
	Mode() string
	// Handler receives requests to the path of [Callback].
	Handler() http.Handler
	// Listening is closed once Handler accepts requests.
	Listening() <-chan struct{}
}

// Installer is a Connector of an app that others install over pages of the bridge.
type Installer interface {
	Connector
	// Pages returns the pages by their paths.
	Pages() map[string]http.Handler
	// Counts returns the numbers of installations and refreshes.
	Counts() Counts
}

// Counts are the numbers of installations by the state of their token, and of refreshes of tokens. A stuck
// token cannot be refreshed and works until it expires.
type Counts struct {
	Working, Stuck, Dead int
	Refreshed, Failed    int64
}

// Problem describes the installations that need their people's attention without naming them, or is empty.
func (c Counts) Problem() string {
	if c.Dead+c.Stuck == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d installations have a dead token, and %d have one that cannot be refreshed", c.Dead, c.Working+c.Stuck+c.Dead, c.Stuck)
}

// Remover is a Connector of an app that others can remove.
type Remover interface {
	Connector
	// FinishRemovals runs until ctx ends. It calls end for every installation that was removed, until
	// its open requests have ended.
	FinishRemovals(ctx context.Context, end func(ctx context.Context, installation, reason string) error)
}

// Installation is a workspace or organization that has installed the app of a platform.
type Installation struct {
	ID, Name string
	// By is the person who installed it, and At is when.
	By string
	At time.Time
	// Scopes are the granted permissions.
	Scopes []string
	// Problem is why its token does not work; empty if it does as far as known.
	Problem string
}

// Callback is the path to which a platform posts interactions.
func Callback(name string) string { return "/" + name + "/interactions" }

// Command is askbridge <platform> <name>, which prints something to paste or open elsewhere.
type Command struct {
	Name, Short, Long, Example string
	// Configured means that the command can read the configuration and has a flag for its file.
	Configured bool
	// Flags declares the command's own flags and returns its Print.
	Flags func(*flag.FlagSet) Print
}

// Print returns the text of a [Command]. Configured returns the platform's section, which is nil if the
// file has none.
type Print func(configured func() (Section, error)) (string, error)

// Start is what askbridge init asks and writes for a platform.
type Start struct {
	// Question asks for the channel. Its ID has the Form, which Wants describes.
	Question, Wants string
	Form            *regexp.Regexp
	// Settings are the lines of the section without indentation. Next are instructions where to find
	// the values of their variables.
	Settings, Next []string
}

// Guide walks a person through the setup of a platform, for askbridge init at a terminal. It keeps the
// tokens that Take accepts.
type Guide interface {
	// Begin explains how to make the app.
	Begin() string
	// Tokens are asked for in this order.
	Tokens() []Token
	// Take tries a token. It is accepted unless the report has something broken.
	Take(ctx context.Context, r *doctor.Report, setting, token string)
	// Channels lists the channels that the bot could be in, those that it is in first. Its error is a
	// sentence that says what to do.
	Channels(ctx context.Context) ([]*Channel, error)
	// Channel checks whether the bot can ask in a channel.
	Channel(ctx context.Context, r *doctor.Report, id string)
	// Section connects the program with the accepted tokens.
	Section() Section
	// Settings are the lines of the section without indentation and without the tokens.
	Settings() []string
}

// Token is a secret of the section: the name of its setting, what people call it, and where it is.
type Token struct{ Setting, Title, Where string }

// Channel is a place to ask in. Of is the server of its name, on a platform with several.
type Channel struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	Of   string `json:"of,omitempty"`
}

// String returns the channel for people: "#deploys", "#deploys (Acme)", or its ID without a name.
func (c Channel) String() string {
	text := c.ID
	if c.Name != "" {
		text = "#" + c.Name
	}
	if c.Of != "" {
		text += " (" + c.Of + ")"
	}
	return text
}

// Double is a simulated platform on this machine.
type Double struct {
	chatsim.Sim

	// Section connects the program to the double.
	Section Section
	// Channel is the ID of the first channel, and People are those whom visitors can act as.
	Channel string
	People  []Named
	// Chat shows it on the simulator's page.
	Chat page.Chat
	// DeliverTo makes it post interactions to an address.
	DeliverTo func(address string)
	// Replaced signals that another bridge replaces one at once, which takes a while outside the
	// simulator; nil if that makes no difference.
	Replaced func()
}

// Cast is who and what a double consists of: at least one channel, of which all people are members. The
// first two people are members of every group.
type Cast struct {
	People, Channels, Groups []Named
}

// Named is a person, channel or group of a platform.
type Named struct{ ID, Name string }

// IDs returns the IDs of all.
func IDs(all []Named) []string {
	ids := make([]string, len(all))
	for i, n := range all {
		ids[i] = n.ID
	}
	return ids
}

// Sections are the platform sections for [config.Load].
func Sections(bundles []Bundle) []config.Section {
	var all []config.Section
	for _, b := range bundles {
		all = append(all, config.Section{Name: b.Name, New: func() any { return b.Section() }})
	}
	return all
}

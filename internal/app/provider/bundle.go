// Package provider defines what the program needs from a platform besides its connector:
// configuration, doctor checks, set-up help and a double. Each platform fills in a [Bundle] in
// its own folder, such as slack/bundle; internal/app lists them, and no other package of the
// program names a platform.
package provider

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/platform"
)

// Bundle is one platform.
type Bundle struct {
	// Name stands before the ids of its places and people, and is the key of its section of the configuration.
	Name string
	// Title is what people call it.
	Title string
	// Signature is the header that every request of the platform to the path of [Callback] has; empty where none is particular to it.
	Signature string
	// Section returns a pointer to an empty section, a struct whose fields have their keys in yaml tags.
	Section func() Section
	// Help says what Commands are good for.
	Help string
	// Commands help to set the platform up.
	Commands []Command
	// Start is the platform's part of a first configuration.
	Start Start
	// Simulate starts a double of the platform on loopback, for the simulator. Nil when there is none.
	Simulate func() (*Double, error)
}

// Section is the platform's part of the configuration, as package config has read it.
type Section interface {
	// Connector makes the connector, without touching the world. Its error names everything that is wrong.
	Connector(Outside) (Connector, error)
	// Secret is something that only this app and its replicas know. It stays the same for as long as ids do.
	Secret() string
	// Examine looks whether the section holds in the real world, and changes nothing there.
	Examine(ctx context.Context, r *doctor.Report, named doctor.Named)
}

// Outside is what a connector takes from the program.
type Outside struct {
	// HTTPClient makes the calls. Nil means one of the connector's own.
	HTTPClient *http.Client
	// Language is what people are told in whose own language is not known; empty for English.
	Language string
	// Logger gets what an operator should know.
	Logger *slog.Logger
}

// ModeHTTP is the mode of a connector to which the platform posts what people do.
const ModeHTTP = "http"

// Connector is a platform that the bridge can ask on, with the ways in which it hears what people do there.
type Connector interface {
	platform.Platform
	// Mode is ModeHTTP, or the platform's word for what the connector listens to.
	Mode() string
	// Handler takes what the platform posts to the path of [Callback].
	Handler() http.Handler
	// Listening is closed once Handler takes something.
	Listening() <-chan struct{}
}

// Callback is the path to which a platform posts what people do.
func Callback(name string) string { return "/" + name + "/interactions" }

// Command is askbridge <platform> <name>, which prints something to paste or to open elsewhere.
type Command struct {
	Name, Short, Long, Example string
	// Configured says that the command can read the configuration, and has a flag that names its file.
	Configured bool
	// Flags declares the command's own flags and returns what prints.
	Flags func(*flag.FlagSet) Print
}

// Print returns the text of a [Command]. Configured reads the platform's section, which is nil when the file has none.
type Print func(configured func() (Section, error)) (string, error)

// Start is what askbridge init asks and writes for a platform.
type Start struct {
	// Question asks for the channel to ask in, whose id has the Form, which Wants describes.
	Question, Wants string
	Form            *regexp.Regexp
	// Settings are the lines of the section, without their indent; Next are the lines that say where the values of their
	// variables are found.
	Settings, Next []string
}

// Double is a platform that is played on this machine.
type Double struct {
	chatsim.Sim

	// Section is how the program reaches the double.
	Section Section
	// Channel is the id of #deploys, and People those of Dana, Sam and Kim.
	Channel string
	People  []string
	// Chat shows it on the simulator's page.
	Chat page.Chat
	// DeliverTo has it post what people do to an address.
	DeliverTo func(address string)
	// Replaced tells it that one bridge has died and another one takes its place at once,
	// which outside of a simulator takes a while; nil where that makes no difference.
	Replaced func()
}

// Sections are those that the configuration can have, for [config.Load].
func Sections(bundles []Bundle) []config.Section {
	var all []config.Section
	for _, b := range bundles {
		all = append(all, config.Section{Name: b.Name, New: func() any { return b.Section() }})
	}
	return all
}

package bridge

import (
	"context"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/intake"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/storage"
)

// DefaultExpiry is the time people have when neither the request, nor its
// route, nor the options say otherwise.
const DefaultExpiry = 24 * time.Hour

// Options are the bridge's settings. Nil and zero values mean the defaults.
type Options struct {
	// Routes are names for places and rules, used by [ask.Request.Route].
	Routes map[string]Route
	// DefaultRoute is used by requests that name neither a route nor places.
	DefaultRoute string
	// Language is what people are told in where neither a request, its route nor a person's own client
	// says, such as "de"; empty means English.
	Language string
	// Responders is who may answer when neither request nor route says; nil
	// means [ask.Anyone]. An explicitly empty list is refused.
	Responders []string
	// ExpiresIn is the time people have when neither request nor route says;
	// zero means [DefaultExpiry], [ask.Never] no deadline.
	ExpiresIn time.Duration
	// People names humans by the accounts that they have, such as "slack:U0000001". All
	// accounts of one are that one person: whom a list names by one may answer through another,
	// who asked through one or has passed a request on does so through none, and where several
	// people decide all of them are one vote.
	People map[string][]string
	// Rotas are who is on call, by the names that "oncall:<name>" means in lists of who may
	// answer and of who is told. A request asks when it is made, and a step when it happens.
	Rotas map[string]Rota
	// Rules are the limits of a question set, for requests without
	// [ask.Request.Rules] of their own.
	Rules ask.Rules
	// Threads remembers where messages can answer requests; nil refuses requests that
	// let them. See [ask.Request.Replies].
	Threads storage.Threads
	// Grants keep what people allow beyond the call that they are asked about; nil has
	// nothing of the kind offered. See [ask.Permit].
	Grants storage.Grants
	// Files keep what is uploaded below cards until it is; nil refuses requests with files.
	// See [ask.Request.Files].
	Files storage.Files
	// Numbers remember how far equal requests are numbered, so that one that is open is found
	// when those before it are forgotten; nil asks it a second time then. See [ask.Request.Same].
	Numbers storage.Numbers
	// Caller tells agents how their requests ended, for those that gave an
	// address; nil refuses such requests.
	Caller Caller
	// IDSecret keys the derivation of request ids. All replicas must share it.
	IDSecret []byte
	// StoreName tells the store from others whose bridges share the same app, such
	// as that of a staging system: the address and prefix of a Redis, say. A bridge
	// closes cards of requests that it does not know only if they were posted under
	// the same name and IDSecret.
	StoreName string
	// Logger receives what an operator should know; nil discards.
	Logger *slog.Logger
	// Observer is told what happens; nil costs nothing.
	Observer observe.Observer
	// Audit keeps in each record what was done to the request, for whoever exports it:
	// see [record.Trail].
	Audit bool
}

// Route is a configured destination.
type Route struct {
	To []ask.Place
	// Terms are those of requests that go there.
	ask.Terms
	// Language is what the cards of requests are in that do not say; empty leaves it to
	// [Options.Language].
	Language string
	// ExpiresIn applies to requests that do not set their own.
	ExpiresIn time.Duration
}

// filled returns the options with the defaults in place of nil and zero values.
func (o *Options) filled() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Logger == nil {
		all.Logger = slog.New(slog.DiscardHandler)
	}
	if all.Responders == nil {
		all.Responders = []string{ask.Anyone}
	}
	if all.ExpiresIn == 0 {
		all.ExpiresIn = DefaultExpiry
	}
	if all.IDSecret == nil {
		all.IDSecret = []byte("askbridge")
	}
	return all
}

// settings returns the options that apply to new requests.
func (o *Options) settings() *intake.Settings {
	s := &intake.Settings{
		Routes: map[string]intake.Route{}, DefaultRoute: o.DefaultRoute, Language: o.Language, Responders: o.Responders,
		ExpiresIn: o.ExpiresIn, People: o.People, Rotas: map[string]intake.Rota{}, Rules: o.Rules, Threads: o.Threads,
		Numbers: o.Numbers, IDSecret: o.IDSecret,
	}
	for name, r := range o.Routes {
		s.Routes[name] = intake.Route(r)
	}
	for name, r := range o.Rotas {
		s.Rotas[name] = r
	}
	return s
}

// Caller calls agents at their webhook addresses.
type Caller interface {
	// CheckWebhook returns an error if an address that an agent gave is not allowed. It
	// does no I/O.
	CheckWebhook(tenant, agent, address string) error
	// Call delivers a request once: an ended one, or an open one if a person's question
	// to the agent waits for a reply. It returns nil if the receiver accepted it. The
	// bridge retries after an error, unless it is a [*CallError] that says otherwise.
	// Call must return when ctx ends.
	Call(ctx context.Context, r Record) error
}

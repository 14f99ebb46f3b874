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

// DefaultExpiry is the lifetime of a request if neither it, nor its route, nor the
// options set one.
const DefaultExpiry = 24 * time.Hour

// Options are the settings of a bridge. Nil and zero values are the defaults.
type Options struct {
	// Routes are named destinations for [ask.Request.Route].
	Routes map[string]Route
	// DefaultRoute is the route of requests with neither a route nor places.
	DefaultRoute string
	// Language is the default language of cards and notes, such as "de"; empty means
	// English.
	Language string
	// Responders lists who may answer if neither the request nor its route does; nil
	// means [ask.Anyone]. An empty list is rejected.
	Responders []string
	// ExpiresIn is the default lifetime of requests; zero means [DefaultExpiry],
	// [ask.Never] no deadline.
	ExpiresIn time.Duration
	// People maps names to all accounts of a person, such as "slack:U0000001". A rule
	// about one account applies to all of them: any may answer, none may if the person
	// asked or has passed the request on, and together they have one vote.
	People map[string][]string
	// Rotas are the on-call rotas by the name in "oncall:<name>". A request resolves
	// them when it is created, a step when it happens.
	Rotas map[string]Rota
	// Rules are the limits of requests without [ask.Request.Rules].
	Rules ask.Rules
	// Threads remembers which requests a message can answer; nil rejects requests with
	// [ask.Request.Replies].
	Threads storage.Threads
	// Grants keeps grants; nil offers none. See [ask.Permit].
	Grants storage.Grants
	// Files keeps files until they are uploaded; nil rejects requests with files.
	Files storage.Files
	// Numbers remembers the highest number of equal requests, so that an open one is
	// found after earlier ones have expired; without it such a request is asked twice.
	// See [ask.Request.Same].
	Numbers storage.Numbers
	// Digests are messages that list, at set times, what waits for a person or in a channel. DigestStore
	// remembers them; nil rejects digests.
	Digests     []ask.Digest
	DigestStore Digests
	// Caller calls webhooks; nil rejects requests with webhooks.
	Caller Caller
	// IDSecret is the key from which request IDs are derived. All replicas must share
	// it.
	IDSecret []byte
	// StoreName distinguishes stores whose bridges share an app, such as production and
	// staging, for example the address and prefix of a Redis. A bridge closes cards of
	// unknown requests only if they were posted with the same name and IDSecret.
	StoreName string
	// Logger receives log messages; nil discards them.
	Logger *slog.Logger
	// Observer receives events; nil costs nothing.
	Observer observe.Observer
	// Audit keeps an audit trail in each record: see [record.Trail].
	Audit bool
}

// Route is a configured destination.
type Route struct {
	To []ask.Place
	// Terms apply to all requests of the route.
	ask.Terms
	// Language is the default language of cards; empty means [Options.Language].
	Language string
	// ExpiresIn is the default lifetime of requests.
	ExpiresIn time.Duration
	// Origin sends a request back to the conversation that it names, see
	// [ask.Request.Origin]. The places in To are the fallback.
	Origin bool
}

// filled returns the options with defaults.
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
		Numbers: o.Numbers, IDSecret: o.IDSecret, Digests: o.Digests,
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
	// bridge retries after an error, unless a [*CallError] forbids it.
	// Call must return when ctx ends.
	Call(ctx context.Context, r Record) error
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
)

// Config is the configuration file. [Load] sets the defaults of Listen, Store and Log; other settings
// may be empty, and their users know what that means.
type Config struct {
	Listen         string           `yaml:"listen"`
	Callbacks      Callbacks        `yaml:"callbacks"`
	ShutdownDelay  Span             `yaml:"shutdown_delay"`
	Hosts          []string         `yaml:"hosts"`
	TrustedProxies Proxies          `yaml:"trusted_proxies"`
	Log            Log              `yaml:"log"`
	Metrics        Metrics          `yaml:"metrics"`
	Audit          Audit            `yaml:"audit"`
	Console        Console          `yaml:"console"`
	Store          Store            `yaml:"store"`
	Encryption     Encryption       `yaml:"encryption"`
	Routes         map[string]Route `yaml:"routes"`
	DefaultRoute   string           `yaml:"default_route"`
	Language       string           `yaml:"language"`
	Responders     []string         `yaml:"responders"`
	ExpiresIn      Expiry           `yaml:"expires_in"`
	People         People           `yaml:"people"`
	Rotas          map[string]Rota  `yaml:"rotas"`
	Digest         []Digest         `yaml:"digest"`
	MaxQuestions   int              `yaml:"max_questions"`
	MaxOptions     int              `yaml:"max_options"`
	IDSecret       Secret           `yaml:"id_secret"`
	Webhooks       Webhooks         `yaml:"webhooks"`
	Agents         []Agent          `yaml:"agents"`
	RequireTokens  bool             `yaml:"require_tokens"`
	Platforms      Platforms
	// Names are the names that the file has in place of IDs; the settings have the IDs.
	Names []Named

	file  string
	found map[string]position
}

// Callbacks is the server for the platforms' requests.
type Callbacks struct {
	Listen string `yaml:"listen"`
}

// Metrics is the server for metrics; there is none if Listen is empty.
type Metrics struct {
	Listen string `yaml:"listen"`
}

// Proxies are addresses and networks of proxies.
type Proxies []string

// Prefixes returns them as networks without invalid ones.
func (p Proxies) Prefixes() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range p {
		if prefix, err := prefixOf(text); err == nil {
			all = append(all, prefix)
		}
	}
	return all
}

func prefixOf(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		return ip.Prefix(ip.BitLen())
	}
	return netip.ParsePrefix(text)
}

// Log configures the log.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// The kinds of stores.
const (
	StoreFile   = "file"
	StoreMemory = "memory"
	StoreRedis  = "redis"
)

// Store selects where requests are stored.
type Store struct {
	Type      string `yaml:"type"`
	Path      string `yaml:"path"`
	Retention Span   `yaml:"retention"`
	Backup    string `yaml:"backup"`
	Redis     *Redis `yaml:"redis"`
}

// Redis is the address and credentials of Redis.
type Redis struct {
	URL              Secret   `yaml:"url"`
	Addrs            []string `yaml:"addrs"`
	Master           string   `yaml:"master"`
	Cluster          bool     `yaml:"cluster"`
	DB               int      `yaml:"db"`
	Username         string   `yaml:"username"`
	Password         Secret   `yaml:"password"`
	SentinelUsername string   `yaml:"sentinel_username"`
	SentinelPassword Secret   `yaml:"sentinel_password"`
	TLS              bool     `yaml:"tls"`
	TLSCA            string   `yaml:"tls_ca"`
	Prefix           string   `yaml:"prefix"`
	Replicas         int      `yaml:"replicas"`
	ReplicaWait      Span     `yaml:"replica_wait"`
}

// Section is a top-level key whose settings only its platform knows.
type Section struct {
	// Name is the key.
	Name string
	// New returns a pointer to an empty struct of settings.
	New func() any
}

// Platforms are the sections of a file by name: what [Section.New] returned, filled in.
type Platforms map[string]any

// Route is a named set of places and rules.
type Route struct {
	To        []Target `yaml:"to"`
	Origin    bool     `yaml:"origin"`
	Language  string   `yaml:"language"`
	ExpiresIn Expiry   `yaml:"expires_in"`
	Terms
}

// Terms are the settings of requests that routes and agents share.
type Terms struct {
	Responders []string `yaml:"responders"`
	Policy     *Policy  `yaml:"policy"`
	Notify     []string `yaml:"notify"`
	Replies    *Replies `yaml:"replies"`
	Hold       Hold     `yaml:"hold"`
	AskBack    AskBack  `yaml:"ask_back"`
	Receipts   bool     `yaml:"receipts"`
	Schedule   Schedule `yaml:"schedule"`
}

// Known converts the terms for the bridge.
func (t *Terms) Known() ask.Terms {
	return ask.Terms{
		Responders: t.Responders, Voting: t.Policy.Voting(), Notify: t.Notify, Replies: t.Replies.Replies(),
		Hold: time.Duration(t.Hold), AskBack: ask.AskBack(t.AskBack), Receipts: t.Receipts, Schedule: t.Schedule.Known(),
	}
}

// Target is one place of a route.
type Target struct {
	Platform     string `yaml:"platform"`
	Installation string `yaml:"installation"`
	Channel      string `yaml:"channel"`
	Thread       string `yaml:"thread"`
	User         string `yaml:"user"`
}

// Webhooks configures calls to agents.
type Webhooks struct {
	Secret     Secret   `yaml:"secret"`
	NextSecret Secret   `yaml:"next_secret"`
	Receivers  []string `yaml:"receivers"`
	Local      bool     `yaml:"local"`
	Tenant     string   `yaml:"tenant"`
}

// Agent is a caller of the HTTP API and its permissions.
type Agent struct {
	Name      string   `yaml:"name"`
	Token     Secret   `yaml:"token"`
	NextToken Secret   `yaml:"next_token"`
	Tenant    string   `yaml:"tenant"`
	Requester []string `yaml:"requester"`

	Terms
	OverrideResponders bool `yaml:"override_responders"`

	Subagents string   `yaml:"subagents"`
	Variants  []string `yaml:"variants"`
	Persist   string   `yaml:"persist"`
	Grants    *Grants  `yaml:"grants"`

	ModelMaySet []string `yaml:"model_may_set"`

	WebhookSecret     Secret   `yaml:"webhook_secret"`
	NextWebhookSecret Secret   `yaml:"next_webhook_secret"`
	WebhookReceivers  []string `yaml:"webhook_receivers"`
	Scopes            []string `yaml:"scopes"`
	Targets           []string `yaml:"targets"`
	Routes            []string `yaml:"routes"`
	Rate              int      `yaml:"rate_per_minute"`
	MaxOpen           int      `yaml:"max_open"`
	Calls             int      `yaml:"calls_per_minute"`
	MaxWaits          int      `yaml:"max_waits"`
	MaxStreams        int      `yaml:"max_streams"`
}

// TokensNeeded reports whether all calls need a token.
func (c *Config) TokensNeeded() bool { return len(c.Agents) > 0 || c.RequireTokens }

// RouteNames returns the names of all routes, sorted.
func (c *Config) RouteNames() []string { return slices.Sorted(maps.Keys(c.Routes)) }

// Access converts the agents for package access.
func (c *Config) Access() []access.Agent {
	all := make([]access.Agent, 0, len(c.Agents))
	for n := range c.Agents {
		all = append(all, c.Agents[n].Access())
	}
	return all
}

// Owner is the tenant of the agent's requests.
func (a *Agent) Owner() string { return cmp.Or(a.Tenant, a.Name) }

// SeveralTenants reports whether agents belong to more than one tenant.
func (c *Config) SeveralTenants() bool {
	return slices.ContainsFunc(c.Agents, func(a Agent) bool { return a.Owner() != c.Agents[0].Owner() })
}

// Access converts the agent for package access.
func (a *Agent) Access() access.Agent {
	known := access.Agent{
		Name: a.Name, Token: a.Token.Reveal(), NextToken: a.NextToken.Reveal(), Tenant: a.Tenant,
		Requesters: a.Requester, Terms: a.Terms.Known(), Unbound: a.OverrideResponders,
		Subagents: access.Subagents(a.Subagents), Variants: a.Variants, Persist: a.Persist, Grants: a.Grants.Grants(), ModelMaySet: a.ModelMaySet, Targets: a.Targets, Routes: a.Routes,
		Rate: a.Rate, MaxOpen: a.MaxOpen, Calls: a.Calls, MaxWaits: a.MaxWaits, MaxStreams: a.MaxStreams,
	}
	for _, scope := range a.Scopes {
		known.Scopes = append(known.Scopes, access.Scope(scope))
	}
	return known
}

// Load reads a file, which must have a section of at least one platform. All problems are one [*Error].
// If the file could be read completely it also returns the configuration, so that others can validate
// it; see [Join]. Names of channels, people and groups are looked up on their platforms if lookup is set;
// without it sample IDs take their place, for a check that makes no call.
func Load(path string, platforms []Section, lookup bool) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	world := realWorld()
	world.lookup = lookup
	return parse(path, data, platforms, world)
}

func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if detail, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("cannot read %s: %w", path, detail.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return data, nil
}

func parse(file string, data []byte, platforms []Section, world surroundings) (*Config, error) {
	c := &Config{file: file}
	d := decoder{world: world, sections: sections(platforms)}
	read := d.decode(data, c)
	whole := read && len(d.problems) == 0
	if read {
		c.found = d.found
		c.fill()
		c.resolve(d.sections, world.lookup && len(d.problems) == 0, &d.problems)
		c.check(&d.problems)
		c.take(platforms, d.sections, &d.problems)
	}
	if err := d.problems.err(file); err != nil {
		if !whole || c.Platforms == nil {
			c = nil
		}
		return c, err
	}
	return c, nil
}

// take keeps the sections that the file has.
func (c *Config) take(platforms []Section, sections map[string]any, p *problems) {
	var names []string
	for _, s := range platforms {
		names = append(names, s.Name)
		if !c.set(s.Name) {
			continue
		}
		if c.Platforms == nil {
			c.Platforms = Platforms{}
		}
		c.Platforms[s.Name] = sections[s.Name]
	}
	if c.Platforms == nil {
		p.add(position{}, names[0], "is missing, and %s too: at least one platform is required", strings.Join(names[1:], " and "))
	}
}

// Explain adds the position in the file to an [*ask.InvalidError] about its settings. It returns other
// errors unchanged.
func (c *Config) Explain(err error) error {
	var invalid *ask.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	var all problems
	for _, p := range invalid.Problems {
		all.add(c.found[p.Path], p.Path, "%s", p.Detail)
	}
	return all.err(c.file)
}

// At adds the position in the file to an error about a setting; nil stays nil.
func (c *Config) At(path string, err error) error {
	if err == nil {
		return nil
	}
	var all problems
	all.add(c.place(path), path, "%s", err)
	return all.err(c.file)
}

// Expiry is the time to answer: a duration, "never", or zero if not set.
type Expiry time.Duration

func (e *Expiry) scan(text string) error {
	span, err := ask.ParseExpiry(text)
	if err != nil || span > ask.MaxExpiresIn {
		return errors.New("must be never or a duration such as 30m, 24h or 7d (at most 366d)")
	}
	*e = Expiry(span)
	return nil
}

// Span is a duration such as 30m, 24h or 7d.
type Span time.Duration

func (s *Span) scan(text string) error {
	span, err := ask.ParseExpiry(text)
	if err != nil || span <= 0 {
		return errors.New("must be a duration such as 30m, 24h or 7d")
	}
	*s = Span(span)
	return nil
}

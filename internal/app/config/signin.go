package config

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/loopback"
)

// Console configures the web console.
type Console struct {
	// Address is where browsers reach it, without the path /console.
	Address string  `yaml:"address"`
	SignIn  *SignIn `yaml:"sign_in"`
}

// SignIn configures how people sign in at the console with OpenID Connect.
type SignIn struct {
	Issuer       string   `yaml:"issuer"`
	ClientID     string   `yaml:"client_id"`
	ClientSecret Secret   `yaml:"client_secret"`
	Scopes       []string `yaml:"scopes"`
	Tenant       string   `yaml:"tenant"`
	Roles        Roles    `yaml:"roles"`
	Session      Span     `yaml:"session"`
}

// Roles list the values of a claim that give a role.
type Roles struct {
	Claim string   `yaml:"claim"`
	Read  []string `yaml:"read"`
	Act   []string `yaml:"act"`
	Admin []string `yaml:"admin"`
}

// The limits of a session.
const (
	minSession = 5 * time.Minute
	maxSession = 7 * 24 * time.Hour
)

func (c *Config) checkConsole(say func(path, format string, args ...any)) {
	if !c.set("console") {
		return
	}
	s := c.Console.SignIn
	if s == nil {
		say("console.sign_in", "is missing: it is what the other settings of console are for")
		return
	}
	checkOrigin(say, "console.address", c.Console.Address, "the address under which browsers reach askbridge, such as https://askbridge.example.com")
	checkOrigin(say, "console.sign_in.issuer", s.Issuer, "the issuer of your identity provider, such as https://login.example.com")
	if s.ClientID == "" {
		say("console.sign_in.client_id", "is missing: your identity provider gave it when you registered askbridge")
	}
	for n, scope := range s.Scopes {
		if scope == "" || strings.ContainsAny(scope, " \"\\") {
			say(fmt.Sprintf("console.sign_in.scopes[%d]", n), "must be one scope, such as groups")
		}
	}
	if !c.TokensNeeded() {
		say("console.sign_in", "needs agents or require_tokens: without them everyone on this machine may do everything, signed in or not")
	}
	r := s.Roles
	if len(r.Read)+len(r.Act)+len(r.Admin) == 0 {
		say("console.sign_in.roles", "grants no role: list values of the claim under read, act or admin")
	}
	for key, values := range map[string][]string{"read": r.Read, "act": r.Act, "admin": r.Admin} {
		for n, value := range values {
			if value == "" {
				say(fmt.Sprintf("console.sign_in.roles.%s[%d]", key, n), "is empty")
			}
		}
	}
	if s.Tenant == "" && len(r.Read)+len(r.Act) > 0 && c.onlyTenant() == "" {
		say("console.sign_in.tenant", "is missing: name the tenant whose requests people with the roles read and act see")
	}
	if span := time.Duration(s.Session); c.set("console.sign_in.session") && (span < minSession || span > maxSession) {
		say("console.sign_in.session", "must be between %s and 7d", minSession)
	}
}

// checkOrigin reports an address that is neither https nor on this machine, or that has more than a path.
func checkOrigin(say func(path, format string, args ...any), path, address, what string) {
	u, err := url.Parse(address)
	switch {
	case address == "":
		say(path, "is missing: %s", what)
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		say(path, "must be %s", what)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback.Is(u.Host)):
		say(path, "must be an https:// address, or an http:// one on this machine")
	}
}

// onlyTenant returns the tenant of all agents of the file, or nothing if there is not exactly one.
func (c *Config) onlyTenant() string {
	if len(c.Agents) == 0 || c.SeveralTenants() {
		return ""
	}
	return c.Agents[0].Owner()
}

// SignInTenant is the tenant of people without the role admin.
func (c *Config) SignInTenant() string {
	if s := c.Console.SignIn; s != nil && s.Tenant != "" {
		return s.Tenant
	}
	return c.onlyTenant()
}

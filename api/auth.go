package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Scope is something that an agent's token allows.
type Scope string

// The scopes. An agent without any named has ask, read and cancel.
const (
	// ScopeAsk hands requests in.
	ScopeAsk Scope = "ask"
	// ScopeRead sees the requests of the agent's tenant.
	ScopeRead Scope = "read"
	// ScopeCancel withdraws them.
	ScopeCancel Scope = "cancel"
	// ScopeAdmin allows all of this, and on the requests of every tenant.
	ScopeAdmin Scope = "admin"
)

// Agent is one caller of the API and what it may do.
type Agent struct {
	// Name stands on the card and in the log. What an agent says of its own
	// name does not count.
	Name string
	// Token is the secret behind "Authorization: Bearer".
	Token string
	// NextToken is accepted too, while one is being replaced by the other.
	NextToken string
	// Tenant owns the agent's requests and sees no others; empty means Name.
	Tenant string
	// Requesters are the identities of the person on whose behalf the agent
	// asks, such as "slack:U0000001"; see [ask.Request.Requesters].
	Requesters []string
	// Responders is who may answer the agent's requests at most, as in
	// [ask.Request.Floor]; nil demands nothing.
	Responders []string
	// Unbound lets the agent's requests say who may answer whatever Responders and
	// the route demand; see [ask.Request.Unbound].
	Unbound bool
	// Scopes are what the agent may do; none means ask, read and cancel.
	Scopes []Scope
	// Targets and Routes are where the agent may ask: places as in
	// "slack:C0000001" (its threads included) or "slack:*", and names of
	// routes. When both are empty it may ask anywhere; else nowhere but there.
	Targets, Routes []string
	// Rate is how many requests the agent may hand in per minute; zero means
	// any number.
	Rate int
	// MaxOpen is how many of its requests may be open at a time; zero means any
	// number.
	MaxOpen int
	// Subagents says what becomes of tool calls that come from a sub-agent of
	// the agent; empty leaves it to the host's own rule.
	Subagents Subagents
}

// Subagents is what becomes of a sub-agent's tool call.
type Subagents string

// The policies. Without one the host's own rule holds: some refuse sub-agents,
// the others let them ask.
const (
	// RefuseSubagents refuses at once, in the words of the host's own tool where
	// it has any.
	RefuseSubagents Subagents = "refuse"
	// PassSubagents lets sub-agents ask, also where the host would not. The card
	// says which one asks, and the answer goes to it alone.
	PassSubagents Subagents = "pass"
)

func (a *Agent) has(s Scope) bool {
	if len(a.Scopes) == 0 && s != ScopeAdmin {
		return true
	}
	return slices.Contains(a.Scopes, s) || slices.Contains(a.Scopes, ScopeAdmin)
}

// admin reports whether the agent acts for every tenant.
func (a *Agent) admin() bool { return a.has(ScopeAdmin) }

// refuse returns nil or a problem that names every place where the agent may
// not ask.
func (a *Agent) refuse(r *ask.Request, defaultRoute string) *Problem {
	if len(a.Targets) == 0 && len(a.Routes) == 0 {
		return nil
	}
	route := r.Route
	if route == "" && len(r.To) == 0 {
		route = defaultRoute
	}
	p := problem(http.StatusForbidden, "this token may not ask there")
	if route != "" && !slices.Contains(a.Routes, route) {
		_ = p.at("route", "the route %q is not one of this token's", route)
	}
	for n, t := range r.To {
		t.Thread = ""
		if !slices.Contains(a.Targets, t.String()) && !slices.Contains(a.Targets, t.Platform+":*") {
			_ = p.at(fmt.Sprintf("to[%d]", n), "%s is not one of this token's places", t.String())
		}
	}
	if len(p.Errors) == 0 {
		return nil
	}
	return p
}

// own writes into a request what comes from the token and never from the
// caller's text.
func (a *Agent) own(r *ask.Request) {
	r.Tenant, r.Requesters, r.Floor, r.Unbound = a.Tenant, a.Requesters, a.Responders, a.Unbound
}

// keyring knows who may call.
type keyring struct {
	keys      []key
	anonymous *caller
	cross     *http.CrossOriginProtection
}

type key struct {
	hash [sha256.Size]byte
	who  *caller
}

// newKeyring checks the agents; it keeps hashes of the tokens only.
func newKeyring(o *Options) (*keyring, error) {
	k := &keyring{cross: http.NewCrossOriginProtection()}
	var problems []error
	complain := func(path, format string, args ...any) {
		problems = append(problems, fmt.Errorf("api: %s: %s", path, fmt.Sprintf(format, args...)))
	}
	tokens, names := map[[sha256.Size]byte]bool{}, map[string]bool{}
	for n, a := range o.Agents {
		path := fmt.Sprintf("agents[%d]", n)
		switch {
		case a.Name == "":
			complain(path+".name", "is missing")
		case len(a.Name) > ask.MaxName:
			complain(path+".name", "has more than %d bytes", ask.MaxName)
		case names[a.Name]:
			complain(path+".name", "is another agent's name too")
		}
		names[a.Name] = true
		if a.Token == "" {
			complain(path+".token", "is missing")
		}
		for _, s := range a.Scopes {
			if !slices.Contains([]Scope{ScopeAsk, ScopeRead, ScopeCancel, ScopeAdmin}, s) {
				complain(path+".scopes", "%q is not one of ask, read, cancel, admin", s)
			}
		}
		if !slices.Contains([]Subagents{"", RefuseSubagents, PassSubagents}, a.Subagents) {
			complain(path+".subagents", "%q is not one of refuse, pass", a.Subagents)
		}
		for _, p := range ask.CheckResponders(path+".responders", a.Responders) {
			complain(p.Path, "%s", p.Detail)
		}
		if a.Rate < 0 || a.MaxOpen < 0 {
			complain(path, "limits must not be negative")
		}
		if a.Tenant == "" {
			a.Tenant = a.Name
		}
		who := newCaller(a)
		for _, token := range []string{a.Token, a.NextToken} {
			if token == "" {
				continue
			}
			hash := sha256.Sum256([]byte(token))
			if tokens[hash] {
				complain(path+".token", "is used twice")
			}
			tokens[hash] = true
			k.keys = append(k.keys, key{hash, who})
		}
	}
	if len(o.Agents) == 0 {
		if !o.AllowAnonymous {
			complain("agents", "there are none, and anonymous calls are not allowed")
		}
		k.anonymous = newCaller(Agent{})
	}
	return k, errors.Join(problems...)
}

// admit tells who calls.
func (k *keyring) admit(r *http.Request) (*caller, *Problem) {
	if k.anonymous != nil {
		return k.anonymous, k.checkLocal(r)
	}
	token, ok := bearer(r)
	if !ok {
		return nil, problem(http.StatusUnauthorized, "send your token as \"Authorization: Bearer <token>\"")
	}
	hash := sha256.Sum256([]byte(token))
	var who *caller
	for _, key := range k.keys {
		if subtle.ConstantTimeCompare(hash[:], key.hash[:]) == 1 {
			who = key.who
		}
	}
	if who == nil {
		return nil, problem(http.StatusUnauthorized, "this token is not known here")
	}
	return who, nil
}

func bearer(r *http.Request) (string, bool) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// checkLocal guards the API without tokens against pages in a browser of the
// same machine: a page whose name was bound to our address (DNS rebinding) gives
// its own name as Host, and one that posts across origins is told by its
// browser's headers.
func (k *keyring) checkLocal(r *http.Request) *Problem {
	if !loopbackName(r.Host) {
		return problem(http.StatusForbidden, "without agent tokens the bridge answers under loopback names only, such as localhost")
	}
	if err := k.cross.Check(r); err != nil {
		return problem(http.StatusForbidden, "calls from pages of other origins are refused")
	}
	return nil
}

func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

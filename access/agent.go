package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Scope is a permission of a token.
type Scope string

// The scopes. An agent that lists none has ask, read and cancel.
const (
	// Ask submits requests.
	Ask Scope = "ask"
	// Read reads the requests of the agent's tenant.
	Read Scope = "read"
	// Cancel cancels them, and lets a new request supersede another agent's.
	Cancel Scope = "cancel"
	// Admin includes all of these, for the requests of every tenant.
	Admin Scope = "admin"
	// Answer answers requests over the API: for the token of a person, never of an agent. Admin does not include it, it
	// cannot be combined with Ask, and no token answers its own requests.
	Answer Scope = "answer"
	// Grant, in addition to [Answer], lets an answer over the API allow equal calls for a time. Such a grant ends with the
	// token. Admin does not include it.
	Grant Scope = "grant"
	// ManageTokens issues, lists, replaces and revokes tokens of any kind, including those of people: for the operator.
	// Admin does not include it, and it cannot be combined with Ask.
	ManageTokens Scope = "tokens"
	// Anything is the scope of a call that every token may make.
	Anything Scope = ""
)

// scopes lists all scopes.
var scopes = []Scope{Ask, Read, Cancel, Admin, Answer, Grant, ManageTokens}

// named are the scopes that a token has only if it lists them.
var named = []Scope{Admin, Answer, Grant, ManageTokens}

// Subagents is the policy for tool calls of sub-agents.
type Subagents string

// The policies. Without one the host's own rule applies: some hosts refuse sub-agents, others let them ask.
const (
	// RefuseSubagents refuses immediately, with the host's own message if it has one.
	RefuseSubagents Subagents = "refuse"
	// PassSubagents lets sub-agents ask even if the host does not. The card names the sub-agent, and only it gets the
	// answer.
	PassSubagents Subagents = "pass"
)

// Agent is one caller and its permissions.
type Agent struct {
	// Name is shown on cards and in the log, instead of a name that the agent sends. No two agents may have names that look
	// alike.
	Name string `json:"name"`
	// Token is the agent's secret.
	Token string `json:"-"`
	// NextToken is accepted too, during a rotation.
	NextToken string `json:"-"`
	// Tenant owns the agent's requests; the agent sees no others. Empty means Name.
	Tenant string `json:"tenant,omitempty"`
	// Requesters are the accounts of the person on whose behalf the agent asks, such as "slack:U0000001"; see
	// [ask.Request.Requesters]. With the scope [Answer] that person holds the token, and answers as these accounts.
	Requesters []string `json:"requester,omitempty"`
	// Terms apply to the agent's requests; see [ask.Request.Token].
	ask.Terms
	// Unbound lets the agent's requests choose who may answer regardless of Responders and the route; see
	// [ask.Request.Unbound].
	Unbound bool `json:"override_responders,omitempty"`
	// Scopes are the agent's permissions; none means ask, read and cancel.
	Scopes []Scope `json:"scopes,omitempty"`
	// Targets and Routes limit where the agent may ask: places such as "slack:C0000001" (including its threads),
	// "slack:C0000001/1700000000.000100" for one thread or "slack:*", and names of routes. If both are empty it may ask
	// anywhere.
	Targets []string `json:"targets,omitempty"`
	Routes  []string `json:"routes,omitempty"`
	// Rate is the maximum number of new requests per minute; zero means no limit.
	Rate int `json:"rate_per_minute,omitempty"`
	// MaxOpen is the maximum number of open requests; zero means no limit.
	MaxOpen int `json:"max_open,omitempty"`
	// Calls is the maximum number of calls of any kind per minute; zero means [DefaultCalls]. A call that has waited five
	// seconds or more for people earns a free one, up to Calls of them.
	Calls int `json:"calls_per_minute,omitempty"`
	// MaxWaits is the maximum number of calls that wait for people at a time; zero means [DefaultMaxWaits]. A further call
	// returns the state of the request immediately.
	MaxWaits int `json:"max_waits,omitempty"`
	// MaxStreams is the maximum number of event streams; zero means [DefaultMaxStreams].
	MaxStreams int `json:"max_streams,omitempty"`
	// Subagents is the policy for tool calls of sub-agents; empty means the host's own rule.
	Subagents Subagents `json:"subagents,omitempty"`
	// Variants are the differences between its tool calls and what their hosts document; see [dialect.Options.Vary].
	Variants []string `json:"variants,omitempty"`
	// Persist is the longest duration of permissions that its hosts ask for: one of [dialect.Persists]; empty means
	// [dialect.PersistSession].
	Persist string `json:"persist,omitempty"`
	// ModelMaySet are the members of an MCP tool call that the model may set, within the other limits of the token:
	// [ModelTo], [ModelRoute], [ModelResponders] and [ModelOrigin]. A call that sets another one is refused.
	ModelMaySet []string `json:"model_may_set,omitempty"`
	// Grants limits the scope and duration for which people may allow equal calls of its hosts in advance; the zero value
	// offers none. See [ask.Permit].
	Grants ask.Grants `json:"grants,omitzero"`
}

// The members that [Agent.ModelMaySet] can list: places, route and responders.
const (
	ModelTo         = "to"
	ModelRoute      = "route"
	ModelResponders = "responders"
	ModelOrigin     = "origin"
)

// ModelMembers returns all members that [Agent.ModelMaySet] can list.
func ModelMembers() []string { return []string{ModelTo, ModelRoute, ModelResponders, ModelOrigin} }

// The default limits of an agent.
const (
	DefaultCalls      = 6000
	DefaultMaxWaits   = 10_000
	DefaultMaxStreams = 100
)

// has reports whether the agent's token has the scope.
func (a *Agent) has(s Scope) bool {
	if s == Anything || len(a.Scopes) == 0 && !slices.Contains(named, s) {
		return true
	}
	return slices.Contains(a.Scopes, s) || !slices.Contains(named, s) && slices.Contains(a.Scopes, Admin)
}

// AnswersAsNobody is the warning about a token with the scope [Answer] and without a requester.
const AnswersAsNobody = "a token with the scope answer and without requester belongs to no person: votes, not_requester and lists of people refuse its answers"

// NamesNobody reports whether the agent has the scope [Answer] and no requester; see [AnswersAsNobody].
func (a *Agent) NamesNobody() bool { return a.has(Answer) && len(a.Requesters) == 0 }

// Granted returns the scopes of the agent's token.
func (a *Agent) Granted() []Scope {
	if len(a.Scopes) == 0 {
		return []Scope{Ask, Read, Cancel}
	}
	return a.Scopes
}

// CheckAgents returns every problem of a list of agents, with paths such as "agents[1].name".
func CheckAgents(agents []Agent) []ask.Problem {
	var all remarks
	names, tokens := map[string]int{}, map[string]string{}
	for n, a := range agents {
		path := fmt.Sprintf("agents[%d].", n)
		shapes := lookalike.Shapes(a.Name)
		first, twice := n, false
		for _, shape := range shapes {
			if other, used := names[shape]; used {
				first, twice = min(first, other), true
			}
		}
		switch {
		case a.checkName(&all, path, shapes):
		case twice && agents[first].Name == a.Name:
			all.add(path+"name", "is the same as agents[%d].name", first)
		case twice:
			all.add(path+"name", "looks like agents[%d].name, and people could confuse them", first)
		}
		for _, shape := range shapes {
			if _, used := names[shape]; !used {
				names[shape] = n
			}
		}
		for _, token := range []struct{ key, value string }{{"token", a.Token}, {"next_token", a.NextToken}} {
			if token.value == "" && token.key == "next_token" {
				continue
			}
			switch first, twice := tokens[token.value]; {
			case token.value == "":
				all.add(path+token.key, "is missing")
			case twice:
				all.add(path+token.key, "is the same as %s", first)
			default:
				tokens[token.value] = path + token.key
			}
		}
		a.check(&all, path)
	}
	return all
}

// remarks collects problems.
type remarks []ask.Problem

func (r *remarks) add(path, format string, args ...any) {
	*r = append(*r, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// checkName adds the problem of a name, and reports whether it has one.
func (a *Agent) checkName(all *remarks, path string, shapes []string) bool {
	switch {
	case a.Name == "":
		all.add(path+"name", "is missing: cards and the log show it")
	case len(a.Name) > ask.MaxName:
		all.add(path+"name", "has more than %d bytes", ask.MaxName)
	case len(shapes) == 0:
		all.add(path+"name", "has no visible characters")
	default:
		return false
	}
	return true
}

// checkOwner checks the tenant of an agent, by default its name: it is a key of files and the audit trail.
func (a *Agent) checkOwner(all *remarks, path string) {
	owner, at := a.Tenant, "tenant"
	if owner == "" || owner == a.Name {
		owner, at = a.Name, "name"
	}
	switch {
	case len(owner) > ask.MaxName && at == "name": // checkName reports it.
	case len(owner) > keyvalue.MaxTenant:
		all.add(path+at, "has more than %d bytes, too many for a tenant", keyvalue.MaxTenant)
	case (keyvalue.Key{Kind: kindToken, Tenant: owner, ID: kindToken}).Validate() != nil:
		all.add(path+at, "has control characters, or is not UTF-8")
	}
}

// check checks the settings of an agent except its name and tokens.
func (a *Agent) check(all *remarks, path string) {
	a.checkOwner(all, path)
	*all = append(*all, a.Terms.Check(path)...)
	for i, s := range a.Scopes {
		switch at := fmt.Sprintf("%sscopes[%d]", path, i); {
		case !slices.Contains(scopes, s):
			all.add(at, "must be one of ask, read, cancel, admin, answer, grant, tokens")
		case s == Grant && !slices.Contains(a.Scopes, Answer):
			all.add(at, "requires answer: it extends what an answer over the API may allow")
		case s == Answer && slices.Contains(a.Scopes, Ask):
			all.add(at, "cannot be combined with ask: an agent would answer its own questions; give the person a separate token")
		case s == ManageTokens && slices.Contains(a.Scopes, Ask):
			all.add(at, "cannot be combined with ask: an agent would issue itself a token that answers; give the operator a separate token")
		}
	}
	for i, target := range a.Targets {
		if _, err := ask.ParsePlace(target); err != nil {
			all.add(fmt.Sprintf("%stargets[%d]", path, i), "must look like slack:C0123ABCD, or slack:* for every place there")
		}
	}
	if !slices.Contains([]Subagents{"", RefuseSubagents, PassSubagents}, a.Subagents) {
		all.add(path+"subagents", "must be one of refuse, pass")
	}
	if invalid, ok := errors.AsType[*ask.InvalidError](new(dialect.Options).Vary(a.Variants...)); ok {
		for _, p := range invalid.Problems {
			all.add(path+"variants", "%s", p.Detail)
		}
	}
	if a.Persist != "" && !slices.Contains(dialect.Persists(), dialect.Persist(a.Persist)) {
		all.add(path+"persist", "must be one of none, session, local, project, user")
	}
	for i, member := range a.ModelMaySet {
		if !slices.Contains(ModelMembers(), member) {
			all.add(fmt.Sprintf("%smodel_may_set[%d]", path, i), "must be one of %s", strings.Join(ModelMembers(), ", "))
		}
	}
	*all = append(*all, a.Grants.Check(path+"grants")...)
	*all = append(*all, ask.CheckResponders(path+"responders", a.Responders)...)
	for i, who := range a.Requesters {
		if e, ok := ask.ParseEntry(who); !ok || e.Word != "" || e.Kind != "" || e.Platform == ask.OnCall {
			all.add(fmt.Sprintf("%srequester[%d]", path, i), "must be a person, such as slack:U0000001")
		}
	}
	for _, limit := range []struct {
		key   string
		value int
	}{
		{"rate_per_minute", a.Rate},
		{"max_open", a.MaxOpen},
		{"calls_per_minute", a.Calls},
		{"max_waits", a.MaxWaits},
		{"max_streams", a.MaxStreams},
	} {
		if limit.value < 0 {
			all.add(path+limit.key, "must not be negative")
		}
	}
}

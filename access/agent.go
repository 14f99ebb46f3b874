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

// Scope is something that an agent's token allows.
type Scope string

// The scopes. An agent without any named has ask, read and cancel.
const (
	// Ask hands requests in.
	Ask Scope = "ask"
	// Read sees the requests of the agent's tenant.
	Read Scope = "read"
	// Cancel withdraws them, and puts a request in the place of another agent's.
	Cancel Scope = "cancel"
	// Admin allows all of this, and on the requests of every tenant.
	Admin Scope = "admin"
	// Answer decides requests over the API in a person's place: for the token of a
	// person, never of an agent. Admin does not hold it, it never stands beside Ask, and
	// no token answers what it has asked itself.
	Answer Scope = "answer"
	// Grant lets an answer over the API allow a call for a time: beside [Answer], whose holder can then choose such an option.
	// What they allow ends with the token. Admin does not hold it.
	Grant Scope = "grant"
	// ManageTokens makes, lists, replaces and revokes tokens of any kind, those of people
	// among them: for the operator. Admin does not hold it, and it never stands beside Ask.
	ManageTokens Scope = "tokens"
	// Anything is what a call needs that every token may make.
	Anything Scope = ""
)

// scopes are those that a token can have.
var scopes = []Scope{Ask, Read, Cancel, Admin, Answer, Grant, ManageTokens}

// named are the scopes that a token has only where they are listed.
var named = []Scope{Admin, Answer, Grant, ManageTokens}

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

// Agent is one caller and what it may do.
type Agent struct {
	// Name stands on the card and in the log. What an agent says of its own name
	// does not count. No two agents may have names that look alike.
	Name string `json:"name"`
	// Token is the agent's secret.
	Token string `json:"-"`
	// NextToken is accepted too, while one is being replaced by the other.
	NextToken string `json:"-"`
	// Tenant owns the agent's requests and sees no others; empty means Name.
	Tenant string `json:"tenant,omitempty"`
	// Requesters are the identities of the person on whose behalf the agent
	// asks, such as "slack:U0000001"; see [ask.Request.Requesters]. With the
	// scope [Answer] that person holds the token, and answers as who they are there.
	Requesters []string `json:"requester,omitempty"`
	// Terms are those of the agent's requests; see [ask.Request.Token].
	ask.Terms
	// Unbound lets the agent's requests say who may answer whatever Responders and
	// the route demand; see [ask.Request.Unbound].
	Unbound bool `json:"override_responders,omitempty"`
	// Scopes are what the agent may do; none means ask, read and cancel.
	Scopes []Scope `json:"scopes,omitempty"`
	// Targets and Routes are where the agent may ask: places as in
	// "slack:C0000001" (its threads included), "slack:C0000001/1700000000.000100"
	// for one thread or "slack:*", and names of routes. When both are empty it may
	// ask anywhere; else nowhere but there.
	Targets []string `json:"targets,omitempty"`
	Routes  []string `json:"routes,omitempty"`
	// Rate is how many requests the agent may hand in per minute; zero means
	// any number.
	Rate int `json:"rate_per_minute,omitempty"`
	// MaxOpen is how many of its requests may be open at a time; zero means any
	// number.
	MaxOpen int `json:"max_open,omitempty"`
	// Calls is how many calls of any kind the agent may make per minute; zero
	// means [DefaultCalls]. One that has waited five seconds or more for people
	// does not count: it earns another call. At most Calls of those add up.
	Calls int `json:"calls_per_minute,omitempty"`
	// MaxWaits is how many calls of the agent may wait for people at a time; zero
	// means [DefaultMaxWaits]. One too many is answered at once with how the
	// request stands.
	MaxWaits int `json:"max_waits,omitempty"`
	// MaxStreams is how many event streams the agent may hold; zero means
	// [DefaultMaxStreams].
	MaxStreams int `json:"max_streams,omitempty"`
	// Subagents says what becomes of tool calls that come from a sub-agent of
	// the agent; empty leaves it to the host's own rule.
	Subagents Subagents `json:"subagents,omitempty"`
	// Variants are how its tool calls differ from what their hosts document; see
	// [dialect.Options.Vary].
	Variants []string `json:"variants,omitempty"`
	// Persist is how far the permissions that its hosts ask for may reach beyond one
	// call: one of [dialect.Persists], empty for [dialect.PersistSession].
	Persist string `json:"persist,omitempty"`
	// ModelMaySet are the members of a call of the MCP tool that the model itself may set, within what else the token
	// allows: [ModelTo], [ModelRoute] and [ModelResponders]. A model that sets another one is refused.
	ModelMaySet []string `json:"model_may_set,omitempty"`
	// Grants is how far and how long people may allow a call of its hosts again without
	// being asked; the zero value offers nothing. See [ask.Permit].
	Grants ask.Grants `json:"grants,omitzero"`
}

// The members that [Agent.ModelMaySet] can list: the places and the route where the model asks, and who may answer.
const (
	ModelTo         = "to"
	ModelRoute      = "route"
	ModelResponders = "responders"
)

// ModelMembers are all members that [Agent.ModelMaySet] can list.
func ModelMembers() []string { return []string{ModelTo, ModelRoute, ModelResponders} }

// The limits of an agent that names none.
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

// AnswersAsNobody is what to tell an operator about a token that has the scope [Answer] and names no requester.
const AnswersAsNobody = "a token with the scope answer and no requester is nobody's: votes and not_requester refuse its answers, and lists of people do not let it pass"

// NamesNobody reports whether the agent's token answers requests and names no requester; see [AnswersAsNobody].
func (a *Agent) NamesNobody() bool { return a.has(Answer) && len(a.Requesters) == 0 }

// Granted are the scopes that the agent's token has.
func (a *Agent) Granted() []Scope {
	if len(a.Scopes) == 0 {
		return []Scope{Ask, Read, Cancel}
	}
	return a.Scopes
}

// CheckAgents returns everything wrong with a list of agents, with paths such as
// "agents[1].name".
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
			all.add(path+"name", "looks like agents[%d].name to people, who could take the one for the other", first)
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

// remarks are what is wrong.
type remarks []ask.Problem

func (r *remarks) add(path, format string, args ...any) {
	*r = append(*r, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// checkName says what is wrong with a name by itself, and whether anything is.
func (a *Agent) checkName(all *remarks, path string, shapes []string) bool {
	switch {
	case a.Name == "":
		all.add(path+"name", "is missing: it stands in the log and on the card")
	case len(a.Name) > ask.MaxName:
		all.add(path+"name", "has more than %d bytes", ask.MaxName)
	case len(shapes) == 0:
		all.add(path+"name", "cannot be seen")
	default:
		return false
	}
	return true
}

// checkOwner says what is wrong with the tenant of an agent, which is its name where none is
// given: what it owns beside requests, such as files and an audit trail, is kept under it.
func (a *Agent) checkOwner(all *remarks, path string) {
	owner, at := a.Tenant, "tenant"
	if owner == "" || owner == a.Name {
		owner, at = a.Name, "name"
	}
	switch {
	case len(owner) > ask.MaxName && at == "name": // That is said already.
	case len(owner) > keyvalue.MaxTenant:
		all.add(path+at, "has more than %d bytes, too many for a tenant", keyvalue.MaxTenant)
	case (keyvalue.Key{Kind: kindToken, Tenant: owner, ID: kindToken}).Validate() != nil:
		all.add(path+at, "has control characters, or is no UTF-8")
	}
}

// check says what is wrong with the settings of an agent, but for its name and tokens.
func (a *Agent) check(all *remarks, path string) {
	a.checkOwner(all, path)
	*all = append(*all, a.Terms.Check(path)...)
	for i, s := range a.Scopes {
		switch at := fmt.Sprintf("%sscopes[%d]", path, i); {
		case !slices.Contains(scopes, s):
			all.add(at, "must be one of ask, read, cancel, admin, answer, grant, tokens")
		case s == Grant && !slices.Contains(a.Scopes, Answer):
			all.add(at, "needs answer beside it: it says what an answer over the API may allow")
		case s == Answer && slices.Contains(a.Scopes, Ask):
			all.add(at, "must not stand beside ask: an agent would answer its own questions; give the person a token of their own")
		case s == ManageTokens && slices.Contains(a.Scopes, Ask):
			all.add(at, "must not stand beside ask: an agent would make itself a token that answers; give the operator a token of their own")
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

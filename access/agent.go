package access

import (
	"errors"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/lookalike"
)

// Scope is something that an agent's token allows.
type Scope string

// The scopes. An agent without any named has ask, read and cancel.
const (
	// Ask hands requests in.
	Ask Scope = "ask"
	// Read sees the requests of the agent's tenant.
	Read Scope = "read"
	// Cancel withdraws them.
	Cancel Scope = "cancel"
	// Admin allows all of this, and on the requests of every tenant.
	Admin Scope = "admin"
	// Answer decides requests over the API in a person's place: for the token of a
	// person, never of an agent. Admin does not hold it, it never stands beside Ask, and
	// no token answers what it has asked itself.
	Answer Scope = "answer"
)

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
	Name string
	// Token is the agent's secret.
	Token string
	// NextToken is accepted too, while one is being replaced by the other.
	NextToken string
	// Tenant owns the agent's requests and sees no others; empty means Name.
	Tenant string
	// Requesters are the identities of the person on whose behalf the agent
	// asks, such as "slack:U0000001"; see [ask.Request.Requesters]. With the
	// scope [Answer] that person holds the token, and answers as who they are there.
	Requesters []string
	// Responders is who may answer the agent's requests at most, as in
	// [ask.Request.Floor]; nil demands nothing.
	Responders []string
	// Unbound lets the agent's requests say who may answer whatever Responders and
	// the route demand; see [ask.Request.Unbound].
	Unbound bool
	// Voting is how many people decide the agent's requests at least, as in
	// [ask.Request.VotingFloor]; the zero value demands nothing.
	Voting ask.Voting
	// Notify is who is told of the agent's requests where neither they nor their routes
	// say, as in [ask.Request.Notify]; nil says nothing.
	Notify []string
	// Scopes are what the agent may do; none means ask, read and cancel.
	Scopes []Scope
	// Targets and Routes are where the agent may ask: places as in
	// "slack:C0000001" (its threads included), "slack:C0000001/1700000000.000100"
	// for one thread or "slack:*", and names of routes. When both are empty it may
	// ask anywhere; else nowhere but there.
	Targets, Routes []string
	// Rate is how many requests the agent may hand in per minute; zero means
	// any number.
	Rate int
	// MaxOpen is how many of its requests may be open at a time; zero means any
	// number.
	MaxOpen int
	// Calls is how many calls of any kind the agent may make per minute; zero
	// means [DefaultCalls]. One that has waited five seconds or more for people
	// does not count.
	Calls int
	// MaxWaits is how many calls of the agent may wait for people at a time; zero
	// means [DefaultMaxWaits]. One too many is answered at once with how the
	// request stands.
	MaxWaits int
	// MaxStreams is how many event streams the agent may hold; zero means
	// [DefaultMaxStreams].
	MaxStreams int
	// Subagents says what becomes of tool calls that come from a sub-agent of
	// the agent; empty leaves it to the host's own rule.
	Subagents Subagents
	// Variants are how its tool calls differ from what their hosts document; see
	// [dialect.Options.Vary].
	Variants []string
	// Persist is how far the permissions that its hosts ask for may reach beyond one
	// call: one of [dialect.Persists], empty for [dialect.PersistSession].
	Persist string
}

// The limits of an agent that names none.
const (
	DefaultCalls      = 6000
	DefaultMaxWaits   = 10_000
	DefaultMaxStreams = 100
)

// has reports whether the agent's token has the scope.
func (a *Agent) has(s Scope) bool {
	if len(a.Scopes) == 0 && s != Admin && s != Answer {
		return true
	}
	return slices.Contains(a.Scopes, s) || s != Answer && slices.Contains(a.Scopes, Admin)
}

// CheckAgents returns everything wrong with a list of agents, with paths such as
// "agents[1].name".
func CheckAgents(agents []Agent) []ask.Problem {
	var problems []ask.Problem
	add := func(path, format string, args ...any) {
		problems = append(problems, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
	}
	names, tokens := map[string]int{}, map[string]string{}
	for n, a := range agents {
		path := fmt.Sprintf("agents[%d]", n)
		shapes := lookalike.Shapes(a.Name)
		first, twice := n, false
		for _, shape := range shapes {
			if other, used := names[shape]; used {
				first, twice = min(first, other), true
			}
		}
		switch {
		case a.Name == "":
			add(path+".name", "is missing: it stands in the log and on the card")
		case len(a.Name) > ask.MaxName:
			add(path+".name", "has more than %d bytes", ask.MaxName)
		case twice && agents[first].Name == a.Name:
			add(path+".name", "is the same as agents[%d].name", first)
		case twice:
			add(path+".name", "looks like agents[%d].name to people, who could take the one for the other", first)
		case len(shapes) == 0:
			add(path+".name", "cannot be seen")
		}
		problems = append(problems, a.Voting.Check(path+".policy")...)
		problems = append(problems, ask.CheckNotify(path+".notify", a.Notify)...)
		for _, shape := range shapes {
			if _, used := names[shape]; !used {
				names[shape] = n
			}
		}
		for _, token := range []struct{ key, value string }{{".token", a.Token}, {".next_token", a.NextToken}} {
			if token.value == "" && token.key == ".next_token" {
				continue
			}
			switch first, twice := tokens[token.value]; {
			case token.value == "":
				add(path+token.key, "is missing")
			case twice:
				add(path+token.key, "is the same as %s", first)
			default:
				tokens[token.value] = path + token.key
			}
		}
		for i, s := range a.Scopes {
			switch at := fmt.Sprintf("%s.scopes[%d]", path, i); {
			case !slices.Contains([]Scope{Ask, Read, Cancel, Admin, Answer}, s):
				add(at, "must be one of ask, read, cancel, admin, answer")
			case s == Answer && slices.Contains(a.Scopes, Ask):
				add(at, "must not stand beside ask: an agent would answer its own questions; give the person a token of their own")
			}
		}
		for i, target := range a.Targets {
			if _, err := ask.ParsePlace(target); err != nil {
				add(fmt.Sprintf("%s.targets[%d]", path, i), "must look like slack:C0123ABCD, or slack:* for every place there")
			}
		}
		if !slices.Contains([]Subagents{"", RefuseSubagents, PassSubagents}, a.Subagents) {
			add(path+".subagents", "must be one of refuse, pass")
		}
		if a.Persist != "" && !slices.Contains(dialect.Persists(), dialect.Persist(a.Persist)) {
			add(path+".persist", "must be one of none, session, local, project, user")
		}
		if invalid, ok := errors.AsType[*ask.InvalidError](new(dialect.Options).Vary(a.Variants...)); ok {
			for _, p := range invalid.Problems {
				add(path+".variants", "%s", p.Detail)
			}
		}
		problems = append(problems, ask.CheckResponders(path+".responders", a.Responders)...)
		for _, limit := range []struct {
			key   string
			value int
		}{
			{".rate_per_minute", a.Rate},
			{".max_open", a.MaxOpen},
			{".calls_per_minute", a.Calls},
			{".max_waits", a.MaxWaits},
			{".max_streams", a.MaxStreams},
		} {
			if limit.value < 0 {
				add(path+limit.key, "must not be negative")
			}
		}
	}
	return problems
}

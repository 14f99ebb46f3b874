package ask

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Special entries of a [Policy].
const (
	// Anyone allows every [Member] who can see the card.
	Anyone = "anyone"
	// NotRequester excludes the person on whose behalf the agent asks.
	NotRequester = "not_requester"
)

// OnCall is the prefix of a rota name, as in "oncall:payments": the people on call at that
// moment.
const OnCall = "oncall"

// Entry is one entry of a responder list: a special word, a person such as "slack:U0000001", or
// a group such as "discord-role:1000000001".
type Entry struct {
	// Word is [Anyone] or [NotRequester]; empty for people and groups.
	Word string
	// Platform and ID name a person or, with a Kind such as "role", a group. Installation is the
	// scope of ID, as in [Place].
	Platform, Kind, Installation, ID string
}

// ParseEntry parses an entry. It returns false for text that is neither a special word nor of
// the form "<platform>[@<installation>]:<id>"; such an entry matches no one but still prints as it was.
func ParseEntry(s string) (Entry, bool) {
	if s == Anyone || s == NotRequester {
		return Entry{Word: s}, true
	}
	prefix, id, ok := cutPrefix(s)
	if !ok {
		return Entry{ID: s}, false
	}
	prefix, installation, installed := strings.Cut(prefix, "@")
	if prefix == "" || installed && installation == "" {
		return Entry{ID: s}, false
	}
	platform, kind, _ := strings.Cut(prefix, "-")
	return Entry{Platform: platform, Kind: kind, Installation: installation, ID: id}, true
}

// Prefix returns the part before the id, as in "slack" or "slack-group".
func (e Entry) Prefix() string {
	if e.Kind == "" {
		return e.Platform
	}
	return e.Platform + "-" + e.Kind
}

// String is the inverse of [ParseEntry].
func (e Entry) String() string {
	switch {
	case e.Word != "":
		return e.Word
	case e.Platform == "":
		return e.ID
	}
	return e.Person().Key()
}

// Person returns the person or, with a kind in the platform, the group that the entry names.
func (e Entry) Person() Person {
	return Person{Platform: e.Prefix(), Installation: e.Installation, ID: e.ID}
}

// admits reports whether the entry by itself allows a person.
func (e Entry) admits(who Responder) bool {
	switch {
	case e.Word == Anyone:
		return who.Membership == Member || who.Addressed
	case e.Platform == "":
		return false
	case e.Kind == "" && e.Platform == who.Platform && e.Installation == who.Installation && e.ID == who.ID:
		return true
	}
	return len(who.Groups) > 0 && slices.Contains(who.Groups, e.String())
}

// Membership is a person's relation to the installation: the Slack workspace or the Discord
// server.
type Membership string

// The values of Membership. [Anyone] means members; an unknown membership never passes.
const (
	// Unknown: not determined yet, for example because the platform has not reported which
	// installation it is.
	Unknown Membership = ""
	// Outsider: belongs to another workspace or server, of the same organization or not.
	Outsider Membership = "outsider"
	// Insider: belongs to the installation; a lookup is needed to rule out a guest.
	Insider Membership = "insider"
	// Guest: was invited into some channels only.
	Guest Membership = "guest"
	// Member: a full member of the installation.
	Member Membership = "member"
)

// Settled reports whether no lookup is needed.
func (m Membership) Settled() bool { return m == Outsider || m == Guest || m == Member }

// Responder is a person who acts on a request, with the facts the platform vouches for and the
// request's relation to them.
type Responder struct {
	Person

	// Groups are the groups the person is known to belong to, as printed entries.
	Groups     []string
	Membership Membership
	Bot        bool
	// Addressed means that the request was sent to them in a direct message.
	Addressed bool
	// Requester means that the agent asks on their behalf.
	Requester bool
}

// Policy decides who may answer a request: a person must pass every one of its lists. Lists
// required by route and token come first; the request's own list is last and can only narrow
// them. The zero value allows no one. Policies are immutable.
type Policy struct{ lists [][]Entry }

// PolicyOf parses a list such as [Request.Responders]; an empty list is the zero policy. An
// invalid entry matches no one; use [CheckResponders] to report it.
func PolicyOf(list ...string) Policy {
	if len(list) == 0 {
		return Policy{}
	}
	entries := make([]Entry, len(list))
	for n, s := range list {
		entries[n], _ = ParseEntry(s)
	}
	return Policy{lists: [][]Entry{entries}}
}

// Allows reports whether a person may answer. Bots never may. People with unknown membership
// may only if they were addressed.
func (p Policy) Allows(who Responder) bool {
	if who.Bot || who.ID == "" || who.Membership == Unknown && !who.Addressed || p.IsZero() {
		return false
	}
	for _, list := range p.lists {
		if who.Requester && holds(list, NotRequester) {
			return false
		}
		if !slices.ContainsFunc(list, func(e Entry) bool { return e.admits(who) }) {
			return false
		}
	}
	return true
}

// Narrow returns the policy that allows only people allowed by both. [Anyone] in a list adds no
// restriction of its own; the list's other words still apply. Lists that cannot be intersected
// without a lookup are kept separately.
func (p Policy) Narrow(by Policy) Policy {
	next := slices.Clip(p.lists)
	for _, list := range by.lists {
		next = narrow(next, list)
	}
	return Policy{lists: next}
}

func narrow(lists [][]Entry, list []Entry) [][]Entry {
	for n, floor := range lists {
		if common, ok := intersect(floor, list); ok {
			next := slices.Delete(slices.Clone(lists), n, n+1)
			return append(next, common)
		}
	}
	return append(lists, list)
}

// intersect returns a single list equivalent to both lists, if that can be computed without a
// lookup.
func intersect(floor, list []Entry) (common []Entry, ok bool) {
	limited := holds(floor, NotRequester) || holds(list, NotRequester)
	floor, list = without(floor, NotRequester), without(list, NotRequester)
	within := func(a, b []Entry) bool {
		return !slices.ContainsFunc(a, func(e Entry) bool { return !slices.Contains(b, e) })
	}
	switch {
	case holds(list, Anyone), within(floor, list):
		common = floor
	case within(list, floor):
		common = list
	case people(floor) && people(list):
		common = slices.DeleteFunc(list, func(e Entry) bool { return !slices.Contains(floor, e) })
	default:
		return nil, false
	}
	if limited {
		common = append(common, Entry{Word: NotRequester})
	}
	return common, true
}

// people reports whether a list contains only people, so that it can be evaluated without a
// lookup.
func people(list []Entry) bool {
	return !slices.ContainsFunc(list, func(e Entry) bool { return e.Word != "" || e.Kind != "" || e.Platform == OnCall })
}

// With returns the policy with entries replaced by the result of others, where that is not
// empty.
func (p Policy) With(others func(Entry) []string) Policy {
	var next Policy
	for _, list := range p.lists {
		var all []Entry
		for _, e := range list {
			in := []Entry{e}
			if instead := others(e); len(instead) > 0 {
				in = PolicyOf(instead...).lists[0]
			}
			for _, e := range in {
				if !slices.Contains(all, e) {
					all = append(all, e)
				}
			}
		}
		next.lists = append(next.lists, all)
	}
	return next
}

func holds(list []Entry, word string) bool {
	return slices.ContainsFunc(list, func(e Entry) bool { return e.Word == word })
}

// without returns a copy of the list without a word.
func without(list []Entry, word string) []Entry {
	return slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return e.Word == word })
}

// IsZero reports whether there is no list at all.
func (p Policy) IsZero() bool { return len(p.lists) == 0 }

// Vacant reports whether no one can pass, regardless of group membership.
func (p Policy) Vacant() bool {
	return p.IsZero() || slices.ContainsFunc(p.lists, func(list []Entry) bool { return len(without(list, NotRequester)) == 0 })
}

// Open reports whether every list contains [Anyone].
func (p Policy) Open() bool {
	return len(p.lists) > 0 && !slices.ContainsFunc(p.lists, func(list []Entry) bool { return !holds(list, Anyone) })
}

// Has reports whether a list of the policy contains the word.
func (p Policy) Has(word string) bool {
	return slices.ContainsFunc(p.lists, func(list []Entry) bool { return holds(list, word) })
}

// People returns the people who may answer if that is a closed list: without groups, [Anyone],
// and lists that need a lookup to intersect.
func (p Policy) People() (closed []Person, ok bool) {
	if len(p.lists) != 1 {
		return nil, false
	}
	list := without(p.lists[0], NotRequester)
	if !people(list) {
		return nil, false
	}
	for _, e := range list {
		closed = append(closed, e.Person())
	}
	return closed, true
}

// Layered reports whether there are several lists, all of which a person must pass.
func (p Policy) Layered() bool { return len(p.lists) > 1 }

// Lists returns the lists, the request's own last. Callers must not modify them.
func (p Policy) Lists() [][]Entry { return p.lists }

// Entries iterates over the entries of all lists.
func (p Policy) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, list := range p.lists {
			for _, e := range list {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Strings prints the last list: the request's own.
func (p Policy) Strings() []string {
	if len(p.lists) == 0 {
		return nil
	}
	return printed(p.lists[len(p.lists)-1])
}

// Floors prints the other lists, which a person must pass as well.
func (p Policy) Floors() [][]string {
	if !p.Layered() {
		return nil
	}
	floors := make([][]string, 0, len(p.lists)-1)
	for _, list := range p.lists[:len(p.lists)-1] {
		floors = append(floors, printed(list))
	}
	return floors
}

func printed(list []Entry) []string {
	all := make([]string, len(list))
	for n, e := range list {
		all[n] = e.String()
	}
	return all
}

// String prints the policy for logs.
func (p Policy) String() string {
	lists := make([]string, len(p.lists))
	for n, list := range p.lists {
		lists[n] = strings.Join(printed(list), ",")
	}
	return strings.Join(lists, " and ")
}

// Equal reports whether two policies are the same, entry by entry.
func (p Policy) Equal(other Policy) bool {
	return slices.EqualFunc(p.lists, other.lists, slices.Equal[[]Entry])
}

// MarshalJSON writes one list as a list of strings, several as a list of such
// lists.
func (p Policy) MarshalJSON() ([]byte, error) {
	if !p.Layered() {
		return json.Marshal(p.Strings())
	}
	return json.Marshal(append(p.Floors(), p.Strings()))
}

// UnmarshalJSON parses the output of MarshalJSON.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var flat []string
	if json.Unmarshal(data, &flat) == nil {
		*p = PolicyOf(flat...)
		return nil
	}
	var lists [][]string
	if err := json.Unmarshal(data, &lists); err != nil {
		return fmt.Errorf("ask: responders: %w", err)
	}
	*p = Policy{}
	for _, list := range lists {
		p.lists = append(p.lists, PolicyOf(list...).lists...)
	}
	return nil
}

// CheckResponders validates a responder list such as [Request.Responders]; problems are
// reported at path. Nil, a list that was not given, is valid.
func CheckResponders(path string, list []string) []Problem {
	var c checker
	if list != nil && len(list) == 0 {
		c.add(path, ErrResponders, "is empty, so no one could answer; leave it out for the default or name someone")
	}
	if len(list) == 1 && list[0] == NotRequester {
		c.add(path, ErrResponders, "%q alone lets no one answer; add \"anyone\" or a person or group", NotRequester)
	}
	for i, who := range list {
		if _, ok := ParseEntry(who); !ok || len(who) > MaxName {
			c.add(fmt.Sprintf("%s[%d]", path, i), ErrResponders, "%q is not \"anyone\" or \"<platform>:<id>\" such as \"slack:U0000001\"", shorten(who))
		}
	}
	return c.problems
}

package ask

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// The entries of a [Policy] that name no one person or group.
const (
	// Anyone lets every [Member] answer who can see the card.
	Anyone = "anyone"
	// NotRequester keeps the person out on whose behalf the agent asks.
	NotRequester = "not_requester"
)

// OnCall stands before the name of a rota, where a platform stands otherwise, as in
// "oncall:payments": whoever is on call at that moment.
const OnCall = "oncall"

// Entry is one line of who may answer: a word, a person such as
// "slack:U0000001", or a group such as "discord-role:1000000001".
type Entry struct {
	// Word is [Anyone] or [NotRequester]; empty for people and groups.
	Word string
	// Platform and ID name a person. With a Kind, such as "role", they name a
	// group.
	Platform, Kind, ID string
}

// ParseEntry reads an entry. It reports false for what is neither a word nor
// has the form "<platform>:<id>"; such an entry is nobody, and is still printed
// as it was.
func ParseEntry(s string) (Entry, bool) {
	if s == Anyone || s == NotRequester {
		return Entry{Word: s}, true
	}
	prefix, id, ok := cutPrefix(s)
	if !ok {
		return Entry{ID: s}, false
	}
	platform, kind, _ := strings.Cut(prefix, "-")
	return Entry{Platform: platform, Kind: kind, ID: id}, true
}

// Prefix is what stands before the id, as in "slack" or "slack-group".
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
	return e.Prefix() + ":" + e.ID
}

// admits reports whether the entry lets somebody pass, other things being equal.
func (e Entry) admits(who Responder) bool {
	switch {
	case e.Word == Anyone:
		return who.Membership == Member || who.Addressed
	case e.Platform == "":
		return false
	case e.Kind == "" && e.Platform == who.Platform && e.ID == who.ID:
		return true
	}
	return len(who.Groups) > 0 && slices.Contains(who.Groups, e.String())
}

// Membership is how a person belongs to the installation that was asked: the
// Slack workspace, or the Discord server.
type Membership string

// What a platform can know of a person. [Anyone] means members; nobody passes
// while it is unknown.
const (
	// Unknown: nobody can tell yet whose person it is, for example because the
	// platform has not told the bridge which installation it is.
	Unknown Membership = ""
	// Outsider belongs to another workspace or server, of the same organisation or
	// not.
	Outsider Membership = "outsider"
	// Insider belongs to the installation, and only a look-up tells whether as a
	// guest.
	Insider Membership = "insider"
	// Guest was invited into some channels only.
	Guest Membership = "guest"
	// Member belongs to the installation in full.
	Member Membership = "member"
)

// Settled reports whether nothing is left to look up.
func (m Membership) Settled() bool { return m == Outsider || m == Guest || m == Member }

// Responder is a person who acts on a request, with what the platform vouches
// for and what the request knows of them.
type Responder struct {
	Person

	// Groups are the groups the person is known to belong to, as entries.
	Groups     []string
	Membership Membership
	Bot        bool
	// Addressed tells that a direct message of the request was sent to them.
	Addressed bool
	// Requester tells that the agent asks on their behalf.
	Requester bool
}

// Policy says who may answer a request: whoever every one of its lists lets
// pass. What is demanded of a request comes first, and the request's own list,
// which can only narrow it, last. The zero value lets nobody pass. Policies are
// never changed once made.
type Policy struct{ lists [][]Entry }

// PolicyOf reads a list such as [Request.Responders]; an empty one is the zero
// policy. An entry that cannot be read is nobody; [CheckResponders] tells.
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

// Allows reports whether somebody may answer. Bots never may, and neither may
// people of whom nobody knows how they belong to the installation, except those
// who were addressed.
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

// Narrow returns the policy that lets pass whom both let pass. A list with
// [Anyone] narrows nothing but by its other words, since whoever a list names
// is somebody. Lists that only a look-up can intersect stand beside each other.
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

// intersect returns one list that lets pass whom both let pass, if there is one
// that can be told without asking who belongs where.
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

// people reports whether a list names nobody but people, so that who passes is
// known from the list alone.
func people(list []Entry) bool {
	return !slices.ContainsFunc(list, func(e Entry) bool { return e.Word != "" || e.Kind != "" || e.Platform == OnCall })
}

// With returns the policy with others in place of those entries for which there are any.
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

// without returns a new list without a word.
func without(list []Entry, word string) []Entry {
	return slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return e.Word == word })
}

// IsZero reports whether there is no list at all.
func (p Policy) IsZero() bool { return len(p.lists) == 0 }

// Vacant reports whether nobody can ever pass, whoever belongs where.
func (p Policy) Vacant() bool {
	return p.IsZero() || slices.ContainsFunc(p.lists, func(list []Entry) bool { return len(without(list, NotRequester)) == 0 })
}

// Open reports whether every list lets [Anyone] pass.
func (p Policy) Open() bool {
	return len(p.lists) > 0 && !slices.ContainsFunc(p.lists, func(list []Entry) bool { return !holds(list, Anyone) })
}

// Has reports whether a list of the policy has the word.
func (p Policy) Has(word string) bool {
	return slices.ContainsFunc(p.lists, func(list []Entry) bool { return holds(list, word) })
}

// People returns who may answer where that is a closed list of people: without groups,
// [Anyone] and lists that only a look-up can intersect.
func (p Policy) People() (closed []Person, ok bool) {
	if len(p.lists) != 1 {
		return nil, false
	}
	list := without(p.lists[0], NotRequester)
	if !people(list) {
		return nil, false
	}
	for _, e := range list {
		closed = append(closed, Person{Platform: e.Platform, ID: e.ID})
	}
	return closed, true
}

// Layered reports whether there are several lists, all of which must let
// somebody pass.
func (p Policy) Layered() bool { return len(p.lists) > 1 }

// Lists returns the lists, the one of the request itself last. They must not be
// changed.
func (p Policy) Lists() [][]Entry { return p.lists }

// Entries goes through the entries of all lists.
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

// Strings prints the last list: what the request itself says, within what is
// demanded of it.
func (p Policy) Strings() []string {
	if len(p.lists) == 0 {
		return nil
	}
	return printed(p.lists[len(p.lists)-1])
}

// Floors prints the other lists, each of which a person has to pass too.
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

// String prints the policy for a log.
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

// UnmarshalJSON reads what MarshalJSON wrote.
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

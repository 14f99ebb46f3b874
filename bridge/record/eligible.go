package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// People knows the accounts that are configured for one person.
type People interface {
	// Linked returns the name and all accounts of the person who has an account; nothing if that is not configured.
	Linked(account string) (name string, accounts []string)
}

// Eligible returns who can answer on a copy. It judges every account that the record names, or that belongs to the
// same person, as [Record.MayAnswer] judges an answer. Hidden reports whether a platform hides groups in direct
// messages.
func Eligible(r *Record, c Copy, people People, hidden func(platform string) bool) ask.Eligible {
	e := eligibility{r: r, c: c, people: people, hidden: hidden}
	e.candidates()
	all := ask.Eligible{Private: c.Target.User != ""}
	e.here(&all)
	if !all.Anyone {
		e.elsewhere(&all)
		e.also(&all)
	}
	e.exceptions(&all)
	return all
}

// eligibility evaluates who can answer on copy c.
type eligibility struct {
	r      *Record
	c      Copy
	people People
	hidden func(platform string) bool
	// humans are those who could answer by name, in the order of the request.
	humans []human
	// counted are the humans who can answer on the copy.
	counted []bool
}

// human is a person with all known accounts.
type human struct {
	name     string
	accounts []string
}

// stranger is an account that no list names.
const stranger = "\x00"

// candidates lists everyone whom the request names: in its lists, as addressees, and as recipients of passes.
func (e *eligibility) candidates() {
	lists := AskedPolicy(e.r).Lists()
	for _, list := range slices.Backward(lists) {
		for _, entry := range list {
			if isAccount(entry) {
				e.add(entry.String())
			}
		}
	}
	for _, c := range append(slices.Clip(e.r.Copies), e.c) {
		if c.Target.User != "" {
			e.add(c.addressee().Key())
		}
	}
	for _, p := range e.r.Schedule.passes() {
		e.add(p.To.Key())
		if n := e.owner(p.To.Key()); e.humans[n].name == "" {
			e.humans[n].name = p.To.Name
		}
	}
	e.counted = make([]bool, len(e.humans))
}

func (e *eligibility) add(account string) {
	if slices.ContainsFunc(e.humans, func(h human) bool { return slices.Contains(h.accounts, account) }) {
		return
	}
	name, accounts := e.people.Linked(account)
	if !slices.Contains(accounts, account) {
		accounts = append([]string{account}, accounts...)
	}
	e.humans = append(e.humans, human{name, accounts})
}

// isAccount reports whether an entry names one person.
func isAccount(e ask.Entry) bool {
	return e.Word == "" && e.Kind == "" && e.Platform != "" && e.Platform != ask.OnCall
}

// on are the accounts of a human on a platform.
func (h human) on(platform string) []ask.Person {
	var all []ask.Person
	for _, account := range h.accounts {
		if entry, _ := ask.ParseEntry(account); entry.Platform == platform {
			all = append(all, ask.Person{Platform: platform, Installation: entry.Installation, ID: entry.ID, Name: h.name})
		}
	}
	return all
}

// can reports whether an account of a human can answer on a copy as a member of groups.
func (e *eligibility) can(c Copy, h human, p ask.Person, groups ...string) bool {
	return e.r.mayUse(c, responder(h, p, groups...))
}

func responder(h human, p ask.Person, groups ...string) ask.Responder {
	return ask.Responder{Person: p, Groups: slices.Concat(h.accounts, groups), Membership: ask.Member}
}

// anyoneCan reports whether a member whom no list names can answer on a copy as a member of groups.
func (e *eligibility) anyoneCan(c Copy, groups ...string) bool {
	return e.can(c, human{}, ask.Person{Platform: c.Target.Platform, Installation: c.Target.Installation, ID: stranger}, groups...)
}

// groups are all groups whose members may be able to answer on a copy.
func (e *eligibility) groups(c Copy) []string {
	if c.Target.User != "" && e.hidden(c.Target.Platform) {
		return nil
	}
	return e.listed(c.Target.Platform)
}

// listed are all groups of a platform in the lists of the request.
func (e *eligibility) listed(platform string) []string {
	var all []string
	policies := []ask.Policy{e.r.Policy}
	if e.r.Schedule != nil {
		policies = append(policies, e.r.Schedule.PassTo)
	}
	for _, p := range policies {
		for entry := range p.Entries() {
			if entry.Kind != "" && entry.Platform == platform && !slices.Contains(all, entry.String()) {
				all = append(all, entry.String())
			}
		}
	}
	return all
}

// here finds those who can answer on the copy.
func (e *eligibility) here(all *ask.Eligible) {
	at := e.c.Target.Platform
	all.Anyone = e.anyoneCan(e.c)
	var depends []string
	for n, h := range e.humans {
		for _, p := range h.on(at) {
			switch {
			case e.can(e.c, h, p):
				e.counted[n] = true
			case e.can(e.c, h, p, e.groups(e.c)...):
				e.counted[n], depends = true, append(depends, p.Key())
			case e.can(e.c, h, p, e.listed(at)...):
				all.HiddenGroups = true
			}
		}
	}
	if !all.Anyone {
		all.Who = e.certain(depends)
		if c := e.byPolicy(depends); len(c.Who) > 0 || c.Anyone {
			all.Conditional = append(all.Conditional, c)
		}
	}
	for _, p := range e.r.Schedule.passes() {
		if c, ok := e.byPass(p, depends); ok {
			all.Conditional = append(all.Conditional, c)
		}
	}
}

// certain are the people and groups that can answer on the copy in any case, those of the request's own list first.
func (e *eligibility) certain(depends []string) []ask.Answerer {
	var all []ask.Answerer
	policy := AskedPolicy(e.r)
	named := policy.Strings()
	add := func(h human) {
		for _, p := range h.on(e.c.Target.Platform) {
			done := slices.ContainsFunc(all, func(a ask.Answerer) bool { return a.Key() == p.Key() })
			if !done && !slices.Contains(depends, p.Key()) && e.can(e.c, h, p) {
				all = append(all, ask.Answerer{Person: p, Linked: !slices.Contains(named, p.Key())})
			}
		}
	}
	for _, entry := range own(policy) {
		switch {
		case isAccount(entry):
			add(e.humans[e.owner(entry.String())])
		case e.isHere(entry) && e.anyoneCan(e.c, entry.String()):
			all = append(all, ask.Answerer{Person: personOf(entry)})
		}
	}
	for _, h := range e.humans {
		add(h)
	}
	return all
}

// byPolicy are the people and groups of the request's own list who must also pass the lists of its route and token.
func (e *eligibility) byPolicy(depends []string) ask.Conditional {
	var some ask.Conditional
	lists := e.r.Policy.Lists()
	if e.c.Target.User != "" {
		return e.byAddress(depends)
	}
	for _, entry := range own(AskedPolicy(e.r)) {
		switch {
		case entry.Word == ask.Anyone:
			some.Anyone = true
		case isAccount(entry):
			h := e.humans[e.owner(entry.String())]
			for _, p := range h.on(e.c.Target.Platform) {
				if slices.Contains(depends, p.Key()) && e.r.Policy.Allows(e.r.Responder(responder(h, p, e.groups(e.c)...))) {
					some.Who = append(some.Who, ask.Answerer{Person: p, Linked: p.Key() != entry.String()})
				}
			}
		case e.isHere(entry) && !e.anyoneCan(e.c, entry.String()):
			some.Who = append(some.Who, ask.Answerer{Person: personOf(entry)})
		}
	}
	for _, floor := range lists[:max(len(lists)-1, 0)] {
		if slices.Contains(floor, ask.Entry{Word: ask.Anyone}) {
			continue
		}
		also := e.translated(floor)
		if len(also) == 0 {
			return ask.Conditional{}
		}
		some.All = append(some.All, also)
	}
	if len(some.All) == 0 {
		return ask.Conditional{} // Those who depend on a group of the request's own list are among its members.
	}
	return some
}

// byAddress is the addressee of a private copy, where that depends on groups.
func (e *eligibility) byAddress(depends []string) (some ask.Conditional) {
	p := e.c.addressee()
	h := e.humans[e.owner(p.Key())]
	if p.Name = h.name; slices.Contains(depends, p.Key()) {
		some.All = e.missing(e.r.Policy, h, p)
	}
	if some.All != nil {
		some.Who = []ask.Answerer{{Person: p}}
	}
	return some
}

// byPass is the recipient of a pass, where that depends on groups.
func (e *eligibility) byPass(pass *Pass, depends []string) (some ask.Conditional, ok bool) {
	h := e.humans[e.owner(pass.To.Key())]
	for _, p := range h.on(e.c.Target.Platform) {
		if !slices.Contains(depends, p.Key()) {
			continue
		}
		if all := e.missing(e.r.Schedule.PassTo, h, p); all != nil {
			some.All, some.Who = all, append(some.Who, ask.Answerer{Person: p, Linked: p.Key() != pass.To.Key()})
		}
	}
	return some, len(some.Who) > 0
}

// missing are the groups that someone must belong to for each list of a policy that does not name them; nil if no
// groups are enough.
func (e *eligibility) missing(policy ask.Policy, h human, p ask.Person) [][]ask.Person {
	if !policy.Allows(e.r.Responder(responder(h, p, e.groups(e.c)...))) {
		return nil
	}
	var all [][]ask.Person
	for _, list := range policy.Lists() {
		if slices.ContainsFunc(list, func(entry ask.Entry) bool {
			return entry.Word == ask.Anyone || slices.Contains(h.accounts, entry.String())
		}) {
			continue
		}
		var groups []ask.Person
		for _, entry := range list {
			if e.isHere(entry) {
				groups = append(groups, personOf(entry))
			}
		}
		all = append(all, groups)
	}
	return all
}

// translated are the people and groups of a list on the copy's platform.
func (e *eligibility) translated(list []ask.Entry) []ask.Person {
	var all []ask.Person
	for _, entry := range list {
		switch {
		case isAccount(entry):
			n := e.owner(entry.String())
			if n < 0 {
				continue // Someone who passed the request on.
			}
			for _, p := range e.humans[n].on(e.c.Target.Platform) {
				if e.can(e.c, e.humans[n], p, e.groups(e.c)...) {
					all = append(all, p)
				}
			}
		case e.isHere(entry):
			all = append(all, personOf(entry))
		}
	}
	return all
}

// exceptions finds those who cannot answer although a group or [ask.Anyone] includes them.
func (e *eligibility) exceptions(all *ask.Eligible) {
	at, forbids := e.c.Target.Platform, e.r.Policy.Has(ask.NotRequester)
	if all.Private {
		addressee := e.humans[e.owner(e.c.addressee().Key())]
		all.NoRequester = forbids && e.r.Responder(responder(addressee, ask.Person{})).Requester
		return
	}
	isGroup := func(a ask.Answerer) bool { return a.Platform != at }
	wide := all.Anyone || slices.ContainsFunc(all.Who, isGroup) || slices.ContainsFunc(all.Conditional, func(c ask.Conditional) bool {
		return c.Anyone || slices.ContainsFunc(c.Who, isGroup)
	})
	if !wide {
		return
	}
	out := func(account string) (p ask.Person, excluded bool) {
		entry, _ := ask.ParseEntry(account)
		name, accounts := e.people.Linked(account)
		p = ask.Person{Platform: entry.Platform, Installation: entry.Installation, ID: entry.ID, Name: name}
		return p, !e.can(e.c, human{accounts: append(accounts, account)}, p)
	}
	except := func(p ask.Person) {
		if !slices.ContainsFunc(all.Except, func(other ask.Person) bool { return other.Key() == p.Key() }) {
			all.Except = append(all.Except, p)
		}
	}
	for _, pass := range e.r.Schedule.passes() {
		for _, account := range pass.Out {
			p, excluded := out(account)
			if account == pass.By.Key() {
				p.Name = pass.By.Name
			}
			if excluded && p.Platform == at {
				except(p)
			}
		}
	}
	if !forbids {
		return
	}
	var requesters []ask.Person
	everyone := true
	for _, requester := range e.r.Requesters {
		_, accounts := e.people.Linked(requester)
		for _, account := range append(accounts, requester) {
			switch p, excluded := out(account); {
			case p.Platform != at:
			case excluded:
				requesters = append(requesters, p)
			default:
				everyone = false // Someone passed the request on to them.
			}
		}
	}
	if everyone {
		all.NoRequester = len(requesters) > 0
		return
	}
	for _, p := range requesters {
		except(p)
	}
}

// elsewhere finds those who can answer on other copies only.
func (e *eligibility) elsewhere(all *ask.Eligible) {
	for _, platform := range e.platforms() {
		there := ask.Elsewhere{Platform: platform}
		for _, c := range e.r.Copies {
			if c.Target.Platform != platform || c.Target == e.c.Target {
				continue
			}
			depends := false
			for n, h := range e.humans {
				for _, p := range h.on(platform) {
					switch {
					case e.counted[n]:
					case e.can(c, h, p):
						e.counted[n], there.People = true, append(there.People, p)
					case e.can(c, h, p, e.groups(c)...):
						depends = true
					}
				}
			}
			wider := c.Target.User == "" && (all.Private || platform != e.c.Target.Platform)
			there.Anyone = there.Anyone || wider && e.anyoneCan(c)
			if depends || wider && e.anyoneCan(c, e.groups(c)...) {
				there.Groups = max(1, e.ownGroups(platform))
			}
		}
		if len(there.People) > 0 || there.Groups > 0 || there.Anyone {
			all.Elsewhere = append(all.Elsewhere, there)
		}
	}
}

// also finds the other platforms on which each of those who can answer here can do so too.
func (e *eligibility) also(all *ask.Eligible) {
	if len(all.Who) == 0 || len(all.Conditional) > 0 {
		return
	}
	for _, platform := range e.platforms() {
		everyone := platform != e.c.Target.Platform && !slices.ContainsFunc(all.Who, func(a ask.Answerer) bool {
			n := e.owner(a.Key())
			return n < 0 || !slices.ContainsFunc(e.humans[n].on(platform), func(p ask.Person) bool {
				return slices.ContainsFunc(e.r.Copies, func(c Copy) bool { return c.Target.Platform == platform && e.can(c, e.humans[n], p) })
			})
		})
		if everyone {
			all.Also = append(all.Also, platform)
		}
	}
}

// platforms are the platforms of the copies, each once and the copy's own first.
func (e *eligibility) platforms() []string {
	all := []string{e.c.Target.Platform}
	for _, platform := range e.r.Copies.platforms() {
		if !slices.Contains(all, platform) {
			all = append(all, platform)
		}
	}
	return all
}

// ownGroups is the number of groups of a platform in the request's own list.
func (e *eligibility) ownGroups(platform string) int {
	n := 0
	for _, entry := range own(e.r.Policy) {
		if entry.Kind != "" && entry.Platform == platform {
			n++
		}
	}
	return n
}

// owner is the index of the candidate with an account; -1 for none.
func (e *eligibility) owner(account string) int {
	return slices.IndexFunc(e.humans, func(h human) bool { return slices.Contains(h.accounts, account) })
}

// isHere reports whether an entry is a group of the copy's platform.
func (e *eligibility) isHere(entry ask.Entry) bool {
	return entry.Kind != "" && entry.Platform == e.c.Target.Platform
}

// own is the list that the request itself gives.
func own(p ask.Policy) []ask.Entry {
	lists := p.Lists()
	if len(lists) == 0 {
		return nil
	}
	return lists[len(lists)-1]
}

// personOf is the form in which cards name an entry.
func personOf(entry ask.Entry) ask.Person { return entry.Person() }

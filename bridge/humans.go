package bridge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// humans are the people of whom the configuration knows several accounts. Wherever a rule
// speaks of a person, all accounts of one are that person.
type humans struct {
	accounts map[string][]string // by name
	names    map[string]string   // by account
}

func newHumans(people map[string][]string) *humans {
	h := &humans{accounts: people, names: map[string]string{}}
	for name, accounts := range people {
		for _, account := range accounts {
			h.names[account] = name
		}
	}
	return h
}

// others are the accounts beside these of whoever has them.
func (h *humans) others(accounts ...string) []string {
	var others []string
	for _, account := range accounts {
		for _, theirs := range h.accounts[h.names[account]] {
			if !slices.Contains(accounts, theirs) && !slices.Contains(others, theirs) {
				others = append(others, theirs)
			}
		}
	}
	return others
}

// alike adds to the accounts of somebody all others of the same human.
func (h *humans) alike(accounts []string) []string {
	return append(slices.Clip(accounts), h.others(accounts...)...)
}

// groups are those of somebody, with their other accounts among them: whoever acts is known
// by all that they have.
func (h *humans) groups(who ask.Person, groups []string) []string {
	return append(slices.Clip(groups), h.others(who.Key())...)
}

// links tells which human each account belongs to that can act on a request on these
// platforms; where it is known which accounts can, of no others. So of a request that is open
// to all it has every human who has several accounts there.
func (h *humans) links(platforms, accounts []string, known bool) map[string]string {
	var links map[string]string
	for _, name := range slices.Sorted(maps.Keys(h.accounts)) {
		theirs := slices.DeleteFunc(slices.Clone(h.accounts[name]), func(account string) bool {
			e, _ := ask.ParseEntry(account)
			return !slices.Contains(platforms, e.Platform)
		})
		votes := slices.ContainsFunc(theirs, func(account string) bool { return slices.Contains(accounts, account) })
		if len(theirs) < 2 || known && !votes {
			continue
		}
		for _, account := range theirs {
			if links == nil {
				links = map[string]string{}
			}
			links[account] = name
		}
	}
	return links
}

// checkPeople checks which accounts the configuration links.
func (ps *platforms) checkPeople(people map[string][]string) []ask.Problem {
	var problems []ask.Problem
	of := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(people)) {
		path := "people." + name
		if _, account := ask.ParseEntry(name); account || name == "" {
			problems = append(problems, problem(path, ask.ErrPolicy, "must be a name of the person's own, and no account"))
		}
		problems = append(problems, ps.checkRule(path, people[name])...)
		for n, account := range people[name] {
			at := fmt.Sprintf("%s[%d]", path, n)
			if e, ok := ask.ParseEntry(account); ok && (e.Word != "" || e.Kind != "") {
				problems = append(problems, problem(at, ask.ErrPolicy, "must be one person's account, such as slack:U0000001"))
			}
			if other, taken := of[account]; taken {
				problems = append(problems, problem(at, ask.ErrPolicy, fmt.Sprintf("is an account of %s already", other)))
			}
			of[account] = name
		}
	}
	return problems
}

package state

import (
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// humans are the people of whom the configuration knows several accounts. Wherever a rule
// speaks of a person, all accounts of one are that person.
type Accounts struct {
	byName    map[string][]string // by name
	byAccount map[string]string   // by account
}

func NewAccounts(people map[string][]string) *Accounts {
	h := &Accounts{byName: people, byAccount: map[string]string{}}
	for name, accounts := range people {
		for _, account := range accounts {
			h.byAccount[account] = name
		}
	}
	return h
}

// others are the accounts beside these of whoever has them.
func (h *Accounts) others(accounts ...string) []string {
	var others []string
	for _, account := range accounts {
		for _, theirs := range h.byName[h.byAccount[account]] {
			if !slices.Contains(accounts, theirs) && !slices.Contains(others, theirs) {
				others = append(others, theirs)
			}
		}
	}
	return others
}

// alike adds to the accounts of somebody all others of the same human.
func (h *Accounts) WithLinked(accounts []string) []string {
	return append(slices.Clip(accounts), h.others(accounts...)...)
}

// groups are those of somebody, with their other accounts among them: whoever acts is known
// by all that they have.
func (h *Accounts) Groups(who ask.Person, groups []string) []string {
	return append(slices.Clip(groups), h.others(who.Key())...)
}

// links tells which human each account belongs to that can act on a request on these
// platforms; where it is known which accounts can, of no others. So of a request that is open
// to all it has every human who has several accounts there.
func (h *Accounts) Links(platforms, accounts []string, known bool) map[string]string {
	var links map[string]string
	for _, name := range slices.Sorted(maps.Keys(h.byName)) {
		theirs := slices.DeleteFunc(slices.Clone(h.byName[name]), func(account string) bool {
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

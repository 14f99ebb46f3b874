package state

import (
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Accounts links the accounts of one person, as configured. Every rule about a person
// applies to all of their accounts.
type Accounts struct {
	byName    map[string][]string // by name
	byAccount map[string]string   // by account
}

// NewAccounts returns the accounts of people by name.
func NewAccounts(people map[string][]string) *Accounts {
	h := &Accounts{byName: people, byAccount: map[string]string{}}
	for name, accounts := range people {
		for _, account := range accounts {
			h.byAccount[account] = name
		}
	}
	return h
}

// others returns the other accounts of the people with these accounts.
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

// Linked returns the name and all accounts of the person who has an account. It implements [record.People].
func (h *Accounts) Linked(account string) (name string, accounts []string) {
	name = h.byAccount[account]
	return name, slices.Clone(h.byName[name])
}

// WithLinked adds the other accounts of the same people.
func (h *Accounts) WithLinked(accounts []string) []string {
	return append(slices.Clip(accounts), h.others(accounts...)...)
}

// Groups adds a person's other accounts to their groups, so that a rule that names any
// of their accounts matches.
func (h *Accounts) Groups(who ask.Person, groups []string) []string {
	return append(slices.Clip(groups), h.others(who.Key())...)
}

// Links maps accounts that can act on a request on these platforms to the name of their
// person. If known is true, only people with one of these accounts can act; otherwise
// everyone with several accounts on the platforms is included.
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

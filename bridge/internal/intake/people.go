package intake

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// checkPeople checks the configured accounts of people.
func (d *Directory) checkPeople(people map[string][]string) []ask.Problem {
	var problems []ask.Problem
	of := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(people)) {
		path := "people." + name
		if _, account := ask.ParseEntry(name); account || name == "" {
			problems = append(problems, Problem(path, ask.ErrPolicy, "must be a name of the person's own, and no account"))
		}
		problems = append(problems, d.checkRule(path, people[name])...)
		for n, account := range people[name] {
			at := fmt.Sprintf("%s[%d]", path, n)
			if e, ok := ask.ParseEntry(account); ok && (e.Word != "" || e.Kind != "") {
				problems = append(problems, Problem(at, ask.ErrPolicy, "must be one person's account, such as slack:U0000001"))
			}
			if other, taken := of[account]; taken {
				problems = append(problems, Problem(at, ask.ErrPolicy, fmt.Sprintf("is an account of %s already", other)))
			}
			of[account] = name
		}
	}
	return problems
}

package intake

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/lookalike"
)

// voting returns how several people decide a request: its own rule, and at least what its
// route and token require; nil if the first answer decides. The configured people are
// copied, so that a change of the configuration does not affect open requests.
func (in *Intake) voting(req *ask.Request, route Route, policy ask.Policy, to []ask.Place) (*record.Voting, error) {
	asked := []ask.Voting{worded(route.Voting, req.Questions), worded(req.Token.Voting, req.Questions), req.Voting}
	if !slices.ContainsFunc(asked, func(v ask.Voting) bool { return !v.IsZero() }) {
		return nil, nil //nolint:nilnil // No policy is no mistake.
	}
	v := &record.Voting{}
	var platforms []string
	for _, t := range to {
		platforms = append(platforms, t.Platform)
	}
	closed, known := policy.People()
	accounts := in.voters(closed, policy, req, platforms)
	v.Links = in.links(req, route, policy, platforms, known)
	reach := 0
	if known {
		if v.Roster = roster(v.Links, accounts); len(v.Roster) == 0 || len(v.Roster) > ask.MaxRoster {
			return nil, invalid("policy", ask.ErrPolicy, fmt.Sprintf("%d people may answer this where it is asked; a vote takes 1 to %d", len(v.Roster), ask.MaxRoster))
		}
		reach = v.Reach(accounts, platforms)
	}
	for _, rule := range asked {
		if rule.Need < 0 && !known {
			return nil, invalid("policy.need", ask.ErrPolicy, fmt.Sprintf("%q needs to know everybody who may answer: name people as responders, neither groups nor anyone", rule.Need))
		}
		both, ok := v.Rule.Within(rule.Resolve(len(v.Roster)))
		if !ok {
			return nil, invalid("policy.mode", ask.ErrPolicy, fmt.Sprintf("must be %q here, as the route or the token demands", v.Rule.Mode))
		}
		v.Rule = both
	}
	v.Rule.Needs = maps.Clone(v.Rule.Needs)
	maps.DeleteFunc(v.Rule.Needs, func(_ string, need int) bool { return need == int(v.Rule.Need) })
	v.Rule = v.Rule.Normal()
	if need := v.Rule.Most(); known && need > reach {
		return nil, invalid("policy.need", ask.ErrPolicy, fmt.Sprintf("asks for %d people, and no more than %d can be distinguished among those who may answer", need, reach))
	}
	return v, nil
}

// worded selects the rules of a route or token for labels that a request has, including
// lookalikes.
func worded(v ask.Voting, questions []ask.Question) ask.Voting {
	named := v.Needs
	v.Needs = map[string]int{}
	for _, q := range questions {
		for _, o := range q.Options {
			if need := needOf(named, o.Label); need > 0 {
				v.Needs[o.Label] = need
			}
		}
	}
	return v
}

// needOf returns how many votes a label needs, or the most of those that look like it;
// zero if none is named.
func needOf(named map[string]int, label string) int {
	need, exact := named[label]
	if exact || len(named) == 0 {
		return need
	}
	for other, n := range named {
		if lookalike.Alike(label, other) {
			need = max(need, n)
		}
	}
	return need
}

// voters returns the accounts that may answer at the places: those of a closed list with
// all accounts of the same people.
func (in *Intake) voters(closed []ask.Person, policy ask.Policy, req *ask.Request, platforms []string) []string {
	var named []string
	for _, p := range closed {
		named = append(named, p.Key())
	}
	out := policy.Has(ask.NotRequester)
	return slices.DeleteFunc(in.Accounts.WithLinked(named), func(account string) bool {
		e, _ := ask.ParseEntry(account)
		return out && slices.Contains(req.Requesters, account) || !slices.Contains(platforms, e.Platform)
	})
}

// links maps accounts that can vote, now or after a step, to their person. A step may
// add platforms and people, and a successor is in no list.
func (in *Intake) links(req *ask.Request, route Route, policy ask.Policy, platforms []string, known bool) map[string]string {
	closed, _ := policy.People()
	plan, _ := planned(req, route)
	platforms = slices.Clip(platforms)
	for _, step := range plan.Steps {
		known = known && len(step.Responders) == 0
		for _, place := range step.To {
			platforms = append(platforms, place.Platform)
		}
	}
	return in.Accounts.Links(platforms, in.voters(closed, policy, req, platforms), known && !plan.PassOn)
}

// roster returns the people behind accounts.
func roster(links map[string]string, accounts []string) []string {
	var humans []string
	for _, account := range accounts {
		name, linked := links[account]
		if !linked {
			name = account
		}
		if !slices.Contains(humans, name) {
			humans = append(humans, name)
		}
	}
	return humans
}

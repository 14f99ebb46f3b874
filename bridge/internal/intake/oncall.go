package intake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// OnCall returns the accounts of the people on call at a time, or none if the rota
// fails.
func (o *Settings) OnCall(rota string, at time.Time) []string {
	known, ok := o.Rotas[rota]
	if !ok {
		return nil
	}
	people, err := known.OnCall(at)
	if err != nil {
		return nil // A request that is rejected for it contains the reason.
	}
	var all []string
	for _, who := range people {
		accounts, named := o.People[who]
		if !named {
			accounts = []string{who}
		}
		for _, account := range accounts {
			if !slices.Contains(all, account) {
				all = append(all, account)
			}
		}
	}
	return all
}

// checkRotas returns the problems of the rotas.
func (o *Settings) checkRotas(d *Directory) []ask.Problem {
	var problems []ask.Problem
	for _, name := range slices.Sorted(maps.Keys(o.Rotas)) {
		at := "rotas." + name
		everybody := o.Rotas[name].Everybody()
		if len(everybody) == 0 {
			problems = append(problems, Problem(at, ask.ErrResponders, "has no members"))
		}
		for n, who := range everybody {
			if _, named := o.People[who]; named {
				continue
			}
			if e, ok := ask.ParseEntry(who); !ok || e.Word != "" || e.Kind != "" || e.Platform == ask.OnCall {
				problems = append(problems, Problem(fmt.Sprintf("%s.members[%d]", at, n), ask.ErrResponders,
					fmt.Sprintf("%q is neither a name under people nor an account such as \"slack:U0000001\"", who)))
			}
		}
		problems = append(problems, d.CheckEntries(at+".members", everybody, ask.ErrResponders)...)
	}
	return problems
}

// resolveRotas replaces the rotas in a list by the people on call. It rejects a list
// that would become empty, because an empty list restricts nothing.
func (in *Intake) resolveRotas(path string, list []string, now time.Time) ([]string, error) {
	people := slices.DeleteFunc(slices.Clone(record.ResolveRotas(list, in.Settings.OnCall, now)), func(who string) bool {
		e, _ := ask.ParseEntry(who)
		return e.Platform == ask.OnCall
	})
	if len(list) > 0 && len(people) == 0 {
		return nil, invalid(path, ask.ErrResponders, in.Settings.notOnCall(list, now))
	}
	return people, nil
}

// notOnCall returns why the rotas in a list have no one on call.
func (o *Settings) notOnCall(list []string, now time.Time) string {
	var reasons, empty []string
	for _, who := range list {
		if e, _ := ask.ParseEntry(who); o.Rotas[e.ID] != nil {
			if _, err := o.Rotas[e.ID].OnCall(now); err != nil {
				reasons = append(reasons, err.Error())
				continue
			}
		}
		empty = append(empty, who)
	}
	if len(empty) > 0 {
		reasons = append(reasons, "no one is on call now: "+strings.Join(empty, ", "))
	}
	return strings.Join(reasons, "; ")
}

// Rota returns who is on call.
type Rota interface {
	OnCall(at time.Time) ([]string, error)
	Everybody() []string
}

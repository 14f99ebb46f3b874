package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Rota knows who is on call when. It must not block: it reads its sources ahead of time.
type Rota interface {
	// OnCall returns the people on call at a moment: accounts such as "slack:U0000001", and names of
	// [Options.People]. The list may be empty. It returns an error if it cannot tell; callers of the bridge see that
	// error, so it must not contain secrets.
	OnCall(at time.Time) ([]string, error)
	// Everybody returns all people that OnCall can return, for a check.
	Everybody() []string
}

// Turns is a [Rota] of members who take turns, in their order.
type Turns struct {
	Members []string
	// From is when the first member's first turn begins: before it nobody is on call. Each
	// turn takes Days days, and ends at the same time of day by the clocks of From's zone.
	From time.Time
	Days int
}

// OnCall returns the member whose turn it is. Where clocks show a time of day twice, a turn ends
// with the first.
func (t Turns) OnCall(at time.Time) ([]string, error) {
	if at.Before(t.From) || len(t.Members) == 0 || t.Days < 1 {
		return nil, nil
	}
	at = at.In(t.From.Location())
	shown := onClock(at)
	if setBack, _ := at.ZoneBounds(); !setBack.IsZero() {
		if before := onClock(setBack.Add(-1)); before.After(shown) {
			shown = before
		}
	}
	turn := int64(shown.Sub(onClock(t.From))/(24*time.Hour)) / int64(t.Days)
	return t.Members[turn%int64(len(t.Members)):][:1], nil
}

// onClock is what a clock in the zone of a moment shows then, as if it stood in UTC.
func onClock(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// Everybody returns the members.
func (t Turns) Everybody() []string { return t.Members }

// onCall returns the accounts of the people on call at a moment, and none where the rota fails.
func (o *Options) onCall(rota string, at time.Time) []string {
	known, ok := o.Rotas[rota]
	if !ok {
		return nil
	}
	people, err := known.OnCall(at)
	if err != nil {
		return nil // notOnCall gives the reason where a request is refused for it.
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

// checkRotas returns what is wrong with the rotas.
func (o *Options) checkRotas(ps *platforms) []ask.Problem {
	var problems []ask.Problem
	for _, name := range slices.Sorted(maps.Keys(o.Rotas)) {
		at := "rotas." + name
		everybody := o.Rotas[name].Everybody()
		if len(everybody) == 0 {
			problems = append(problems, problem(at, ask.ErrResponders, "names nobody"))
		}
		for n, who := range everybody {
			if _, named := o.People[who]; named {
				continue
			}
			if e, ok := ask.ParseEntry(who); !ok || e.Word != "" || e.Kind != "" || e.Platform == ask.OnCall {
				problems = append(problems, problem(fmt.Sprintf("%s.members[%d]", at, n), ask.ErrResponders,
					fmt.Sprintf("%q is neither a name under people nor an account such as \"slack:U0000001\"", who)))
			}
		}
		problems = append(problems, ps.checkEntries(at+".members", everybody, ask.ErrResponders)...)
	}
	return problems
}

// resolveRotas replaces the rotas in a list by the people on call. It refuses a list of people who may answer that would
// be empty then, since an empty list restricts nothing.
func (in *intake) resolveRotas(path string, list []string, now time.Time) ([]string, error) {
	people := slices.DeleteFunc(slices.Clone(record.ResolveRotas(list, in.opts.onCall, now)), func(who string) bool {
		e, _ := ask.ParseEntry(who)
		return e.Platform == ask.OnCall
	})
	if len(list) > 0 && len(people) == 0 {
		return nil, invalid(path, ask.ErrResponders, in.opts.notOnCall(list, now))
	}
	return people, nil
}

// notOnCall returns why a list of rotas has no people at a moment: the errors of rotas, and which rotas are empty.
func (o *Options) notOnCall(list []string, now time.Time) string {
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
		reasons = append(reasons, "nobody is on call now: "+strings.Join(empty, ", "))
	}
	return strings.Join(reasons, "; ")
}

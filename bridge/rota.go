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

// Rota knows who is on call when. It must not block: what it knows of the outside world
// it has read before.
type Rota interface {
	// OnCall returns who is on call at a moment: accounts such as "slack:U0000001", and
	// names of [Options.People]. It may be nobody.
	OnCall(at time.Time) []string
	// Everybody returns all whom OnCall may ever return, for a check.
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
func (t Turns) OnCall(at time.Time) []string {
	if at.Before(t.From) || len(t.Members) == 0 || t.Days < 1 {
		return nil
	}
	at = at.In(t.From.Location())
	shown := onClock(at)
	if setBack, _ := at.ZoneBounds(); !setBack.IsZero() {
		if before := onClock(setBack.Add(-1)); before.After(shown) {
			shown = before
		}
	}
	turn := int64(shown.Sub(onClock(t.From))/(24*time.Hour)) / int64(t.Days)
	return t.Members[turn%int64(len(t.Members)):][:1]
}

// onClock is what a clock in the zone of a moment shows then, as if it stood in UTC.
func onClock(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// Everybody returns the members.
func (t Turns) Everybody() []string { return t.Members }

// onCall returns the accounts of those who are on call at a moment.
func (o *Options) onCall(rota string, at time.Time) []string {
	known, ok := o.Rotas[rota]
	if !ok {
		return nil
	}
	var all []string
	for _, who := range known.OnCall(at) {
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

// resolveRotas puts those who are on call in place of the rotas that a list names. A list of who
// may answer that would name nobody then is refused, since it would narrow nothing.
func (in *intake) resolveRotas(path string, list []string, now time.Time) ([]string, error) {
	people := slices.DeleteFunc(slices.Clone(record.Called(list, in.opts.onCall, now)), func(who string) bool {
		e, _ := ask.ParseEntry(who)
		return e.Platform == ask.OnCall
	})
	if len(list) > 0 && len(people) == 0 {
		return nil, invalid(path, ask.ErrResponders, "nobody is on call now: "+strings.Join(list, ", "))
	}
	return people, nil
}

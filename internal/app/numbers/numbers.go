// Package numbers counts requests, from the lines of the audit trail: how many were asked and how they ended, how
// long people took, and what grants saved.
package numbers

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
)

// Count returns the numbers of the requests asked at or after since and before until. Lines of other requests are
// ignored. With people it also counts what each person did. It returns the first error of lines.
func Count(lines iter.Seq2[audit.Line, error], since, until time.Time, people bool) (*client.Stats, error) {
	requests := map[string]*request{}
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		r := requests[l.Request]
		switch {
		case record.EventKind(l.Kind) == record.EventAsked && !l.At.Before(since) && l.At.Before(until):
			requests[l.Request] = &request{asked: l.At, agent: l.Agent, route: l.Route}
		case r != nil:
			r.add(&l)
		}
	}
	s := &client.Stats{Since: since, Until: until}
	var total tally
	routes, agents, installations, persons := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}, map[string]*person{}
	for _, r := range requests {
		total.add(r)
		group(agents, r.agent).add(r)
		if r.route != "" {
			group(routes, r.route).add(r)
		}
		for id := range r.installations {
			group(installations, id).add(r)
		}
		if people {
			r.credit(persons)
		}
	}
	s.Total, s.Routes, s.Agents, s.Installations = total.numbers(), shares(routes), shares(agents), shares(installations)
	for who, p := range persons {
		s.People = append(s.People, client.PersonNumbers{Person: who, Decided: p.decided, Acted: p.acted, ToFirstAct: summary(p.firsts)})
	}
	sort.Slice(s.People, func(i, j int) bool {
		a, b := &s.People[i], &s.People[j]
		return cmp.Or(b.Decided-a.Decided, b.Acted-a.Acted, cmp.Compare(a.Person, b.Person)) < 0
	})
	return s, nil
}

// request is what the trail tells about one request.
type request struct {
	asked        time.Time
	agent, route string
	state        ask.State // Empty while it is open.
	ended        time.Time
	byPerson     bool // A person ended it.
	granted      bool
	reminders    int
	joined       int
	first        time.Time
	acts         map[string]time.Time // The first act of each person.
	decided      map[string]bool
	// installations are the workspaces and servers that the places of its posted cards name.
	installations map[string]bool
}

// acts are the kinds of events that are something a person did with a request.
var acts = map[record.EventKind]bool{
	record.EventVoted: true, record.EventWithdrawn: true, record.EventHeld: true, record.EventUndone: true,
	record.EventClaimed: true, record.EventPassed: true, record.EventAskedBack: true,
	record.EventKind(ask.Answered): true, record.EventKind(ask.Cancelled): true,
	audit.KindWrote: true,
}

func (r *request) add(l *audit.Line) {
	kind := record.EventKind(l.Kind)
	switch kind {
	case record.EventPosted:
		if place, err := ask.ParsePlace(l.Detail); err == nil && place.Installation != "" {
			if r.installations == nil {
				r.installations = map[string]bool{}
			}
			r.installations[place.Installation] = true
		}
	case record.EventStep:
		r.reminders++
	case record.EventJoined:
		r.joined++
	case record.EventKind(ask.Answered), record.EventKind(ask.Cancelled), record.EventKind(ask.Expired), record.EventKind(ask.Superseded), record.EventKind(ask.Failed):
		r.state, r.ended, r.byPerson = ask.State(l.Kind), l.At, l.By != ""
		r.granted = strings.HasPrefix(l.Detail, storage.ViaGrant)
	}
	if l.By == "" || r.granted {
		return
	}
	who := cmp.Or(l.Human, l.By)
	if acts[kind] {
		if r.first.IsZero() || l.At.Before(r.first) {
			r.first = l.At
		}
		if r.acts == nil {
			r.acts = map[string]time.Time{}
		}
		if _, known := r.acts[who]; !known {
			r.acts[who] = l.At
		}
	}
	if r.state != "" || kind == audit.KindCounted {
		if r.decided == nil {
			r.decided = map[string]bool{}
		}
		r.decided[who] = true
	}
}

// person is what one person did.
type person struct {
	decided, acted int
	firsts         []time.Duration
}

// credit adds the request to those who did something with it.
func (r *request) credit(persons map[string]*person) {
	of := func(who string) *person {
		if persons[who] == nil {
			persons[who] = &person{}
		}
		return persons[who]
	}
	for who, at := range r.acts {
		p := of(who)
		p.acted++
		p.firsts = append(p.firsts, at.Sub(r.asked))
	}
	for who := range r.decided {
		of(who).decided++
	}
}

// tally counts requests.
type tally struct {
	n            client.Numbers
	firsts, ends []time.Duration
}

func group(all map[string]*tally, name string) *tally {
	if all[name] == nil {
		all[name] = &tally{}
	}
	return all[name]
}

func (t *tally) add(r *request) {
	t.n.Asked++
	t.n.Joined += r.joined
	t.n.Reminders += r.reminders
	switch {
	case r.state == "":
		t.n.Open++
	case r.state == ask.Answered:
		t.n.Answered++
	case r.state == ask.Cancelled && r.byPerson:
		t.n.Dismissed++
	case r.state == ask.Cancelled:
		t.n.Withdrawn++
	case r.state == ask.Expired:
		t.n.Expired++
	case r.state == ask.Superseded:
		t.n.Superseded++
	case r.state == ask.Failed:
		t.n.Failed++
	}
	if r.granted {
		t.n.Granted++
		return
	}
	if !r.first.IsZero() {
		t.firsts = append(t.firsts, r.first.Sub(r.asked))
	}
	if r.byPerson {
		t.ends = append(t.ends, r.ended.Sub(r.asked))
	}
}

func (t *tally) numbers() client.Numbers {
	n := t.n
	n.ToFirstAct, n.ToEnd = summary(t.firsts), summary(t.ends)
	return n
}

func shares(all map[string]*tally) []client.Share {
	list := []client.Share{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, client.Share{Name: name, Numbers: all[name].numbers()})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Asked > list[j].Asked })
	return list
}

// summary returns the median and the 90th percentile by the nearest rank.
func summary(all []time.Duration) client.Times {
	if len(all) == 0 {
		return client.Times{}
	}
	slices.Sort(all)
	rank := func(percent int) float64 { return all[(len(all)*percent+99)/100-1].Seconds() }
	return client.Times{Count: len(all), Median: rank(50), P90: rank(90)}
}

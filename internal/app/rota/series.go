package rota

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"time"
)

// series is the newest version of all events with one UID.
type series struct {
	masters   []*event // Usually one. Several of an equal version all count.
	changes   []*event
	following []*event      // Changes of all later turns, in order.
	longest   time.Duration // How long before a moment a turn can start that still lasts then, and
	shift     time.Duration // how far a change moves turns.
}

// version orders the versions of one event.
type version struct {
	sequence int
	modified string
}

func newSeries(events []*event) *series {
	newest := map[any]version{}
	key := func(e *event) any {
		switch {
		case !e.change:
			return "master"
		case e.instead == nil:
			return e // Which turn it replaces is not known.
		}
		return mark{e.instead.day, e.instead.at.Unix()}
	}
	for _, e := range events {
		v := version{e.sequence, e.modified}
		if before, ok := newest[key(e)]; !ok || cmp.Or(cmp.Compare(before.sequence, v.sequence), cmp.Compare(before.modified, v.modified)) < 0 {
			newest[key(e)] = v
		}
	}
	s := &series{}
	var changes []*event
	for _, e := range events {
		switch {
		case newest[key(e)] != version{e.sequence, e.modified}:
			continue
		case !e.change:
			s.masters = append(s.masters, e)
		default:
			changes = append(changes, e)
		}
		s.longest = max(s.longest, e.length.clock+e.length.exact+24*time.Hour)
	}
	for _, e := range changes {
		if s.stale(e) {
			continue
		}
		s.changes = append(s.changes, e)
		if e.following && e.err == nil {
			s.following = append(s.following, e)
			if !e.cancelled {
				s.shift = max(s.shift, e.start.at.Sub(e.instead.at).Abs()+24*time.Hour)
			}
		}
	}
	s.longest += s.shift
	slices.SortStableFunc(s.following, func(a, b *event) int { return a.instead.at.Compare(b.instead.at) })
	return s
}

// stale reports whether a change belongs to an older version of its series, which a newer one has cancelled or whose
// turn it leaves out.
func (s *series) stale(change *event) bool {
	return slices.ContainsFunc(s.masters, func(m *event) bool {
		if m.cancelled {
			return change.sequence <= m.sequence
		}
		return m.err == nil && change.instead != nil && change.sequence < m.sequence && m.except[m.mark(*change.instead)]
	})
}

// replaced returns the turns of one master that changes replace.
func (s *series) replaced(master *event) map[mark]bool {
	all := make(map[mark]bool, len(s.changes))
	for _, e := range s.changes {
		if e.instead != nil {
			all[master.mark(*e.instead)] = true
		}
	}
	return all
}

// follows returns the last change of all later turns that covers the one that starts then, or nil.
func (s *series) follows(from time.Time) *event {
	for _, e := range slices.Backward(s.following) {
		if !e.instead.at.After(from) {
			return e
		}
	}
	return nil
}

// mark names a turn of a series by its start or by its date, as seconds of Unix time.
type mark struct {
	day bool
	at  int64
}

// mark returns which turn of the series an EXDATE or a RECURRENCE-ID means: that of a day if one of both is a date.
func (e *event) mark(s stamp) mark {
	if s.day || e.start.day {
		return mark{true, s.date(e.start.zone).Unix()}
	}
	return mark{false, s.at.Unix()}
}

func (e *event) moment(from time.Time) mark { return mark{false, from.Unix()} }

func (e *event) date(from time.Time) mark {
	return mark{true, e.start.zone.clock(from).Truncate(24 * time.Hour).Unix()}
}

// end returns when the turn ends that starts then.
func (e *event) end(from time.Time) time.Time {
	if from.Equal(e.start.at) && !e.ends.IsZero() {
		return e.ends
	}
	return e.length.after(from, e.start.zone)
}

// begin is a start of a turn, and its end where an RDATE has one.
type begin struct {
	at, ends time.Time
}

// starts returns when turns of the event start between two moments, in order. The first start counts even if its own
// rule does not contain it, as Google and Apple show it; the standard leaves that open
// (https://www.rfc-editor.org/rfc/rfc5545#section-3.8.5.3).
func (e *event) starts(ctx context.Context, after, before time.Time) ([]begin, error) {
	all := []begin{{at: e.start.at}}
	for _, s := range e.more {
		all = append(all, begin{s.at, s.ends})
	}
	recurring, err := e.recurring(ctx, e.rules, after, before)
	if err != nil {
		return nil, err
	}
	for _, at := range recurring {
		all = append(all, begin{at: at})
	}
	excluded := maps.Clone(e.except)
	without, err := e.recurring(ctx, e.exclude, after, before)
	if err != nil {
		return nil, err
	}
	for _, at := range without {
		excluded[e.moment(at)] = true
	}
	all = slices.DeleteFunc(all, func(b begin) bool {
		return b.at.Before(after) || b.at.After(before) || excluded[e.moment(b.at)] || excluded[e.date(b.at)]
	})
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return slices.CompactFunc(all, func(a, b begin) bool { return a.at.Equal(b.at) }), nil
}

// recurring returns the starts by rules of the event.
func (e *event) recurring(ctx context.Context, rules []rule, after, before time.Time) ([]time.Time, error) {
	var all []time.Time
	for _, r := range rules {
		clocks, err := r.between(ctx, e.start.zone.clock(after).Add(-24*time.Hour), e.start.zone.clock(before).Add(24*time.Hour))
		if err != nil {
			return nil, err
		}
		for _, clock := range clocks {
			all = append(all, e.start.zone.moment(clock))
		}
	}
	return all, nil
}

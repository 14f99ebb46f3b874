//go:build faults

package chaos

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// rule is the voting rule of a life.
type rule struct {
	// need is the quorum, and needs the quorum of individual options. In a poll, need is the number of voters.
	need  int
	needs map[string]int
	poll  bool
	show  ask.Show
	hold  time.Duration
	// linked names the people whose accounts are linked on both platforms; roster lists the voters, if restricted.
	linked map[string]string
	roster []string
	// ends is the deadline, on the clock of the history.
	ends int64
}

// Votes other than options.
const (
	takesBack = "take back"
	undoes    = "undo"
	withdraws = "cancelled" // By the agent.
)

const (
	forever = math.MaxInt64 / 2
	// late is how much later than its time an effect may be visible: a paused replica knows the store's time only
	// from its last read. Too early is wrong, except for the precision of clocks.
	late  = int64(3 * time.Second)
	early = int64(100 * time.Millisecond)
)

// standing is the state of a vote after the acts so far.
type standing struct {
	ballots []saying // The last of each account, newest last.
	held    *holding
	holds   int    // Number of holds.
	ended   string // What everyone sees from then on.

	// since is the start of the last uncertain act in it, and gone holds the acts that an undo retracted and the
	// undo itself: they are not applied again.
	since int64
	gone  []int64
}

// key is equal for standings that differ only in since.
func (s standing) key() string {
	held := holding{}
	if s.held != nil {
		held = *s.held
	}
	return fmt.Sprint(s.ballots, s.held != nil, held, s.holds, s.gone, s.ended)
}

// saying is the last vote of an account.
type saying struct {
	account, wants string
	at             int64
}

// holding is a decision that can be undone.
type holding struct {
	label, by, ended string
	before           []saying
	from, to         int64 // When it becomes final, as far as known.
}

// human is the person behind an account.
func (r *rule) human(account string) string { return cmp.Or(r.linked[account], account) }

// votes returns the counted votes: the last one of each human, with any account.
func (r *rule) votes(ballots []saying) []saying {
	newest := map[string]saying{}
	for _, v := range ballots {
		newest[r.human(v.account)] = v
	}
	return slices.DeleteFunc(slices.Clone(ballots), func(v saying) bool { return newest[r.human(v.account)] != v || v.wants == takesBack })
}

// people is the minimum number of humans behind votes: unlinked accounts on two platforms may belong to one.
func (r *rule) people(votes []saying) int {
	known, apart := 0, map[string]int{}
	for _, v := range votes {
		if platform, _, _ := strings.Cut(v.account, ":"); r.linked[v.account] != "" {
			known++
		} else {
			apart[platform]++
		}
	}
	most := 0
	for _, n := range apart {
		most = max(most, n)
	}
	return known + most
}

// choice is an option with its votes.
type choice struct {
	label, first string
	people       int
}

// choices returns all chosen options, in the order of their first votes.
func (r *rule) choices(ballots []saying) []choice {
	var all []choice
	votes := r.votes(ballots)
	for _, v := range votes {
		if !slices.ContainsFunc(all, func(c choice) bool { return c.label == v.wants }) {
			same := slices.DeleteFunc(slices.Clone(votes), func(o saying) bool { return o.wants != v.wants })
			all = append(all, choice{v.wants, v.account, r.people(same)})
		}
	}
	return all
}

func (r *rule) takes(label string) int { return cmp.Or(r.needs[label], r.need) }

// decided returns the choice that wins if the vote ended now, or the reason why none does.
func (r *rule) decided(ballots []saying) (c choice, why string) {
	all, votes := r.choices(ballots), r.votes(ballots)
	if r.poll {
		slices.SortStableFunc(all, func(a, b choice) int { return b.people - a.people })
		switch n := r.people(votes); {
		case n < max(r.need, 1):
			return choice{}, fmt.Sprintf("quorum: %d of %d", n, max(r.need, 1))
		case len(all) > 1 && all[0].people == all[1].people:
			return choice{}, "tie"
		}
		return all[0], ""
	}
	enough := slices.DeleteFunc(slices.Clone(all), func(c choice) bool { return c.people < r.takes(c.label) })
	if len(enough) == 0 {
		most := 0
		for _, c := range all {
			most = max(most, c.people)
		}
		return choice{}, fmt.Sprintf("quorum: %d of %d", most, r.need)
	}
	slices.SortStableFunc(enough, func(a, b choice) int {
		return cmp.Or(r.takes(a.label)-r.takes(b.label), b.people-a.people)
	})
	return enough[0], ""
}

// allVoted reports whether everyone who can vote has voted.
func (r *rule) allVoted(ballots []saying) bool {
	return len(r.roster) > 0 && !slices.ContainsFunc(r.roster, func(human string) bool {
		return !slices.ContainsFunc(r.votes(ballots), func(v saying) bool { return r.human(v.account) == human })
	})
}

// tally describes the votes for everyone.
func (r *rule) tally(ballots []saying) string {
	var votes, tally []string
	for _, v := range r.votes(ballots) {
		votes = append(votes, strings.TrimSpace(r.linked[v.account]+" "+v.account)+" "+v.wants)
	}
	for _, c := range r.choices(ballots) {
		tally = append(tally, fmt.Sprint(c.label, " ", c.people))
	}
	return "; votes: " + strings.Join(votes, ", ") + "; tally: " + strings.Join(tally, ", ")
}

func answered(label, first, last string) string {
	return fmt.Sprintf("answered %s first by %s and last by %s", label, first, last)
}

// shows is what a read returns.
func (r *rule) shows(s standing) string {
	switch {
	case s.ended != "":
		return s.ended
	case r.show == ask.ShowLive:
		return "open" + r.tally(s.ballots)
	case r.show == ask.ShowCount:
		return fmt.Sprint("open; voted: ", len(r.votes(s.ballots)))
	}
	return "open"
}

// found describes a read of a request in the words of [rule.shows].
func (r *rule) found(req *client.Request) string {
	var votes, tally []string
	for _, v := range req.Votes {
		votes = append(votes, strings.TrimSpace(v.Human+" "+v.By.Key())+" "+strings.Join(v.Choices[0].Selected, ","))
	}
	for _, c := range req.Tally {
		tally = append(tally, fmt.Sprint(strings.Join(c.Selected, ","), " ", c.Votes))
	}
	votesAndTally := "; votes: " + strings.Join(votes, ", ") + "; tally: " + strings.Join(tally, ", ")
	last := ""
	if req.By != (ask.Person{}) {
		last = req.By.Key()
	}
	switch {
	case req.State == ask.Answered:
		return answered(strings.Join(req.Answers[0].Selected, ","), req.Answers[0].By.Key(), last) + votesAndTally
	case req.State == ask.Expired:
		return "expired " + req.Reason + votesAndTally
	case req.State != ask.Open:
		return string(req.State) + votesAndTally
	case req.Voted != len(req.Votes) && r.show == ask.ShowLive, r.show != ask.ShowLive && len(req.Votes)+len(req.Tally) > 0:
		return fmt.Sprintf("open, and %d have voted%s", req.Voted, votesAndTally)
	case r.show == ask.ShowLive:
		return "open" + votesAndTally
	case r.show == ask.ShowCount:
		return fmt.Sprint("open; voted: ", req.Voted)
	}
	return "open"
}

// byItself returns the changes without any act between two times, and whether they may and whether they must have
// happened.
func (r *rule) byItself(s standing, call, done int64) (next standing, may, must bool) {
	switch {
	case s.ended != "":
		return s, false, false
	case s.held != nil:
		return standing{ballots: s.ballots, ended: s.held.ended}, done+early > s.held.from, call > s.held.to+late
	}
	next = standing{ballots: s.ballots}
	if c, why := r.decided(s.ballots); len(r.votes(s.ballots)) == 0 {
		next.ended = "expired nobody answered in time" + r.tally(nil)
	} else if r.poll && why == "" {
		next.ended = answered(c.label, c.first, "") + r.tally(s.ballots)
	} else {
		next.ended = "expired " + why + r.tally(s.ballots)
	}
	return next, done+early > r.ends, call > r.ends+late
}

// after returns all possible standings after an act or a read between two times, or none if it is impossible.
func (r *rule) after(s standing, input any, call, done int64) []standing {
	next, may, must := r.byItself(s, call, done)
	var before, all []standing
	if !must {
		before = append(before, s)
	}
	if may {
		before = append(before, next)
	}
	for _, from := range before {
		switch op := input.(type) {
		case read:
			if r.shows(from) == op.saw {
				all = append(all, from)
			}
		case act:
			op.done = done
			all = append(all, r.acted(from, op)...)
		}
	}
	for n, t := range all {
		all[n].since, all[n].gone = s.since, slices.Clone(s.gone)
		for _, v := range s.ballots {
			if !slices.ContainsFunc(t.ballots, func(o saying) bool { return o.account == v.account && o.at >= v.at }) {
				all[n].gone = append(all[n].gone, v.at)
			}
		}
		if a, ok := input.(act); ok && a.wants == undoes {
			all[n].gone = append(all[n].gone, a.call)
		}
		slices.Sort(all[n].gone)
	}
	return all
}

// doubt adds the standings in which some uncertain acts took effect before a time. An act that never did is left
// out, so it needs no place in the order.
func (r *rule) doubt(all []standing, doubtful []act, done int64) []standing {
	known := map[string]int{}
	for n, s := range all {
		known[s.key()] = n
	}
	for n := 0; n < len(all); n++ {
		for _, a := range doubtful {
			from := all[n]
			mine := slices.IndexFunc(from.ballots, func(v saying) bool { return v.account == a.person })
			if a.call > done || slices.Contains(from.gone, a.call) || mine >= 0 && from.ballots[mine].at >= a.call {
				continue
			}
			for _, s := range r.after(from, a, a.call, done) {
				s.since = max(s.since, a.call)
				if at, old := known[s.key()]; !old || s.since < all[at].since {
					known[s.key()] = len(all)
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// acted applies an act.
func (r *rule) acted(s standing, a act) []standing {
	mine := slices.IndexFunc(s.ballots, func(v saying) bool { return v.account == a.person })
	voted := slices.ContainsFunc(r.votes(s.ballots), func(v saying) bool { return r.human(v.account) == r.human(a.person) })
	switch {
	case s.ended != "":
		return []standing{s}
	case a.wants == withdraws:
		return []standing{{ballots: s.ballots, ended: withdraws + r.tally(s.ballots)}}
	case r.roster != nil && !slices.Contains(r.roster, r.human(a.person)):
		return []standing{s}
	case s.held != nil:
		return r.meanwhile(s, a)
	case a.wants == undoes, a.wants == takesBack && !voted, mine >= 0 && s.ballots[mine].at > a.call:
		return []standing{s}
	}
	next := standing{holds: s.holds}
	next.ballots = append(slices.DeleteFunc(slices.Clone(s.ballots), func(v saying) bool { return v.account == a.person }), saying{a.person, a.wants, a.call})
	c, why := r.decided(next.ballots)
	switch ended := answered(c.label, c.first, a.person) + r.tally(next.ballots); {
	case why != "", r.poll && !r.allVoted(next.ballots):
	case r.hold == 0:
		next.ended = ended
	default:
		next.holds++
		next.held = &holding{c.label, a.person, ended, s.ballots, a.call + int64(r.hold), min(a.done, forever-int64(r.hold)) + int64(r.hold)}
	}
	return []standing{next}
}

// meanwhile applies an act during a hold: an undo or a veto.
func (r *rule) meanwhile(s standing, a act) []standing {
	h := s.held
	if a.wants == undoes {
		theirs := a.person == h.by || slices.ContainsFunc(r.votes(s.ballots), func(v saying) bool {
			return v.wants == h.label && r.human(v.account) == r.human(a.person)
		})
		undone := standing{ballots: h.before, holds: s.holds}
		switch {
		case !theirs:
			return []standing{s}
		case s.holds > 1:
			return []standing{undone, s} // The card may have shown the previous hold.
		}
		return []standing{undone}
	}
	open := s
	open.held = nil
	vetoed := r.acted(open, a)[0]
	if vetoed.held == nil || r.poll || r.takes(vetoed.held.label) >= r.takes(h.label) {
		return []standing{s}
	}
	vetoed.held.before = h.before
	if a.done+early > r.ends {
		return []standing{vetoed, s} // No veto counts after the deadline.
	}
	return []standing{vetoed}
}

// model is the bridge's promise for a life decided by vote: all acknowledged votes count, the last one of each human
// once, nothing counts after the end, and everyone sees the same. Uncertain acts are not operations of their own:
// there may be many, and only the others need an order. A state is a set of possible standings.
func (r *rule) model(doubtful []act) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return []standing{{}} },
		Step: func(state, input, _ any) (bool, any) {
			call, done := lasted(input)
			next := map[string]standing{}
			for _, from := range r.doubt(slices.Clone(state.([]standing)), doubtful, done) {
				if from.since > done {
					continue
				}
				for _, s := range r.after(from, input, call, done) {
					if old, known := next[s.key()]; !known || s.since < old.since {
						next[s.key()] = s
					}
				}
			}
			return len(next) > 0, slices.SortedFunc(maps.Values(next), func(a, b standing) int { return strings.Compare(a.key(), b.key()) })
		},
		Equal: reflect.DeepEqual,
	}
}

// verdict is the checker's result for one life.
func (h *history) verdict(life int, all []porcupine.Operation) porcupine.CheckResult {
	r := h.rules[life]
	if r == nil {
		return porcupine.CheckOperationsTimeout(decisions.ToModel(), all, judging)
	}
	var doubtful []act
	sure := slices.DeleteFunc(slices.Clone(all), func(op porcupine.Operation) bool {
		a, ok := op.Input.(act)
		if ok = ok && a.until() == forever; ok {
			doubtful = append(doubtful, a)
		}
		return ok
	})
	return porcupine.CheckOperationsTimeout(r.model(doubtful), sure, judging)
}

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

// rule is how several people decide a life.
type rule struct {
	// need is how many have to choose the same, needs how many where one option takes
	// another number. In a poll need is how many have to vote.
	need  int
	needs map[string]int
	poll  bool
	show  ask.Show
	hold  time.Duration
	// linked names the people whose accounts are linked wherever it is asked; roster are those
	// who may vote, where not everybody may.
	linked map[string]string
	roster []string
	// ends is the deadline, by the clock of the history.
	ends int64
}

// What people want beside an option.
const (
	takesBack = "take back"
	undoes    = "undo"
	withdraws = "cancelled" // As the agent does.
)

const (
	forever = math.MaxInt64 / 2
	// late is by how much something that happens at a time may be seen too late: a replica
	// that was paused knows the store's time only by what it heard before. Too early is wrong,
	// but for how exactly clocks tell the time.
	late  = int64(3 * time.Second)
	early = int64(100 * time.Millisecond)
)

// standing is how a vote stands after the acts so far.
type standing struct {
	said  []saying // The last of each account, the newest at the end.
	held  *holding
	holds int    // How often something was held.
	ended string // What everybody sees from then on.

	// since is when the last doubtful act was begun that is among them, and gone when those were
	// that an undo took back, and the undo itself: they do not come again.
	since int64
	gone  []int64
}

// key is the same for standings that differ in nothing but since.
func (s standing) key() string {
	held := holding{}
	if s.held != nil {
		held = *s.held
	}
	return fmt.Sprint(s.said, s.held != nil, held, s.holds, s.gone, s.ended)
}

// saying is what an account said last.
type saying struct {
	account, wants string
	at             int64
}

// holding is what is decided and can be undone.
type holding struct {
	label, by, ended string
	before           []saying
	from, to         int64 // When it becomes final, as far as that is known.
}

// human is who is behind an account.
func (r *rule) human(account string) string { return cmp.Or(r.linked[account], account) }

// votes are those that count: of each human what any of their accounts said last.
func (r *rule) votes(said []saying) []saying {
	newest := map[string]saying{}
	for _, v := range said {
		newest[r.human(v.account)] = v
	}
	return slices.DeleteFunc(slices.Clone(said), func(v saying) bool { return newest[r.human(v.account)] != v || v.wants == takesBack })
}

// people is how many humans there are at least behind votes: on two platforms, two accounts
// that are not linked may be one.
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

// choice is what some people want.
type choice struct {
	label, first string
	people       int
}

// choices are those of all votes, the one made first at the beginning.
func (r *rule) choices(said []saying) []choice {
	var all []choice
	votes := r.votes(said)
	for _, v := range votes {
		if !slices.ContainsFunc(all, func(c choice) bool { return c.label == v.wants }) {
			same := slices.DeleteFunc(slices.Clone(votes), func(o saying) bool { return o.wants != v.wants })
			all = append(all, choice{v.wants, v.account, r.people(same)})
		}
	}
	return all
}

func (r *rule) takes(label string) int { return cmp.Or(r.needs[label], r.need) }

// decided is the choice that the votes decide, were it over now; else why they do not.
func (r *rule) decided(said []saying) (c choice, why string) {
	all, votes := r.choices(said), r.votes(said)
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

// allVoted reports whether nobody can vote any more who has not.
func (r *rule) allVoted(said []saying) bool {
	return len(r.roster) > 0 && !slices.ContainsFunc(r.roster, func(human string) bool {
		return !slices.ContainsFunc(r.votes(said), func(v saying) bool { return r.human(v.account) == human })
	})
}

// tells is what everybody is told of votes.
func (r *rule) tells(said []saying) string {
	var votes, tally []string
	for _, v := range r.votes(said) {
		votes = append(votes, strings.TrimSpace(r.linked[v.account]+" "+v.account)+" "+v.wants)
	}
	for _, c := range r.choices(said) {
		tally = append(tally, fmt.Sprint(c.label, " ", c.people))
	}
	return "; votes: " + strings.Join(votes, ", ") + "; tally: " + strings.Join(tally, ", ")
}

func answered(label, first, last string) string {
	return fmt.Sprintf("answered %s first by %s and last by %s", label, first, last)
}

// shows is what a look at it finds.
func (r *rule) shows(s standing) string {
	switch {
	case s.ended != "":
		return s.ended
	case r.show == ask.ShowLive:
		return "open" + r.tells(s.said)
	case r.show == ask.ShowCount:
		return fmt.Sprint("open; voted: ", len(r.votes(s.said)))
	}
	return "open"
}

// found is what a look at a request found, in the words of [rule.shows].
func (r *rule) found(req *client.Request) string {
	var votes, tally []string
	for _, v := range req.Votes {
		votes = append(votes, strings.TrimSpace(v.Human+" "+v.By.Key())+" "+strings.Join(v.Choices[0].Selected, ","))
	}
	for _, c := range req.Tally {
		tally = append(tally, fmt.Sprint(strings.Join(c.Selected, ","), " ", c.Votes))
	}
	tells := "; votes: " + strings.Join(votes, ", ") + "; tally: " + strings.Join(tally, ", ")
	last := ""
	if req.By != (ask.Person{}) {
		last = req.By.Key()
	}
	switch {
	case req.State == ask.Answered:
		return answered(strings.Join(req.Answers[0].Selected, ","), req.Answers[0].By.Key(), last) + tells
	case req.State == ask.Expired:
		return "expired " + req.Reason + tells
	case req.State != ask.Open:
		return string(req.State) + tells
	case req.Voted != len(req.Votes) && r.show == ask.ShowLive, r.show != ask.ShowLive && len(req.Votes)+len(req.Tally) > 0:
		return fmt.Sprintf("open, and %d have voted%s", req.Voted, tells)
	case r.show == ask.ShowLive:
		return "open" + tells
	case r.show == ask.ShowCount:
		return fmt.Sprint("open; voted: ", req.Voted)
	}
	return "open"
}

// byItself is what becomes of it without anybody between two times, and whether it may and
// whether it must have.
func (r *rule) byItself(s standing, call, done int64) (next standing, may, must bool) {
	switch {
	case s.ended != "":
		return s, false, false
	case s.held != nil:
		return standing{said: s.said, ended: s.held.ended}, done+early > s.held.from, call > s.held.to+late
	}
	next = standing{said: s.said}
	if c, why := r.decided(s.said); len(r.votes(s.said)) == 0 {
		next.ended = "expired nobody answered in time" + r.tells(nil)
	} else if r.poll && why == "" {
		next.ended = answered(c.label, c.first, "") + r.tells(s.said)
	} else {
		next.ended = "expired " + why + r.tells(s.said)
	}
	return next, done+early > r.ends, call > r.ends+late
}

// after are all ways in which it can stand after an act or a look between two times, none if
// that cannot be.
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
		for _, v := range s.said {
			if !slices.ContainsFunc(t.said, func(o saying) bool { return o.account == v.account && o.at >= v.at }) {
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

// doubt adds the ways in which it can stand when some doubtful acts have come to pass before a time.
// One that never did is left out, so it needs no place in the order.
func (r *rule) doubt(all []standing, doubtful []act, done int64) []standing {
	known := map[string]int{}
	for n, s := range all {
		known[s.key()] = n
	}
	for n := 0; n < len(all); n++ {
		for _, a := range doubtful {
			from := all[n]
			mine := slices.IndexFunc(from.said, func(v saying) bool { return v.account == a.person })
			if a.call > done || slices.Contains(from.gone, a.call) || mine >= 0 && from.said[mine].at >= a.call {
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

// acted is what an act makes of it that is judged.
func (r *rule) acted(s standing, a act) []standing {
	mine := slices.IndexFunc(s.said, func(v saying) bool { return v.account == a.person })
	voted := slices.ContainsFunc(r.votes(s.said), func(v saying) bool { return r.human(v.account) == r.human(a.person) })
	switch {
	case s.ended != "":
		return []standing{s}
	case a.wants == withdraws:
		return []standing{{said: s.said, ended: withdraws + r.tells(s.said)}}
	case r.roster != nil && !slices.Contains(r.roster, r.human(a.person)):
		return []standing{s}
	case s.held != nil:
		return r.meanwhile(s, a)
	case a.wants == undoes, a.wants == takesBack && !voted, mine >= 0 && s.said[mine].at > a.call:
		return []standing{s}
	}
	next := standing{holds: s.holds}
	next.said = append(slices.DeleteFunc(slices.Clone(s.said), func(v saying) bool { return v.account == a.person }), saying{a.person, a.wants, a.call})
	c, why := r.decided(next.said)
	switch ended := answered(c.label, c.first, a.person) + r.tells(next.said); {
	case why != "", r.poll && !r.allVoted(next.said):
	case r.hold == 0:
		next.ended = ended
	default:
		next.holds++
		next.held = &holding{c.label, a.person, ended, s.said, a.call + int64(r.hold), min(a.done, forever-int64(r.hold)) + int64(r.hold)}
	}
	return []standing{next}
}

// meanwhile is an act on what is held: an undo, or a veto.
func (r *rule) meanwhile(s standing, a act) []standing {
	h := s.held
	if a.wants == undoes {
		theirs := a.person == h.by || slices.ContainsFunc(r.votes(s.said), func(v saying) bool {
			return v.wants == h.label && r.human(v.account) == r.human(a.person)
		})
		undone := standing{said: h.before, holds: s.holds}
		switch {
		case !theirs:
			return []standing{s}
		case s.holds > 1:
			return []standing{undone, s} // The card may have shown the one before.
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

// model is what the bridge promises of a life under the rule: all acknowledged votes count,
// each human's once and as they said last, nothing after the end, and everybody sees the same.
// Doubtful acts are no operations of their own: there may be many, and an order is looked for
// among the others alone. A state is all ways in which it may stand.
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

// verdict is what the checker says of one life.
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

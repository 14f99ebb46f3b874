package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// reference is a vote without records, stores and replicas: the last vote of each account, in the order of the
// store.
type reference struct {
	rule     ask.Voting
	roster   []string
	links    map[string]string
	deadline time.Time
	hold     time.Duration
	held     *heldBack

	seen   map[string]bool
	order  map[string]int64
	voters []string // accounts, the latest voter last
	what   map[string]string
	ended  string
}

const (
	voteNothing = ""
	voteDismiss = "dismiss"
	voteUndo    = "undo " // of that revision, -1 for any
)

// heldBack is a decision that can still be undone.
type heldBack struct {
	ended, label, by string
	revision         int64 // The record's revision, once known.
	until            time.Time

	voters []string // before the decision
	what   map[string]string
	acted  map[string]int64
}

// decide ends the vote or holds the decision.
func (f *reference) decide(ended, label, by string, now time.Time, before *heldBack) {
	if f.hold == 0 {
		f.ended = ended
		return
	}
	before.ended, before.label, before.by, before.until = ended, label, by, now.Add(f.hold)
	f.held = before
}

// meanwhile is an act on a vote with a held decision.
func (f *reference) meanwhile(id, account, what string, order int64, now time.Time) {
	h := f.held
	if of, undo := strings.CutPrefix(what, voteUndo); undo {
		mine := account == h.by
		for other, wants := range f.live() {
			mine = mine || wants == h.label && f.human(other) == f.human(account)
		}
		if mine && (of == "-1" || of == fmt.Sprint(h.revision)) {
			f.seen[id], f.held, f.voters, f.what, f.order = true, nil, h.voters, h.what, h.acted
		}
		return
	}
	if !now.Before(f.deadline) {
		return
	}
	other := *f
	other.held, other.what, other.order, other.seen = nil, maps.Clone(f.what), maps.Clone(f.order), maps.Clone(f.seen)
	other.voters = slices.Clone(f.voters)
	other.act(id, account, what, order, now)
	stops := func(label string) bool { // A dismissal, or a choice with a smaller quorum.
		if label == voteDismiss {
			return h.label != voteDismiss
		}
		return label != voteNothing && h.label != voteDismiss && f.need(label) < f.need(h.label)
	}
	switch {
	case h.label == voteDismiss || other.held == nil:
	case stops(other.held.label):
		other.held.voters, other.held.what, other.held.acted = h.voters, h.what, h.acted
		*f = other
	case other.held.label == h.label && stops(what): // Not enough votes yet.
		voters := func(all []string) []string {
			return append(slices.DeleteFunc(slices.Clone(all), func(a string) bool { return a == account }), account)
		}
		h.voters, h.what[account], h.acted[account] = voters(h.voters), what, order
		f.voters, f.what, f.order = other.voters, other.what, other.order
	}
	f.seen[id] = true
}

// need returns the quorum of a label.
func (f *reference) need(label string) int { return f.rule.NeedOf([]string{label}) }

func (f *reference) human(account string) string {
	if h, ok := f.links[account]; ok {
		return h
	}
	return account
}

// live returns the vote of each human, by their latest account.
func (f *reference) live() map[string]string {
	speaks := map[string]string{}
	for _, account := range f.voters {
		speaks[f.human(account)] = account
	}
	all := map[string]string{}
	for _, account := range speaks {
		if f.what[account] != voteNothing {
			all[account] = f.what[account]
		}
	}
	return all
}

// count returns how many humans voted for it.
func (f *reference) count(want func(string) bool) int {
	sure, slack, discord := 0, 0, 0
	for account, what := range f.live() {
		if !want(what) {
			continue
		}
		_, linked := f.links[account]
		switch {
		case linked: // In these tests, links name one account on each platform.
			sure++
		case account[0] == 's':
			slack++
		default:
			discord++
		}
	}
	return sure + max(slack, discord)
}

func (f *reference) act(id, account, what string, order int64, now time.Time) {
	if f.seen[id] {
		return
	}
	if f.expire(now); f.ended != "" {
		return
	}
	if f.held != nil {
		f.meanwhile(id, account, what, order, now)
		return
	}
	if order < f.order[account] || strings.HasPrefix(what, voteUndo) {
		return
	}
	voted := slices.ContainsFunc(slices.Collect(maps.Keys(f.live())), func(other string) bool { return f.human(other) == f.human(account) })
	if voted && !f.rule.Changeable() || what == voteNothing && !voted {
		return
	}
	before := &heldBack{voters: slices.Clone(f.voters), what: maps.Clone(f.what), acted: maps.Clone(f.order)}
	f.seen[id], f.order[account], f.what[account] = true, order, what
	f.voters = append(slices.DeleteFunc(f.voters, func(a string) bool { return a == account }), account)
	if what == voteDismiss && f.count(func(w string) bool { return w == voteDismiss }) >= f.rule.ToDismiss() {
		f.decide("cancelled", voteDismiss, account, now, before)
		return
	}
	if f.rule.Mode == ask.Quorum {
		labels := []string{"Stop", "Deploy", "Wait"}
		slices.SortStableFunc(labels, func(a, b string) int { return f.need(a) - f.need(b) })
		for _, label := range labels { // The smallest quorum comes first.
			if f.count(func(w string) bool { return w == label }) >= f.need(label) {
				f.decide("answered "+label, label, account, now, before)
				return
			}
		}
		return
	}
	everybody := len(f.roster) > 0
	for _, human := range f.roster {
		has := false
		for account := range f.live() {
			has = has || f.human(account) == human
		}
		everybody = everybody && has
	}
	if label := f.most(); everybody && label != "" {
		f.decide("answered "+label, label, account, now, before)
	}
}

// most returns the label with the most votes, if enough people voted.
func (f *reference) most() string {
	best, votes := "", 0
	for _, label := range []string{"Deploy", "Wait", "Stop"} {
		switch n := f.count(func(w string) bool { return w == label }); {
		case n > votes:
			best, votes = label, n
		case n == votes:
			best = ""
		}
	}
	if f.count(func(w string) bool { return w != voteDismiss }) < max(int(f.rule.Need), 1) {
		return ""
	}
	return best
}

func (f *reference) expire(now time.Time) {
	if f.held != nil && !now.Before(f.held.until) {
		f.ended, f.held = f.held.ended, nil
	}
	if f.ended != "" || f.held != nil || now.Before(f.deadline) {
		return
	}
	f.ended = "expired"
	if f.rule.Mode == ask.Poll && f.most() != "" {
		f.ended = "answered " + f.most()
	}
}

// replicas are processes over one store, which swaps one record.
type replicas struct {
	t       *rapid.T
	stored  Record
	version int64
	swaps   int
}

// do runs a transition as a store does: on a copy that one replica may have read before others wrote, and again on
// the current record after a conflict.
func (s *replicas) do(old *Record, f Transition, now time.Time) error {
	next := old.Clone()
	if err := f(&next, now); err != nil && old.Version == s.version {
		return err
	}
	if old.Version != s.version {
		again := s.stored.Clone()
		return s.do(&again, f, now)
	}
	s.version++
	s.swaps++
	next.Version = s.version
	s.stored = next
	return nil
}

func TestVotesAcrossReplicasMatchReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := ask.Voting{Mode: ask.Quorum, Need: ask.Need(rapid.IntRange(1, 3).Draw(t, "need"))}
		if rapid.Bool().Draw(t, "veto") {
			rule.Needs = map[string]int{"Stop": rapid.IntRange(1, 2).Draw(t, "stop")}
		}
		if rapid.IntRange(0, 2).Draw(t, "poll") == 0 {
			rule.Mode, rule.Needs = ask.Poll, nil
		}
		rule.Dismiss = rapid.IntRange(0, 2).Draw(t, "dismiss")
		rule.Show = rapid.SampledFrom([]ask.Show{ask.ShowLive, ask.ShowCount, ask.ShowSealed}).Draw(t, "show")
		if rapid.IntRange(0, 3).Draw(t, "fixed") == 0 {
			rule.Change = new(false)
		}
		rule = rule.Normal()
		links := map[string]string{}
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"U1", "U2", "U3", "U4"}), 0, 3, rapid.ID).Draw(t, "linked") {
			links["slack:"+id], links["discord:"+id] = "human "+id, "human "+id
		}
		r := voted(rule, deploy()).onBoth(links)
		if rapid.Bool().Draw(t, "closed") {
			r.Voting.Roster = []string{"slack:U1", "slack:U2"}
			for n, account := range r.Voting.Roster {
				if h, ok := links[account]; ok {
					r.Voting.Roster[n] = h
				}
			}
		}
		if rapid.Bool().Draw(t, "held") {
			r.Hold = 5 * time.Minute
		}
		ref := &reference{
			hold: r.Hold, rule: rule, roster: r.Voting.Roster, links: links, deadline: r.Deadline,
			seen: map[string]bool{}, order: map[string]int64{}, what: map[string]string{},
		}
		world := &replicas{t: t, stored: r.Clone(), version: 1}
		views := []Record{r.Clone(), r.Clone(), r.Clone()}
		var history []Act
		now := start
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "minutes")) * time.Minute)
			at := rapid.IntRange(0, len(views)-1).Draw(t, "replica")
			if rapid.Bool().Draw(t, "reads") {
				views[at] = world.stored.Clone()
			}
			old := views[at]
			if rapid.IntRange(0, 5).Draw(t, "sweep") == 0 {
				ref.expire(now)
				_ = world.do(&old, func(r *Record, now time.Time) error { return catchUp(r, now) }, now)
				continue
			}
			a, what := drawVote(t, history, int(views[at].Revision))
			history = append(history, a)
			ref.act(a.ID, a.By.Key(), what, a.Order, now)
			before := world.version
			judge := func(r *Record, now time.Time) error {
				_, err := r.judged(a, DraftMode{Shared: a.By.Platform == "discord", Redraws: true}, now)
				return err
			}
			// A process may die before its swap, or after it and before its reply. The platform then delivers again,
			// to another process.
			if rapid.IntRange(0, 3).Draw(t, "dies") > 0 {
				_ = world.do(&old, judge, now)
			}
			fresh := world.stored.Clone()
			_ = world.do(&fresh, judge, now)
			if world.version > before+2 {
				t.Fatalf("one act was stored %d times", world.version-before)
			}
			compare(t, &world.stored, ref)
		}
		ref.expire(start.Add(2 * time.Hour))
		last := world.stored.Clone()
		_ = world.do(&last, func(r *Record, now time.Time) error { return catchUp(r, now) }, start.Add(2*time.Hour))
		compare(t, &world.stored, ref)
	})
}

// drawVote draws an act on cards of that revision.
func drawVote(t *rapid.T, history []Act, shown int) (Act, string) {
	if len(history) > 0 && rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		a := rapid.SampledFrom(history).Draw(t, "redelivered")
		return a, voteOf(a)
	}
	who := rapid.SampledFrom([]string{"U1", "U2", "U3", "U4"}).Draw(t, "who")
	order := int64(len(history) + 1)
	a := by(who, order, ask.Choose, 0, rapid.IntRange(0, 2).Draw(t, "option"))
	switch rapid.IntRange(0, 11).Draw(t, "what") {
	case 10, 11:
		a = by(who, order, ask.Undo, -1, rapid.SampledFrom([]int{-1, shown}).Draw(t, "undo of"))
	case 0:
		a = by(who, order, ask.Dismiss, -1, -1)
	case 1, 2:
		a = by(who, order, ask.TakeBack, -1, -1)
	}
	if rapid.Bool().Draw(t, "on Discord") {
		a = a.onDiscord()
	}
	return a, voteOf(a)
}

func voteOf(a Act) string {
	switch a.Action.Kind {
	case ask.Dismiss:
		return voteDismiss
	case ask.TakeBack:
		return voteNothing
	case ask.Undo:
		return voteUndo + fmt.Sprint(a.Action.Option)
	}
	return deploy().Options[a.Action.Option].Label
}

func compare(t *rapid.T, r *Record, ref *reference) {
	got := ""
	if !r.Open() {
		got = string(r.Outcome.State)
	}
	for _, a := range r.Outcome.Answers {
		got += " " + a.Selected[0]
	}
	held, want := "", ""
	if r.Held != nil {
		held = string(r.Held.Outcome.State)
		for _, a := range r.Held.Outcome.Answers {
			held += " " + a.Selected[0]
		}
	}
	if ref.held != nil {
		want = ref.held.ended
	}
	if held != want {
		t.Fatalf("%q is held, want %q", held, want)
	}
	if ref.held != nil && ref.held.revision == 0 {
		ref.held.revision = r.Held.Revision
	}
	if got != ref.ended {
		t.Fatalf("it ended as %q, want %q", got, ref.ended)
	}
	votes := r.Outcome.Votes
	if r.Open() {
		votes = countOf(r).votes()
	}
	has := map[string]string{}
	for _, v := range votes {
		what := voteDismiss
		if !v.Dismissed {
			what = v.Choices[0].Selected[0]
		}
		has[v.By.Key()] = what
	}
	if diff := cmp.Diff(ref.live(), has); diff != "" {
		t.Fatalf("the votes differ: %s", diff)
	}
	checkRecord(t, r, 0)
}

// TestDecisionNeedsQuorum gives every account a human that only the test knows. Some of them are linked.
func TestDecisionNeedsQuorum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		need := rapid.IntRange(1, 4).Draw(t, "need")
		r := voted(ask.Voting{Mode: ask.Quorum, Need: ask.Need(need)}, deploy()).onBoth(map[string]string{})
		truth := map[string]string{}
		for n, id := range []string{"U1", "U2", "U3", "U4", "U5"} {
			human := fmt.Sprint("human ", n)
			other := rapid.SampledFrom([]string{"none", "unlinked", "linked"}).Draw(t, "other")
			truth["slack:"+id], truth["discord:"+id] = human, human
			switch other {
			case "none":
				truth["discord:"+id] = human + "'s neighbour"
			case "linked":
				r.Voting.Links["slack:"+id], r.Voting.Links["discord:"+id] = human, human
			}
		}
		choosing := map[string]map[string]bool{}
		for n := range rapid.IntRange(1, 12).Draw(t, "votes") {
			a := by(rapid.SampledFrom([]string{"U1", "U2", "U3", "U4", "U5"}).Draw(t, "who"), int64(n+1), ask.Choose, 0, rapid.IntRange(0, 2).Draw(t, "option"))
			if rapid.Bool().Draw(t, "on Discord") {
				a = a.onDiscord()
			}
			label := voteOf(a)
			if choosing[label] == nil {
				choosing[label] = map[string]bool{}
			}
			choosing[label][truth[a.By.Key()]] = true
			if got, _ := r.judged(a, DraftMode{}, start); got.Verdict == Completed {
				label := r.Outcome.Answers[0].Selected[0]
				if people := len(choosing[label]); people < need {
					t.Fatalf("%s was decided by %d people, and takes %d", label, people, need)
				}
				return
			}
			for _, c := range countOf(r).tally() {
				if people := len(choosing[c.Selected[0]]); c.Votes > people {
					t.Fatalf("%d people count as %d", people, c.Votes)
				}
			}
		}
	})
}

// TestSealedVotesLeakNothing runs the same votes with other choices.
func TestSealedVotesLeakNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		show := rapid.SampledFrom([]ask.Show{ask.ShowCount, ask.ShowSealed}).Draw(t, "show")
		one := voted(ask.Voting{Mode: ask.Poll, Show: show}, deploy())
		two := one.Clone()
		for n := range rapid.IntRange(1, 8).Draw(t, "votes") {
			who := fmt.Sprint("U", rapid.IntRange(1, 3).Draw(t, "who"))
			for _, r := range []*Record{one, &two} {
				_, _ = r.judged(by(who, int64(n+1), ask.Choose, 0, rapid.IntRange(0, 2).Draw(t, "option")), DraftMode{}, start)
			}
			if diff := cmp.Diff(one.Standing(), two.Standing()); diff != "" || one.Revision != two.Revision {
				t.Fatalf("the choices are distinguishable: %s", diff)
			}
		}
	})
}

package record

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// choice is what some people chose for one question, all of them the same.
type choice struct {
	ask.Choice

	// ballots are theirs, the oldest first.
	ballots []Ballot
	support int
}

// support is how many humans stand at least behind ballots. Those whose accounts are
// linked on every platform of the request count one by one. Of all others nobody knows
// who is whom, so they count on the platform where they are most: whoever has an
// account on each counts once.
func (r *Record) support(ballots []Ballot) int {
	var accounts []string
	for _, b := range ballots {
		accounts = append(accounts, b.account())
	}
	return r.reach(accounts)
}

// reach is [Voting.Reach] on the platforms of the request.
func (r *Record) reach(accounts []string) int {
	var platforms []string
	for _, c := range r.Copies {
		platforms = append(platforms, c.Target.Platform)
	}
	return r.Voting.Reach(accounts, platforms)
}

// Reach is the support that accounts give together, on a request on these platforms.
func (v *Voting) Reach(accounts, platforms []string) int {
	known, apart := map[string]bool{}, map[string]map[string]bool{}
	for _, account := range accounts {
		human, platform := v.human(account), platformOf(account)
		if v.everywhere(human, platforms) {
			known[human] = true
			continue
		}
		if apart[platform] == nil {
			apart[platform] = map[string]bool{}
		}
		apart[platform][human] = true
	}
	most := 0
	for _, humans := range apart {
		most = max(most, len(humans))
	}
	return len(known) + most
}

// everywhere reports whether a human is linked on all of the platforms.
func (v *Voting) everywhere(human string, platforms []string) bool {
	on := map[string]bool{}
	for account, name := range v.Links {
		if name == human {
			on[platformOf(account)] = true
		}
	}
	return !slices.ContainsFunc(platforms, func(platform string) bool { return !on[platform] })
}

func platformOf(account string) string {
	e, _ := ask.ParseEntry(account)
	return e.Platform
}

// choices are those made for question q, in the order of their first ballots.
func (r *Record) choices(q int) []choice {
	var all []choice
	for _, b := range r.Voting.live() {
		if b.Sort != ForChoice || q >= len(b.Picks) {
			continue
		}
		made := choiceOf(q, r.Questions[q], b.Picks[q])
		n := slices.IndexFunc(all, func(c choice) bool { return c.Same(made) })
		if n < 0 {
			n, all = len(all), append(all, choice{Choice: made})
		}
		all[n].ballots = append(all[n].ballots, b)
	}
	for n := range all {
		all[n].support = r.support(all[n].ballots)
	}
	return all
}

func choiceOf(q int, question ask.Question, p ask.Pick) ask.Choice {
	c := ask.Choice{Index: q, Selected: []string{}, Other: p.Other}
	for _, o := range p.Selected {
		c.Selected = append(c.Selected, question.Options[o].Label)
	}
	c.Skipped, c.Notes = question.Optional && p.Empty(), p.Note.Text
	return c
}

// settled returns the outcome with an answer for each question or the word that it is
// skipped, or none that is answered and why. Each has the choice that enough people made: of several the one that takes the fewest, so that
// a veto holds, then the one that more people made, then the one that was made first.
// In a poll it is the choice that most people made, if it is one alone. To leave an
// optional question unanswered is a choice like any other.
func (r *Record) settled() (o ask.Outcome, why string) {
	v := r.Voting
	if v.Rule.Mode == ask.Poll {
		need := max(int(v.Rule.Need), 1)
		if n := r.support(only(v.live(), func(b Ballot) bool { return b.Sort == ForChoice })); n < need {
			return ask.Outcome{}, quorum(n, need)
		}
	}
	for q := range r.Questions {
		best, why := r.winner(q)
		if best == nil {
			return ask.Outcome{}, why
		}
		first, asked := best.ballots[0], r.Questions[q]
		if best.Skipped {
			o.Skipped = append(o.Skipped, ask.Unanswered{Index: q, Question: asked.Text, Header: asked.Header, By: first.By})
			continue
		}
		o.Answers = append(o.Answers, ask.Answer{
			Index: q, Question: asked.Text, Header: asked.Header,
			Selected: best.Selected, Other: best.Other, By: first.By, At: first.At,
		})
	}
	o.State = ask.Answered
	return o, ""
}

// winner is the choice that settles question q; nil and why when none does.
func (r *Record) winner(q int) (best *choice, why string) {
	rule, all := r.Voting.Rule, r.choices(q)
	if rule.Mode == ask.Poll {
		tied := false
		for n := range all {
			switch c := &all[n]; {
			case best == nil || c.support > best.support:
				best, tied = c, false
			case c.support == best.support:
				tied = true
			}
		}
		if tied {
			return nil, "tie"
		}
		return best, quorum(0, 1)
	}
	most, need := 0, 0
	for n := range all {
		c := &all[n]
		needs := rule.NeedOf(c.Selected)
		switch enough := c.support >= needs; {
		case enough && (best == nil || needs < need || needs == need && c.support > best.support):
			best, need = c, needs
		case !enough && best == nil && c.support > most:
			most = c.support
		}
	}
	return best, quorum(most, rule.NeedOf(nil))
}

func quorum(have, need int) string { return fmt.Sprintf("quorum: %d of %d", have, need) }

// unresolved is how a vote ends at the deadline.
func (r *Record) unresolved() ask.Outcome {
	v := r.Voting
	why := "nobody answered in time"
	if len(v.live()) > 0 {
		var o ask.Outcome
		if o, why = r.settled(); o.State == ask.Answered && v.Rule.Mode == ask.Poll {
			return o
		}
	}
	return ask.Outcome{State: ask.Expired, Reason: why}
}

// votes are the votes that count.
func (r *Record) votes() []ask.Vote {
	var all []ask.Vote
	for _, b := range r.Voting.live() {
		vote := ask.Vote{By: b.By, Human: r.Voting.Links[b.account()], At: b.At, Dismissed: b.Sort == ForDismissal, Reply: b.Reply}
		for q, pick := range b.Picks {
			vote.Choices = append(vote.Choices, choiceOf(q, r.Questions[q], pick))
		}
		all = append(all, vote)
	}
	return all
}

// tally counts the choices of every question.
func (r *Record) tally() []ask.Count {
	var all []ask.Count
	for q := range r.Questions {
		for _, c := range r.choices(q) {
			all = append(all, ask.Count{Index: q, Selected: c.Selected, Other: c.Other, Votes: c.support, Skipped: c.Skipped})
		}
	}
	return all
}

// Standing is how the vote stands, as far as anybody may be told; nil for a request
// that the first complete answer decides. It is the one place that keeps votes secret.
func (r *Record) Standing() *ask.Standing {
	v := r.Voting
	if v == nil {
		return nil
	}
	told := &ask.Standing{Rule: v.Rule, Roster: len(v.Roster)}
	if !r.Open() {
		told.Votes, told.Tally = r.Outcome.Votes, r.Outcome.Tally
		told.Voted = len(told.Votes)
		return told
	}
	if v.Rule.Show != ask.ShowSealed {
		told.Voted = len(v.live())
	}
	if v.Rule.Show == ask.ShowLive {
		told.Votes, told.Tally = r.votes(), r.tally()
	}
	return told
}

// VoteOf is the vote of the human behind an account, for that person's eyes; false
// when there is none.
func (r *Record) VoteOf(account string) (ask.Vote, bool) {
	mine := func(b Ballot) bool { return r.Voting.human(b.account()) == r.Voting.human(account) }
	if n := slices.IndexFunc(r.Voting.live(), mine); n >= 0 {
		return r.votes()[n], true
	}
	return ask.Vote{}, false
}

// only returns the ballots that fit.
func only(ballots []Ballot, fits func(Ballot) bool) []Ballot {
	return slices.DeleteFunc(slices.Clone(ballots), func(b Ballot) bool { return !fits(b) })
}

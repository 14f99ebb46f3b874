package record

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// count evaluates the ballots of one request. It holds everything that the result depends on.
type count struct {
	*Voting

	questions []ask.Question
	platforms []string
}

// choice is one choice for a question with everyone who made it.
type choice struct {
	ask.Choice

	// ballots are those that made it, oldest first.
	ballots []Ballot
	support int
}

// support is the number of humans who are certain to be behind ballots, see [Voting.Reach].
func (c count) support(ballots []Ballot) int {
	var accounts []string
	for _, b := range ballots {
		accounts = append(accounts, b.account())
	}
	return c.Reach(accounts, c.platforms)
}

// choices are those made for question q, in the order of their first ballots.
func (c count) choices(q int) []choice {
	var all []choice
	for _, b := range c.live() {
		if b.Sort != ForChoice || q >= len(b.Picks) {
			continue
		}
		made := choiceOf(q, c.questions[q], b.Picks[q])
		n := slices.IndexFunc(all, func(other choice) bool { return other.Same(made) })
		if n < 0 {
			n, all = len(all), append(all, choice{Choice: made})
		}
		all[n].ballots = append(all[n].ballots, b)
	}
	for n := range all {
		all[n].support = c.support(all[n].ballots)
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

// after is the outcome once b was cast last, and whether that decides the request.
func (c count) after(b Ballot) (ask.Outcome, bool) {
	against := only(c.live(), func(b Ballot) bool { return b.Sort == ForDismissal })
	if b.Sort == ForDismissal && c.support(against) >= c.Rule.ToDismiss() {
		if b.Reply != "" {
			return ask.Replying(b.By, b.Reply), true
		}
		return ask.Dismissal(b.By), true
	}
	if c.Rule.Mode == ask.Poll && !c.allVoted() {
		return ask.Outcome{}, false
	}
	o, _ := c.settled()
	o.By = b.By
	return o, o.State == ask.Answered
}

// settled returns an outcome that answers or skips every question, or one that is not answered and
// the reason. Each question gets the choice that enough people made. If several have enough, the one
// that takes the fewest votes wins, so that a veto holds; then the one with more votes; then the
// older one. In a poll the choice with the most votes wins, unless there is a tie. Skipping an
// optional question is a choice like any other.
func (c count) settled() (o ask.Outcome, why string) {
	if c.Rule.Mode == ask.Poll {
		need := max(int(c.Rule.Need), 1)
		if n := c.support(only(c.live(), func(b Ballot) bool { return b.Sort == ForChoice })); n < need {
			return ask.Outcome{}, quorum(n, need)
		}
	}
	for q, asked := range c.questions {
		best, why := c.winner(q)
		if best == nil {
			return ask.Outcome{}, why
		}
		first := best.ballots[0]
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

// winner is the choice that settles question q; nil and the reason if none does.
func (c count) winner(q int) (best *choice, why string) {
	all := c.choices(q)
	if c.Rule.Mode == ask.Poll {
		tied := false
		for n := range all {
			switch made := &all[n]; {
			case best == nil || made.support > best.support:
				best, tied = made, false
			case made.support == best.support:
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
		made := &all[n]
		needs := c.Rule.NeedOf(made.Selected)
		switch enough := made.support >= needs; {
		case enough && (best == nil || needs < need || needs == need && made.support > best.support):
			best, need = made, needs
		case !enough && best == nil && made.support > most:
			most = made.support
		}
	}
	return best, quorum(most, c.Rule.NeedOf(nil))
}

func quorum(have, need int) string { return fmt.Sprintf("quorum: %d of %d", have, need) }

// atDeadline is the outcome of a vote whose time is up.
func (c count) atDeadline() ask.Outcome {
	why := unanswered
	if len(c.live()) > 0 {
		var o ask.Outcome
		if o, why = c.settled(); o.State == ask.Answered && c.Rule.Mode == ask.Poll {
			return o
		}
	}
	return ask.Outcome{State: ask.Expired, Reason: why}
}

// unanswered is the reason of a request that expired.
const unanswered = "nobody answered in time"

// votes are the votes that count.
func (c count) votes() []ask.Vote {
	var all []ask.Vote
	for _, b := range c.live() {
		vote := ask.Vote{By: b.By, Human: c.Links[b.account()], At: b.At, Dismissed: b.Sort == ForDismissal, Reply: b.Reply}
		for q, pick := range b.Picks {
			vote.Choices = append(vote.Choices, choiceOf(q, c.questions[q], pick))
		}
		all = append(all, vote)
	}
	return all
}

// tally counts the choices of every question.
func (c count) tally() []ask.Count {
	var all []ask.Count
	for q := range c.questions {
		for _, made := range c.choices(q) {
			all = append(all, ask.Count{Index: q, Selected: made.Selected, Other: made.Other, Votes: made.support, Skipped: made.Skipped})
		}
	}
	return all
}

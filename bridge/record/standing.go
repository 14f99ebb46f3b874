package record

import (
	"slices"
	"sort"

	"github.com/askbridge/askbridge/ask"
)

func countOf(r *Record) count { return count{r.Voting, r.Questions, r.Copies.platforms()} }

// Standing is the public state of the vote; nil if the first complete answer decides. It is the one
// place that keeps votes secret.
func (r *Record) Standing() *ask.Standing {
	v := r.Voting
	if v == nil {
		return nil
	}
	public := &ask.Standing{Rule: v.Rule, Roster: len(v.Roster)}
	if !r.Open() {
		public.Votes, public.Tally = r.Outcome.Votes, r.Outcome.Tally
		public.Voted = len(public.Votes)
		return public
	}
	if !v.sealed() {
		public.Voted = len(v.live())
	}
	if v.Rule.Show == ask.ShowLive {
		c := countOf(r)
		public.Votes, public.Tally, public.Waiting = c.votes(), c.tally(), v.waiting()
	}
	return public
}

// waiting are those of a closed list who have not voted.
func (v *Voting) waiting() []ask.Voter {
	var all []ask.Voter
	for _, human := range v.Roster {
		if v.hasVoted(human) {
			continue
		}
		var voter ask.Voter
		for _, account := range v.accountsOf([]string{human}) {
			e, _ := ask.ParseEntry(account)
			voter.Accounts = append(voter.Accounts, e.Person())
			if account != human {
				voter.Name = human
			}
		}
		sort.Slice(voter.Accounts, func(i, j int) bool { return voter.Accounts[i].Key() < voter.Accounts[j].Key() })
		all = append(all, voter)
	}
	return all
}

// VoteOf is the vote of the human who owns an account, to be shown to that person only; false if
// there is none.
func (r *Record) VoteOf(account string) (ask.Vote, bool) {
	mine := func(b Ballot) bool { return r.Voting.human(b.account()) == r.Voting.human(account) }
	if n := slices.IndexFunc(r.Voting.live(), mine); n >= 0 {
		return countOf(r).votes()[n], true
	}
	return ask.Vote{}, false
}

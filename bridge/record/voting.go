package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Voting is how several people decide one request. It holds a copy of the configured people from
// when the request was made, so that every replica counts alike for the request's whole life.
type Voting struct {
	// Rule has no words in it, see [ask.Voting.Resolve].
	Rule ask.Voting
	// Roster are the humans who may vote, if that is a closed list; else nil.
	Roster []string
	// Links maps an account such as "slack:U1" to its human. An account without a link is a
	// human of its own on its platform.
	Links map[string]string
	// Ballots are the last act of each account, in stored order. They are dropped when the
	// request ends.
	Ballots []Ballot
}

// Sort is the kind of a ballot.
type Sort string

// The kinds of ballots.
const (
	// ForChoice votes for Picks.
	ForChoice Sort = ""
	// ForDismissal votes to end the request without an answer.
	ForDismissal Sort = "d"
	// TakenBack withdraws the vote. It is kept so that a redelivered older act is known to be
	// older.
	TakenBack Sort = "w"
)

// Ballot is the vote of one account. It never changes once stored.
type Ballot struct {
	By ask.Person
	// As is the account that it counts for if By is not a platform account: people who act over
	// the API are identified by an account of theirs.
	As   string
	Sort Sort
	// Picks is the choice for each question.
	Picks []ask.Pick
	// Reply is the text that came with a dismissal.
	Reply string
	At    time.Time
	// Order and Mark are those of the act.
	Order int64
	Mark  string
	// Said marks the message that it was typed in; empty if it was pressed.
	Said string
}

// account is the account that the ballot counts for.
func (b Ballot) account() string {
	if b.As != "" {
		return b.As
	}
	return b.By.Key()
}

// human is the person who owns an account.
func (v *Voting) human(account string) string {
	if name, linked := v.Links[account]; linked {
		return name
	}
	return account
}

// last returns the last ballot of an account, and whether there is one.
func (v *Voting) last(account string) (Ballot, bool) {
	for _, b := range v.Ballots {
		if b.By.Key() == account {
			return b, true
		}
	}
	return Ballot{}, false
}

// typedIn returns the standing vote that was typed in the marked message.
func (v *Voting) typedIn(mark string) (Ballot, bool) {
	if v == nil || mark == "" {
		return Ballot{}, false
	}
	n := slices.IndexFunc(v.Ballots, func(b Ballot) bool { return b.Said == mark && b.Sort != TakenBack })
	if n < 0 {
		return Ballot{}, false
	}
	return v.Ballots[n], true
}

// live returns the one ballot of each human that counts, in stored order.
func (v *Voting) live() []Ballot {
	newest := map[string]int{}
	for n, b := range v.Ballots {
		newest[v.human(b.account())] = n
	}
	var live []Ballot
	for n, b := range v.Ballots {
		if b.Sort != TakenBack && newest[v.human(b.account())] == n {
			live = append(live, b)
		}
	}
	return live
}

// hasVoted reports whether the human who owns an account has a vote.
func (v *Voting) hasVoted(account string) bool {
	return slices.ContainsFunc(v.live(), func(b Ballot) bool { return v.human(b.account()) == v.human(account) })
}

// allVoted reports whether everyone on a closed list has a vote.
func (v *Voting) allVoted() bool {
	if len(v.Roster) == 0 {
		return false
	}
	voted := map[string]bool{}
	for _, b := range v.live() {
		voted[v.human(b.account())] = true
	}
	return !slices.ContainsFunc(v.Roster, func(human string) bool { return !voted[human] })
}

// needsFewer reports whether a choice takes fewer votes than another.
func (v *Voting) needsFewer(c, than ask.Choice) bool {
	return v.Rule.NeedOf(c.Selected) < v.Rule.NeedOf(than.Selected)
}

// sealed reports whether votes are secret until the end. A nil Voting is not.
func (v *Voting) sealed() bool { return v != nil && v.Rule.Show == ask.ShowSealed }

// Reach counts the humans behind accounts, on a request on these platforms, without counting anyone
// twice. Humans whose accounts are linked on every platform count one by one. Others may have an
// account on each platform, so of them only those on the platform with the most count.
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

// replacing returns the roster with a person in place of the humans who own the accounts.
func (v *Voting) replacing(accounts []string, to ask.Person) []string {
	roster := slices.Clone(v.Roster)
	for n, human := range roster {
		if slices.ContainsFunc(accounts, func(account string) bool { return v.human(account) == human }) {
			roster[n] = v.human(to.Key())
		}
	}
	return roster
}

// accountsOf are the known accounts of humans.
func (v *Voting) accountsOf(humans []string) []string {
	var all []string
	for account, human := range v.Links {
		if slices.Contains(humans, human) {
			all = append(all, account)
		}
	}
	for _, human := range humans {
		if !slices.ContainsFunc(all, func(account string) bool { return v.human(account) == human }) {
			all = append(all, human) // Without a link, the name is the account.
		}
	}
	return all
}

// replaced returns ballots with one in place of the last one of its account.
func replaced(ballots []Ballot, b Ballot) []Ballot {
	return append(slices.DeleteFunc(slices.Clone(ballots), func(old Ballot) bool { return old.By.Key() == b.By.Key() }), b)
}

// only returns the ballots that fit.
func only(ballots []Ballot, fits func(Ballot) bool) []Ballot {
	return slices.DeleteFunc(slices.Clone(ballots), func(b Ballot) bool { return !fits(b) })
}

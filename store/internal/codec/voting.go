package codec

import (
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// storedVoting is how several people decide, as it is stored.
type storedVoting struct {
	Rule    ask.Voting        `json:"ru"`
	Roster  []string          `json:"ro,omitempty"`
	Links   map[string]string `json:"li,omitempty"`
	Ballots []storedBallot    `json:"ba,omitempty"`
}

type storedBallot struct {
	By    ask.Person  `json:"b"`
	As    string      `json:"s,omitempty"`
	Sort  record.Sort `json:"k,omitempty"`
	Picks []ask.Pick  `json:"p,omitempty"`
	Reply string      `json:"r,omitempty"`
	At    time.Time   `json:"a"`
	Order int64       `json:"n,omitempty"`
	Mark  string      `json:"m,omitempty"`
	Said  string      `json:"d,omitempty"`
}

func storedVotingOf(v *record.Voting) *storedVoting {
	if v == nil {
		return nil
	}
	return &storedVoting{Rule: v.Rule, Roster: v.Roster, Links: v.Links, Ballots: storedBallotsOf(v.Ballots)}
}

func storedBallotsOf(ballots []record.Ballot) []storedBallot {
	var all []storedBallot
	for _, b := range ballots {
		all = append(all, storedBallot{b.By, b.As, b.Sort, b.Picks, b.Reply, b.At, b.Order, b.Mark, b.Said})
	}
	return all
}

func (s *storedVoting) voting() *record.Voting {
	if s == nil {
		return nil
	}
	return &record.Voting{Rule: s.Rule, Roster: s.Roster, Links: s.Links, Ballots: ballotsOf(s.Ballots)}
}

func ballotsOf(stored []storedBallot) []record.Ballot {
	var all []record.Ballot
	for _, b := range stored {
		all = append(all, record.Ballot{
			By: b.By, As: b.As, Sort: b.Sort, Picks: b.Picks, Reply: b.Reply, At: b.At, Order: b.Order, Mark: b.Mark, Said: b.Said,
		})
	}
	return all
}

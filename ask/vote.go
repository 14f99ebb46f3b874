package ask

import (
	"slices"
	"strings"
	"time"
)

// Vote is one person's vote on a request that several people decide.
type Vote struct {
	By Person `json:"by" doc:"Who votes"`
	// Human is the configured name of a person who has accounts on several platforms.
	Human string `json:"human,omitempty" doc:"The name under which the configuration links the person's accounts" example:"dana"`
	// Choices is what the person chose for each question; none for a dismissal.
	Choices []Choice `json:"choices,omitempty" nullable:"false" doc:"What was chosen for each question; absent for a vote to dismiss the request"`
	// Dismissed means that the person votes to end the request without an answer; Reply is what
	// they wrote to the agent.
	Dismissed bool      `json:"dismissed,omitempty" doc:"Whether it is a vote to end the request without an answer"`
	Reply     string    `json:"reply,omitempty" doc:"What the person wrote in place of an answer"`
	At        time.Time `json:"at" doc:"When"`
}

// Choice is one vote's choice for one question: labels in option order, typed text, or both on
// a multi-select question.
type Choice struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected" nullable:"false" doc:"The chosen labels in option order, exactly as they were sent"`
	Other    string   `json:"other,omitempty" doc:"Typed text"`
	// Skipped means that the person votes to leave an optional question unanswered.
	Skipped bool   `json:"skipped,omitempty" doc:"Whether it is for leaving an optional question unanswered"`
	Notes   string `json:"notes,omitempty" doc:"A note the person added to the choice"`
}

// Same reports whether two choices are equal. Typed texts are compared ignoring case and white
// space, and never equal a label. Notes are ignored.
func (c Choice) Same(other Choice) bool {
	folded := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return c.Index == other.Index && c.Skipped == other.Skipped && slices.Equal(c.Selected, other.Selected) && folded(c.Other) == folded(other.Other)
}

// Choice returns the counted choice.
func (c Count) Choice() Choice {
	return Choice{Index: c.Index, Selected: c.Selected, Other: c.Other, Skipped: c.Skipped}
}

// Count is the number of people who made the same choice.
type Count struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected" nullable:"false" doc:"The labels of the choice in option order"`
	Other    string   `json:"other,omitempty" doc:"The typed text of the choice"`
	Votes    int      `json:"votes" minimum:"0" doc:"How many people made it"`
	Skipped  bool     `json:"skipped,omitempty" doc:"Whether it is for leaving an optional question unanswered"`
}

// Standing is the progress of a vote. Before the end it reveals no more than [Voting.Show]
// allows.
type Standing struct {
	Rule Voting
	// Roster is the number of people who may vote; zero if unknown.
	Roster int
	// Voted is the number of people who have voted. It is zero while votes are sealed.
	Voted int
	// Votes and Tally are empty before the end unless votes are shown live.
	Votes []Vote
	Tally []Count
	// Waiting are those of a closed list who have not voted; empty unless votes are shown live, and after the end.
	Waiting []Voter
}

// Voter is a person who may vote.
type Voter struct {
	// Name is the configured name of a person who has several accounts; else empty.
	Name     string   `json:"name,omitempty" doc:"The name under which the configuration links the person's accounts" example:"dana"`
	Accounts []Person `json:"accounts" nullable:"false" doc:"The accounts from which the person can vote"`
}

package ask

import (
	"slices"
	"strings"
	"time"
)

// Vote is what one person wants, on a request that is decided by several.
type Vote struct {
	By Person `json:"by" doc:"Who votes"`
	// Human is the name under which the configuration knows the person on several
	// platforms.
	Human string `json:"human,omitempty" doc:"The name under which the configuration links the person's accounts" example:"dana"`
	// Choices is what the person chose for each question; none for a dismissal.
	Choices []Choice `json:"choices,omitempty" nullable:"false" doc:"What was chosen for each question; absent for a vote to dismiss the request"`
	// Dismissed tells that the person wants the request to end without an answer, and
	// Reply what they wrote to the agent about it.
	Dismissed bool      `json:"dismissed,omitempty" doc:"Whether it is a vote to end the request without an answer"`
	Reply     string    `json:"reply,omitempty" doc:"What the person wrote in place of an answer"`
	At        time.Time `json:"at" doc:"When"`
}

// Choice is what one vote says of one question: labels in option order, typed text, or
// both on a multi-select question.
type Choice struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected" nullable:"false" doc:"The chosen labels in option order, exactly as they were sent"`
	Other    string   `json:"other,omitempty" doc:"Typed text"`
	// Skipped tells that the person would rather leave an optional question unanswered.
	Skipped bool   `json:"skipped,omitempty" doc:"Whether it is for leaving an optional question unanswered"`
	Notes   string `json:"notes,omitempty" doc:"What the person wrote beside the choice"`
}

// Same reports whether two people chose the same for one question. White space is no
// difference in what was typed, the case of letters is one, and text is never a label.
// Notes are no part of a choice.
func (c Choice) Same(other Choice) bool {
	folded := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return c.Index == other.Index && c.Skipped == other.Skipped && slices.Equal(c.Selected, other.Selected) && folded(c.Other) == folded(other.Other)
}

// Choice is what was chosen.
func (c Count) Choice() Choice {
	return Choice{Index: c.Index, Selected: c.Selected, Other: c.Other, Skipped: c.Skipped}
}

// Count is how many people made the same choice.
type Count struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected" nullable:"false" doc:"The labels of the choice in option order"`
	Other    string   `json:"other,omitempty" doc:"The typed text of the choice"`
	Votes    int      `json:"votes" minimum:"0" doc:"How many people made it"`
	Skipped  bool     `json:"skipped,omitempty" doc:"Whether it is for leaving an optional question unanswered"`
}

// Standing is how a vote stands, as far as it may be told: before the end no more
// than [Voting.Show] allows.
type Standing struct {
	Rule Voting
	// Roster is how many people may vote, where that is known; else zero.
	Roster int
	// Voted is how many people have voted. It is zero while votes are sealed.
	Voted int
	// Votes and Tally are empty before the end unless votes are shown live.
	Votes []Vote
	Tally []Count
}

package ask

import (
	"encoding/json"
	"slices"
	"time"
)

// AskBack is whether people can ask the agent about its request.
type AskBack string

// The values of AskBack. The zero value defers to route and token; if they leave it open too,
// people cannot ask.
const (
	// AskBackOff: people cannot ask.
	AskBackOff AskBack = "off"
	// AskBackStay: the agent receives the question and the request stays open.
	AskBackStay AskBack = "stay"
	// AskBackEnd: the question ends the request as a reply does, for agents that receive
	// nothing before the end.
	AskBackEnd AskBack = "end"
)

// The limits of asking back. Everyone who sees the card sees all questions and replies.
const (
	// MaxAskedBack is the maximum number of questions per request.
	MaxAskedBack = 20
	// MaxAsked is the number of characters kept of each question and each reply.
	MaxAsked = 2000
)

// On reports whether people can ask.
func (a AskBack) On() bool { return a == AskBackStay || a == AskBackEnd }

// Check validates the value; problems are reported at path.
func (a AskBack) Check(path string) []Problem {
	var c checker
	if !slices.Contains([]AskBack{"", AskBackOff, AskBackStay, AskBackEnd}, a) {
		c.add(path, ErrAskBack, "%q is not off, stay or end", shorten(string(a)))
	}
	return c.problems
}

// AskedBack is one question that a person asked the agent, with the agent's reply.
type AskedBack struct {
	// Number identifies the question within the request; the first is 1.
	Number int       `json:"number" doc:"Identifies the question within the request; the first is 1"`
	By     Person    `json:"by" doc:"Who asked"`
	Text   string    `json:"text" doc:"What they asked" example:"Does it keep the old data?"`
	At     time.Time `json:"at" doc:"When they asked"`
	// Reply is empty until the agent replies.
	Reply     string    `json:"reply,omitempty" doc:"What the agent replied; absent while it has not"`
	RepliedAt time.Time `json:"replied_at,omitzero" doc:"When it replied"`
}

func (d *decoder) askBack(path string, data json.RawMessage) AskBack {
	return AskBack(d.text(path, data))
}

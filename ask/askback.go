package ask

import (
	"encoding/json"
	"slices"
	"time"
)

// AskBack says whether people can ask the agent something about its request.
type AskBack string

// The ways to ask back. The zero value leaves it to route and token, and without them
// people cannot.
const (
	// AskBackOff: people cannot.
	AskBackOff AskBack = "off"
	// AskBackStay: the agent hears of it, and the request stays open meanwhile.
	AskBackStay AskBack = "stay"
	// AskBackEnd: it ends the request as a reply does, for agents that hear nothing
	// before the end.
	AskBackEnd AskBack = "end"
)

// What people can ask about one request. All of it is shown to everybody who sees the
// card.
const (
	// MaxAskedBack is how often people can ask.
	MaxAskedBack = 20
	// MaxAsked is how much of it is kept, and of the agent's reply, in characters.
	MaxAsked = 2000
)

// On reports whether people can ask.
func (a AskBack) On() bool { return a == AskBackStay || a == AskBackEnd }

// Check returns what is wrong with a way to ask back that stands at path.
func (a AskBack) Check(path string) []Problem {
	var c checker
	if !slices.Contains([]AskBack{"", AskBackOff, AskBackStay, AskBackEnd}, a) {
		c.add(path, ErrAskBack, "%q is not off, stay or end", shorten(string(a)))
	}
	return c.problems
}

// AskedBack is one thing that a person asked the agent about its request, and the agent's
// reply.
type AskedBack struct {
	// Number tells it from others of the request; the first is 1.
	Number int       `json:"number" doc:"Tells it from others of the request; the first is 1"`
	By     Person    `json:"by" doc:"Who asked"`
	Text   string    `json:"text" doc:"What they asked" example:"Does it keep the old data?"`
	At     time.Time `json:"at" doc:"When they asked"`
	// Reply is empty until the agent has replied.
	Reply     string    `json:"reply,omitempty" doc:"What the agent replied; absent while it has not"`
	RepliedAt time.Time `json:"replied_at,omitzero" doc:"When it replied"`
}

func (d *decoder) askBack(path string, data json.RawMessage) AskBack {
	return AskBack(d.text(path, data))
}

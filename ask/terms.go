package ask

import (
	"slices"
	"time"
)

// Terms are what a route or a token says of its requests. Responders, Voting, Replies and Hold
// bound each request, those of the route and of the token both: what it says itself only makes
// them stricter, but for [Request.Unbound]. Notify, AskBack and Schedule count where it says
// nothing itself, those of the route before those of the token. The zero value demands nothing,
// and says nothing.
type Terms struct {
	// Responders is who may answer at most, as in [Request.Responders]; nil leaves it to the
	// request.
	Responders []string `json:"responders,omitempty"`
	// Voting is how many people decide at least; the zero value leaves it to the request.
	Voting Voting `json:"policy,omitzero"`
	// Notify is who is told, as in [Request.Notify]; nil says nothing, and an empty list tells
	// nobody.
	Notify []string `json:"notify,omitzero"`
	// Replies is what messages may answer at most, and where a request says nothing.
	Replies Replies `json:"replies,omitzero"`
	// Hold is how long what people decide can be undone at least; see [Request.Hold].
	Hold time.Duration `json:"hold,omitempty"`
	// AskBack is whether people can ask the agent something; empty says nothing.
	AskBack AskBack `json:"ask_back,omitempty"`
	// Schedule is what happens while nobody answers; the zero value says nothing. It may add
	// whom Responders beside it does not let answer: who writes the one writes the other.
	Schedule Schedule `json:"schedule,omitzero"`
	// Receipts has the cards say when the agent has taken an answer, whatever the request says.
	Receipts bool `json:"receipts,omitempty"`
}

// Check returns what is wrong with the form of everything but Responders, which
// [CheckResponders] judges. Path stands before the names of the settings: "agents[0]." makes
// "agents[0].hold".
func (t *Terms) Check(path string) []Problem {
	return slices.Concat(t.Voting.Check(path+"policy"), CheckNotify(path+"notify", t.Notify), t.Replies.Check(path+"replies"),
		CheckHold(path+"hold", t.Hold), t.AskBack.Check(path+"ask_back"), t.Schedule.Check(path+"schedule"))
}

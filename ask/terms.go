package ask

import (
	"slices"
	"time"
)

// Terms are the requirements and defaults of a route or a token. Responders, Voting, Replies
// and Hold are bounds, of the route and the token both: a request can only be stricter, except
// with [Request.Unbound]. Notify, AskBack and Schedule are defaults for requests that set none;
// the route's take precedence over the token's. The zero value requires nothing and has no
// defaults.
type Terms struct {
	// Responders is the widest list of who may answer, as in [Request.Responders]; nil leaves
	// it to the request.
	Responders []string `json:"responders,omitempty"`
	// Voting is the minimum policy; the zero value leaves it to the request.
	Voting Voting `json:"policy,omitzero"`
	// Notify is the default for [Request.Notify]; nil sets none, and an empty list notifies no
	// one.
	Notify []string `json:"notify,omitzero"`
	// Replies is both the widest permitted setting and the default.
	Replies Replies `json:"replies,omitzero"`
	// Hold is the minimum hold; see [Request.Hold].
	Hold time.Duration `json:"hold,omitempty"`
	// AskBack is the default for [Request.AskBack]; empty sets none.
	AskBack AskBack `json:"ask_back,omitempty"`
	// Schedule is the default escalation; the zero value sets none. It may add people that
	// Responders excludes: the operator configures both.
	Schedule Schedule `json:"schedule,omitzero"`
	// Receipts enables [Request.Receipts] for every request.
	Receipts bool `json:"receipts,omitempty"`
}

// Check validates everything but Responders, which [CheckResponders] covers. path is prepended
// to setting names: "agents[0]." makes "agents[0].hold".
func (t *Terms) Check(path string) []Problem {
	return slices.Concat(t.Voting.Check(path+"policy"), CheckNotify(path+"notify", t.Notify), t.Replies.Check(path+"replies"),
		CheckHold(path+"hold", t.Hold), t.AskBack.Check(path+"ask_back"), t.Schedule.Check(path+"schedule"))
}

package respond

import (
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// actOf converts an interaction to an act. It returns false for a control that only
// changes what the person sees; then the action has no kind.
func actOf(i platform.Interaction) (record.Act, bool) {
	action, ok := i.Token.Action(i.Picks, i.Texts)
	action.Notes = i.Notes
	action.Since = i.Opened
	if i.Chosen != nil {
		action.To = *i.Chosen
	}
	by := ask.Responder{Person: i.Person, Groups: i.Groups, Membership: i.Membership, Bot: i.Bot}
	return record.Act{ID: i.ID, Order: i.Order, Message: i.Message, Private: i.Private, By: by, Action: action}, ok
}

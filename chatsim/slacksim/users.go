package slacksim

import "github.com/askbridge/askbridge/chatsim/internal/double"

// kindUsers is a menu of the people of the workspace. What can be chosen in it is nowhere in what the app sent: everybody
// with an account, bots and guests too. https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#users_select
const kindUsers = "users_select"

// offered is an element with what people can choose in it.
func (s *Server) offered(e object) object {
	if text(e, "type") != kindUsers {
		return e
	}
	options := []any{}
	for _, p := range s.people {
		if !p.Disabled {
			options = append(options, object{"text": object{"type": "plain_text", "text": p.RealName}, "value": p.ID})
		}
	}
	out, _ := double.Clone(e).(object)
	out["options"] = options
	return out
}

// drawn is a block as a client draws it, with what can be chosen.
func (s *Server) drawn(block object) object {
	out, _ := double.Clone(block).(object)
	for _, e := range elementsOf(out) {
		if options := s.offered(e)["options"]; options != nil {
			e["options"] = options
		}
	}
	return out
}

package slacksim

import "github.com/askbridge/askbridge/chatsim/internal/double"

// kindUsers is a menu of the workspace's people. Its options are not part of the app's message:
// everyone with an account, including bots and guests.
// https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#users_select
const kindUsers = "users_select"

// offered returns an element with the options that people can select.
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

// drawn returns a block as a client draws it, with its options.
func (s *Server) drawn(block object) object {
	out, _ := double.Clone(block).(object)
	for _, e := range elementsOf(out) {
		if options := s.offered(e)["options"]; options != nil {
			e["options"] = options
		}
	}
	return out
}

package slacksim

import (
	"slices"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

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

// usersList lists everyone in the workspace, including bots and deactivated accounts, by id. People of other companies
// in shared channels are not in it. https://docs.slack.dev/reference/methods/users.list
func (s *Server) usersList(c *call) (object, *apiError) {
	people := slices.DeleteFunc(slices.Clone(s.people), func(p Person) bool {
		return p.Team != s.opts.Team && (s.opts.Enterprise == "" || len(p.Teams) == 0)
	})
	page, next, refused := pageOf(c, people, "user", max(1, len(people)), func(p Person) string { return p.ID })
	if refused != nil {
		return nil, refused
	}
	members := []any{}
	for _, p := range page {
		one := args{"user": p.ID}
		if c.args.has("include_locale") {
			one["include_locale"] = c.args["include_locale"]
		}
		found, refused := s.usersInfo(&call{method: c.method, token: c.token, args: one})
		if refused != nil {
			return nil, refused
		}
		members = append(members, found["user"])
	}
	return object{"members": members, "response_metadata": object{"next_cursor": next}}, nil
}

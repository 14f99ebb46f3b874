package intake

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// askBack is whether people can ask the agent something: as the request says, or else its
// route, or else its token. The host of a tool call hears nothing before the end, so there
// asking ends it, where its result has a place for what is asked.
func askBack(req *ask.Request, route Route) ask.AskBack {
	switch way := cmp.Or(req.AskBack, route.AskBack, req.Token.AskBack); {
	case !way.On(), req.Wordless:
		return ""
	case req.Deaf:
		return ask.AskBackEnd
	default:
		return way
	}
}

// guarded returns what is wrong with the labels of a revision: those that look like another one, and the new ones for which
// a route or the token asks more people than for others, since the request was made without them.
func (in *Intake) Guarded(r *record.Record, v ask.Revision, floor ask.Voting) []ask.Problem {
	names := func(questions []ask.Question, label string) bool {
		return slices.ContainsFunc(questions, func(q ask.Question) bool {
			return slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
		})
	}
	demanded := func(label string) bool {
		for _, route := range in.Opts.Routes {
			if needOf(route.Voting.Needs, label) > 0 {
				return true
			}
		}
		return needOf(floor.Needs, label) > 0
	}
	problems := checkLabels(v.Questions)
	for q, question := range v.Questions {
		for n, o := range question.Options {
			if demanded(o.Label) && !names(r.Questions, o.Label) {
				problems = append(problems, Problem(fmt.Sprintf("questions[%d].options[%d].label", q, n), ask.ErrPolicy,
					"a policy says how many people this label takes; make a new request that supersedes this one"))
			}
		}
	}
	return problems
}

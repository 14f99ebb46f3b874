package intake

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// askBack returns whether people can ask the agent questions: by the request, or
// else its route, or else its token. The host of a tool call sees nothing before the
// end, so a question ends such a request if its result can contain one.
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

// Guarded returns the problems of a revision's labels: lookalikes, and new labels for
// which a route or the token requires more votes.
func (in *Intake) Guarded(r *record.Record, v ask.Revision, floor ask.Voting) []ask.Problem {
	names := func(questions []ask.Question, label string) bool {
		return slices.ContainsFunc(questions, func(q ask.Question) bool {
			return slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
		})
	}
	demanded := func(label string) bool {
		for _, route := range in.Settings.Routes {
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
					"a policy sets how many people this label needs; make a new request that supersedes this one"))
			}
		}
	}
	return problems
}

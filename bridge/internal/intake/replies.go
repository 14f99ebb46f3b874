package intake

import (
	"errors"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// replies returns which typed messages can answer a request, within the
// limits of its route and token.
func (in *Intake) replies(req *ask.Request, route Route, voting *record.Voting, to []ask.Place) (ask.Replies, error) {
	replies := req.Replies.Under(req.Token.Replies).Under(route.Replies).Normal()
	if !replies.On() || req.Risk != "" {
		return ask.Replies{}, nil
	}
	if voting != nil && voting.Rule.Show != ask.ShowLive {
		// Everyone in the channel would read hidden votes.
		if req.Replies.On() {
			return replies, invalid("replies.mode", ask.ErrReplies, "votes that are not shown live cannot be typed where others read them")
		}
		return ask.Replies{}, nil
	}
	if problems := in.Directory.checkHearing("replies", in.Settings.Threads, to); len(problems) > 0 {
		return replies, &ask.InvalidError{Problems: problems}
	}
	return replies, nil
}

// checkHearing returns why typed messages would not arrive from these places.
func (d *Directory) checkHearing(path string, store storage.Threads, to []ask.Place) []ask.Problem {
	if store == nil {
		return []ask.Problem{Problem(path, ask.ErrReplies, "this bridge does not remember threads, so it would not know which request a message answers")}
	}
	var names []string
	var problems []ask.Problem
	for _, target := range to {
		p, ok := d.Platforms.Named[target.Platform]
		if !ok || slices.Contains(names, target.Platform) {
			continue
		}
		names = append(names, target.Platform)
		why := errors.New("typed messages do not arrive from there")
		if h, able := p.(platform.MessageReceiver); able {
			why = h.ReceivesMessages()
		}
		if why != nil {
			problems = append(problems, Problem(path, ask.ErrReplies, fmt.Sprintf("%s: %v", target.Platform, why)))
		}
	}
	return problems
}

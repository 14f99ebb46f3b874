package render_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// risky returns a request with a high risk, whose one question has up to five options.
func risky(r ask.Request) ask.Request {
	q := &r.Questions[0]
	q.MultiSelect, q.Optional, q.Notes = false, false, false
	q.Options = q.Options[:min(5, len(q.Options))]
	r.Questions, r.Risk = r.Questions[:1], ask.HighRisk
	return r
}

// TestNoTapDecidesAHighRisk lays out any request with a high risk: no button chooses, and the forms that confirm an option
// are within the limits of both platforms.
func TestNoTapDecidesAHighRisk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Map(spiced(), risky).Filter(valid).Draw(t, "request")
		s := render.Subject{
			ID: "p01r3v7k2m9qxw", Agent: r.Agent, Context: r.Context, Links: r.Links, Files: ask.Attachments(r.Files), Questions: r.Questions,
			Eligible: anyone, Deadline: asked, Confirms: true, Plain: rapid.Bool().Draw(t, "plain"),
		}
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			for _, b := range buttons(render.Layout(s, l)) {
				if action, _ := b.Token.Action(nil, nil); action.Kind == ask.Choose {
					t.Errorf("%s: one tap on %q chooses", l.Platform, b.Label)
				}
			}
		}
		judgeSlack(t, drawSlack(s), nil)
		judgeDiscord(t, drawDiscord(s), nil)
	})
}

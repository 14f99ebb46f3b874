package bridge

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// sayVote tells somebody what came of their act where several people decide.
func sayVote(r *Record, a record.Act, result record.Decision) Note {
	switch {
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Annotate:
		return sayAnnotated(r, a.Action)
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Fill && len(result.Missing) > 0:
		return sayLeftOut(r, result.Missing)
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Fill:
		return Note{Text: "What you chose is kept. Your vote counts when every question has an answer."}
	case result.Verdict == record.Recorded:
		return Note{Text: fmt.Sprintf("Noted for %s: %s. Press Submit on the card to vote.", title(r.Questions[a.Action.Question]), noted(r, a))}
	}
	change := " You can change it until it is decided."
	if !r.Voting.Rule.Changeable() {
		change = ""
	}
	vote, ok := r.VoteOf(a.By.Key())
	switch {
	case !ok:
		return Note{Text: "Your vote is taken back."}
	case vote.Dismissed:
		return Note{Text: "Your vote to dismiss this counts." + change}
	}
	var parts []string
	for _, c := range vote.Choices {
		if c.Skipped {
			parts = append(parts, "skipped")
			continue
		}
		parts = append(parts, chosenIn(c.Selected, c.Other))
	}
	return Note{Text: fmt.Sprintf("Your vote counts: %s.%s", cut(strings.Join(parts, "; "), 300), change)}
}

// noted is what somebody has chosen for the question so far.
func noted(r *Record, a record.Act) string {
	pick := r.Drafts[a.By.Key()][a.Action.Question]
	var labels []string
	for _, o := range pick.Selected {
		labels = append(labels, r.Questions[a.Action.Question].Options[o].Label)
	}
	switch {
	case pick.Skipped:
		return "skipped"
	case pick.Empty():
		return "nothing"
	}
	return cut(chosenIn(labels, pick.Other), 200)
}

func chosenIn(selected []string, other string) string {
	text := strings.Join(selected, ", ")
	if other == "" {
		return text
	}
	if text != "" {
		text += ", "
	}
	return text + "“" + strings.TrimSpace(other) + "”"
}

package respond

import (
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

// sayVote shows a voter the result of their act.
func sayVote(w *words.Words, r *record.Record, a record.Act, result record.Decision) platform.Note {
	switch {
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Annotate:
		return sayAnnotated(w, r, a.Action)
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Fill && len(result.Missing) > 0:
		return sayLeftOut(w, r, result.Missing)
	case result.Verdict == record.Recorded && a.Action.Kind == ask.Fill:
		return note(w, w.Voted.Kept)
	case result.Verdict == record.Recorded:
		return note(w, w.Voted.Noted(title(w, r.Questions[a.Action.Question]), noted(w, r, a)))
	}
	change := " " + w.Voted.Changeable
	if !r.Voting.Rule.Changeable() || r.Held != nil {
		change = ""
	}
	vote, ok := r.VoteOf(a.By.Key())
	switch {
	case !ok:
		return note(w, w.Voted.TakenBack)
	case vote.Dismissed:
		return note(w, w.Voted.ToDismiss+change)
	}
	var parts []string
	for _, c := range vote.Choices {
		if c.Skipped {
			parts = append(parts, w.Voted.Skipped)
			continue
		}
		parts = append(parts, chosenIn(w, r.Questions[c.Index], c.Selected, c.Other))
	}
	say := w.Voted.Counts
	if len(parts) > 1 || vote.Choices[0].Skipped {
		say = w.Voted.CountsAll
	}
	return note(w, say(cut(strings.Join(parts, "; "), 300))+change)
}

// noted describes a person's current choice for a question.
func noted(w *words.Words, r *record.Record, a record.Act) string {
	pick, q := r.Drafts[a.By.Key()][a.Action.Question], r.Questions[a.Action.Question]
	var labels []string
	for _, o := range pick.Selected {
		labels = append(labels, q.Options[o].Label)
	}
	switch {
	case pick.Skipped:
		return w.Voted.Skipped
	case pick.Empty():
		return w.Voted.Nothing
	}
	return cut(chosenIn(w, q, labels, pick.Other), 200)
}

func chosenIn(w *words.Words, q ask.Question, selected []string, other string) string {
	text := strings.Join(optionsIn(q, selected), ", ")
	if other == "" {
		return text
	}
	if text != "" {
		text += ", "
	}
	return text + w.Note.Quote(strings.TrimSpace(other))
}

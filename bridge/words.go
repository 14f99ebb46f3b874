package bridge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// What people are told in private. Each says what happened, and what did not.
const (
	sayUnknown   = "This question is no longer known here, so nothing was recorded."
	sayForeign   = "This question is not known here, so nothing was recorded. If another bridge looks after it, please press again."
	sayTrying    = "Could not save your answer: it is not recorded yet. Trying again for you…"
	sayRescued   = "Saved now: your answer is recorded."
	sayUnchecked = "Could not check whether this question is yours to answer: nothing was recorded. Please try again in a moment."
	sayThin      = "Recorded, but not yet copied to a second machine: if the first one fails now, it could be lost. Look at the card again in a while."
	sayTryAgain  = "Could not save your answer: nothing was recorded. Please try again in a moment."
)

// verdictWords are what people are told of verdicts that need no more words than these.
var verdictWords = map[record.Verdict]string{
	record.Elsewhere:  "This is not the card that was posted for the question. Nothing was recorded: please use the card itself.",
	record.Hasty:      "The choices have changed since you pressed Submit. Nothing was sent: please look at them, and submit again.",
	record.Final:      "You have voted, and votes on this question cannot be changed. Nothing was recorded.",
	record.Unvoted:    "You have not voted on this question, so there is nothing to take back.",
	record.Decided:    "This is decided, and whoever decided it can still undo that. Nothing was recorded: please wait a moment.",
	record.Undone:     "Undone: the agent has heard nothing, and the question is open again.",
	record.Unheld:     "There is nothing to undo here.",
	record.Theirs:     "Only those who decided this can undo it. Nothing was changed.",
	record.Outdated:   "The agent has revised this question since that card was drawn. Nothing was recorded: please look at it again.",
	record.AskedAgent: "Your question is on its way to the agent. The card shows the reply, and waits for an answer meanwhile.",
	record.Unshown:    "The files of this question do not stand below the card yet. Nothing was recorded: please try again when they do.",
	record.Enough:     "People have asked the agent as often as they can about this. Nothing was sent.",
}

// notPassedWords are what people are told who wanted to pass a request on.
var notPassedWords = map[record.WhyNot]string{
	record.ToNobody:     "Please choose a person.",
	record.ToThemselves: "That is you.",
	record.ToBarred:     "They may not answer this question.",
	record.ToUnknown:    "Could not check whether they may answer this question: please try again in a moment.",
	record.ToPasser:     "They have passed it on, so it cannot come back to them.",
	record.ToVoter:      "They vote on it already.",
	record.HasVoted:     "You have voted: take your vote back first.",
	record.TooOften:     "It was passed on as often as it can be.",
}

// sayDecision words a verdict for the person who acted.
func sayDecision(r *Record, a record.Act, result record.Decision) Note {
	switch result.Verdict {
	case record.Incomplete:
		return sayMissing(r, result.Missing)
	case record.Forbidden:
		return sayForbidden(r, a)
	case record.NotPassed:
		why := notPassedWords[result.Why]
		return Note{Text: why + " Nothing was changed.", Fields: map[int]string{-1: why}}
	case record.Late:
		return Note{Text: fmt.Sprintf("Too late: the time to answer ended %s ago. Nothing was recorded.", ago(r))}
	case record.Closed:
		if a.Action.Kind == ask.Undo {
			return Note{Text: "Too late to undo. " + sayClosed(r)}
		}
		return Note{Text: sayClosed(r)}
	}
	return Note{Text: cmp.Or(verdictWords[result.Verdict], "That control does not belong to this question any more. Nothing was recorded.")}
}

func sayForbidden(r *Record, a record.Act) Note {
	const notYours = "This question is not yours to answer. Nothing was recorded. It is for:"
	to := r.Addressee(a.Message)
	if next := r.PassedOn(a.By); next.ID != "" {
		return Note{Text: "You passed this on, so somebody else has to answer. Nothing was recorded. It is for:", Who: ask.PolicyOf(next.Key())}
	}
	switch {
	case r.Responder(a.By).Requester && r.Policy.Has(ask.NotRequester):
		return Note{Text: "You asked for this yourself, so somebody else has to decide. Nothing was recorded."}
	case to != "" && to != a.By.ID:
		return Note{Text: notYours, Who: ask.PolicyOf(ask.Person{Platform: a.By.Platform, ID: to}.Key())}
	case r.Policy.Open():
		return Note{Text: "Only people of this workspace can answer this. Nothing was recorded."}
	}
	return Note{Text: notYours, Who: r.Policy}
}

func sayMissing(r *Record, missing []int) Note {
	if len(missing) == 0 {
		return Note{Text: "There is nothing in the reply. Nothing was sent.", Fields: map[int]string{-1: "Please write something."}}
	}
	if !slices.ContainsFunc(missing, func(q int) bool { return !r.Questions[q].Optional }) {
		return Note{
			Text:   "Nothing is chosen yet. Nothing was sent: answer a question, or skip one.",
			Fields: map[int]string{missing[0]: "Please answer a question, or skip one."},
		}
	}
	note := Note{Fields: map[int]string{}}
	for _, q := range missing {
		note.Fields[q] = "Please choose or write an answer."
	}
	note.Text = fmt.Sprintf("Still missing: %s. Nothing was sent.", titles(r, missing))
	return note
}

// sayLeftOut tells what a form left out, whose other answers are kept.
func sayLeftOut(r *Record, missing []int) Note {
	return Note{Text: fmt.Sprintf("Still missing: %s. What you chose is kept, and nothing is sent yet.", titles(r, missing))}
}

// titles names questions in a note.
func titles(r *Record, questions []int) string {
	var names []string
	for _, q := range questions {
		names = append(names, title(r.Questions[q]))
	}
	return strings.Join(names, ", ")
}

// sayNoted confirms typed text that waits for Submit.
func sayNoted(r *Record, a ask.Action) Note {
	q := r.Questions[a.Question]
	text := fmt.Sprintf("Noted for %s: “%s”. Press Submit on the card to send it.", title(q), cut(strings.TrimSpace(a.Text()), 200))
	if !q.MultiSelect && len(q.Options) > 0 {
		text += " It replaces your choice there, until you choose again."
	}
	return Note{Text: text}
}

// sayAnnotated confirms a note that waits for Submit.
func sayAnnotated(r *Record, a ask.Action) Note {
	q := r.Questions[a.Question]
	text := strings.TrimSpace(a.Notes[a.Question])
	if text == "" {
		return Note{Text: fmt.Sprintf("Your note on %s is taken away.", title(q))}
	}
	return Note{Text: fmt.Sprintf("Your note on %s: “%s”. It goes with the answer, which is still to be chosen and submitted.", title(q), cut(text, 200))}
}

func sayClosed(r *Record) string {
	o := r.Outcome
	switch o.End() {
	case ask.EndAnswered:
		by := "answered by " + name(o.By)
		if r.Voting != nil {
			by = "decided by vote"
		}
		var parts []string
		for _, a := range o.Answers {
			chosen := a.Selected
			if a.Other != "" {
				chosen = append(slices.Clip(chosen), a.Other)
			}
			parts = append(parts, strings.Join(chosen, ", "))
		}
		if len(parts) == 0 {
			return fmt.Sprintf("Already skipped by %s.", name(o.By))
		}
		return fmt.Sprintf("Already %s: %s.", by, cut(strings.Join(parts, "; "), 300))
	case ask.EndReplied:
		return fmt.Sprintf("%s replied in place of an answer: %s.", name(o.By), cut(o.Reply(), 300))
	case ask.EndDismissed:
		return fmt.Sprintf("%s dismissed this question. Nothing was recorded.", name(o.By))
	case ask.EndWithdrawn:
		return "The agent withdrew this question. Nothing was recorded."
	case ask.EndExpired:
		return fmt.Sprintf("This question expired %s ago. Nothing was recorded.", ago(r))
	case ask.EndSuperseded:
		return "A newer question has replaced this one. Nothing was recorded."
	}
	return "This question is closed. Nothing was recorded."
}

// ago is how long the request's time has been over, in words without a time
// zone.
func ago(r *Record) string {
	since := r.Deadline
	if since.IsZero() {
		since = r.EndedAt
	}
	span := time.Since(since)
	switch {
	case span < 2*time.Second:
		return "a moment"
	case span < 2*time.Minute:
		return fmt.Sprintf("%d seconds", int(span.Seconds()))
	case span < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(span.Minutes()))
	case span < 48*time.Hour:
		return fmt.Sprintf("%d hours", int(span.Hours()))
	}
	return fmt.Sprintf("%d days", int(span.Hours()/24))
}

// title names a question in a note.
func title(q ask.Question) string {
	if strings.TrimSpace(q.Header) != "" {
		return cut(q.Header, 40)
	}
	return "“" + cut(q.Text, 60) + "”"
}

func name(p ask.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

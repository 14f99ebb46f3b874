package dialect

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Ending is how a call ended. It distinguishes everything that some host distinguishes: the ends of a request, and two that
// only a call can have.
type Ending = ask.End

// The endings. Only Answered and Partial carry answers.
const (
	// Pending: the request is open.
	Pending = ask.NotEnded
	// Answered: every question has an answer.
	Answered = ask.EndAnswered
	// Partial: some questions have an answer, or all were left out on purpose.
	Partial Ending = "partial"
	// Declined: a person dismissed the questions. Hosts call it declining, rejecting or dismissing.
	Declined = ask.EndDismissed
	// Replied: a person wrote a message to the agent instead of answering.
	Replied = ask.EndReplied
	// Cancelled: the agent or its operator withdrew the questions.
	Cancelled = ask.EndWithdrawn
	// Expired: the deadline passed without an answer.
	Expired = ask.EndExpired
	// Superseded: newer questions replaced them.
	Superseded = ask.EndSuperseded
	// Failed: the questions could not be shown, or the recorded answer does not fit.
	Failed = ask.EndFailed
	// Refused: the input was rejected, so no question was asked.
	Refused Ending = "refused"
)

// EndingOf returns the ending of a request with this number of questions. An answered outcome without any answer counts as
// failed, so that it does not look like one.
func EndingOf(out ask.Outcome, questions int) Ending {
	if end := out.End(); end != Answered {
		return end
	}
	given := map[int]bool{}
	for _, a := range out.Answers {
		if a.Index >= 0 && a.Index < questions && (len(a.Selected) > 0 || strings.TrimSpace(a.Other) != "") {
			given[a.Index] = true
		}
	}
	switch len(given) {
	case 0:
		if len(out.Skipped)+len(out.Left) == 0 {
			return Failed
		}
	case questions:
		return Answered
	}
	return Partial
}

// notice is the sentence that the model reads instead of an answer. It neither suggests a choice nor asks the model to decide
// itself.
func notice(e Ending, out ask.Outcome, requestID string) string {
	who := quote.Line(out.By.Name, 60)
	if who == "" {
		who = "The user"
	}
	switch e {
	case Pending:
		s := "Nobody has answered yet; the questions are still open"
		if requestID != "" {
			s += " as request " + requestID
		}
		return s + ". Do not assume an answer."
	case Declined:
		return who + " cancelled the questions."
	case Replied:
		return who + " answered none of the questions, and replied: " + out.Reply()
	case Cancelled:
		return "The questions were withdrawn before anyone answered."
	case Expired:
		if len(out.Votes) > 0 {
			return "People voted and did not come to a decision in time, and the questions are closed. Do not assume an answer."
		}
		return "Nobody answered in time, and the questions are closed. Do not assume an answer."
	case Superseded:
		return "The questions were replaced by newer ones before anyone answered."
	}
	s := "The questions could not be answered"
	if reason := strings.TrimSuffix(quote.Line(out.Reason, 200), "."); reason != "" {
		s += ": " + reason
	}
	return s + ". Do not assume an answer."
}

// answeredBy lists the people who answered, in the order of the questions, and their platform.
func answeredBy(out ask.Outcome) string {
	var names []string
	for _, a := range out.Answers {
		by := a.By
		if by.ID == "" {
			by = out.By
		}
		if name := quote.Line(by.Name, 60); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	text := names[0]
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	switch platform := out.By.Platform; platform {
	case "":
	case ask.API:
		text += " over the API"
	default:
		text += " on " + strings.ToUpper(platform[:1]) + platform[1:]
	}
	return text
}

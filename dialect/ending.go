package dialect

import (
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Ending is how a call ended, as finely as any host tells it apart: the end of
// its request, and what can only be said of a call.
type Ending = ask.End

// The endings. All but Answered and Partial carry no answer.
const (
	// Pending: the request is open.
	Pending = ask.NotEnded
	// Answered: every question has an answer.
	Answered = ask.EndAnswered
	// Partial: some questions have one, or all of them were left out on purpose.
	Partial Ending = "partial"
	// Declined is what hosts call declining, rejecting or dismissing.
	Declined = ask.EndDismissed
	// Replied: a person wrote something to the agent in place of all answers.
	Replied = ask.EndReplied
	// Cancelled: the agent, or whoever runs it, took the questions back.
	Cancelled = ask.EndWithdrawn
	// Expired: nobody answered in time.
	Expired = ask.EndExpired
	// Superseded: newer questions took their place.
	Superseded = ask.EndSuperseded
	// Failed: the questions could not be shown, or the record does not fit.
	Failed = ask.EndFailed
	// Refused: the input was not accepted, so nobody was asked.
	Refused Ending = "refused"
)

// EndingOf reads the ending from the outcome of a request with that many
// questions. An answered outcome without a single answer counts as failed: it
// must not look like one.
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

// notice is the sentence the model reads in place of an answer. It neither
// suggests a choice nor asks the model to go on by its own judgement.
func notice(e Ending, out ask.Outcome, requestID string) string {
	who := line(out.By.Name, 60)
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
	if reason := strings.TrimSuffix(line(out.Reason, 200), "."); reason != "" {
		s += ": " + reason
	}
	return s + ". Do not assume an answer."
}

// answeredBy names the people who gave the answers, in the order of the
// questions, and the platform they did it on.
func answeredBy(out ask.Outcome) string {
	var names []string
	for _, a := range out.Answers {
		by := a.By
		if by.ID == "" {
			by = out.By
		}
		if name := line(by.Name, 60); name != "" && !contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	said := names[0]
	if last := len(names) - 1; last > 0 {
		said = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	switch platform := out.By.Platform; platform {
	case "":
	case ask.API:
		said += " over the API"
	default:
		said += " on " + strings.ToUpper(platform[:1]) + platform[1:]
	}
	return said
}

// line makes one line of at most that many characters.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// brief is a text of the input as it is quoted in a message.
func brief(s string) string { return line(s, 60) }

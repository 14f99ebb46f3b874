package ask

import (
	"slices"
	"strings"
	"time"
)

// State is the state of a request. [Open] is the only non-final one.
type State string

// The states of a request.
const (
	Open       State = "open"
	Answered   State = "answered"
	Cancelled  State = "cancelled"
	Expired    State = "expired"
	Superseded State = "superseded"
	Failed     State = "failed"
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s != Open && s != "" }

// Person is a user of a platform.
type Person struct {
	Platform string `json:"platform" doc:"The platform of the person" example:"slack"`
	// Installation is the scope of ID, as in [Place]; empty for the only one.
	Installation string `json:"installation,omitempty" doc:"The Slack workspace or organisation that the id belongs to; absent if the bridge serves one" example:"T0000001"`
	ID           string `json:"id" doc:"The platform's id of the person" example:"U0000001"`
	Name         string `json:"name,omitempty" doc:"The name that the platform shows" example:"Dana"`
}

// Key identifies the person across requests, as in "slack:U0000001" or "slack@T0000001:U0000001".
func (p Person) Key() string {
	if p.Installation != "" {
		return p.Platform + "@" + p.Installation + ":" + p.ID
	}
	return p.Platform + ":" + p.ID
}

// API is the platform name of people who answer over the HTTP API, as in "api:dana-shell": the
// holder of the token with that name.
const API = "api"

// Answer is what one person chose for one question.
type Answer struct {
	Index    int    `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Question string `json:"question" doc:"The question's text, as it was sent" example:"Which database?"`
	Header   string `json:"header" doc:"The question's header, as it was sent; may be empty" example:"Database"`
	// Selected holds the chosen labels in option order, exactly as the agent sent them.
	Selected []string `json:"selected" nullable:"false" doc:"The chosen labels in option order, exactly as they were sent; empty when only text was typed"`
	// Other is typed text. On a multi-select question it can accompany Selected.
	Other string    `json:"other" doc:"Typed text; empty for none. On a multi-select question it can accompany labels; on any other it replaces them."`
	Notes string    `json:"notes,omitempty" doc:"A note added to the answer"`
	By    Person    `json:"by" doc:"Who answered"`
	At    time.Time `json:"at" doc:"When"`
	// NotesBy is the author of Notes if that is not By.
	NotesBy Person `json:"notes_by,omitzero" doc:"Who wrote the note; absent if it is the person who answered"`
}

// Unanswered is an optional question without an answer.
type Unanswered struct {
	Index    int    `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Question string `json:"question" doc:"The question's text, as it was sent" example:"Which database?"`
	Header   string `json:"header" doc:"The question's header, as it was sent; may be empty" example:"Database"`
	// By is the person who skipped the question; zero if it was left untouched.
	By Person `json:"by,omitzero" doc:"Who skipped it; absent if it was left untouched"`
	// Notes is a note written on the unanswered question.
	Notes   string `json:"notes,omitempty" doc:"A note on the unanswered question"`
	NotesBy Person `json:"notes_by,omitzero" doc:"Who wrote the note; absent if it is the person who skipped the question"`
}

// Dismissed is the reason of a request that a person dismissed. It is for display only: a
// person can type the same text, so use [Outcome.End] to detect a dismissal.
const Dismissed = "dismissed"

// Outcome is the current or final result of a request. Answers is empty in every state but
// [Answered].
type Outcome struct {
	State   State     `json:"state"`
	Answers []Answer  `json:"answers,omitempty"`
	By      Person    `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Reason  string    `json:"reason,omitempty"`
	// Replied means that Reason is a reply that By wrote instead of answers. Older stored
	// outcomes lack this member; [Outcome.End] handles them.
	Replied bool `json:"replied,omitempty"`
	// Votes are the votes that counted when the request ended, and Tally the number of votes
	// for each choice. Only a request with a [Voting] has them. Choices that were not decided
	// appear here and never in Answers.
	Votes []Vote  `json:"votes,omitempty"`
	Tally []Count `json:"tally,omitempty"`
	// Skipped and Left are the optional questions without an answer, in order: those a person
	// skipped and those left untouched. Both are empty in every state but [Answered].
	Skipped []Unanswered `json:"skipped,omitempty"`
	Left    []Unanswered `json:"left,omitempty"`
	// Via is what ended the request other than a direct action: "grant:4f…" for a grant, or
	// "request:7k…" for the request that superseded it. It is empty for a direct action.
	Via string `json:"via,omitempty"`
}

// Answering returns the outcome of a request that a person answered with the content of a
// draft.
func Answering(questions []Question, d Draft, by Person, at time.Time) Outcome {
	o := Outcome{State: Answered, Answers: d.Answers(questions, by, at), By: by}
	o.Skipped, o.Left = d.unanswered(questions, by)
	return o
}

// Dismissal returns the outcome of a request that a person dismissed.
func Dismissal(by Person) Outcome { return Outcome{State: Cancelled, By: by, Reason: Dismissed} }

// Replying returns the outcome of a request to which a person wrote a reply instead of answers.
func Replying(by Person, reply string) Outcome {
	return Outcome{State: Cancelled, By: by, Reason: reply, Replied: true}
}

// End is how a request ended: the state, refined by who ended it and how.
type End string

// The ends of requests. Only [EndAnswered] carries answers.
const (
	// NotEnded: the request is open.
	NotEnded End = "pending"
	// EndAnswered: a person decided.
	EndAnswered End = "answered"
	// EndReplied: a person wrote to the agent instead of answering.
	EndReplied End = "replied"
	// EndDismissed: a person dismissed the request.
	EndDismissed End = "declined"
	// EndWithdrawn: the agent or its operator cancelled the request.
	EndWithdrawn End = "cancelled"
	// EndExpired: the deadline passed without an answer.
	EndExpired End = "expired"
	// EndSuperseded: a newer request replaced it.
	EndSuperseded End = "superseded"
	// EndFailed: the request could not be shown, or its end is unknown.
	EndFailed End = "failed"
)

// End classifies how the request ended. Only this method combines State with the other members.
func (o Outcome) End() End {
	switch o.State {
	case Open:
		return NotEnded
	case Answered:
		return EndAnswered
	case Expired:
		return EndExpired
	case Superseded:
		return EndSuperseded
	case Cancelled:
		switch {
		case o.By.ID == "":
			return EndWithdrawn
		case o.Reason == "", !o.Replied && o.Reason == Dismissed:
			return EndDismissed
		}
		return EndReplied
	case Failed:
	}
	return EndFailed
}

// Reply returns the reply that ended the request, or "" for every other outcome.
func (o Outcome) Reply() string {
	if o.End() != EndReplied {
		return ""
	}
	return o.Reason
}

// Clone returns a deep copy of o.
func (o Outcome) Clone() Outcome {
	o.Answers, o.Votes, o.Tally = slices.Clone(o.Answers), slices.Clone(o.Votes), slices.Clone(o.Tally)
	for n := range o.Answers {
		o.Answers[n].Selected = slices.Clone(o.Answers[n].Selected)
	}
	for n := range o.Votes {
		choices := slices.Clone(o.Votes[n].Choices)
		for i := range choices {
			choices[i].Selected = slices.Clone(choices[i].Selected)
		}
		o.Votes[n].Choices = choices
	}
	for n := range o.Tally {
		o.Tally[n].Selected = slices.Clone(o.Tally[n].Selected)
	}
	o.Skipped, o.Left = slices.Clone(o.Skipped), slices.Clone(o.Left)
	return o
}

// Format returns answers in the canonical text form of a tool result. For each question it
// prints the question's text followed by the answer: a bare label for single-select, one "-
// label" line per label for multi-select, typed text verbatim. A blank line separates
// questions.
//
// On a single-select question typed text replaces the label. On a multi-select question the
// text follows the labels. Answers are matched to questions by Index; questions without an
// answer and answers without a question are omitted.
func Format(questions []Question, answers []Answer) string {
	var parts []string
	for i, q := range questions {
		for _, a := range answers {
			if a.Index == i {
				parts = append(parts, strings.Join(append([]string{q.Text}, answerLines(q, a)...), "\n"))
				break
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

// Text returns an answered request as the text of a tool result: the output of [Format], plus
// each unanswered optional question with "(skipped)" or "(not answered)" below it. A note
// follows its answer, as in "Note: …". Text returns "" for a request that was not answered.
func (o Outcome) Text(questions []Question) string {
	var parts []string
	for i, q := range questions {
		lines, note := []string{q.Text}, ""
		for _, a := range o.Answers {
			if a.Index == i {
				lines, note = append(lines, answerLines(q, a)...), a.Notes
				break
			}
		}
		for _, u := range o.Skipped {
			if u.Index == i {
				lines, note = append(lines, "(skipped)"), u.Notes
			}
		}
		for _, u := range o.Left {
			if u.Index == i {
				lines, note = append(lines, "(not answered)"), u.Notes
			}
		}
		if note != "" {
			lines = append(lines, "Note: "+note)
		}
		if len(lines) > 1 {
			parts = append(parts, strings.Join(lines, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

func answerLines(q Question, a Answer) []string {
	switch {
	case !q.MultiSelect && a.Other != "":
		return []string{a.Other}
	case !q.MultiSelect:
		return a.Selected
	}
	var lines []string
	for _, label := range a.Selected {
		lines = append(lines, "- "+label)
	}
	if a.Other != "" {
		lines = append(lines, a.Other)
	}
	return lines
}

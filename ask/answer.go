package ask

import (
	"slices"
	"strings"
	"time"
)

// State is where a request stands. [Open] is the only one that can change.
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

// Person is somebody on a platform.
type Person struct {
	Platform string `json:"platform" doc:"The platform that knows the person" example:"slack"`
	ID       string `json:"id" doc:"The platform's id of the person" example:"U0000001"`
	Name     string `json:"name,omitempty" doc:"The name that the platform shows" example:"Dana"`
}

// Key identifies the person across requests, as in "slack:U0000001".
func (p Person) Key() string { return p.Platform + ":" + p.ID }

// API stands in the place of a platform for people who answer over the HTTP API, as
// in "api:dana-shell": whoever holds the token of that name.
const API = "api"

// Answer is what one person chose for one question.
type Answer struct {
	// Index is the question's position in the request.
	Index    int    `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Question string `json:"question" doc:"The question's text, as it was sent" example:"Which database?"`
	Header   string `json:"header" doc:"The question's header, as it was sent; may be empty" example:"Database"`
	// Selected holds labels in option order, exactly as the agent sent them.
	Selected []string `json:"selected" nullable:"false" doc:"The chosen labels in option order, exactly as they were sent; empty when only text was typed"`
	// Other is typed text. Beside Selected it stands only on a multi-select
	// question.
	Other string    `json:"other" doc:"Typed text; empty for none. It stands beside labels on a multi-select question, and in place of one on any other."`
	Notes string    `json:"notes,omitempty" doc:"A note beside the answer"`
	By    Person    `json:"by" doc:"Who answered"`
	At    time.Time `json:"at" doc:"When"`
	// NotesBy is who wrote Notes, where that is not By.
	NotesBy Person `json:"notes_by,omitzero" doc:"Who wrote the note; absent where it is whoever answered"`
}

// Unanswered is an optional question without an answer.
type Unanswered struct {
	// Index is the question's position in the request.
	Index    int    `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Question string `json:"question" doc:"The question's text, as it was sent" example:"Which database?"`
	Header   string `json:"header" doc:"The question's header, as it was sent; may be empty" example:"Database"`
	// By is who skipped the question; zero for one that nobody touched.
	By Person `json:"by,omitzero" doc:"Who skipped it; absent for one that nobody touched"`
	// Notes is what somebody wrote beside the question all the same.
	Notes   string `json:"notes,omitempty" doc:"A note that stands beside no answer"`
	NotesBy Person `json:"notes_by,omitzero" doc:"Who wrote the note; absent where it is whoever skipped the question"`
}

// Dismissed is the reason of a request that a person dismissed without a word.
// It is for reading: [Outcome.End] tells, since anybody can write it.
const Dismissed = "dismissed"

// Outcome is how a request stands or ended. Answers is empty in every state
// but [Answered].
type Outcome struct {
	State   State     `json:"state"`
	Answers []Answer  `json:"answers,omitempty"`
	By      Person    `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Reason  string    `json:"reason,omitempty"`
	// Replied tells that Reason is what the person By wrote in place of answers.
	// Outcomes written before there was this member lack it; [Outcome.End] knows
	// how to read them.
	Replied bool `json:"replied,omitempty"`
	// Votes are the votes that counted at the end, whatever it was, and Tally how many
	// people stood behind each choice. Only a request with a [Voting] has them; what was
	// not decided stands here and never in Answers.
	Votes []Vote  `json:"votes,omitempty"`
	Tally []Count `json:"tally,omitempty"`
	// Skipped and Left are the optional questions without an answer, in their order:
	// those that a person skipped, and those that nobody touched. Both are empty in every
	// state but [Answered].
	Skipped []Unanswered `json:"skipped,omitempty"`
	Left    []Unanswered `json:"left,omitempty"`
	// Via is what ended this request in place of an act on it: "grant:4f…" for a grant, or
	// "request:7k…" for the request that superseded it. It is empty for an act.
	Via string `json:"via,omitempty"`
}

// Answering returns how a request ends that a person answered with what a draft holds.
func Answering(questions []Question, d Draft, by Person, at time.Time) Outcome {
	o := Outcome{State: Answered, Answers: d.Answers(questions, by, at), By: by}
	o.Skipped, o.Left = d.unanswered(questions, by)
	return o
}

// Dismissal returns how a request ends that a person dismissed without a word.
func Dismissal(by Person) Outcome { return Outcome{State: Cancelled, By: by, Reason: Dismissed} }

// Replying returns how a request ends to which a person wrote a reply in place of
// answers.
func Replying(by Person, reply string) Outcome {
	return Outcome{State: Cancelled, By: by, Reason: reply, Replied: true}
}

// End is how a request ended, told apart by whoever ended it and how.
type End string

// The ends of requests. Only [EndAnswered] carries answers.
const (
	// NotEnded: the request is open.
	NotEnded End = "pending"
	// EndAnswered: a person decided.
	EndAnswered End = "answered"
	// EndReplied: a person wrote something to the agent in place of answers.
	EndReplied End = "replied"
	// EndDismissed: a person declined to answer, without a word and for everybody.
	EndDismissed End = "declined"
	// EndWithdrawn: the agent, or whoever runs it, took the request back.
	EndWithdrawn End = "cancelled"
	// EndExpired: nobody answered in time.
	EndExpired End = "expired"
	// EndSuperseded: a newer request took its place.
	EndSuperseded End = "superseded"
	// EndFailed: it could not be shown to anybody, or nobody can tell how it ended.
	EndFailed End = "failed"
)

// End tells how the request ended. It is the one place that reads a state
// together with what stands beside it.
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

// Reply returns what the person who ended the request wrote in place of
// answers, and nothing for every other outcome.
func (o Outcome) Reply() string {
	if o.End() != EndReplied {
		return ""
	}
	return o.Reason
}

// Clone returns a copy that shares nothing with o, so that whoever holds one of them can
// change it.
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

// Format returns answers in the canonical text form of a tool result: for each
// question its text and, below, what was chosen: a bare label for a
// single-select question, one "- label" line each for a multi-select one, typed
// text verbatim. Questions are parted by a blank line.
//
// Typed text replaces the label of a single-select question. On a multi-select
// question, where both may stand together, the text follows the labels so that
// neither is lost. Answers pair with questions by Index; a question without an
// answer is left out, and an answer outside the set is ignored.
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

// Text returns how an answered request ended as the text of a tool result: [Format], and
// for each optional question without an answer its text with "(skipped)" or "(not
// answered)" below. A note follows its answer, as in "Note: …". It is empty for a request
// that was not answered.
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

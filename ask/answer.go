package ask

import (
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
	Platform string `json:"platform"`
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
}

// Key identifies the person across requests, as in "slack:U0000001".
func (p Person) Key() string { return p.Platform + ":" + p.ID }

// Answer is what one person chose for one question.
type Answer struct {
	// Index is the question's position in the request.
	Index    int    `json:"index"`
	Question string `json:"question"`
	Header   string `json:"header"`
	// Selected holds labels in option order, exactly as the agent sent them.
	Selected []string `json:"selected"`
	// Other is typed text. Beside Selected it stands only on a multi-select
	// question.
	Other string    `json:"other"`
	Notes string    `json:"notes,omitempty"`
	By    Person    `json:"by"`
	At    time.Time `json:"at"`
}

// Dismissed is the reason of a request that a person dismissed without a word.
const Dismissed = "dismissed"

// Outcome is how a request stands or ended. Answers is empty in every state
// but [Answered].
type Outcome struct {
	State   State     `json:"state"`
	Answers []Answer  `json:"answers,omitempty"`
	By      Person    `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Reason  string    `json:"reason,omitempty"`
}

// Reply returns what the person who ended the request wrote in place of
// answers, and nothing for every other outcome.
func (o Outcome) Reply() string {
	if o.State != Cancelled || o.By.ID == "" || o.Reason == Dismissed {
		return ""
	}
	return o.Reason
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

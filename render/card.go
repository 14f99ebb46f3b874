package render

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Subject is everything a card is laid out from.
type Subject struct {
	// ID is the request's id; it goes into every control.
	ID      string
	Agent   string
	Context string
	// Questions must be valid in the sense of [ask.Request.Validate].
	Questions []ask.Question
	// Responders is the effective rule of who may answer, as in
	// [ask.Request.Responders]; never empty.
	Responders []string
	// Deadline is zero for a request that waits for ever.
	Deadline time.Time
	// Draft is what is chosen so far; only platforms with
	// [Limits.SharedDraft] show it.
	Draft ask.Draft
	// Outcome tells how the request stands. Every state but open is drawn
	// without controls.
	Outcome ask.Outcome
	// Place says where it was decided ("in #deploys on Slack") when that is not
	// the place of this copy; empty otherwise.
	Place string
	// Plain asks for the plain-text form, posted when the platform refused the
	// full card: text and the fewest, simplest controls.
	Plain bool
}

// Card is a plain picture of one message, laid out by [Layout].
type Card struct{}

// Form is a plain picture of a dialog that asks for typed text or for every
// question.
type Form struct{}

// Layout lays a request out within a platform's limits.
func Layout(s Subject, l Limits) Card { return Card{} }

// WriteForm asks for the typed answer of question q.
func WriteForm(s Subject, q int) Form { return Form{} }

// AnswerForm asks every question of the request.
func AnswerForm(s Subject) Form { return Form{} }

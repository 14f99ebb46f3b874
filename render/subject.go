package render

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Subject is everything a card is laid out from.
type Subject struct {
	// ID is the request's id, and Mark the bridge's proof of it: both go into every
	// control. See [Token].
	ID, Mark string

	// Language is what the bridge's own words are in, such as "de"; English where it is
	// empty, or not spoken.
	Language string
	voice    *voice
	room     room
	// cutLabels means that the labels of the question that is laid out are cut.
	cutLabels bool

	Agent   string
	Context string
	// Source is where the agent works, and Requesters are the identities of the person on whose behalf
	// it asks. The first line of an open card shows both.
	Source     ask.Source
	Requesters []ask.Person
	// Links are buttons that lead elsewhere. They must be valid, as Questions are.
	Links []ask.Link
	// Files are uploaded below the card, which lists them, and Filing is the state of that: the card
	// accepts no answers before they are posted.
	Files  []ask.Attachment
	Filing Filing
	// Questions must be valid in the sense of [ask.Request.Validate].
	Questions []ask.Question
	// Eligible is who can answer on this copy of the card.
	Eligible ask.Eligible
	// Direct means that this copy is in a conversation with one person, known or not.
	Direct bool
	// Vote is the state of a vote; nil if the first complete answer decides.
	Vote *ask.Standing
	// Notify are the people and groups that a new card notifies, a group with the prefix of its entry
	// as platform. Nil leaves it to the policy, and an empty list notifies no one. Entries of other
	// platforms than the card's are ignored.
	Notify []ask.Person
	// Revised is how often the agent has revised what it asks, and RevisedAt when last.
	Revised   int
	RevisedAt time.Time
	// AskBack means that people can ask the agent something, and AskBackEnds that doing so ends the
	// request. AskedBack is what they have asked.
	AskBack, AskBackEnds bool
	AskedBack            []ask.AskedBack
	// Wordless means that free-text replies do not reach the agent, so the card offers none.
	Wordless bool
	// Permission means that the one question asks for permission; the preview of the first option shows
	// what for. Permit divides it; nil on cards of earlier versions.
	Permission bool
	Permit     *ask.Permit
	prompt     *prompt
	// Receipt is whether the agent has acknowledged Outcome; empty if receipts are off.
	Receipt Receipt
	// TakenAt is when it did, and Instead what it used in place of Outcome.
	TakenAt time.Time
	Instead string
	// Typing is what messages can answer; nil where nothing.
	Typing *Typing
	// Steps are the steps of the schedule, in their order.
	Steps []Step
	// Claims offers to claim the request, and Claim is the last claim; nil for none.
	Claims bool
	Claim  *Claim
	// Passes lets people pass the request on.
	Passes bool
	// Asked is when the request was made; zero if unknown.
	Asked time.Time
	// Deadline is zero for a request without one.
	Deadline time.Time
	// Draft is what is chosen so far; only platforms with
	// [Limits.SharedDraft] show it.
	Draft ask.Draft
	// Outcome is the state of the request. Every state but open is drawn without controls.
	Outcome ask.Outcome
	// Joined counts the equal prompts that came while it was open, and share the card.
	Joined int
	// Handed counts how often the answer was handed on to an equal request that came later,
	// and HandedAt is when last.
	Handed   int
	HandedAt time.Time
	// Held means that Outcome can still be undone; nil if it is final.
	Held *Held
	// Place is where the request was decided, if not in the place of this copy; empty otherwise. It is
	// a platform's name ("slack") or words that follow "answered by Ana" ("in #deploys on Slack").
	Place string
	// At is the question whose page a card of several pages shows.
	At int
	// Confirms makes people confirm the option that they choose in a form.
	Confirms bool
	// Plain asks for the plain-text form, posted when the platform refused the
	// full card: text and the fewest, simplest controls.
	Plain bool
}

// Held is a decision that can be undone for a while.
type Held struct {
	// For is how long, from the decision on, and Until when that ends.
	For   time.Duration
	Until time.Time
	// Number distinguishes this decision from earlier ones that were undone.
	Number int
}

// Filing is the state of the files below a card.
type Filing string

// The ways in which files stand below a card.
const (
	// FilesStand: they are posted, or there are none.
	FilesStand Filing = ""
	// FilesDue: they are being uploaded.
	FilesDue Filing = "due"
	// FilesMissing: they could not be uploaded.
	FilesMissing Filing = "missing"
)

// Receipt is whether the agent has acknowledged a decision.
type Receipt string

// The states of a receipt.
const (
	// ReceiptWaits: it has not yet.
	ReceiptWaits Receipt = "waits"
	// ReceiptTaken: it has.
	ReceiptTaken Receipt = "taken"
	// ReceiptInstead: it used something else, see [Subject.Instead].
	ReceiptInstead Receipt = "instead"
	// ReceiptMissing: it has not for so long that it may have stopped.
	ReceiptMissing Receipt = "missing"
)

// Typing is what typed messages can answer.
type Typing struct {
	// Code is the request's short code, if messages need it: other cards can be open in the same conversation, or only coded
	// messages count.
	Code string
	// Strict means that only the code and a whole label count.
	Strict bool
	// Own means that free text counts, if a question takes it.
	Own bool
}

// Step is a scheduled event: a reminder, an escalation, or a pass.
type Step struct {
	Do ask.StepKind
	At time.Time
	// Done means that it has happened.
	Done bool
	// Added are the people it allows to answer, and Places is how many places it adds.
	Added  []ask.Person
	Places int
	// By passed the request on to To, if the step is a pass.
	By, To ask.Person
}

// Claim records that a person is working on the request.
type Claim struct {
	By        ask.Person
	At, Until time.Time
}

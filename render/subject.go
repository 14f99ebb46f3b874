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

	Agent   string
	Context string
	// Links are buttons that lead elsewhere. They must be valid, as Questions are.
	Links []ask.Link
	// Files are uploaded below the card, which says what they are, and Filing is how that
	// stands: nobody can answer before they are there.
	Files  []ask.Attachment
	Filing Filing
	// Questions must be valid in the sense of [ask.Request.Validate].
	Questions []ask.Question
	// Policy is who may answer.
	Policy ask.Policy
	// Addressee is the person to whom this copy of the card was sent as a direct
	// message; nobody else may answer on it. Zero for a copy in a channel.
	Addressee ask.Responder
	// Direct tells that this copy stands in a conversation with one person, whoever
	// that is.
	Direct bool
	// Vote is how a vote stands; nil where the first complete answer decides.
	Vote *ask.Standing
	// Notify are the people and groups whom a new card tells, a group with the prefix of
	// its entry as platform; nil leaves it to the policy, and an empty list tells nobody.
	// Those of another platform than the card's are left out.
	Notify []ask.Person
	// Revised is how often the agent has revised what it asks, and RevisedAt when last.
	Revised   int
	RevisedAt time.Time
	// AskBack tells that people can ask the agent something, and AskBackEnds that it ends
	// the request. AskedBack is what they have asked.
	AskBack, AskBackEnds bool
	AskedBack            []ask.AskedBack
	// Wordless offers nobody to write in place of answers: it would reach nobody.
	Wordless bool
	// Permission says that the one question is whether something may be done, which the first option shows.
	Permission bool
	// Receipt is whether the agent has taken what Outcome says; empty where nobody wants
	// to know.
	Receipt Receipt
	// TakenAt is when it has, and Instead what it went by in place of Outcome.
	TakenAt time.Time
	Instead string
	// Typing is what messages can answer; nil where nothing.
	Typing *Typing
	// Steps are what happens while nobody answers, in their order.
	Steps []Step
	// Claims offers people to say that they are on it, and Claim is who did last; nil for
	// nobody.
	Claims bool
	Claim  *Claim
	// Passes offers people to pass the request on to somebody else.
	Passes bool
	// Deadline is zero for a request that waits for ever.
	Deadline time.Time
	// Draft is what is chosen so far; only platforms with
	// [Limits.SharedDraft] show it.
	Draft ask.Draft
	// Outcome tells how the request stands. Every state but open is drawn
	// without controls.
	Outcome ask.Outcome
	// Joined counts the equal prompts that came while it was open, and share the card.
	Joined int
	// Handed counts how often the answer was handed on to an equal request that came later,
	// and HandedAt is when last.
	Handed   int
	HandedAt time.Time
	// Held tells that what Outcome says can be undone; nil when it is final.
	Held *Held
	// Place says where it was decided when that is not the place of this copy;
	// empty otherwise. It is a platform's name ("slack") or words that follow
	// "answered by Ana" ("in #deploys on Slack").
	Place string
	// At is the question whose page a card of several pages shows.
	At int
	// Plain asks for the plain-text form, posted when the platform refused the
	// full card: text and the fewest, simplest controls.
	Plain bool
}

// Held is a decision that can be undone for a while.
type Held struct {
	// For is how long, from the decision on, and Until when that ends.
	For   time.Duration
	Until time.Time
	// Number tells this decision of the request from others, which were undone.
	Number int
}

// Filing is how the files stand below a card.
type Filing string

// The ways in which files stand below a card.
const (
	// FilesStand, or there are none.
	FilesStand Filing = ""
	// FilesDue: somebody uploads them.
	FilesDue Filing = "due"
	// FilesMissing: they could not be uploaded.
	FilesMissing Filing = "missing"
)

// Receipt is whether the agent has taken what a person decided.
type Receipt string

// What a closed card says of it.
const (
	// ReceiptWaits: nobody has taken it yet.
	ReceiptWaits Receipt = "waits"
	// ReceiptTaken: the agent has it.
	ReceiptTaken Receipt = "taken"
	// ReceiptInstead: the agent went by something else, see [Subject.Instead].
	ReceiptInstead Receipt = "instead"
	// ReceiptMissing: nobody has taken it for so long that nobody may be listening.
	ReceiptMissing Receipt = "missing"
)

// Typing is what messages beside a card can answer.
type Typing struct {
	// Code is the request's short code.
	Code string
	// Strict tells that only a whole label behind the code counts.
	Strict bool
	// Own tells that text of one's own counts, where a question takes it.
	Own bool
}

// Step is one thing that happens while nobody answers.
type Step struct {
	Do ask.StepKind
	At time.Time
	// Done tells that it has happened.
	Done bool
	// Added are those whom it lets answer besides, and Places how many places it adds.
	Added  []ask.Person
	Places int
	// By has passed the request on to To, where the step is that.
	By, To ask.Person
}

// Claim says that somebody is on it.
type Claim struct {
	By        ask.Person
	At, Until time.Time
}

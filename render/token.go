package render

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Verb is what a control does.
type Verb string

// The verbs of controls and forms.
const (
	// Choose answers Question with Option: a button.
	Choose Verb = "c"
	// OpenConfirm opens the form in which the person confirms Option as the answer to Question, and
	// Confirmed submits it.
	OpenConfirm Verb = "y"
	Confirmed   Verb = "Y"
	// Drop removes Option from the answer to Question: the button of an option that the shared draft
	// of a multi-select question holds. An option not held carries Choose, so the effect of a press is
	// absolute, and a redelivery changes nothing.
	Drop Verb = "x"
	// Pick changes what is selected for Question: radio buttons, checkboxes or
	// a menu. The selection itself travels in the interaction.
	Pick Verb = "p"
	// OpenText opens the form for the typed answer of Question, or for a reply in
	// place of all answers where it is -1; with an Option, the one for the typed
	// answers of the questions from Question to it.
	OpenText Verb = "w"
	// Answer opens the form with every question, or with those from Question to Option.
	Answer Verb = "a"
	// Submit sends what is chosen.
	Submit Verb = "s"
	// Dismiss opens the form that ends the whole request without an answer.
	Dismiss Verb = "d"
	// TurnPage shows the page that holds Question.
	TurnPage Verb = "t"
	// ShowFull sends the person privately what the card truncates: Question in full, or everything if
	// it is -1.
	ShowFull Verb = "r"
	// SubmitText submits the form that OpenText opened.
	SubmitText Verb = "W"
	// AnsweredAll submits a form with several questions: all there are, or some where
	// it has a Question.
	AnsweredAll Verb = "A"
	// Dismissed submits the form that Dismiss opened: it declines to answer the
	// whole request, with a reply where something was written.
	Dismissed Verb = "D"
	// TakeBack takes the person's vote back, where several people decide.
	TakeBack Verb = "b"
	// Skip leaves Question unanswered, and Unskip takes that back. As with Choose and Drop, the effect
	// of a press is absolute.
	Skip   Verb = "k"
	Unskip Verb = "u"
	// OpenNote opens the form for the note on the answer to Question, and SubmitNote submits it. The
	// inputs of notes carry SubmitNote in every form.
	OpenNote   Verb = "n"
	SubmitNote Verb = "N"
	// Undo takes back what the person decided, while that can be done. Option is the
	// number of that decision.
	Undo Verb = "U"
	// Claiming claims the request for the person.
	Claiming Verb = "o"
	// OpenPass opens the form in which a person passes the request on, and SubmitPass submits it. The
	// menu of people in it carries SubmitPass too.
	OpenPass   Verb = "h"
	SubmitPass Verb = "H"
	// OpenAsk opens the form in which a person asks the agent something, and SubmitAsk
	// submits it.
	OpenAsk   Verb = "q"
	SubmitAsk Verb = "Q"
	// OpenMore sends the person privately what they can do besides answering, and ShowDetails what the
	// card leaves out.
	OpenMore    Verb = "m"
	ShowDetails Verb = "i"
	// Follow leads to the address of link Question: the person's client opens it. Some platforms
	// report the press, which has no effect.
	Follow Verb = "l"
	// OpenInbox shows the person's inbox from entry Question on. Its request is [InboxID].
	OpenInbox Verb = "e"
)

// InboxID stands for the request in tokens of a person's inbox. No request has it.
const InboxID = "inbox"

// InboxHelp returns the token that opens a person's inbox with a note on how to use it.
func InboxHelp() Token { return Token{Request: InboxID, Verb: OpenInbox, Option: 1} }

// InboxToken returns the token that opens a person's inbox at an entry, 0 for the first.
func InboxToken(from int) Token {
	return Token{Request: InboxID, Verb: OpenInbox, Question: from, Option: -1}
}

// MaxToken is the length of an encoded token. Discord allows 100 characters in
// a custom_id (https://docs.discord.com/developers/components/reference), Slack
// 255 in an action_id.
const MaxToken = 100

// ErrToken means a control id that no bridge of this version wrote.
var ErrToken = errors.New("render: unknown control")

// Token is what a control's id carries: which request, what to do, to which
// question and option. It is opaque to people and never trusted: everything in
// it is checked against the record.
type Token struct {
	Request string
	// Mark proves which bridge wrote the control, to that bridge alone; empty on controls of versions
	// that had none. It matters if the request is unknown.
	Mark string
	Verb Verb
	// Revised is how often the request had been revised when the control was drawn.
	Revised int
	// Question and Option are indexes; -1 where the verb has none.
	Question, Option int
}

// The versions of encoded tokens.
const (
	unmarked = "1"
	marked   = "2"
	revised  = "3"
)

// MaxMark is the length of the longest mark.
const MaxMark = 16

// String encodes the token, as in "2:p0A….k3v9…:c:2:1", or "1:p0A…:c:2:1" without a mark. A token of a
// revised request includes the number of revisions, as in "3:p0A….k3v9….4:c:2:1".
func (t Token) String() string {
	version, proof := unmarked, ""
	switch {
	case t.Revised > 0:
		version, proof = revised, "."+t.Mark+"."+strconv.Itoa(t.Revised)
	case t.Mark != "":
		version, proof = marked, "."+t.Mark
	}
	return version + ":" + t.Request + proof + ":" + string(t.Verb) + ":" + strconv.Itoa(t.Question) + ":" + strconv.Itoa(t.Option)
}

// ParseToken is the inverse of [Token.String]. Anything it did not write gives
// an error that matches [ErrToken].
func ParseToken(s string) (Token, error) {
	part := strings.Split(s, ":")
	if len(s) > MaxToken || len(part) != 5 {
		return Token{}, ErrToken
	}
	t := Token{Request: part[1], Verb: Verb(part[2])}
	cutLast := func() string {
		dot := max(0, strings.LastIndexByte(t.Request, '.'))
		last := strings.TrimPrefix(t.Request[dot:], ".")
		t.Request = t.Request[:dot]
		return last
	}
	var err error
	switch part[0] {
	case unmarked:
	case marked:
		if t.Mark = cutLast(); t.Mark == "" {
			return Token{}, ErrToken
		}
	case revised:
		if t.Revised, err = index(cutLast()); err != nil || t.Revised < 1 {
			return Token{}, ErrToken
		}
		t.Mark = cutLast()
	default:
		return Token{}, ErrToken
	}
	if t.Request == "" || len(t.Mark) > MaxMark {
		return Token{}, ErrToken
	}
	if t.Question, err = index(part[3]); err != nil {
		return Token{}, err
	}
	if t.Option, err = index(part[4]); err != nil {
		return Token{}, err
	}
	switch t.Verb {
	case Choose, Drop, OpenConfirm, Confirmed:
		if t.Question < 0 || t.Option < 0 {
			return Token{}, ErrToken
		}
	case Pick, TurnPage, Skip, Unskip, OpenNote, SubmitNote, OpenInbox:
		if t.Question < 0 {
			return Token{}, ErrToken
		}
	case OpenText, SubmitText, Answer, AnsweredAll, Submit, Dismiss, Dismissed, ShowFull, TakeBack, Undo, Claiming, OpenPass, SubmitPass, OpenAsk, SubmitAsk, OpenMore, ShowDetails, Follow:
	default:
		return Token{}, ErrToken
	}
	return t, nil
}

// HasControl reports whether a message, as JSON, has a control of the request, however
// that was encoded.
func HasControl(message []byte, request string) bool {
	return bytes.Contains(message, []byte(":"+request+":")) || bytes.Contains(message, []byte(":"+request+"."))
}

func index(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < -1 || strconv.Itoa(n) != s {
		return 0, ErrToken
	}
	return n, nil
}

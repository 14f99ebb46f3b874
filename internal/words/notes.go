package words

import "time"

// Note contains the ephemeral replies. Each one explains what happened and what did not.
type Note struct {
	// The action could not be judged, or not immediately.
	Unknown, Foreign, Trying, Rescued, Unchecked, Thin, TryAgain string
	// The action does not count, or its effect.
	Elsewhere, Hasty, Final, Unvoted, Decided, PleaseWait, Undone, UndoneOver, Unheld, Theirs, Overtaken, Outdated, AskedAgent, Unshown, Enough, NoControl string
	// Done confirms what was done in a private message.
	Done string
	// The person may not answer; NotYours continues with the people who may.
	NotYours, YourOwn, Workspace string
	// PassedOn confirms a handover and continues with the new person; the others explain why there was none, and
	// Unchanged ends them.
	PassedOn                                                                                               string
	ToNobody, ToThemselves, ToBarred, ToUnknown, ToPasser, ToVoter, ToApart, HasVoted, TooOften, Unchanged string
	// Errors of a form, for all of it and for single fields.
	Empty, NothingChosen                        string
	WriteSomething, AnswerOrSkip, ChooseOrWrite string
	Missing, LeftOut                            func(questions string) string
	// What a draft contains.
	Noted       func(question, text string) string
	Replaces    string
	Annotated   func(question, text string) string
	Unannotated func(question string) string
	// Quote quotes a text by a person or an agent.
	Quote func(text string) string
}

// Closed contains the replies to people who act after the end.
type Closed struct {
	Late, Expired                  func(ago string) string
	TooLateToUndo                  string
	Answered, Replied              func(who, what string) string
	Decided                        func(what string) string
	Skipped, Dismissed             func(who string) string
	Withdrawn, Replaced, Otherwise string
	// Ago is the time since then.
	Ago func(time.Duration) string
}

// Voted contains the replies to voters.
type Voted struct {
	// Kept and Noted confirm a draft that is not a vote yet; Skipped and Nothing are such drafts.
	Kept             string
	Noted            func(question, choice string) string
	Skipped, Nothing string
	// Counts confirms a vote for one choice, CountsAll one on several questions.
	Counts, CountsAll func(choice string) string
	ToDismiss         string
	Changeable        string
	TakenBack         string
}

// Heard contains the replies to typed messages.
type Heard struct {
	Unbound, Withheld string
	// Answer and Vote announce how a message was understood.
	Answer, Vote func(who, what string) string
	Skipped      string
	// Several asks for the request; CodeFor names each one.
	Several func(codes string) string
	CodeFor func(code, question string) string
	// Why a message did not count, and what to write instead.
	NotTaken, ManyWays, NothingRecorded, VoteGone, AnswerGone, UseCard string
	WholeLabel                                                         func(code, label string) string
	OwnWords                                                           func(code string) string
	EachLine                                                           func(questions int) string
	OneOf, SomeOf                                                      func(options string) string
	// SkipWith and OwnWith name a word to type, in the language of the card.
	SkipWith, OwnWith func(word string) string
}

// Reply contains the replies of the connectors.
type Reply struct {
	NotOpened, Broken, Late, Arrived, ArrivedClose, ArrivedDeleted, Busy string
	// Title and Close belong to a modal that shows a note instead of a form.
	Title, Close string
	// ForYou mentions a person below a card that could not be sent to them directly.
	ForYou func(person string) string
}

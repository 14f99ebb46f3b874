package words

import "time"

// Note is what people are told in private. Each says what happened, and what did not.
type Note struct {
	// What became of an act that could not be judged, or not at once.
	Unknown, Foreign, Trying, Rescued, Unchecked, Thin, TryAgain string
	// Why an act does not count, or what it did.
	Elsewhere, Hasty, Final, Unvoted, Decided, PleaseWait, Undone, UndoneOver, Unheld, Theirs, Overtaken, Outdated, AskedAgent, Unshown, Enough, NoControl string
	// Who may not answer is told why; NotYours goes on with who may.
	NotYours, YourOwn, Workspace string
	// Who has passed it on is told so, which goes on with whom to; the others say why it was
	// not passed on, and Unchanged what that means.
	PassedOn                                                                                               string
	ToNobody, ToThemselves, ToBarred, ToUnknown, ToPasser, ToVoter, ToApart, HasVoted, TooOften, Unchanged string
	// What a form lacks, in all and beside its fields.
	Empty, NothingChosen                        string
	WriteSomething, AnswerOrSkip, ChooseOrWrite string
	Missing, LeftOut                            func(questions string) string
	// What is kept of a draft.
	Noted       func(question, text string) string
	Replaces    string
	Annotated   func(question, text string) string
	Unannotated func(question string) string
	// Quote marks words of a person, or of an agent.
	Quote func(text string) string
}

// Closed is what people are told who come too late.
type Closed struct {
	Late, Expired                  func(ago string) string
	TooLateToUndo                  string
	Answered, Replied              func(who, what string) string
	Decided                        func(what string) string
	Skipped, Dismissed             func(who string) string
	Withdrawn, Replaced, Otherwise string
	// Ago is how long something has been over.
	Ago func(time.Duration) string
}

// Voted is what people are told of their vote.
type Voted struct {
	// Kept and Noted confirm what is no vote yet, and Skipped and Nothing are what it may be.
	Kept             string
	Noted            func(question, choice string) string
	Skipped, Nothing string
	Counts           func(choice string) string
	ToDismiss        string
	Changeable       string
	TakenBack        string
}

// Heard is what people are told of what they typed.
type Heard struct {
	Unbound, Withheld string
	// Answer and Vote tell everybody what a message was taken for.
	Answer, Vote func(who, what string) string
	Skipped      string
	// Several asks which request is meant, each of which is named by CodeFor.
	Several func(codes string) string
	CodeFor func(code, question string) string
	// What did not count, what that means, and what would.
	NotTaken, ManyWays, NothingRecorded, VoteGone, AnswerGone, UseCard string
	WholeLabel                                                         func(code, label string) string
	OwnWords                                                           func(code string) string
	EachLine                                                           func(questions int) string
	OneOf, SomeOf                                                      func(options string) string
	// SkipWith and OwnWith name a word to type, which is in the language of the card.
	SkipWith, OwnWith func(word string) string
}

// Reply is what the connectors themselves tell people.
type Reply struct {
	NotOpened, Broken, Late, Arrived, ArrivedClose, ArrivedDeleted, Busy string
	// Title is over a note in place of a form, and Close closes it.
	Title, Close string
	// ForYou names a person below a card that could not be sent to them.
	ForYou func(person string) string
}

package words

// Words contains all texts of one language. A text that is joined with others has no space at its ends; the caller
// adds it.
type Words struct {
	// Language is the code.
	Language string

	Button   Button
	Card     Card
	People   People
	Vote     Vote
	Schedule Schedule
	Details  Details
	Talk     Talk
	Files    Files
	Typing   Typing
	End      End
	Form     Form
	Note     Note
	Closed   Closed
	Voted    Voted
	Heard    Heard
	Reply    Reply
	Inbox    Inbox
	Digest   Digest

	Permission Permission
}

// Button contains the labels of the bridge's own buttons, without the ellipsis of those that open something.
type Button struct {
	// The buttons on a card. Skip offers to skip a question; Skipped shows that it is skipped.
	Submit, Other, Answer, Back, Next, Read, Claim, More, Skip, Skipped string
	// The buttons of the private message behind More. NoteTo is Note for one of several questions.
	Reply, Ask, Note, Pass, TakeBack, Undo, Dismiss, Details string
	NoteTo                                                   func(question int) string
}

// Card contains the bridge's own texts on an open card.
type Card struct {
	// AnAgent replaces an unknown name.
	AnAgent string
	// Asks and Asked introduce the questions of an open and of a closed card.
	Asks, Asked func(agent string, questions int) string
	// For names the person on whose behalf the agent asks.
	For func(person string) string
	// Until is the deadline.
	Until func(moment string) string
	// Optional follows an optional question on a line of its own, OptionalShort on the same line.
	Optional, OptionalShort string
	// Question and Option name questions and options without a name, NoText replaces an empty text.
	Question, Option func(number int) string
	NoText           string
	// Any follows a question with several answers.
	Any string
	// ChooseOne, ChooseAny and ChooseSkip are labels of lists, and LeaveOut describes the
	// entry that skips the question.
	ChooseOne, ChooseAny, ChooseSkip, LeaveOut string
	// Chosen, Typed and Noted precede the parts of a draft.
	Chosen, Typed, Noted string
	ChosenBy, SkippedBy  func(person string) string
	// The ways to answer, in the text for notifications and screen readers.
	ByButton                                    func(labels string) string
	ByButtons, ByList, BySubmit, ByForm, ByText string
	// Page is the current page of the card, Answered the number of answered questions.
	Page     func(page, of int) string
	Answered func(questions int) string
	// Notified precedes the people the card notifies.
	Notified string
	// AndMore ends a truncated list.
	AndMore func(n int) string
	// Moment is the layout of a time on platforms that cannot show it in the reader's time zone.
	Moment string
}

// People contains the texts about who may answer.
type People struct {
	// Only names the n people who can answer, OnlyHere the one who can on this copy, and Can several people.
	Only          func(who string, n int) string
	OnlyHere, Can func(who string) string
	// HereOr and On continue with other platforms on which the same people can answer, or on which alone.
	HereOr, On func(platforms string) string
	// You and Anyone are for everyone who sees the card.
	You, Anyone string
	// The texts for a card on which no one can answer: others can elsewhere, the requester alone could, a role is unknown
	// in a direct message, or no one is named.
	NobodyHere     string
	NobodyButAsker string
	HiddenGroups   func(platform string) string
	Nobody         string
	// Must adds a list that people must also be on. But continues with exceptions, and Asker is one of them.
	Must, But func(who string) string
	Asker     string
	// People and Groups count those on other platforms, and MorePeople those in addition to others.
	People, MorePeople, Groups func(n int, platform string) string
	// Or precedes the last entry of a list, and Others is the number of omitted entries.
	Or     string
	Others func(n int) string
	// User, Group and Role are for people and groups without a known name.
	User, Group, Role func(platform, id string) string
	// OnCall names the person on call.
	OnCall func(rota string) string
	// AnotherPlatform replaces the name of an unknown platform.
	AnotherPlatform string
}

// Vote contains the texts about a vote.
type Vote struct {
	// Agree is the number of people who must agree, Most the number of votes after which the majority decides. Of is
	// the number of voters, 0 if unknown.
	Agree, Most func(need, of int) string
	// Takes follows an option that needs another number of people, ToDismiss is the number that dismissing needs.
	Takes, ToDismiss func(n int) string
	// Hidden and Cast are about the number of votes, Of is that of one choice, and Waiting is for those without a vote.
	Hidden  string
	Cast    func(n, of int) string
	Of      func(have, need int) string
	Waiting func(who string) string
	// MoreChoices ends a truncated tally.
	MoreChoices func(n int) string
	// Against precedes the people who voted to dismiss, Skip those who skipped the question.
	Against, Skip string
}

// Schedule contains the texts about reminders and escalation.
type Schedule struct {
	// OnIt precedes the person who claimed the request, with the times from Claim.
	OnIt  string
	Claim func(who, since, until string) string
	// Passed precedes who passed the request on, and to which person.
	Passed string
	// AlsoAsked and AlsoIn follow the time at which people were asked in addition: who, or in how many places, as
	// Places says it. Elsewhere replaces people of another platform.
	AlsoAsked, AlsoIn func(what string) string
	Places            func(n int) string
	Elsewhere         string
	// NobodyOn follows the time at which a rota had no one on call, Reminded the time of a reminder.
	NobodyOn func(rota string) string
	Reminded string
	// Next and Then precede a step that has not happened, and Reminder is one.
	Next, Then, Reminder string
	// Waiting is the text of a reminder.
	Waiting func(agent string) string
}

// Details contains the texts that only Details shows.
type Details struct {
	Request, Agent func(what string) string
}

// Talk contains the texts about questions to the agent and its replies.
type Talk struct {
	// Revised is the number of revisions.
	Revised func(times int) string
	// Before is the number of earlier questions that are not shown.
	Before func(n int) string
	// Asked follows the person who asked, Agent precedes the agent's reply, and NoReply replaces a missing one.
	Asked, Agent, NoReply string
	// Replied introduces a reply below the card, Question precedes the question it answers.
	Replied  func(agent string) string
	Question string
	// NotTaken, Taken and Missing are the states of the receipt.
	NotTaken, Taken, Missing func(agent string) string
	// Joined is the number of equal prompts on one card.
	Joined func(prompts int) string
	// Instead shows what the agent used in place of the answer.
	Instead func(agent, what string) string
}

// Files contains the texts about files, on the card and in the message below it.
type Files struct {
	// File and Whole precede the digest of a file; the card shows only the beginning of the text in a Whole one.
	File, Whole func(name, size string) string
	// Size is the size of a file.
	Size func(bytes int) string
	// Unshown is the number of characters that only the file contains.
	Unshown func(characters int) string
	// Instead precedes the files of a revised request.
	Instead string
	// Due and Missing explain why answering is not possible yet.
	Due, Missing string
}

// Typing contains the instructions for answering with a message.
type Typing struct {
	// Or joins where to write and what to write.
	Or func(way, what string) string
	// InThread and AsReply are where to write.
	InThread, AsReply string
	// Number, Own and Lines are what to write, and Coded puts the code of the request before it. Label is for requests
	// that take nothing else.
	Number, Own, Lines string
	Coded              func(what, code string) string
	Label              func(code string) string
}

// End contains the texts of a closed card.
type End struct {
	// How the request ended.
	Answered, Skipped, Replied, Dismissed, Withdrawn, Expired, Undecided, Replaced, ByVote, Unanswered string
	// By and On continue with the person and the platform; OverAPI replaces On.
	By, On  func(who string) string
	OverAPI string
	// LeftOut and NotAnswered replace an answer, Typed precedes a free-text answer.
	LeftOut, NotAnswered, Typed string
	// NotChosen precedes the other options.
	NotChosen string
	// Note, Reply and Reason precede a person's text.
	Note, Reply, Reason string
	// The bridge's own reasons:
	NobodyInTime, Tie, Unknown, Elsewhere string

	Quorum func(have, need int) string
	// Undoable and UndoableUntil are how long the decision can be undone.
	Undoable      func(seconds int) string
	UndoableUntil func(moment string) string
	// Handed is how often the answer was reused for equal requests, and when last.
	Handed func(times int, moment string) string
}

// Form contains the texts of forms. A title has at most 24 characters; labels and hints are limited by the platform.
type Form struct {
	Submit, Send, Save, Close, Cancel string
	// The form for a free-text answer.
	YourAnswer, YourReply, OtherAnswer, Note     string
	NoteHint, ReplyHint, BesideHint, InsteadHint string
	ReplyVoteHint                                func(people int) string
	// The form that dismisses.
	ConfirmChoice, Confirm, YouChoose                                                    string
	DismissOne, DismissAll, Dismiss, KeepOpen, Reason, DismissHint, NobodyAfter, NoWords string
	TakesToDismiss                                                                       func(people int) string
	// The form that answers.
	Answer, CannotShow string
	AnswerMany         func(questions int) string
	AnswerNumber       func(question int) string
	AnswerFrom         func(first, last int) string
	OrWrite            func(choose string) string
	// The form that passes the request on.
	PassTitle, Pass, PassTo, PassHint, ChoosePerson string
	// The form that asks the agent.
	AskAgent, AskHint, AskEndsHint, YourQuestion string
}

package words

import "time"

var englishNote = Note{
	Unknown:   "This question is no longer known here, so nothing was recorded.",
	Foreign:   "This question is not known here, so nothing was recorded. If another bridge looks after it, please press again.",
	Trying:    "Could not save your answer: it is not recorded yet. Trying again for you…",
	Rescued:   "Saved now: your answer is recorded.",
	Unchecked: "Could not check whether this question is yours to answer: nothing was recorded. Please try again in a moment.",
	Thin:      "Recorded, but not yet copied to a second machine: if the first one fails now, it could be lost. Look at the card again in a while.",
	TryAgain:  "Could not save your answer: nothing was recorded. Please try again in a moment.",

	Elsewhere:  "This is not the card that was posted for the question. Nothing was recorded: please use the card itself.",
	Hasty:      "The choices have changed since you pressed Submit. Nothing was sent: please look at them, and submit again.",
	Final:      "You have voted, and votes on this question cannot be changed. Nothing was recorded.",
	Unvoted:    "You have not voted on this question, so there is nothing to take back.",
	Decided:    "This is decided, and whoever decided it can still undo that.",
	PleaseWait: "Nothing was recorded: please wait a moment.",
	Undone:     "Undone: the agent has heard nothing, and the question is open again.",
	UndoneOver: "Undone: the agent has heard nothing of it. The time to answer is over, so nobody can answer any more.",
	Unheld:     "There is nothing to undo here.",
	Theirs:     "Only those who decided this can undo it. Nothing was changed.",
	Overtaken:  "This was decided and undone since you wrote that. Nothing was recorded: please write it again if you mean it.",
	Outdated:   "The agent has revised this question since that card was drawn. Nothing was recorded: please look at it again.",
	AskedAgent: "Your question is on its way to the agent. The card shows the reply, and waits for an answer meanwhile.",
	Unshown:    "The files of this question do not stand below the card yet. Nothing was recorded: please try again when they do.",
	Enough:     "People have asked the agent as often as they can about this. Nothing was sent.",
	NoControl:  "That control does not belong to this question any more. Nothing was recorded.",

	NotYours:  "This question is not yours to answer. Nothing was recorded. It is for:",
	YourOwn:   "You asked for this yourself, so somebody else has to decide. Nothing was recorded.",
	Workspace: "Only people of this workspace can answer this. Nothing was recorded.",

	PassedOn:     "You passed this on, so somebody else has to answer. Nothing was recorded. It is for:",
	ToNobody:     "Please choose a person.",
	ToThemselves: "That is you.",
	ToBarred:     "They may not answer this question.",
	ToUnknown:    "Could not check whether they may answer this question: please try again in a moment.",
	ToPasser:     "They have passed it on, so it cannot come back to them.",
	ToVoter:      "They vote on it already.",
	ToApart:      "With them too few voters could be told apart: who they are on the other platform is not known.",
	HasVoted:     "You have voted: take your vote back first.",
	TooOften:     "It was passed on as often as it can be.",
	Unchanged:    "Nothing was changed.",

	Empty:          "There is nothing in the reply. Nothing was sent.",
	NothingChosen:  "Nothing is chosen yet. Nothing was sent: answer a question, or skip one.",
	WriteSomething: "Please write something.",
	AnswerOrSkip:   "Please answer a question, or skip one.",
	ChooseOrWrite:  "Please choose or write an answer.",
	Missing:        func(questions string) string { return say("Still missing: %s. Nothing was sent.", questions) },
	LeftOut: func(questions string) string {
		return say("Still missing: %s. What you chose is kept, and nothing is sent yet.", questions)
	},

	Noted: func(question, text string) string {
		return say("Noted for %s: %s. Press Submit on the card to send it.", question, text)
	},
	Replaces: "It replaces your choice there, until you choose again.",
	Annotated: func(question, text string) string {
		return say("Your note on %s: %s. It goes with the answer, which is still to be chosen and submitted.", question, text)
	},
	Unannotated: func(question string) string { return say("Your note on %s is taken away.", question) },
	Quote:       func(text string) string { return say("“%s”", text) },
}

var englishClosed = Closed{
	Late: func(ago string) string {
		return say("Too late: the time to answer ended %s ago. Nothing was recorded.", ago)
	},
	Expired:       func(ago string) string { return say("This question expired %s ago. Nothing was recorded.", ago) },
	TooLateToUndo: "Too late to undo.",
	Answered:      func(who, what string) string { return say("Already answered by %s: %s.", who, what) },
	Replied:       func(who, what string) string { return say("%s replied in place of an answer: %s.", who, what) },
	Decided:       func(what string) string { return say("Already decided by vote: %s.", what) },
	Skipped:       func(who string) string { return say("Already skipped by %s.", who) },
	Dismissed:     func(who string) string { return say("%s dismissed this question. Nothing was recorded.", who) },
	Withdrawn:     "The agent withdrew this question. Nothing was recorded.",
	Replaced:      "A newer question has replaced this one. Nothing was recorded.",
	Otherwise:     "This question is closed. Nothing was recorded.",
	Ago: func(d time.Duration) string {
		return ago(d, "a moment",
			func(n int) string { return say("%d seconds", n) }, func(n int) string { return say("%d minutes", n) },
			func(n int) string { return say("%d hours", n) }, func(n int) string { return say("%d days", n) })
	},
}

var englishVoted = Voted{
	Kept: "What you chose is kept. Your vote counts when every question has an answer.",
	Noted: func(question, choice string) string {
		return say("Noted for %s: %s. Press Submit on the card to vote.", question, choice)
	},
	Skipped: "skipped", Nothing: "nothing",
	Counts:     func(choice string) string { return say("Your vote counts: %s.", choice) },
	ToDismiss:  "Your vote to dismiss this counts.",
	Changeable: "You can change it until it is decided.",
	TakenBack:  "Your vote is taken back.",
}

var englishHeard = Heard{
	Unbound:  "There is no open question here that you could answer with a message. Nothing was recorded.",
	Withheld: "This bot cannot read a reply that does not mention it. Nothing was recorded: please reply with the mention (@) switched on, or use the card.",
	Answer:   func(who, what string) string { return say("Taken as the answer of %s: %s.", who, what) },
	Vote:     func(who, what string) string { return say("Taken as the vote of %s: %s.", who, what) },
	Skipped:  "skipped",
	Several: func(codes string) string {
		return say("Several questions are open here, so nothing was recorded. Begin with the code of the one you mean: %s.", codes)
	},
	CodeFor:  func(code, question string) string { return say("“%s: …” for %s", code, question) },
	NotTaken: "That was not taken as an answer.", ManyWays: "That can be read in more than one way.",
	NothingRecorded: "Nothing was recorded.", VoteGone: "Your vote is taken back, since the message does not say it any more.",
	AnswerGone: "Your answer is taken back, since the message does not say it any more.",
	UseCard:    "Please use the card.",
	WholeLabel: func(code, label string) string {
		return say("Here only a whole label behind the code counts, such as “%s: %s”.", code, label)
	},
	OwnWords: func(code string) string {
		return say("To answer in your own words, reply to the card itself, or begin with “%s: ”.", code)
	},
	EachLine: func(questions int) string {
		return say("It takes an answer to each of the %d questions: one line for each, in their order.", questions)
	},
	OneOf: func(options string) string { return say("Reply with one of these, and nothing else: %s.", options) },
	SomeOf: func(options string) string {
		return say("Reply with some of these, with commas between, and nothing else: %s.", options)
	},
	SkipWith: func(word string) string { return say("Write “%s” to skip a question that may be skipped.", word) },
	OwnWith:  func(word string) string { return say("Write “%s: …” to answer in your own words.", word) },
}

var englishReply = Reply{
	NotOpened:      "The form could not be opened. Please press the button again.",
	Broken:         "Something went wrong on our side. Please try again.",
	Late:           "This is taking too long, so we cannot tell whether it was recorded. Please try again.",
	Arrived:        "It has arrived now.",
	ArrivedClose:   "It has arrived now. You can close this window.",
	ArrivedDeleted: "It has arrived, and the card that you used has been deleted since.",
	Busy:           "Too much is going on just now, so this was not recorded. Please try again in a moment.",
	Title:          "Please note", Close: "Close",
	ForYou: func(person string) string {
		return say("%s, this question is for you. It is here since your direct messages are closed to this bot.", person)
	},
}

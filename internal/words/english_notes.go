package words

import "time"

var englishNote = Note{
	Unknown:   "This question is no longer known here. Nothing was recorded.",
	Foreign:   "This question is not known here. Nothing was recorded. Please press again.",
	Trying:    "Your answer is not recorded yet. Trying again for you…",
	Rescued:   "Saved now: your answer is recorded.",
	Unchecked: "Could not check your permission. Nothing was recorded. Please try again.",
	Thin:      "Recorded on one machine only. Please check the card again later.",
	TryAgain:  "Could not save your answer. Nothing was recorded. Please try again.",

	Elsewhere:  "Not the original card. Nothing was recorded. Please use the original.",
	Hasty:      "The choices have changed. Nothing was sent. Please check and submit again.",
	Final:      "You have voted, and votes here are final. Nothing was recorded.",
	Unvoted:    "You have no vote to take back.",
	Decided:    "Already decided, but not final: it can still be undone.",
	PleaseWait: "Nothing was recorded. Please wait a moment.",
	Undone:     "Undone. The agent got no answer. The question is open again.",
	UndoneOver: "Undone. The agent got no answer. The time to answer is over.",
	Unheld:     "There is nothing to undo here.",
	Theirs:     "You did not decide this, so you cannot undo it.",
	Overtaken:  "Decided and undone in the meantime. Nothing was recorded. Please write again.",
	Outdated:   "The agent revised this question. Nothing was recorded. Please look again.",
	AskedAgent: "Sent to the agent. The card stays open and shows the reply.",
	Unshown:    "The files are still uploading. Nothing was recorded. Please try again soon.",
	Enough:     "No more questions to the agent here. Nothing was sent.",
	Done:       "Done. The card shows it.",
	NoControl:  "This control is out of date. Nothing was recorded.",

	NotYours:  "This is not yours to answer. Nothing was recorded. It is for:",
	YourOwn:   "You asked for this. Someone else must decide. Nothing was recorded.",
	Workspace: "Only people in this workspace can answer. Nothing was recorded.",

	PassedOn:     "You passed this on. Nothing was recorded. It is for:",
	ToNobody:     "Please choose a person.",
	ToThemselves: "That is you.",
	ToBarred:     "This person cannot answer the question.",
	ToUnknown:    "Could not check this person's permission. Please try again.",
	ToPasser:     "This person passed it on and cannot get it back.",
	ToVoter:      "This person can already vote.",
	ToApart:      "Too few distinct voters: this person's account elsewhere is unknown.",
	HasVoted:     "You have voted. Take back your vote first.",
	TooOften:     "It cannot be passed on again.",
	Unchanged:    "Nothing was changed.",

	Empty:          "Your reply is empty. Nothing was sent.",
	NothingChosen:  "Nothing is chosen. Nothing was sent. Answer or skip a question.",
	WriteSomething: "Please write something.",
	AnswerOrSkip:   "Please answer or skip a question.",
	ChooseOrWrite:  "Please choose or write an answer.",
	Missing:        func(questions string) string { return say("Still missing: %s. Nothing was sent.", questions) },
	LeftOut: func(questions string) string {
		return say("Still missing: %s. Your choices are kept. Nothing is sent yet.", questions)
	},

	Noted: func(question, text string) string {
		return say("Noted for %s: %s. Press Submit on the card to send it.", question, text)
	},
	Replaces: "It replaces your choice there.",
	Annotated: func(question, text string) string {
		return say("Your note on %s: %s. Submit an answer to send it.", question, text)
	},
	Unannotated: func(question string) string { return say("Your note on %s is removed.", question) },
	Quote:       func(text string) string { return say("“%s”", text) },
}

var englishClosed = Closed{
	Late: func(ago string) string {
		return say("Too late: this ended %s ago. Nothing was recorded.", ago)
	},
	Expired:       func(ago string) string { return say("This question expired %s ago. Nothing was recorded.", ago) },
	TooLateToUndo: "Too late to undo.",
	Answered:      func(who, what string) string { return say("Already answered by %s: %s.", who, what) },
	Replied:       func(who, what string) string { return say("%s replied instead of answering: %s.", who, what) },
	Decided:       func(what string) string { return say("Already decided by vote: %s.", what) },
	Skipped:       func(who string) string { return say("Already skipped by %s.", who) },
	Dismissed:     func(who string) string { return say("%s dismissed this question. Nothing was recorded.", who) },
	Withdrawn:     "The agent withdrew this question. Nothing was recorded.",
	Replaced:      "A newer question replaced this one. Nothing was recorded.",
	Otherwise:     "This question is closed. Nothing was recorded.",
	Ago: func(d time.Duration) string {
		return ago(d, "a moment",
			func(n int) string { return say("%d seconds", n) }, func(n int) string { return say("%d minutes", n) },
			func(n int) string { return say("%d hours", n) }, func(n int) string { return say("%d days", n) })
	},
}

var englishVoted = Voted{
	Kept: "Your choices are kept. To vote, answer every question.",
	Noted: func(question, choice string) string {
		return say("Noted for %s: %s. Press Submit on the card to vote.", question, choice)
	},
	Skipped: "skipped", Nothing: "nothing",
	Counts:     func(choice string) string { return say("Your vote for %s is in.", choice) },
	CountsAll:  func(choice string) string { return say("Your vote is in: %s.", choice) },
	ToDismiss:  "Your vote to dismiss is in.",
	Changeable: "You can change it until the decision.",
	TakenBack:  "Your vote is taken back.",
}

var englishHeard = Heard{
	Unbound:  "No open question here takes a message. Nothing was recorded.",
	Withheld: "This bot only reads replies with a mention (@). Nothing was recorded.\nReply with the mention on, or use the card.",
	Answer:   func(who, what string) string { return say("Taken as the answer of %s: %s.", who, what) },
	Vote:     func(who, what string) string { return say("Taken as the vote of %s: %s.", who, what) },
	Skipped:  "skipped",
	Several: func(codes string) string {
		return say("Several questions are open here. Nothing was recorded.\nBegin with the code of one: %s.", codes)
	},
	CodeFor:  func(code, question string) string { return say("“%s: …” for %s", code, question) },
	NotTaken: "That was not taken as an answer.", ManyWays: "That has more than one meaning.",
	NothingRecorded: "Nothing was recorded.", VoteGone: "Your vote is taken back: your message no longer says it.",
	AnswerGone: "Your answer is taken back: your message no longer says it.",
	UseCard:    "Please use the card.",
	WholeLabel: func(code, label string) string {
		return say("Write the code and a whole label, such as “%s: %s”.", code, label)
	},
	OwnWords: func(code string) string {
		return say("For your own words, reply to the card or begin with “%s: ”.", code)
	},
	EachLine: func(questions int) string {
		return say("Answer all %d questions: one line each, in order.", questions)
	},
	OneOf: func(options string) string { return say("Reply with one of these only: %s.", options) },
	SomeOf: func(options string) string {
		return say("Reply only with some of these, separated by commas: %s.", options)
	},
	SkipWith: func(word string) string { return say("Write “%s” to skip an optional question.", word) },
	OwnWith:  func(word string) string { return say("Write “%s: …” to answer in your own words.", word) },
}

var englishReply = Reply{
	NotOpened:      "Could not open the form. Please press the button again.",
	Broken:         "Something went wrong on our side. Please try again.",
	Late:           "This took too long and may not be recorded. Please try again.",
	Arrived:        "It has arrived now.",
	ArrivedClose:   "It has arrived now. You can close this window.",
	ArrivedDeleted: "It has arrived. Someone deleted your card in the meantime.",
	Busy:           "Too busy right now. Nothing was recorded. Please try again.",
	Title:          "Please note", Close: "Close",
	ForYou: func(person string) string {
		return say("%s, this question is for you.\nYour direct messages are closed to this bot.", person)
	},
}

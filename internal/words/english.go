package words

import (
	"fmt"
	"strings"
	"time"
)

// say is Sprintf with a short name. Vet checks its format too.
func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// plural chooses between the two plural forms of English, German and Spanish.
func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// english is complete by definition: tests compare the other languages with it.
var english = Words{
	Language:   Default,
	Permission: englishPermission,
	Inbox:      englishInbox,
	Digest:     englishDigest,
	Button: Button{
		Submit: "Submit", Other: "Other", Answer: "Answer", Back: "Back", Next: "Next", Read: "Read in full", Claim: "I'm on it",
		More: "More", Skip: "Skip", Skipped: "Skipped",
		Reply: "Answer with my own text", Ask: "Ask the agent", Note: "Add a note", Pass: "Pass to", TakeBack: "Take back my vote",
		Undo: "Undo", Dismiss: "Dismiss", Details: "Details",
		NoteTo: func(question int) string { return say("Add a note to %d", question) },
	},
	Card: Card{
		AnAgent: "An agent",
		Asks: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s asks", agent), say("%s asks %d questions", agent, questions))
		},
		Asked: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s asked", agent), say("%s asked %d questions", agent, questions))
		},
		For:      func(person string) string { return say("for %s", person) },
		Until:    func(moment string) string { return say("expires %s", moment) },
		Optional: "Optional", OptionalShort: "(optional)",
		Question: func(number int) string { return say("Question %d", number) },
		Option:   func(number int) string { return say("Option %d", number) },
		NoText:   "(no text)",
		Any:      "Choose any number.", ChooseOne: "Choose one", ChooseAny: "Choose any", ChooseSkip: "Choose to skip",
		LeaveOut: "Leave this question unanswered",
		Chosen:   "Chosen:", Typed: "Typed:", Noted: "Note:",
		ChosenBy:  func(person string) string { return say("Chosen by %s", person) },
		SkippedBy: func(person string) string { return say("Skipped by %s", person) },
		ByButton:  func(labels string) string { return say("Answer with a button: %s.", labels) },
		ByButtons: "Answer with the buttons.", ByList: "Choose from the list.", BySubmit: "Choose on the card, then press Submit.",
		ByForm: "Press Answer and fill in the form.", ByText: "Press the button and write your answer.",
		Page:     func(page, of int) string { return say("page %d of %d", page, of) },
		Answered: func(questions int) string { return say("%d answered", questions) },
		Notified: "Notified:",
		AndMore:  func(n int) string { return say("and %d more", n) },
		Moment:   "2 Jan 2006, 15:04 UTC",
	},
	People: People{
		Only:     func(who string, _ int) string { return say("Only %s can answer", who) },
		OnlyHere: func(who string) string { return say("Only %s can answer here", who) },
		Can:      func(who string) string { return say("%s can answer", who) },
		HereOr:   func(platforms string) string { return say(", here or on %s", platforms) },
		On:       func(platforms string) string { return say(", on %s", platforms) },
		You:      "You can answer", Anyone: "Anyone here can answer", Nobody: "No one can answer",
		NobodyHere:     "No one can answer here",
		NobodyButAsker: "No one can answer here: the requester cannot decide",
		HiddenGroups: func(platform string) string {
			return say("No one can answer here: %s hides roles in direct messages", platform)
		},
		Must:  func(who string) string { return say("limited to: %s", who) },
		But:   func(who string) string { return say(", except %s", who) },
		Asker: "the requester",
		People: func(n int, platform string) string {
			return say("%d %s on %s", n, plural(n, "person", "people"), platform)
		},
		MorePeople: func(n int, platform string) string {
			return say("%d more %s on %s", n, plural(n, "person", "people"), platform)
		},
		Groups: func(n int, platform string) string {
			return say("%d %s on %s", n, plural(n, "group", "groups"), platform)
		},
		Or:     "or",
		Others: func(n int) string { return plural(n, "1 other", say("%d others", n)) },
		User:   func(platform, id string) string { return say("%s user %s", platform, id) },
		Group:  func(platform, id string) string { return say("%s group %s", platform, id) },
		Role:   func(platform, id string) string { return say("%s role %s", platform, id) },
		OnCall: func(rota string) string { return say("on-call %s", rota) },

		AnotherPlatform: "another platform",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			if need == of && of > 1 {
				return say("all %d must agree", of)
			}
			return plural(need, say("1%s is enough", outOf(of)), say("%d%s must agree", need, outOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "most votes win", say("most votes win, at least %d%s", need, outOf(of)))
		},
		Takes:       func(n int) string { return plural(n, "– one is enough", say("needs %d", n)) },
		ToDismiss:   func(n int) string { return say("Dismissing needs %d", n) },
		Hidden:      "Votes stay hidden until the end",
		Cast:        func(n, of int) string { return say("%d%s %s voted", n, outOf(of), plural(n, "has", "have")) },
		Of:          func(have, need int) string { return say("%d of %d", have, need) },
		Waiting:     func(who string) string { return say("Still to vote: %s", who) },
		MoreChoices: func(n int) string { return plural(n, "and 1 more choice", say("and %d more choices", n)) },
		Against:     "To dismiss", Skip: "(skip)",
	},
	Schedule: Schedule{
		OnIt:      "On it:",
		Claim:     func(who, since, until string) string { return say("%s since %s, until %s", who, since, until) },
		Passed:    "Passed on:",
		AlsoAsked: func(who string) string { return say("also asked %s", who) },
		AlsoIn:    func(places string) string { return say("also asked %s", places) },
		Places:    func(n int) string { return plural(n, "in one more place", say("in %d more places", n)) },
		Elsewhere: "people elsewhere",
		NobodyOn:  func(rota string) string { return say("no one was on call for %s", rota) },
		Reminded:  "reminded", Next: "Next:", Then: "Then:", Reminder: "reminder",
		Waiting: func(agent string) string { return say("Reminder: %s is waiting", agent) },
	},
	Details: Details{
		Request: func(id string) string { return say("Request: %s", id) },
		Agent:   func(name string) string { return say("Agent: %s", name) },
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Revised by the agent", say("Revised by the agent, %d times", times))
		},
		Before: func(n int) string { return plural(n, "1 earlier question", say("%d earlier questions", n)) },
		Asked:  "asked:", Agent: "the agent:", NoReply: "no reply yet",
		Replied:  func(agent string) string { return say("%s replied", agent) },
		Question: "Asked:",
		NotTaken: func(agent string) string { return say("%s does not have the answer yet", agent) },
		Taken:    func(agent string) string { return say("%s has the answer", agent) },
		Missing: func(agent string) string {
			return say("No sign of %s: it may have stopped. The answer is kept.", agent)
		},
		Joined: func(prompts int) string { return say("%d equal prompts: one answer covers all", prompts) },
		Instead: func(agent, what string) string {
			return say("This answer does not count: %s used another one, “%s”", agent, what)
		},
	},
	Files: Files{
		File:  func(name, size string) string { return say("%s (%s), sha256", name, size) },
		Whole: func(name, size string) string { return say("Full text: %s (%s), sha256", name, size) },
		Size:  func(bytes int) string { return size(bytes, ".", "1 byte", "bytes") },
		Unshown: func(characters int) string {
			return plural(characters, "last character only in the file", say("last %d characters only in the file", characters))
		},
		Instead: "The agent revised the question. Only these files count now.",
		Due:     "Uploading the files below. You can answer in a moment.",
		Missing: "Could not upload the files. You cannot answer here.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("or %s %s", way, what) },
		InThread: "reply in the thread", AsReply: "reply to this message, with the mention on,",
		Number: "with a label or its number", Own: "in your own words", Lines: "with one line for each question",
		Coded: func(what, code string) string { return say("%s, after “%s:”", what, code) },
		Label: func(code string) string { return say("with “%s:” and a whole label", code) },
	},
	End: End{
		Answered: "Answered", Skipped: "Skipped", Replied: "Closed with a reply", Dismissed: "Dismissed",
		Withdrawn: "Withdrawn by the agent", Expired: "Expired without an answer", Undecided: "Expired without a decision",
		Replaced: "Replaced by a newer question", ByVote: "Decided by vote", Unanswered: "Closed without an answer",
		By:        func(who string) string { return say("by %s", who) },
		On:        func(who string) string { return say("on %s", who) },
		OverAPI:   "over the API",
		NotChosen: "not chosen:",
		LeftOut:   "skipped", NotAnswered: "not answered", Typed: "typed:",
		Note: "Note:", Reply: "Reply:", Reason: "Reason:",
		NobodyInTime: "no answer in time", Tie: "tie", Unknown: "this question is no longer known",
		Elsewhere: "the question is on another card",
		Quorum:    func(have, need int) string { return say("quorum: %d of %d", have, need) },
		Undoable: func(seconds int) string {
			return say("can be undone for %s", plural(seconds, "1 second", say("%d seconds", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("can be undone until %s", moment) },
		Handed: func(times int, moment string) string {
			return say("reused %s for equal prompts, last %s", plural(times, "once", say("%d times", times)), moment)
		},
	},
	Form: Form{
		Submit: "Submit", Send: "Send", Save: "Save", Close: "Close", Cancel: "Cancel",
		YourAnswer: "Your answer", YourReply: "Your reply", OtherAnswer: "Other answer", Note: "Note",
		NoteHint:    "Goes to the agent with the answer. A note alone answers nothing.",
		ReplyHint:   "Replaces all answers and ends the questions.",
		BesideHint:  "Counts together with your choice.",
		InsteadHint: "Replaces your choice.",
		ReplyVoteHint: func(people int) string {
			return say("Replaces your answers. Ending the questions needs %d people.", people)
		},
		ConfirmChoice: "Confirm your answer", Confirm: "Confirm", YouChoose: "You choose:",
		DismissOne: "Dismiss this question?", DismissAll: "Dismiss these questions?", Dismiss: "Dismiss", KeepOpen: "Keep open",
		Reason:      "Reason",
		DismissHint: "The agent gets this text instead of an answer.",
		NobodyAfter: "No one can answer after this.",
		NoWords:     "The agent cannot receive a reason.",
		TakesToDismiss: func(people int) string {
			return say("Dismissing needs %d people.", people)
		},
		Answer: "Answer", CannotShow: "Could not show these questions. Please try again.",
		AnswerMany:   func(questions int) string { return say("Answer %d questions", questions) },
		AnswerNumber: func(question int) string { return say("Answer question %d", question) },
		AnswerFrom:   func(first, last int) string { return say("Answer questions %d–%d", first, last) },
		OrWrite:      func(choose string) string { return say("%s, or write your own answer below", choose) },
		PassTitle:    "Pass to someone else", Pass: "Pass on", PassTo: "Person to answer instead", ChoosePerson: "Choose a person",
		PassHint: "We notify them. You cannot answer or get it back.",
		AskAgent: "Ask the agent", YourQuestion: "Your question",
		AskHint:     "Not an answer. The agent and everyone here can read it.",
		AskEndsHint: "Ends the questions without an answer. The agent may ask again.",
	},
	Note:   englishNote,
	Closed: englishClosed,
	Voted:  englishVoted,
	Heard:  englishHeard,
	Reply:  englishReply,
}

// size returns a length in bytes with its unit.
func size(bytes int, point, one, more string) string {
	const kilo = 1000
	value, unit := float64(bytes)/kilo, "KB"
	switch {
	case bytes < kilo:
		return plural(bytes, one, say("%d %s", bytes, more))
	case bytes >= kilo*kilo:
		value, unit = value/kilo, "MB"
	}
	return strings.Replace(say("%.1f %s", value, unit), ".", point, 1)
}

func outOf(of int) string {
	if of == 0 {
		return ""
	}
	return say(" of %d", of)
}

// ago returns a duration in the largest unit of which it has at least two.
func ago(d time.Duration, moment string, seconds, minutes, hours, days func(n int) string) string {
	switch {
	case d < 2*time.Second:
		return moment
	case d < 2*time.Minute:
		return seconds(int(d.Seconds()))
	case d < 2*time.Hour:
		return minutes(int(d.Minutes()))
	case d < 48*time.Hour:
		return hours(int(d.Hours()))
	}
	return days(int(d.Hours() / 24))
}

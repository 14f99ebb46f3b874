package words

import (
	"fmt"
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
	Language: Default,
	Button: Button{
		Submit: "Submit", Other: "Other", Answer: "Answer", Reply: "Reply", Dismiss: "Dismiss", Back: "Back", Next: "Next",
		Read: "Read in full", TakeBack: "Take my vote back", Undo: "Undo", Claim: "I'm on it", Pass: "Pass to", Ask: "Ask",
		Skip: "Skip", Skipped: "Skipped", Note: "Note",
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
		Until:    func(moment string) string { return say("until %s", moment) },
		Optional: "Optional", OptionalShort: "(optional)",
		Question: func(number int) string { return say("Question %d", number) },
		Option:   func(number int) string { return say("Option %d", number) },
		NoText:   "(no text)",
		Any:      "Choose any number.", ChooseOne: "Choose one", ChooseAny: "Choose any", ChooseSkip: "Choose to skip",
		LeaveOut: "Leave this question unanswered",
		Chosen:   "Chosen:", Typed: "Typed:", Noted: "Note:",
		ChosenBy:  func(person string) string { return say("Chosen by %s", person) },
		SkippedBy: func(person string) string { return say("Skipped by %s", person) },
		Page:      func(page, of int) string { return say("page %d of %d", page, of) },
		Answered:  func(questions int) string { return say("%d answered", questions) },
		Notified:  "Notified:",
		AndMore:   func(n int) string { return say("and %d more", n) },
		Moment:    "2 Jan 2006, 15:04 UTC",
	},
	People: People{
		Only: func(who string) string { return say("Only %s can answer here", who) },
		Can:  func(who string) string { return say("%s can answer", who) },
		You:  "You can answer", Anyone: "Anyone in this channel can answer",
		NobodyButAsker: "Nobody can answer here: whoever asked does not decide", Nobody: "Nobody can answer",
		IfAlso:   func(who string) string { return say(", if they are also one of: %s", who) },
		NotAsker: ", but not who asked for it",
		NotDirect: func(platform string) string {
			return say(", but not in a direct message: %s tells nobody's roles there", platform)
		},
		AnyoneHere: "anyone in this channel",
		SomebodyOn: func(platform string) string { return say("somebody on %s", platform) },
		Or:         "or",
		Others:     func(n int) string { return plural(n, "or 1 other", say("or %d others", n)) },
		User:       func(platform, id string) string { return say("%s user %s", platform, id) },
		Group:      func(platform, id string) string { return say("%s group %s", platform, id) },
		Role:       func(platform, id string) string { return say("%s role %s", platform, id) },
		OnCall:     func(rota string) string { return say("whoever is on call for %s", rota) },

		AnotherPlatform: "another platform",
	},
	Vote: Vote{
		Agree: func(need, of int) string {
			return plural(need, say("1%s is enough", outOf(of)), say("%d%s have to agree", need, outOf(of)))
		},
		Most: func(need, of int) string {
			return plural(max(need, 1), "most votes decide", say("most votes decide, from %d%s on", need, outOf(of)))
		},
		Takes:     func(n int) string { return plural(n, "– one is enough", say("takes %d", n)) },
		ToDismiss: func(n int) string { return say("It takes %d to dismiss", n) },
		Hidden:    "Votes stay hidden until the end", None: "No votes yet",
		Cast:        func(n int) string { return plural(n, "1 has voted", say("%d have voted", n)) },
		MoreChoices: func(n int) string { return plural(n, "and 1 more choice", say("and %d more choices", n)) },
		Against:     "To dismiss", Skip: "(skip)",
	},
	Schedule: Schedule{
		OnIt:     "On it:",
		Claim:    func(who, since, until string) string { return say("%s since %s, until %s", who, since, until) },
		Reminded: "Reminded:", Reminder: "Reminder:", Passed: "Passed on:", From: "From:", Since: "Since:",
		CanToo:    func(who string) string { return say("%s can answer too", who) },
		NobodyOn:  func(rota string) string { return say("nobody was on call for %s", rota) },
		Elsewhere: "others elsewhere can answer too",
		MorePlaces: func(n int) string {
			return plural(n, "asked in one more place", say("asked in %d more places", n))
		},
		StillWaits: func(agent string, questions int) string {
			return plural(max(questions, 1), say("%s still waits for an answer", agent), say("%s still waits for %d answers", agent, questions))
		},
	},
	Talk: Talk{
		Revised: func(times int) string {
			return plural(times, "Revised by the agent", say("Revised by the agent, %d times", times))
		},
		Before: func(n int) string { return say("%d asked before", n) },
		Asked:  "asked:", Agent: "the agent:", NoReply: "no reply yet",
		Replied:  func(agent string) string { return say("%s replied", agent) },
		Question: "Asked:",
		NotTaken: "The agent has not taken it yet.", Taken: "The agent has it",
		Missing: "Nobody has taken it: the agent may not be listening any more. It is kept.",
		Joined:  func(prompts int) string { return say("%d equal prompts: one answer is for all of them", prompts) },
		Instead: func(what string) string {
			return say("This answer does not count: the agent went by another one, “%s”", what)
		},
	},
	Files: Files{
		File: func(name string, bytes int) string {
			return say("File: %s, %s\nSHA-256", name, plural(bytes, "1 byte", say("%d bytes", bytes)))
		},
		Unshown: func(characters int) string {
			return plural(characters, "its last character is only in the file", say("its last %d characters are only in the file", characters))
		},
		Below:   func(code string) string { return say("The files of question %s, as its card says:", code) },
		Instead: "The agent has revised the question. These are the files that count; any further up do not.",
		Due:     "The files are on their way below. As soon as they stand there, this can be answered.",
		Missing: "The files could not be uploaded here, so this cannot be answered here.",
	},
	Typing: Typing{
		Or:       func(way, what string) string { return say("or %s %s", way, what) },
		InThread: "reply in the thread", AsReply: "reply to this message, with the mention on,",
		Label:  func(code string) string { return say("with “%s:” and a whole label", code) },
		Number: func(code string) string { return say("with a label or its number (code %s)", code) },
		Own:    func(code string) string { return say("in your own words (code %s)", code) },
		Lines:  func(code string) string { return say("with one line for each question (code %s)", code) },
	},
	End: End{
		Answered: "Answered", Skipped: "Skipped", Replied: "Closed with a reply", Dismissed: "Dismissed",
		Withdrawn: "Withdrawn by the agent", Expired: "Expired without an answer", Undecided: "Expired without a decision",
		Replaced: "Replaced by a newer question", ByVote: "Decided by vote", Unanswered: "Closed without an answer",
		By:      func(who string) string { return say("by %s", who) },
		On:      func(who string) string { return say("on %s", who) },
		OverAPI: "over the API",
		LeftOut: "skipped", NotAnswered: "not answered", Typed: "typed:",
		Note: "Note:", Reply: "Reply:", Reason: "Reason:",
		NobodyInTime: "nobody answered in time", Tie: "tie", Unknown: "this question is no longer known",
		Elsewhere: "the question stands on another card",
		Quorum:    func(have, need int) string { return say("quorum: %d of %d", have, need) },
		Undoable: func(seconds int) string {
			return say("can be undone for %s", plural(seconds, "1 second", say("%d seconds", seconds)))
		},
		UndoableUntil: func(moment string) string { return say("can be undone until %s", moment) },
		Handed: func(times int, moment string) string {
			return say("given to the agent %s, asked the same, %s", plural(times, "once more", say("%d times more", times)), moment)
		},
	},
	Form: Form{
		Submit: "Submit", Send: "Send", Save: "Save", Close: "Close", Cancel: "Cancel",
		YourAnswer: "Your answer", YourReply: "Your reply", OtherAnswer: "Other answer", Note: "Note",
		NoteHint:    "Goes to the agent with the answer. A note alone answers nothing.",
		ReplyHint:   "Takes the place of all answers, and ends the questions.",
		BesideHint:  "Counts together with what is chosen.",
		InsteadHint: "Takes the place of a chosen option.",
		ReplyVoteHint: func(people int) string {
			return say("Takes the place of your answers. It takes %d people to end the questions.", people)
		},
		DismissOne: "Dismiss this question?", DismissAll: "Dismiss these questions?", Dismiss: "Dismiss", KeepOpen: "Keep open",
		DismissHint: "Leave it blank, or write what the agent is told in place of an answer.",
		NobodyAfter: "Nobody can answer after this.",
		NoWords:     "The agent is told no reason: its tool has no place for one.",
		TakesToDismiss: func(people int) string {
			return say("It takes %d people to do so.", people)
		},
		Answer: "Answer", CannotShow: "These questions cannot be shown right now. Please try again.",
		AnswerMany:   func(questions int) string { return say("Answer %d questions", questions) },
		AnswerNumber: func(question int) string { return say("Answer question %d", question) },
		AnswerFrom:   func(first, last int) string { return say("Answer questions %d–%d", first, last) },
		OrWrite:      func(choose string) string { return say("%s, or write your own answer below", choose) },
		PassTitle:    "Pass to somebody else", Pass: "Pass on", PassTo: "Who answers in your place", ChoosePerson: "Choose a person",
		PassHint: "They are told. You cannot answer any more then, and it cannot come back to you.",
		AskAgent: "Ask the agent", YourQuestion: "Your question",
		AskHint:     "Answers nothing. The agent hears it, and everybody who sees the card.",
		AskEndsHint: "Takes the place of an answer, and ends the questions: the agent may ask again.",
	},
	Note:   englishNote,
	Closed: englishClosed,
	Voted:  englishVoted,
	Heard:  englishHeard,
	Reply:  englishReply,
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

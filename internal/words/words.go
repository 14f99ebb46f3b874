package words

// Words is everything that people are told, in one language. A text that others stand
// beside has no space at its ends: whoever joins them puts it.
type Words struct {
	// Language is its code.
	Language string

	Button   Button
	Card     Card
	People   People
	Vote     Vote
	Schedule Schedule
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
}

// Button is what stands on the bridge's own buttons, behind their signs.
type Button struct {
	Submit, Other, Answer, Reply, Dismiss, Back, Next, Read, TakeBack, Undo, Claim, Pass, Ask string
	// Skip offers to leave a question out, and Skipped tells that it is.
	Skip, Skipped, Note string
}

// Card is what an open card says around an agent's words.
type Card struct {
	// AnAgent is who asks where nobody knows the name.
	AnAgent string
	// Asks and Asked say who asks so many questions, or did.
	Asks, Asked func(agent string, questions int) string
	// Until says how long there is to answer.
	Until func(moment string) string
	// Optional stands below a question that need not be answered, and OptionalShort
	// behind one.
	Optional, OptionalShort string
	// Question and Option name what has no name of its own, NoText what has no text.
	Question, Option func(number int) string
	NoText           string
	// Any stands below a question of which any number of options can be chosen.
	Any string
	// ChooseOne, ChooseAny and ChooseSkip are labels of lists, and LeaveOut describes the
	// entry that skips the question.
	ChooseOne, ChooseAny, ChooseSkip, LeaveOut string
	// Chosen, Typed and Noted stand before what a draft holds.
	Chosen, Typed, Noted string
	ChosenBy, SkippedBy  func(person string) string
	// Page says which page of a card it is, and Answered how many questions have an
	// answer.
	Page     func(page, of int) string
	Answered func(questions int) string
	// Notified stands before those whom the card tells.
	Notified string
	// AndMore ends a list that is cut.
	AndMore func(n int) string
	// Moment is the layout of a time where it cannot be shown live.
	Moment string
}

// People is how a card says who may answer.
type People struct {
	// Only and Can say who can, and You and Anyone whom it lets who sees the card.
	Only, Can   func(who string) string
	You, Anyone string
	// Nobody can: because of who asked, or since nobody is named.
	NobodyButAsker, Nobody string
	// IfAlso says what else is demanded of them, NotAsker who is kept out, and NotDirect why
	// somebody by their role cannot answer in a direct message. They go on with the sentence.
	IfAlso    func(who string) string
	NotAsker  string
	NotDirect func(platform string) string
	// AnyoneHere and SomebodyOn are entries of a list, Or stands before its last entry, and
	// Others says how many more there are.
	AnyoneHere string
	SomebodyOn func(platform string) string
	Or         string
	Others     func(n int) string
	// User, Group and Role name somebody by nothing but an id.
	User, Group, Role func(platform, id string) string
	// OnCall is whoever a rota says.
	OnCall func(rota string) string
	// AnotherPlatform stands for one without a name.
	AnotherPlatform string
}

// Vote is how a card tells of a vote.
type Vote struct {
	// Agree says how many have to, and Most from how many on the most votes decide; of so
	// many, or of nobody knows how many for 0.
	Agree, Most func(need, of int) string
	// Takes goes on behind an option that takes another number of people, and ToDismiss
	// says how many dismissing takes.
	Takes, ToDismiss func(n int) string
	// Hidden, None and Cast say how many have voted.
	Hidden, None string
	Cast         func(n int) string
	// MoreChoices ends a tally that is cut.
	MoreChoices func(n int) string
	// Against stands before those who voted to dismiss, and Skip for those who left the
	// question out.
	Against, Skip string
}

// Schedule is what a card says of the time while nobody answers.
type Schedule struct {
	// OnIt stands before who is, since when and until when.
	OnIt  string
	Claim func(who, since, until string) string
	// These stand before the moment of a step.
	Reminded, Reminder, Passed, From, Since string
	// What a step does.
	CanToo     func(who string) string
	NobodyOn   func(rota string) string
	Elsewhere  string
	MorePlaces func(n int) string
	StillWaits func(agent string, questions int) string
}

// Talk is what a card says of an agent that people talk with.
type Talk struct {
	// Revised says how often the agent has revised what it asks.
	Revised func(times int) string
	// Before says how many have asked something before those that are shown.
	Before func(n int) string
	// Asked stands behind who asked, Agent before what the agent replied, and NoReply in
	// its place.
	Asked, Agent, NoReply string
	// Replied is the head of a reply below the card, and Question stands before what it
	// replies to.
	Replied  func(agent string) string
	Question string
	// NotTaken, Taken and Missing say whether the agent has the answer.
	NotTaken, Taken, Missing string
	// Joined says how many equal prompts share one card.
	Joined func(prompts int) string
	// Instead says that it went by something else, in the words of its host.
	Instead func(what string) string
}

// Files is what a card and the message below it say of files.
type Files struct {
	// File names one, before the digest of its bytes.
	File func(name string, bytes int) string
	// Unshown says how many characters of it stand there and not on the card.
	Unshown func(characters int) string
	// Below stands over them, with the code of the request.
	Below func(code string) string
	// Instead stands below that where the agent has revised the request.
	Instead string
	// Due and Missing say why nobody can answer yet.
	Due, Missing string
}

// Typing says how a message answers a card.
type Typing struct {
	// Or joins a way to write and what to write.
	Or func(way, what string) string
	// InThread and AsReply are the ways.
	InThread, AsReply string
	// Label, Number, Own and Lines say what to write, with the code of the request.
	Label, Number, Own, Lines func(code string) string
}

// End is what a closed card says.
type End struct {
	// How the request ended.
	Answered, Skipped, Replied, Dismissed, Withdrawn, Expired, Undecided, Replaced, ByVote, Unanswered string
	// By and On go on with who ended it and where; OverAPI is where too.
	By, On  func(who string) string
	OverAPI string
	// LeftOut and NotAnswered stand where an answer would, and Typed before one in
	// somebody's own words.
	LeftOut, NotAnswered, Typed string
	// Note, Reply and Reason stand before somebody's words.
	Note, Reply, Reason string
	// NobodyInTime, Tie, Quorum, Unknown and Elsewhere are reasons of the bridge's own.
	NobodyInTime, Tie, Unknown, Elsewhere string

	Quorum func(have, need int) string
	// Undoable says for how many seconds it can be undone, and UndoableUntil until when.
	Undoable      func(seconds int) string
	UndoableUntil func(moment string) string
	// Handed says how often the answer was given to equal requests, and when last.
	Handed func(times int, moment string) string
}

// Form is what forms say. A title has room for 24 characters, a label and a hint for
// what the platform shows of them.
type Form struct {
	Submit, Send, Save, Close, Cancel string
	// The form for words of one's own.
	YourAnswer, YourReply, OtherAnswer, Note     string
	NoteHint, ReplyHint, BesideHint, InsteadHint string
	ReplyVoteHint                                func(people int) string
	// The form that dismisses.
	DismissOne, DismissAll, Dismiss, KeepOpen, DismissHint, NobodyAfter, NoWords string
	TakesToDismiss                                                               func(people int) string
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

package record

// Verdict is the result of a person's act.
type Verdict string

// The verdicts.
const (
	// Recorded: the choice counts and the request is still open.
	Recorded Verdict = "recorded"
	// Completed: this act ended the request.
	Completed Verdict = "completed"
	// Repeated: a redelivery of an act that counts already.
	Repeated Verdict = "repeated"
	// Stale: a newer act for the same question is recorded already.
	Stale Verdict = "stale"
	// Hasty: something was chosen after the submit, which does not cover it.
	Hasty Verdict = "hasty"
	// Incomplete: answers are missing, so nothing was submitted.
	Incomplete Verdict = "incomplete"
	// Forbidden: this person may not answer.
	Forbidden Verdict = "forbidden"
	// Late: the deadline had passed; the act expired the request.
	Late Verdict = "late"
	// Closed: the request had ended before.
	Closed Verdict = "closed"
	// Unknown: the control does not fit the request.
	Unknown Verdict = "unknown"
	// Counted: the vote was counted or taken back, and the request is still open.
	Counted Verdict = "counted"
	// Final: the person has voted, and this request does not allow changes.
	Final Verdict = "final"
	// Unvoted: the person has no vote to take back.
	Unvoted Verdict = "unvoted"
	// Early: something else came first and has happened now: a step that was due, or the undo of a
	// decision that rested on a typed vote. The act has not been judged.
	Early Verdict = "early"
	// Elsewhere: the control was used on a message that is not a card of the request.
	Elsewhere Verdict = "elsewhere"
	// Tentative: this act decided the request, and can be undone for a while.
	Tentative Verdict = "tentative"
	// Decided: the request is decided, and that can still be undone.
	Decided Verdict = "decided"
	// Undone: the request is as it was before it was decided.
	Undone Verdict = "undone"
	// Unheld: there is nothing to undo.
	Unheld Verdict = "unheld"
	// Claimed: the person has claimed the request, and the cards show it.
	Claimed Verdict = "claimed"
	// Theirs: another person decided, and only they can undo it.
	Theirs Verdict = "theirs"
	// Overtaken: Undo was pressed after the person typed.
	Overtaken Verdict = "overtaken"
	// Outdated: the agent has revised the request since the person saw it.
	Outdated Verdict = "outdated"
	// AskedAgent: the person's question goes to the agent, and the request is still open.
	AskedAgent Verdict = "asked"
	// Passed: another person may answer in this person's place.
	Passed Verdict = "passed"
	// NotPassed: the request was not passed on; [Decision.Why] has the reason.
	NotPassed Verdict = "not_passed"
	// Unshown: files of the request are not posted below the card yet.
	Unshown Verdict = "unshown"
	// Enough: people have asked the agent as often as they can.
	Enough Verdict = "enough"
)

// Counts reports whether the act counts, by this delivery of it or an earlier one: nothing that the
// person did is lost.
func (v Verdict) Counts() bool {
	switch v {
	case Recorded, Completed, Repeated, Counted, Tentative, Undone, Claimed, AskedAgent, Passed:
		return true
	}
	return false
}

// Decision is a verdict with what is needed to explain it.
type Decision struct {
	Verdict Verdict
	// Missing are the unanswered questions: all of them, or for Recorded those that the form left
	// out.
	Missing []int
	// Why is why the request was not passed on.
	Why WhyNot
	// Gone means that a typed vote was taken back, because its message was edited to something that
	// does not count.
	Gone bool
	// Over means that the deadline passed while the undone decision was held, so the request ends now.
	Over bool
}

// WhyNot is why a request was not passed on.
type WhyNot string

// The reasons.
const (
	// ToNobody: no recipient was chosen.
	ToNobody WhyNot = "nobody"
	// ToThemselves: they chose themselves.
	ToThemselves WhyNot = "themselves"
	// ToBarred: the recipient may not answer such requests.
	ToBarred WhyNot = "barred"
	// ToUnknown: it is not known whether the recipient may answer, see [Record.Judge].
	ToUnknown WhyNot = "unknown"
	// ToPasser: the recipient has passed it on before.
	ToPasser WhyNot = "passer"
	// ToVoter: the recipient votes on it already.
	ToVoter WhyNot = "voter"
	// ToApart: with the recipient in the person's place, too few voters would be certain to be different
	// people.
	ToApart WhyNot = "apart"
	// HasVoted: the person has a vote, which they would have to take back first.
	HasVoted WhyNot = "voted"
	// TooOften: it was passed on [ask.MaxPasses] times.
	TooOften WhyNot = "often"
)

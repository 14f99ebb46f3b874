package mutants

// holding breaks how what is decided can be undone.
func holding() []mutant {
	const hold, end, record = "bridge/record/hold.go", "bridge/record/end.go", "bridge/record"
	const table = "TestWhatIsDecidedCanBeUndoneForAWhile"
	return []mutant{
		{
			name:    "a decision that can be undone is the end already",
			edits:   []edit{{end, "	if r.Hold > 0 {\n", "	if false {\n"}},
			killers: []killer{{record, table, "a_decision_is_no_end_yet"}, {"bridge", "TestTheAgentHearsOfADecisionWhenItIsFinal", "before the end"}},
		},
		{
			name:    "anybody can undo",
			edits:   []edit{{hold, "	case !r.mayUndo(a.By):\n		return Decision{Verdict: Theirs}, false\n", ""}},
			killers: []killer{{record, table, "nobody_else_can_undo_it"}},
		},
		{
			name:    "what a person decided their other account cannot undo",
			edits:   []edit{{hold, "slices.Contains(who.Groups, by) {", "slices.Contains(who.Groups, by) && who.Platform == ask.API {"}},
			killers: []killer{{"bridge", "TestAPersonWhoIsNamedByOneAccountAnswersThroughTheOther", "Dana cannot undo what she decided"}},
		},
		{
			name:    "an undo is of whatever is decided now",
			edits:   []edit{{hold, "a.Action.Option >= 0 && int64(a.Action.Option) != h.Revision", "a.Action.Option >= 0 && h.Revision < 0"}},
			killers: []killer{{record, table, "an_undo_of_an_earlier_card"}},
		},
		{
			name:    "an undone vote stays",
			edits:   []edit{{hold, "		v.Ballots = r.Held.Before\n", "		_ = v\n"}},
			killers: []killer{{record, table, "a_vote_is_held_as_it_is_decided"}, {"test/chaos", "TestTheCheckerAgreesWithALifeInCalm", "no order in which it makes sense"}},
		},
		{
			name:    "a typed vote decides that says something else while that can be undone",
			edits:   []edit{{hold, "	case otherwise && (r.Voting == nil || r.rests(b)):\n", "	case false:\n"}},
			killers: []killer{{"askbridgetest", "TestATypedVoteIsWhatItsMessageSaysWhileThatCanBeUndone", "changed_into_another_choice"}},
		},
		{
			name:    "a press that came too soon decides when it is delivered again",
			edits:   []edit{{hold, "	r.noted(mark) // Delivered again after an undo it must not decide.\n", ""}},
			killers: []killer{{record, table, "a_press_that_came_too_soon"}},
		},
		{
			name:    "the deciding press decides again after an undo",
			edits:   []edit{{hold, "	r.noted(actMark(a.ID))\n", ""}},
			killers: []killer{{record, table, "the_deciding_press_does_not_decide_again"}},
		},
		{
			name:    "the deadline ends what is held",
			edits:   []edit{{end, "	case r.Held != nil:\n		return r.Held.Until\n", ""}},
			killers: []killer{{record, table, "the_deadline_does_not_end"}},
		},
		{
			name:    "votes count after the deadline as long as something is held",
			edits:   []edit{{hold, "	case !r.Deadline.IsZero() && !now.Before(r.Deadline):\n		return Decision{Verdict: Late}, false\n", ""}},
			killers: []killer{{record, table, "nothing_else_counts_after_it"}},
		},
		{
			name:    "votes that take as many overrule what is held",
			edits:   []edit{{hold, "		case !r.takesFewer(next, old):\n			return false\n", ""}},
			killers: []killer{{record, table, "nobody_overrules_others"}},
		},
		{
			name:    "a veto comes too late for what is held",
			edits:   []edit{{hold, "if r.Voting == nil {\n\t\treturn Decision{}", "if true {\n\t\treturn Decision{}"}},
			killers: []killer{{record, table, "a_veto_takes_the_place"}},
		},
		{
			name:    "the first of two who veto what is held comes too late",
			edits:   []edit{{hold, "	case r.against(b, next.Held.Outcome):", "	case false:"}},
			killers: []killer{{record, table, "a_veto_that_takes_two"}},
		},
		{
			name:    "what is held rests on fewer people than it takes, since one of them vetoes",
			edits:   []edit{{hold, "		if !choiceIn(o, q).Same(old) {\n			return false\n		}\n", ""}},
			killers: []killer{{record, table, "a_veto_that_changes_another"}},
		},
		{
			name:    "a veto that is undone leaves what it stopped",
			edits:   []edit{{hold, "		next.Held.Before = held.Before\n", ""}},
			killers: []killer{{record, table, "a_veto_that_is_undone"}},
		},
		{
			name:    "a late sweep makes a late end",
			edits:   []edit{{end, "	if o.At.IsZero() {\n		o.At = now\n	}\n", "	o.At = now\n"}},
			killers: []killer{{record, "TestTheTimeOfAnEndDoesNotDependOnTheSweep", "another outcome"}},
		},
		{
			name:    "what is held becomes final only where it was decided",
			edits:   []edit{{hold, "	r.Due = r.nextDue()\n	r.noted(actMark", "	r.noted(actMark"}},
			killers: []killer{{record, table, "it is due at"}, {"bridge", "TestAnotherReplicaMakesADecisionFinal", "it stands as"}},
		},
		{
			name:    "a request asks for less time than its route and token",
			edits:   []edit{{"bridge/intake.go", "max(req.Hold, req.Token.Hold, route.Hold)", "req.Hold"}},
			killers: []killer{{"bridge", "TestARequestIsHeldAsLongAsItsRouteAndTokenSay", "it is held for"}},
		},
		{
			name:    "a model says how long people can change their minds",
			edits:   []edit{{"mcpserver/input.go", "{ r.Hold = 0 }", "{}"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "the model holds"}},
		},
		{
			name:    "a sealed vote is told while it can be undone",
			edits:   []edit{{"render/held.go", "	if s.Vote != nil && s.Vote.Rule.Show != ask.ShowLive {\n", "	if false {\n"}},
			killers: []killer{{"render", "TestCards/held_sealed", ""}},
		},
		{
			name:    "older builds end what can be undone at once",
			edits:   []edit{{"store/internal/codec/codec.go", "	case r.Audience != nil, r.Hold != 0:\n", "	case r.Audience != nil:\n"}},
			killers: []killer{{"store/internal/codec", "TestWhatIsHeldIsKeptInAFormatOfItsOwn", "format"}},
		},
	}
}

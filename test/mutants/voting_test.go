package mutants

// voting breaks how several people decide.
func voting() []mutant {
	const fold, count = "bridge/record/vote.go", "bridge/record/tally.go"
	judged := killer{"test/chaos", "TestTheCheckerAgreesWithALifeInCalm", "no order in which it makes sense"}
	return []mutant{
		{
			name:    "accounts are counted, not humans",
			edits:   []edit{{fold, "	if name, linked := v.Links[account]; linked {\n		return name\n	}\n", ""}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "accounts_of_one_person"}, {"bridge", "TestLinkedAccountsOnTwoPlatformsAreOneVote", "it ended as"}, judged},
		},
		{
			name:    "whoever a step adds to a vote votes with each account of theirs",
			edits:   []edit{{"bridge/voting.go", "known = known && len(step.Responders) == 0", "known = known && len(step.Responders) >= 0"}},
			killers: []killer{{"bridge", "TestOneHumanWhoComesToAVoteLaterHasOneVote/a_step_adds_them", "with both accounts of one person"}},
		},
		{
			name:    "whom a vote is passed on to votes with each account of theirs",
			edits:   []edit{{"bridge/voting.go", "known && !plan.PassOn", "known"}},
			killers: []killer{{"bridge", "TestOneHumanWhoComesToAVoteLaterHasOneVote/it_is_passed_on_to_them", "with both accounts of one person"}},
		},
		{
			name:    "whoever votes over the API is somebody else",
			edits:   []edit{{fold, "	if b.As != \"\" {\n		return b.As\n	}\n", ""}},
			killers: []killer{{"bridge/record", "TestAVoteOverTheAPIIsThatOfTheAccountBehindIt", "counts as"}},
		},
		{
			name:    "people of whom nobody knows who is whom count on both platforms",
			edits:   []edit{{count, "most = max(most, len(humans))", "most += len(humans)"}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "of_which_nobody_knows"}},
		},
		{
			name:    "the first vote decides",
			edits:   []edit{{count, "enough := c.support >= needs", "enough := c.support >= min(needs, 1)"}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "two_people_have_to_choose"}, {"bridge", "TestAVoteWakesNobodyUntilItIsDecided", "the agent was woken"}},
		},
		{
			name:    "a quorum that says no number is met",
			edits:   []edit{{"ask/voting.go", "		if v.Need == 0 {\n", "		if false {\n"}},
			killers: []killer{{"bridge", "TestARequestAsksForAsManyPeopleAsItsRouteAndTokenDo", "a_quorum_of_nobody_knows"}},
		},
		{
			name:    "a vote to dismiss counts as a choice",
			edits:   []edit{{fold, "func(b Ballot) bool { return b.Sort == ForDismissal }", "func(b Ballot) bool { return b.Sort != TakenBack }"}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "a_dismissal_takes"}},
		},
		{
			name:    "an older vote that comes late undoes a newer one",
			edits:   []edit{{fold, "case acted && a.Order < last.Order:", "case false:"}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "an_older_vote"}},
		},
		{
			name:    "a vote that is delivered again is counted anew",
			edits:   []edit{{fold, "	case acted && last.Mark == mark:\n		return Decision{Verdict: Repeated}, false\n", ""}, {"bridge/record/typed.go", " || slices.Contains(r.Recent, actMark(id))", ""}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "keeps_its_place"}},
		},
		{
			name:    "a choice that more people made beats a veto",
			edits:   []edit{{count, "needs < need || needs == need && c.support", "needs == need && c.support"}},
			killers: []killer{{"bridge/record", "TestSeveralQuestionsAreVotedOnTogether", "SQLite"}},
		},
		{
			name:    "we break a tie",
			edits:   []edit{{count, "		if tied {\n			return nil, \"tie\"\n		}\n", "		_ = tied\n"}},
			killers: []killer{{"bridge/record", "TestWhatVotesComeTo", "a_tie_decides_nothing"}},
		},
		{
			name:    "sealed votes are told",
			edits:   []edit{{count, "	if v.Rule.Show == ask.ShowLive {\n", "	if v.Rule.Show != ask.ShowCount {\n"}},
			killers: []killer{{"bridge/record", "TestNothingIsToldBeforeTheEndButWhatIsShown", "\"sealed\" tells"}},
		},
		{
			name:    "an older build ends a vote with the first answer",
			edits:   []edit{{"store/internal/codec/codec.go", "	case r.Voting != nil:\n		return voted\n", ""}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesAVote", "format"}},
		},
		{
			name:    "a request asks for fewer people than its route",
			edits:   []edit{{"ask/voting.go", "Need: max(v.Need, floor.Need)", "Need: v.Need"}},
			killers: []killer{{"bridge", "TestARequestAsksForAsManyPeopleAsItsRouteAndTokenDo", "the_token_asks_for_more"}},
		},
		{
			name:    "a model says how many have to agree with it",
			edits:   []edit{{"mcpserver/input.go", "{ r.Voting = ask.Voting{} }", "{}"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "the model decides"}},
		},
	}
}

package mutants

// voting breaks decisions by vote.
func voting() []mutant {
	return []mutant{
		broken("accounts are counted, not humans").
			in("bridge/record", "Voting.human", drop("Links")).
			fails("bridge/record", "TestVoteOutcomes", "accounts_of_one_person").
			fails("bridge", "TestLinkedAccountsHaveOneVote", "it ended as").
			fails("test/chaos", "TestCheckerAcceptsCalmRun", "no order in which it makes sense"),
		broken("a person added by a step votes with each account").
			in("bridge/internal/intake", "Intake.links", always("Responders")).
			fails("bridge", "TestLinkedAccountsAddedLaterHaveOneVote/a_step_adds_them", "with both accounts of one person"),
		broken("a successor votes with each account").
			in("bridge/internal/intake", "Intake.links", always("PassOn")).
			fails("bridge", "TestLinkedAccountsAddedLaterHaveOneVote/it_is_passed_on_to_them", "with both accounts of one person"),
		broken("an API voter counts as another person").
			in("bridge/record", "Ballot.account", never("As")).
			fails("bridge/record", "TestAPIVoteCountsForItsAccount", "counts as"),
		broken("unlinked accounts count on both platforms").
			in("bridge/record", "Voting.Reach", call("max", "most + len(humans)")).
			fails("bridge/record", "TestVoteOutcomes", "unlinked_accounts"),
		broken("the first vote decides").
			in("bridge/record", "count.winner", set("enough", "made.support >= min(needs, 1)")).
			fails("bridge/record", "TestVoteOutcomes", "two_people_have_to_choose").
			fails("bridge", "TestVoteWakesAgentWhenDecided", "the agent was woken"),
		broken("a quorum without a number is met").
			in("ask", "Voting.Check", within("Mode", never("Need"))).
			fails("bridge", "TestVotesNeededByRouteAndToken", "a_quorum_without_a_number"),
		broken("a vote to dismiss counts as a choice").
			in("bridge/record", "count.after", within("only", when("b.Sort != TakenBack", "ForDismissal"))).
			fails("bridge/record", "TestVoteOutcomes", "who_dismisses_and_then_chooses"),
		broken("an older vote that comes late undoes a newer one").
			in("bridge/record", "vote", dropCase("Order")).
			fails("bridge/record", "TestVoteOutcomes", "an_older_vote"),
		broken("a vote that is delivered again is counted again").
			in("bridge/record", "vote", dropCase("Mark")).
			in("bridge/record", "HasApplied", never("Contains")).
			fails("bridge/record", "TestVoteOutcomes", "keeps_its_place"),
		broken("a choice that more people made beats a veto").
			in("bridge/record", "count.winner", never("needs < need")).
			fails("bridge/record", "TestVoteOnSeveralQuestions", "SQLite"),
		broken("we break a tie").
			in("bridge/record", "count.winner", never("tied")).
			fails("bridge/record", "TestVoteOutcomes", "a_tie_decides_nothing"),
		broken("sealed votes are revealed").
			in("bridge/record", "Record.Standing", when("v.Rule.Show != ask.ShowCount", "ShowLive")).
			fails("bridge/record", "TestHiddenVotesStayHiddenUntilEnd", "\"sealed\" shows"),
		broken("an older build ends a vote with the first answer").
			in("store/internal/codec", "formatOf", never("Voting")).
			fails("store/internal/codec", "TestFormat/voting", "want prefix"),
		broken("a request asks for fewer people than its route").
			in("ask", "Voting.Within", set("Need", "v.Need")).
			fails("bridge", "TestVotesNeededByRouteAndToken", "the_token_asks_for_more"),
		broken("a model sets the quorum").
			in("mcpserver", "withhold", drop("Voting")).
			fails("mcpserver", "TestModelCannotSetPolicy", "the model decides"),
	}
}

package mutants

// holding breaks the undoing of decisions.
func holding() []mutant {
	const record = "bridge/record"
	const table = "TestDecisionCanBeUndoneDuringHold"
	return []mutant{
		broken("a decision that can be undone is the end already").
			in("bridge/record", "settle", never("Hold")).
			fails(record, table, "a_decision_is_no_end_yet").
			fails("bridge", "TestAgentWakesAfterHold", "before the end"),
		broken("anybody can undo").
			in("bridge/record", "undo", never("By")).
			fails(record, table, "no_one_else_can_undo_it"),
		broken("what a person decided their other account cannot undo").
			in("bridge/record", "Held.decidedBy", returns("who.Key() == by", "Contains")).
			fails("bridge", "TestNamedPersonAnswersWithLinkedAccount", "Dana cannot undo her decision"),
		broken("an undo is of whatever is decided now").
			in("bridge/record", "undo", never("Revision")).
			fails(record, table, "an_undo_of_an_earlier_card"),
		broken("an undone vote stays").
			in("bridge/record", "unhold", drop("Ballots")).
			fails(record, table, "a_vote_is_held_as_it_is_decided").
			fails("test/chaos", "TestCheckerAcceptsCalmRun", "no order in which it makes sense"),
		broken("an edited typed vote decides during the hold").
			in("bridge/record", "whileHeld", dropCase("Voting")).
			fails("askbridgetest", "TestHeldTypedVoteFollowsItsMessage", "changed_into_another_choice"),
		broken("a press that came too soon decides when it is delivered again").
			in("bridge/record", "whileHeld", drop("rememberOnce")).
			fails(record, table, "a_press_that_came_too_soon"),
		broken("the deciding press decides again after an undo").
			in("bridge/record", "hold", drop("actMark")).
			fails(record, table, "the_deciding_press_does_not_decide_again"),
		broken("the deadline ends what is held").
			in("bridge/record", "closesAt", never("Held")).
			fails(record, table, "the_deadline_does_not_end"),
		broken("votes count after the deadline as long as something is held").
			in("bridge/record", "whileHeld", dropCase("Before")).
			fails(record, table, "nothing_else_counts_after_it"),
		broken("votes that take as many overrule what is held").
			in("bridge/record", "Held.stoppedBy", never("needsFewer")).
			fails(record, table, "no_overruling_with_a_quorum"),
		broken("a veto comes too late for what is held").
			in("bridge/record", "oppose", always("Voting")).
			fails(record, table, "a_veto_takes_the_place"),
		broken("the first of two who veto what is held comes too late").
			in("bridge/record", "oppose", never("opposes")).
			fails(record, table, "a_veto_that_takes_two"),
		broken("what is held rests on fewer people than it takes, since one of them vetoes").
			in("bridge/record", "Held.opposes", never("Same")).
			fails(record, table, "a_veto_that_changes_another"),
		broken("a veto that is undone leaves what it stopped").
			in("bridge/record", "oppose", drop("Before", "Held")).
			fails(record, table, "a_veto_that_is_undone"),
		broken("a late sweep makes a late end").
			in("bridge/record", "end", always("IsZero")).
			fails(record, "TestEndTimeDoesNotDependOnSweep", "another outcome"),
		broken("what is held becomes final only where it was decided").
			in("bridge/record", "hold", drop("Due")).
			fails(record, table, "it is due at").
			fails("bridge", "TestOtherReplicaFinalizesHeldDecision", "got {"),
		broken("a request asks for less time than its route and token").
			in("bridge/internal/intake", "Intake.newRecord", set("Hold", "req.Hold")).
			fails("bridge", "TestHoldIsMaximumOfRequestRouteAndToken", "it is held for"),
		broken("a model sets the hold").
			in("mcpserver", "withhold", drop("Hold")).
			fails("mcpserver", "TestModelCannotSetPolicy", "the model holds"),
		broken("a sealed vote is revealed during the hold").
			in("render", "held", drop("Rule")).
			fails("render", "TestCards/held_sealed", ""),
		broken("older builds end what can be undone at once").
			in("store/internal/codec", "formatOf", never("Hold")).
			fails("store/internal/codec", "TestFormat/held", "want prefix"),
	}
}

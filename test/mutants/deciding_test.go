package mutants

// deciding breaks the rules about who may decide.
func deciding() []mutant {
	return []mutant{
		broken("a token without requesters passes not_requester").
			in("bridge/record", "Record.MayAnswer", drop("Has")).
			fails("bridge/record", "TestNotRequesterNeedsKnownAccount", "no account: may answer: true, want false"),
		broken("an answer that names no revision counts for a revised request").
			in("api", "answerRequest", dropCase("Kind")).
			fails("api", "TestAnswerNamesRevision", ", want 409"),
		broken("labels that look alike are asked").
			in("bridge/internal/intake", "checkLabels", call("Look", `shown + lookalike.Look("")`)).
			fails("bridge", "TestLookalikeLabelsRejected", "U+0031 here and U+006C there\" once"),
		broken("anybody may answer").
			in("bridge/record", "Record.mayUse", returns(`c.Target.User == "" || c.Target.User == who.ID`, "allows")).
			fails("bridge/record", "TestOnlyNamedPeopleMayAnswer", `got "completed", want "forbidden"`),
		broken("a request replaces who may answer by its route").
			in("bridge/internal/intake", "Intake.policy", call("Narrow", "ask.PolicyOf(list...)")).
			fails("bridge", "TestRequestCannotWidenResponders", "a request can only narrow that"),
		broken("a token that may name anybody passes on to anybody").
			in("bridge/internal/intake", "answering.floors", always("named")).
			fails("bridge", "TestUnboundTokenPassesWithinRoute", "it can be passed on to"),
		broken("a request takes the requester back in").
			in("ask", "intersect", never("NotRequester", "floor")).
			fails("ask", "TestRequestOnlyNarrowsPolicy", "who_is_kept_out_stays_out"),
		broken("membership in one of several lists is enough to answer").
			in("ask", "Policy.Allows", returns("false", "true")).
			in("ask", "Policy.Allows", when("!$", "ContainsFunc")).
			in("ask", "Policy.Allows", within("admits", returns("true", "false"))).
			fails("ask", "TestRequestOnlyNarrowsPolicy", "may answer"),
		broken("an older build reads one list of several").
			in("store/internal/codec", "formatOf", swap("layeredPolicy", "0")).
			fails("store/internal/codec", "TestFormat/two_lists", "want prefix"),
		broken("guests are members").
			in("ask", "Entry.admits", always("Addressed", "Member")).
			fails("bridge", "TestGuestMayNotAnswerAnyone", "the request is answered"),
		broken("unknown people pass").
			in("ask", "Policy.Allows", never("Addressed", "Membership")).
			fails("bridge", "TestGuestMayNotAnswerAnyone", "the request is answered"),
		broken("a bystander answers a direct question posted in a channel").
			in("bridge/record", "Record.mayUse", returns("allows(r, r.Responder(who))", "allows")).
			fails("bridge", "TestBystanderMayNotAnswerDirectQuestion", "want \"not yours to answer\""),
		broken("what was sent to one person is anybody's where no card is named").
			in("bridge/record", "Record.MayAnswer", never("MessageRef")).
			fails("bridge/record", "TestDirectRequestRejectsOthersWithoutCard", "another person: got"),
		broken("an agent rings a user group").
			in("render", "voice.person", when("strings.HasPrefix(p.Platform, l.Platform)", "Groups", "==")).
			fails("render", "TestAgentCannotMentionUserGroup", "rings"),
		broken("a control counts on any message").
			in("bridge/record", "decide", never("Serve")).
			fails("bridge/record", "TestCopiedControlDecidesNothing", `want "elsewhere"`),
		broken("any message is taken for a card whose reply was lost").
			in("bridge/record", "adopt", when("$ || missing", "there")).
			in("bridge/record", "adopt", always("c.Ambiguous")).
			fails("bridge/record", "TestCopiedControlDecidesNothing", `want "elsewhere"`),
		broken("an act counts again when it is delivered again").
			in("bridge/record", "HasApplied", never("Contains")).
			fails("bridge/record", "TestRepeatedActChangesNothing", `want "repeated"`),
		broken("a submit covers what was chosen after it").
			in("bridge/record", "draftAfter", dropCase("Kind")).
			fails("bridge/record", "TestRepeatedActChangesNothing", `want "hasty"`),
		broken("what people type is stored as it came").
			in("bridge/record", "Record.Judge", drop("cleaned")).
			fails("bridge/record", "TestTypedTextIsSanitized", "stored"),
		broken("a reply of the word dismissed is a dismissal").
			in("ask", "Outcome.End", always("Replied")).
			fails("bridge/record", "TestTypedWordDismissedIsAnAnswer", "dismissed true").
			fails("ask", "TestOutcomeEnd", "replied with dismissed").
			fails("dialect", "TestReplyDismissedIsNotADismissal", "declined"),
		broken("a bridge closes a card that another one looks after").
			in("bridge/internal/respond", "Handler.unknown", never("ours")).
			fails("bridge", "TestClickOnUnknownRequestClosesOwnCardOnly", "update"),
		broken("staging is taken for production").
			in("bridge/internal/deliver", "Marks.of", omit("Store")).
			fails("bridge", "TestClickOnUnknownRequestClosesOwnCardOnly", "update"),
		broken("a request replaces another tenant's").
			in("bridge/record", "Replaceable", always("Session", "Tenant")).
			fails("bridge", "TestSupersedesRejectsOtherTenant", "replacing another tenant's request: <nil>"),
	}
}

package mutants

// cards break the promises about what people see.
func cards() []mutant {
	return []mutant{
		broken("an option may be labelled as a button of the bridge").
			in("render", "voice.imitates", drop("isOurs", "true")).
			fails("render", "TestAgentCannotImitateBridgeButton", `the option "Submit" is shown as "Submit"`),
		broken("an option may begin with an arrow, as links do").
			in("render", "voice.imitates", never("arrows")).
			fails("render", "TestAgentCannotImitateBridgeButton", `the option "⇗ Docs" is shown as "⇗ Docs"`),
		broken("a button of the bridge is numbered as options are").
			in("render", "labelled", set("submit", `"1. " + b.Submit`)).
			fails("render", "TestBridgeButtonsAreDistinctFromOptions", "is numbered"),
		broken("what people ask the agent fills a card beyond what Discord takes").
			in("render", "Layout", swap("rooms", "rooms[:1]", "Sections")).
			fails("render", "TestFullCardDropsTalk", "characters,").
			fails("askbridgetest", "TestFullCardShowsAgentReply", "exceeds the maximum of 4000"),
		broken("one tap dismisses").
			in("render", "Token.Action", swap("Dismissed", "Dismissed, Dismiss")).
			in("render", "Token.Action", within("OpenText", omit("Dismiss"))).
			fails("render", "TestNothingEndsWithoutAnAnswerInOneTap", "ends it").
			fails("bridge", "TestDecidedRequestOpensNoForm", "ends the request at once"),
		broken("a press on a high-risk request decides without the form").
			in("render", "asking.row", never("Confirms")).
			fails("render", "TestNoTapDecidesAHighRisk", "chooses"),
		broken("a form on Slack can be sent without what must be chosen").
			in("render/blockkit", "modalBlocks", always("List")).
			fails("render", "TestFormRequiresRequiredAnswers", "is optional: true"),
		broken("a card in a locked place is given up").
			in("bridge/internal/deliver", "Posts.update", drop("Kind")).
			fails("bridge", "TestLockedCardClosesAfterUnlock", "after three hours the copy is"),
		broken("Discord: over the gateway no press is deferred in time").
			in("discord", "Connector.take", swap("deferTime", "answerTime")).
			fails("discord", "TestFormSubmitDuringEndIsAcknowledged", "not answered within 3s"),
		broken("a card mentions the required responders of a route").
			in("render", "voice.demanded", never("MentionsRing")).
			fails("render", "TestCardMentionsOnlyNamedPeople", "names"),
		broken("Discord: a named person is not notified").
			in("discord", "ringing", drop("Users")).
			fails("askbridgetest", "TestNamedResponderIsMentioned", "rung were []"),
		broken("a form empties choices made since it was opened").
			in("ask", "Action.mergeFormAnswer", drop("Order")).
			fails("bridge/record", "TestPartialFormMergesIntoDraft", "meanwhile"),
		broken("a form signs what others chose").
			in("ask", "Draft.FilledBy", swap("!=", ">=", "Order")).
			fails("bridge/record", "TestFormSignsOnlyChangedAnswers", "answered by"),
		broken("a page holds more questions than its form").
			in("render", "fitsOneForm", never("FormFields")).
			fails("render", "TestControlsFitTheQuestions", "a0.5 w0.5"),
		broken("a card in a direct conversation speaks of a channel").
			in("render", "Subject.mayAnswer", dropCase("Direct")).
			fails("askbridgetest", "TestDirectMessageCardDoesNotMentionChannel", "Anyone here"),
		broken("Discord: whatever is due in a channel leaves at once").
			in("discord", "limiter.admit", drop("room")).
			fails("discord", "TestConcurrentEditsAreLimited/sixty_are_due,_and_five_are_taken", "60 calls were made, want 5"),
		broken("More offers to take back a vote before there is one").
			in("bridge/record", "OfferTo", set("TakeBack", "true")).
			fails("bridge/record", "TestOfferIsWhatThePersonCanDoNow", "TakeBack"),
		broken("More offers to pass a request on to no one").
			in("bridge/record", "mayPass", never("ContainsFunc")).
			fails("bridge/record", "TestOfferIsWhatThePersonCanDoNow", "Pass"),
		broken("More offers something to people who may not answer").
			in("bridge/record", "OfferTo", never("MayAnswer")).
			fails("bridge/record", "TestOfferIsWhatThePersonCanDoNow", "Dismiss"),
		broken("Slack: a private message names a card of another channel").
			in("slack", "payload.origin", always("card", "==")).
			fails("slack", "TestDecodePayloads/ephemeral_about_another_channel", "Message"),
		broken("Slack: any message can name another as its card").
			in("slack", "payload.origin", always("private")).
			fails("slack", "TestDecodePayloads/button_with_a_value", "Message"),
		broken("Discord: a private message is a card of its own").
			in("discord", "payload.ref", never("private")).
			fails("discord", "TestDecodePayloads/button_on_a_private_message_about_a_card", "Message"),
		broken("Discord: the reply to a form is lost when its private message is closed").
			in("discord", "responder.deliver", dropCase("private")).
			fails("discord", "TestReplyOnClosedPrivateMessageIsResent", "called"),
	}
}

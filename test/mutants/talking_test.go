package mutants

// talking breaks questions to the agent, its replies, and the receipt after the answer.
func talking() []mutant {
	const record = "bridge/record"
	const table, people = "TestRevisionReplacesQuestions", "TestPeopleAskBack"
	return []mutant{
		broken("the host of a tool is treated as one that gets questions").
			in("api", "completeRequest", swap("true", "false", "Deaf")).
			fails("api", "TestHostReceivesQuestionsToAgent", "status 202"),
		broken("people ask the agent of a host that has no place for it, which reads a refusal").
			in("bridge/internal/intake", "askBack", never("Wordless")).
			fails("api", "TestHostReceivesQuestionsToAgent", "received by the host: false"),
		broken("people are asked for text that reaches no one").
			in("bridge/internal/intake", "Intake.newRecord", omit("Wordless")).
			fails("askbridgetest", "TestScenesPlayTheSameOnEveryPlatform/wordless_on_discord", "wordless.txtar: line 8"),
		broken("people are asked why they dismiss although the agent gets no reason").
			in("render", "DismissForm", always("!s.Wordless")).
			fails("askbridgetest", "TestScenesPlayTheSameOnEveryPlatform/wordless_on_slack", "wordless.txtar: line 11"),
		broken("a library is treated as one that gets questions").
			in("resolver", "Bridge.Ask", drop("Deaf")).
			fails("resolver", "TestWhatPeopleAskTheAgentEndsTheCall/here", "it ends with"),
		broken("an answer to what took the place of a question is handed to a library as one to the question").
			in("resolver", "answers", never("Question")).
			fails("resolver", "TestRevisedAnswerIsRejected/another_question", "the agent is told"),
		broken("a permission that people gave to what a prompt was revised into is the host's").
			in("mcpserver", "relay.ask", never("Revised")).
			fails("mcpserver", "TestRevisedPromptAllowsNothing", "the host got"),
		broken("what people allow on a card with another context is allowed").
			in("api", "toolCall.outcome", always("Permission")).
			fails("api", "TestApprovalOfRevisedCardIsNotAnApproval", "but the host got 200"),
		broken("a remote bridge does not learn that a call gets no questions").
			in("client", "newRequestOf", swap("r.Deaf", "false")).
			fails("resolver", "TestWhatPeopleAskTheAgentEndsTheCall/of_a_bridge_elsewhere", "it ends with"),
		broken("a model is treated as one that gets questions").
			in("mcpserver", "call.request", drop("Deaf")).
			fails("mcpserver", "TestModelCannotSetPolicy", "treats the model as one that gets feedback"),
		broken("a model sets whether people can ask it").
			in("mcpserver", "withhold", drop("AskBack")).
			fails("mcpserver", "TestModelCannotSetPolicy", "lets people ask back (stay)"),
		broken("the successor is shown as an ID on other platforms").
			in("bridge/internal/respond", "Handler.Judge", drop("withName")).
			fails("askbridgetest", "TestHandoverShowsNameOnOtherPlatform", "on Discord Kim sees"),
		broken("a card that was passed on names the passer as a responder").
			in("bridge/record", "AskedPolicy", always("passes")).
			fails("bridge/record", "TestSuccessorAnswersInstead", "the cards say that"),
		broken("a press counts for what the person has not seen").
			in("bridge/record", "decide", dropCase("Revised")).
			fails(record, table+"/a_press_on_the_card_as_it_was_before_counts_for_nothing", "completed"),
		broken("votes outlive what they were about").
			in("bridge/record", "Record.Revise", drop("Ballots")).
			fails(record, table+"/votes_were_about_something_else", "answered"),
		broken("a decision that can be undone outlives what it was about").
			in("bridge/record", "Record.Revise", drop("unhold")).
			fails(record, table+"/a_decision_held_over_the_deadline_expires_when_it_is_revised", "it is"),
		broken("the text of a revision is kept before anybody looks whether it counts").
			in("bridge/internal/intake", "Attachments.Revise", never("ErrUnchanged")).
			fails("bridge", "TestRejectedRevisionRemovesFile/of_what_is_not_asked_any_more", "0 texts are left of 2"),
		broken("what a revision brought that came too late is left in the store").
			in("bridge", "Talk.Revise", always("taken")).
			fails("bridge", "TestRejectedRevisionRemovesFile/of_what_was_revised_as_its_text_was_kept", "2 texts are left").
			fails("bridge", "TestRejectedRevisionRemovesFile/whose_caller_left_as_its_text_was_kept", "1 texts are left"),
		broken("a revision that is sent again is another one").
			in("bridge/record", "Record.Revise", within("asksSame", drop("ErrUnchanged"))).
			fails(record, table+"/the_same_revision_again_changes_nothing", "revised with"),
		broken("the last of two revisions wins").
			in("bridge/record", "Record.Revise", never("v.Of", "r.Revised", "again")).
			fails(record, table+"/a_revision_of_what_is_not_asked_any_more_is_refused", "revised with"),
		broken("drafts stay where they stood, whatever is asked there").
			in("ask", "Draft.Refit", call("IndexFunc", "n")).
			fails(record, "TestRevisionKeepsChoicesOfSameQuestions", "draft"),
		broken("strangers ask the agent").
			in("bridge/record", "decide", when("a.Action.Kind != ask.AskAgent && $", "MayAnswer")).
			fails(record, people+"/strangers_cannot_ask", "asked"),
		broken("what is asked is asked twice when it is delivered again").
			in("bridge/record", "askAgent", drop("rememberOnce")).
			fails(record, people+"/delivered_again_it_is_asked_once", "asked, asked"),
		broken("an agent can say something else after its reply").
			in("bridge/record", "Record.Reply", drop("ErrReplied")).
			fails(record, "TestAgentRepliesOnce", "another one is refused"),
		broken("replies are announced in the order of their questions").
			in("bridge/record", "replyAt", swap("Place", "Number")).
			fails(record, "TestAgentRepliesOnce", "announced below the card"),
		broken("an operator's withdrawal has a receipt").
			in("bridge/record", "Record.AwaitsReceipt", when("!r.Open()", "DecidedByPeople")).
			fails(record, "TestReceipts/only_a_person's_decision_is_taken", "got"),
		broken("an agent that has the answer is missed").
			in("bridge/record", "Record.AwaitsReceipt", always("IsZero")).
			fails(record, "TestReceipts/acknowledged_in_time", "got"),
		broken("the agent is missed at once").
			in("bridge/record", "Record.MarkUnacknowledged", never("Add")).
			fails(record, "TestReceipts/not_yet_ten_minutes", "got"),
		broken("the receipt is not checked again").
			in("bridge/record", "Record.ApplyReport", drop("receiptDue")).
			fails(record, "TestReceipts/checked_again_after_ten_minutes", "it is due at"),
	}
}

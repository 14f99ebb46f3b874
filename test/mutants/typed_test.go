package mutants

// typing breaks the promises of typed answers.
func typing() []mutant {
	const talk, vote, gone = "TestThreadTalkIsNoAnswer", "TestTypedVoteFollowsItsMessage", "TestVoteOfDeletedMessageIsWithdrawn"
	const late, regret = "TestDelayedMessageDoesNotAnswerNewerRequest", "TestDelayedMessageIsIgnoredAfterEdit"
	return []mutant{
		broken("everybody in a crowd is written to who calls the bot").
			in("discord", "speaker.ReplyEphemeral", never("Allow")).
			fails("askbridgetest", "TestManyMentionsDoNotExhaustDirectMessages", "100 of 100 people got a note"),
		broken("a text that can be read in two ways is read in the first").
			in("internal/typed", "Rule.whole", swap("1", "maxWays")).
			fails("internal/typed", "TestTextMustMatchCompletely/a_label_that_is_another's_number", `want "several"`),
		broken("a number that another label has is taken for a place in the list").
			in("internal/typed", "Rule.options", never("named")).
			fails("internal/typed", "TestTextMustMatchCompletely/a_number_that_a_label_has", `want "several"`),
		broken("a word counts where an option is called so").
			in("internal/typed", "Rule.readings", always("TextOnly", "0")).
			fails("internal/typed", "TestTextMustMatchCompletely/a_label_that_is_the_word_to_skip", `doubt "several"`),
		broken("the words of the card's language are not taken").
			in("bridge/internal/respond", "bound.rule", set("Languages", "slices.Clone(b.r.Replies.Languages)")).
			fails("askbridgetest", "TestTypedWordsInCardLanguage/slack", "it ends as"),
		broken("what is strict takes a label without the code").
			in("internal/typed", "Read", drop("Strict")).
			fails("askbridgetest", vote+"/slack", "a label without the code is a vote"),
		broken("what is strict takes a number behind the code").
			in("internal/typed", "Rule.options", never("Strict")).
			fails("internal/typed", "TestTalkDecidesNothingStrict", "decided"),
		broken("whether something may be done is decided by what looks like consent").
			in("bridge/internal/intake", "Intake.Submit", drop("Permission")).
			fails("askbridgetest", "TestTypedApprovalNeedsLabelAndCode/slack", "decided it"),
		broken("votes are not strict").
			in("bridge/record", "Record.Strict", never("Voting")).
			fails("askbridgetest", vote+"/slack", "a label without the code is a vote"),
		broken("text of people who may not answer is read").
			in("bridge/internal/respond", "Messages.bind", always("may")).
			fails("askbridgetest", talk+"/slack", "a note about an unrelated message"),
		broken("due steps do not count for typed answers").
			in("bridge/internal/respond", "Messages.bind", call("Load", "h.Handler.Records.Store.Load(ctx, id)")).
			fails("bridge", "TestTypedAnswerOfJustAddedPersonCounts/by the step that is due", "state open"),
		broken("of several moments that have come the first is caught up with").
			in("bridge/internal/deliver", "Deadlines.AsOfNow", always("Version")).
			fails("bridge", "TestTypedAnswerOfJustAddedPersonCounts/by the second that is due", "state open"),
		broken("of several open questions the first is answered").
			in("bridge/internal/respond", "meant", never("1")).
			fails("askbridgetest", "TestDirectMessageAnswersOnlyQuestion/slack", "Dana is not asked which one is meant"),
		broken("a deleted vote counts").
			in("bridge/internal/respond", "Messages.handle", call("deleted", "error(nil)")).
			fails("askbridgetest", vote+"/slack", "what is deleted still counts").
			fails("askbridgetest", vote+"/discord", "what is deleted still counts"),
		broken("an edited message keeps its old vote").
			in("bridge/internal/respond", "Messages.handle", drop("changes", "sayDoubt")).
			fails("askbridgetest", vote+"/discord", "the vote before the edit still counts"),
		broken("Slack: a message of another bot is an answer").
			in("slack", "event.interaction", never("BotID")).
			fails("askbridgetest", "TestThreadMessageAnswers/slack", "it ends as"),
		broken("Slack: a mention is another act than its message").
			in("slack", "event.interaction", set("ID", `fingerprint("said", e.Message.Type, envelope.Team.ID, e.Message.Channel, m.TS, m.Edited.TS, gone)`, "Channel")).
			fails("askbridgetest", "TestRedeliveredMessageIsOneAnswer/a_mention_in_the_thread", "a note to Dana that her answer was not recorded"),
		broken("what comes again answers what has been asked since").
			in("bridge/internal/respond", "Messages.handle", never("again")).
			fails("askbridgetest", "TestRedeliveredMessageIsOneAnswer/a_direct_message", "a note to Dana that her answer was not recorded"),
		broken("a message that is changed after the end answers what has been asked since").
			in("bridge/internal/respond", "Messages.handle", never("over")).
			fails("askbridgetest", "TestEditAfterEndAnswersNothing/slack", "it is answered"),
		broken("a message that was on its way answers what the agent has put in the place of its question").
			in("bridge/record", "typedBeforeRevision", never("Before", "IsZero")).
			fails("askbridgetest", late+"/the_agent_revises_its_request", "about production answered"),
		broken("a message that was on its way decides again what was undone").
			in("bridge/record", "typedBeforeUndo", never("Before")).
			fails("askbridgetest", "TestDelayedMessageDoesNotRedoUndoneDecision/one_decides", "by what Dana wrote before"),
		broken("a message answers a card below it").
			in("bridge/internal/respond", "Messages.bind", never("HoldsTyped", "above")).
			fails("askbridgetest", late+"/the_agent_withdraws_it_and_asks_something_else", "about production answered"),
		broken("a message edited before its arrival counts").
			in("bridge/internal/respond", "Messages.handle", drop("Edited")).
			fails("askbridgetest", regret+"/changed_to_no_answer", "it ends as answered"),
		broken("a message deleted before its arrival counts").
			in("bridge/internal/respond", "Messages.deleted", never("near")).
			fails("askbridgetest", regret+"/deleted", "it ends as answered").
			fails("askbridgetest", regret+"/deleted_in_the_thread", "it ends as answered"),
		broken("a message above a card that was put back is not followed any more").
			in("bridge/internal/respond", "Messages.bind", always("HoldsTyped")).
			fails("askbridgetest", "TestEditedMessageAboveRepostedCardChangesVote", "it ends as answered"),
		broken("Slack: the vote of a deleted message with a tombstone counts").
			in("slack", "utterance.deleted", never(`"tombstone"`, `"message_changed"`)).
			fails("askbridgetest", "TestDeletedVoteWithRepliesIsWithdrawn", "it still counts"),
		broken("Discord: what a moderator deletes with others goes on counting").
			in("discord", "Connector.heard", dropCase("eventPurged")).
			fails("askbridgetest", gone+"/deleted_by_a_moderator,_with_others", "it still counts"),
		broken("Discord: a vote counts although its message no longer mentions the bot, in a thread").
			in("discord", "utterance.interaction", always("Edited", "bot")).
			fails("askbridgetest", gone+"/in_a_thread,_edited_so_that_it_does_not_name_the_bot", "it still counts"),
		broken("Discord: a vote counts although its message no longer mentions the bot, in a reply").
			in("bridge/internal/respond", "Messages.handle", dropCase("changes")).
			fails("askbridgetest", gone+"/in_a_reply,_edited_so_that_it_does_not_name_the_bot", "it still counts"),
		broken("Discord: a vote that is changed back is not confirmed again").
			in("discord", "speaker.below", swap("act", "message")).
			fails("askbridgetest", "TestRevertedVoteIsAnnouncedAgain", "want 2:"),
		broken("Discord: a thread that is opened from the card is not listened to").
			in("bridge/internal/state", "ThreadsOf", drop("within.Channel", "at.Message")).
			fails("askbridgetest", "TestMessageInCardThreadAnswers", "it ends as"),
		broken("Discord: HTTP mode alone receives messages").
			in("discord", "Connector.ReceivesMessages", never("Mode")).
			fails("askbridgetest", "TestHTTPModeReceivesNoMessages", "a request that cannot be answered by message was accepted"),
		broken("secret votes are typed in front of everybody").
			in("bridge/internal/intake", "Intake.replies", drop("Rule")).
			fails("askbridgetest", "TestUntypableRequestIsRejected/slack", "votes that are secret"),
		broken("a model sets what counts as consent").
			in("mcpserver", "withhold", drop("Replies")).
			fails("mcpserver", "TestModelCannotSetPolicy", "replies"),
	}
}

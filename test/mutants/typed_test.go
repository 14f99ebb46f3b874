package mutants

// typing breaks what is promised of typed answers.
func typing() []mutant {
	const read, hear, said, slackEvents, discordMessages = "internal/typed/read.go", "bridge/hear.go", "bridge/record/typed.go", "slack/events.go", "discord/messages.go"
	const talk, vote, gone = "TestTalkBelowACardIsNoAnswer", "TestATypedVoteIsWhatItsMessageSays", "TestAVoteThatDiscordNoLongerShowsIsTakenBack"
	const late, regret = "TestAMessageThatWasOnItsWayAnswersNothingThatIsAskedSince", "TestAMessageThatWasOnItsWayCountsForNothingOnceItSaysSomethingElse"
	return []mutant{
		{
			name:    "everybody in a crowd is written to who calls the bot",
			edits:   []edit{{"discord/messages.go", " && !s.c.hints.Allow() {", " && false {"}},
			killers: []killer{{"askbridgetest", "TestACrowdThatCallsTheBotDoesNotCostItItsDirectMessages", "100 of 100 are told"}},
		},
		{
			name:    "a text that can be read in two ways is read in the first",
			edits:   []edit{{read, "		case len(ways) > 1:\n			return Reading{}, Several\n", "		case len(ways) > maxWays:\n			return Reading{}, Several\n"}},
			killers: []killer{{"internal/typed", "TestATextIsReadAsAWholeOrNotAtAll/a_label_that_is_another's_number", `want "several"`}},
		},
		{
			name:    "a number that another label has is taken for a place in the list",
			edits:   []edit{{read, "if named(plain(o.Label), said) {", "if false && named(o.Label, said) {"}},
			killers: []killer{{"internal/typed", "TestATextIsReadAsAWholeOrNotAtAll/a_number_that_a_label_has", `want "several"`}},
		},
		{
			name:    "a word counts where an option is called so",
			edits:   []edit{{read, " && (len(ways) == 0 || question.TextOnly()):", ":"}},
			killers: []killer{{"internal/typed", "TestATextIsReadAsAWholeOrNotAtAll/a_label_that_is_the_word_to_skip", `doubt "several"`}},
		},
		{
			name:    "the words of the card's language are not taken",
			edits:   []edit{{hear, "append(slices.Clone(b.r.Replies.Languages), b.r.Language)", "slices.Clone(b.r.Replies.Languages)"}},
			killers: []killer{{"askbridgetest", "TestWordsOfTheCardsLanguageAreTaken/slack", "it ends as"}},
		},
		{
			name:    "what is strict takes a label without the code",
			edits:   []edit{{read, "	if rule.Strict && !coded {", "	if false {"}},
			killers: []killer{{"askbridgetest", vote + "/slack", "a label without the code is a vote"}},
		},
		{
			name:    "what is strict takes a number behind the code",
			edits:   []edit{{read, "	if r.Strict {\n		return found\n	}\n", ""}},
			killers: []killer{{"internal/typed", "TestTalkDecidesNothingStrict", "decided"}},
		},
		{
			name:    "whether something may be done is decided by what looks like consent",
			edits:   []edit{{"bridge/intake.go", "	req.Replies.Strict = req.Replies.Strict || req.Permission\n", ""}},
			killers: []killer{{"askbridgetest", "TestWhetherSomethingMayBeDoneIsTypedAsAWholeLabelBehindTheCode/slack", "decided it"}},
		},
		{
			name:    "votes are not strict",
			edits:   []edit{{said, "return r.Replies.Strict || r.Voting != nil", "return r.Replies.Strict"}},
			killers: []killer{{"askbridgetest", vote + "/slack", "a label without the code is a vote"}},
		},
		{
			name:    "whoever may not answer is read",
			edits:   []edit{{hear, "			if may {\n", "			if _ = may; true {\n"}},
			killers: []killer{{"askbridgetest", talk + "/slack", "somebody who only talks is bothered"}},
		},
		{
			name:    "who may type an answer is whoever could before the steps that are due",
			edits:   []edit{{hear, "h.deadlines.load(ctx, id)", "h.people.records.store.Load(ctx, id)"}},
			killers: []killer{{"bridge", "TestALineOfSomebodyWhoIsAddedInThatMomentIsHeard/by the step that is due", "it is open"}},
		},
		{
			name:    "of several moments that have come the first is caught up with",
			edits:   []edit{{"bridge/deadlines.go", "if err != nil || after.Version == r.Version {", "if true {"}},
			killers: []killer{{"bridge", "TestALineOfSomebodyWhoIsAddedInThatMomentIsHeard/by the second that is due", "it is open"}},
		},
		{
			name:    "of several open questions the first is answered",
			edits:   []edit{{hear, "	if len(found) != 1 {\n		return bound{}, false\n	}\n", ""}},
			killers: []killer{{"askbridgetest", "TestADirectMessageAnswersTheOnlyQuestionThere/slack", "Dana is not asked which one is meant"}},
		},
		{
			name:    "a deleted vote stands",
			edits:   []edit{{hear, "		err := h.deleted(tight, i)\n", "		err := error(nil)\n"}},
			killers: []killer{{"askbridgetest", vote + "/slack", "what is deleted still counts"}, {"askbridgetest", vote + "/discord", "what is deleted still counts"}},
		},
		{
			name:    "a vote stands that its message does not say any more",
			edits:   []edit{{hear, "		if b.changes(i) {\n			return", "		if false {\n			return"}},
			killers: []killer{{"askbridgetest", vote + "/discord", "what the message no longer says still counts"}},
		},
		{
			name:    "Slack: what another bot says is an answer",
			edits:   []edit{{slackEvents, `m.BotID != "" || m.User == ""`, `m.User == ""`}},
			killers: []killer{{"askbridgetest", "TestAMessageBelowACardAnswersIt/slack", "it ends as"}},
		},
		{
			name:    "Slack: a mention is another act than its message",
			edits:   []edit{{slackEvents, `fingerprint("said", team,`, `fingerprint("said", e.Message.Type, team,`}},
			killers: []killer{{"askbridgetest", "TestAMessageThatArrivesTwiceIsOneAnswer/a_mention_in_the_thread", "Dana is told that her answer was not recorded"}},
		},
		{
			name:    "what comes again answers what has been asked since",
			edits:   []edit{{hear, "	case again:\n", "	case again && false:\n"}},
			killers: []killer{{"askbridgetest", "TestAMessageThatArrivesTwiceIsOneAnswer/a_direct_message", "Dana is told that her answer was not recorded"}},
		},
		{
			name:    "a message that is changed after the end answers what has been asked since",
			edits:   []edit{{hear, "	if over {\n", "	if over && false {\n"}},
			killers: []killer{{"askbridgetest", "TestAMessageThatIsChangedAfterTheEndAnswersNothingElse/slack", "it is answered"}},
		},
		{
			name:    "a message that was on its way answers what the agent has put in the place of its question",
			edits:   []edit{{said, "return !a.SaidAt.IsZero() && a.SaidAt.Before(r.RevisedAt)", "return false"}},
			killers: []killer{{"askbridgetest", late + "/the_agent_revises_its_request", "about production answered"}},
		},
		{
			name:    "a message that was on its way decides again what was undone",
			edits:   []edit{{said, "a.SaidAt.Before(r.UndoneAt)", "false"}},
			killers: []killer{{"askbridgetest", "TestAMessageThatWasOnItsWayDoesNotDecideAgainWhatWasUndone/one_decides", "by what Dana wrote before"}},
		},
		{
			name:    "a message answers a card that stands below it",
			edits:   []edit{{hear, " || h.above(c, i) && !r.Holds(i.Message) {", " {"}},
			killers: []killer{{"askbridgetest", late + "/the_agent_withdraws_it_and_asks_something_else", "about production answered"}},
		},
		{
			name:    "what a message said counts although it was changed before that arrived",
			edits:   []edit{{hear, "	if err == nil && len(all) > 0 && i.Said.Edited {", "	if false {"}},
			killers: []killer{{"askbridgetest", regret + "/changed_to_no_answer", "it ends as answered"}},
		},
		{
			name:    "what a message said counts although it was deleted before that arrived",
			edits:   []edit{{hear, "	if len(near) > 0 {", "	if false && len(near) > 0 {"}},
			killers: []killer{{"askbridgetest", regret + "/deleted", "it ends as answered"}, {"askbridgetest", regret + "/deleted_in_the_thread", "it ends as answered"}},
		},
		{
			name:    "a message above a card that was put back is not followed any more",
			edits:   []edit{{hear, "h.above(c, i) && !r.Holds(i.Message)", "h.above(c, i)"}},
			killers: []killer{{"askbridgetest", "TestAMessageAboveACardThatWasPutBackStillChangesWhatItSaid", "it ends as answered"}},
		},
		{
			name: "Slack: a vote stands whose message is deleted and leaves a tombstone",
			edits: []edit{{
				slackEvents, ` || u.Subtype == "message_changed" && u.Now != nil && u.Now.Subtype == "tombstone"`, "",
			}},
			killers: []killer{{"askbridgetest", "TestADeletedVoteWithRepliesBelowItIsTakenBack", "it still counts"}},
		},
		{
			name:    "Discord: what a moderator deletes with others goes on counting",
			edits:   []edit{{"discord/gateway.go", "	case eventPurged:\n		c.purged(raw)\n		return\n", ""}},
			killers: []killer{{"askbridgetest", gone + "/deleted_by_a_moderator,_with_others", "it still counts"}},
		},
		{
			name:    "Discord: a vote stands whose message names the bot no more, in a thread",
			edits:   []edit{{discordMessages, `	case aside && (kind != eventChanged || m.Edited == "" || us.bot == ""):`, "	case aside:"}},
			killers: []killer{{"askbridgetest", gone + "/in_a_thread,_edited_so_that_it_does_not_name_the_bot", "it still counts"}},
		},
		{
			name:    "Discord: a vote stands whose message names the bot no more, in a reply",
			edits:   []edit{{hear, "	case i.Said.Withheld && one && b.changes(i):\n", "	case one && false:\n"}},
			killers: []killer{{"askbridgetest", gone + "/in_a_reply,_edited_so_that_it_does_not_name_the_bot", "it still counts"}},
		},
		{
			name:    "Discord: a vote that is changed back is not said again",
			edits:   []edit{{discordMessages, "s.c.say(ctx, s.channel, m, what, s.act, n.Text)", "s.c.say(ctx, s.channel, m, what, s.message, n.Text)"}},
			killers: []killer{{"askbridgetest", "TestAVoteThatIsChangedBackIsSaidAgain", "want twice"}},
		},
		{
			name:    "Discord: a thread that is opened from the card is not listened to",
			edits:   []edit{{"bridge/threads.go", `		all = append(all, thread(at.Platform, at.Message, ""))` + "\n", ""}},
			killers: []killer{{"askbridgetest", "TestALineInTheThreadThatWasOpenedFromTheCardAnswersIt", "it ends as"}},
		},
		{
			name:    "Discord: HTTP alone hears messages",
			edits:   []edit{{discordMessages, "	case c.cfg.Mode != ModeGateway:\n		return", "	case false:\n		return"}},
			killers: []killer{{"askbridgetest", "TestOverHTTPAloneDiscordTellsNothingOfMessages", "a request that nobody could answer so is taken"}},
		},
		{
			name:    "secret votes are typed in front of everybody",
			edits:   []edit{{"bridge/threads.go", "voting != nil && voting.Rule.Show != ask.ShowLive", "false"}},
			killers: []killer{{"askbridgetest", "TestWhatCannotBeTypedIsSaidWhenItIsAsked/slack", "votes that are secret"}},
		},
		{
			name:    "a model says what counts as consent",
			edits:   []edit{{"mcpserver/input.go", "{ r.Replies = ask.Replies{} }", "{}"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "replies"}},
		},
	}
}

package mutants

// cards break what people are promised to see.
func cards() []mutant {
	return []mutant{
		{
			name:    "an option may be labelled as a button of the bridge",
			edits:   []edit{{"render/sign.go", "	if v.isOurs(q, parts) {\n		return true\n	}", ""}},
			killers: []killer{{"render", "TestAnAgentCannotLabelAnOptionAsAButtonOfTheBridge", `the option "Submit" is shown as "Submit"`}},
		},
		{
			name:    "an option may begin with a sign of the bridge",
			edits:   []edit{{"render/sign.go", "first == '<' || first == '>' || first > unicode.MaxASCII && !unicode.In(first, unicode.L, unicode.Nd)", "first == '<' || first == '>'"}},
			killers: []killer{{"render", "TestAnAgentCannotLabelAnOptionAsAButtonOfTheBridge", `the option "¶ Yes" is shown as "¶ Yes"`}, {"render", "TestWhateverTheLabelsTheBridgesButtonsAreToldApart", "begins with a sign"}},
		},
		{
			name:    "a button of the bridge has no sign",
			edits:   []edit{{"render/sign.go", `sendSign + " " + b.Submit`, `b.Submit`}},
			killers: []killer{{"render", "TestWhateverTheLabelsTheBridgesButtonsAreToldApart", "begins with a sign: false"}},
		},
		{
			name:    "what people ask the agent fills a card beyond what Discord takes",
			edits:   []edit{{"render/layout.go", "for _, s.room = range rooms {", "for _, s.room = range rooms[:1] {"}},
			killers: []killer{{"render", "TestACardThatHasGrownFullKeepsItsQuestionAndDropsTalk", "characters,"}, {"askbridgetest", "TestACardThatIsFullStillShowsWhatTheAgentReplied", "exceeds the maximum of 4000"}},
		},
		{
			name:    "one tap dismisses",
			edits:   []edit{{"render/action.go", "	case Dismissed:\n", "	case Dismissed, Dismiss:\n"}, {"render/action.go", "	case OpenText, Answer, Dismiss, OpenNote, TurnPage", "	case OpenText, Answer, OpenNote, TurnPage"}},
			killers: []killer{{"render", "TestNothingEndsWithoutAnAnswerInOneTap", "ends it"}, {"bridge", "TestTheFormsADecidedRequestRefuses", "ends the request at once"}},
		},
		{
			name:    "a form on Slack can be sent without what must be chosen",
			edits:   []edit{{"render/blockkit/modal.go", "input.WithOptional(!s.List.Required)", "input.WithOptional(true)"}},
			killers: []killer{{"render", "TestAFormDemandsWhatMustBeAnswered", "is optional: true"}},
		},
		{
			name:    "a card in a locked place is given up",
			edits:   []edit{{"bridge/posts.go", "		if pe.Kind == Locked {\n			return ps.failed(p, c, err)\n		}\n", ""}},
			killers: []killer{{"bridge", "TestACardInALockedPlaceIsClosedWhenThePlaceIsOpen", "after three hours the copy is"}},
		},
		{
			name:    "Discord: over the gateway nobody is deferred in time",
			edits:   []edit{{"discord/listen.go", "		allowed = deferTime", "		allowed = answerTime"}},
			killers: []killer{{"discord", "TestAFormThatIsSentWhileItsRequestEndsIsAnsweredInTime", "not answered within 3s"}},
		},
		{
			name:    "a card rings those whom a route demands",
			edits:   []edit{{"render/people.go", "	if l.MentionsRing {\n		demanded = v.worded\n	}\n", ""}},
			killers: []killer{{"render", "TestACardRingsWhomItAsksByNameAndNobodyElse", "names"}},
		},
		{
			name:    "Discord: who is asked by name does not hear of it",
			edits:   []edit{{"discord/post.go", "			m.Mentions.Users = append(m.Mentions.Users, p.ID)\n", ""}},
			killers: []killer{{"askbridgetest", "TestWhoIsAskedByNameIsRungAndNobodyElse", "rung were []"}},
		},
		{
			name:    "a form empties what somebody chose since it was opened",
			edits:   []edit{{"ask/action.go", "	if len(picks) == 0 && text == \"\" && d[q].Order > a.Since {\n		return d\n	}\n", ""}},
			killers: []killer{{"bridge/record", "TestAFormWithSomeQuestionsIsLaidOverTheDraft", "meanwhile"}},
		},
		{
			name:    "a form signs what others chose",
			edits:   []edit{{"ask/draft.go", "		if p.Order != before[q].Order {", "		if p.Order >= before[q].Order {"}},
			killers: []killer{{"bridge/record", "TestAFormSignsOnlyWhatItChanges", "answered by"}},
		},
		{
			name:    "a page holds more questions than its form",
			edits:   []edit{{"render/forms.go", "	if last-first >= l.FormFields {\n		return false\n	}\n", ""}},
			killers: []killer{{"render", "TestControlsFitTheQuestions", "a0.5 w0.5"}},
		},
		{
			name:    "a card in a direct conversation speaks of a channel",
			edits:   []edit{{"render/people.go", "		if s.Direct {", "		if false {"}},
			killers: []killer{{"askbridgetest", "TestACardInADirectConversationByItsIDSpeaksOfNoChannel", "Anyone in this channel"}},
		},
		{
			name:    "Discord: whatever is due in a channel leaves at once",
			edits:   []edit{{"discord/gate.go", "l.underway > 0 && l.underway >= l.room(now) {", "false {"}},
			killers: []killer{{"discord", "TestNoMoreEditsLeaveTogetherThanThereIsRoomFor/sixty_are_due,_and_five_are_taken", "60 calls were made, want 5"}},
		},
	}
}

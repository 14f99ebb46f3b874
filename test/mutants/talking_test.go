package mutants

// talking breaks what agents and people say to each other before the answer, and the
// receipt after it.
func talking() []mutant {
	const revise, back, judge = "bridge/record/revise.go", "bridge/record/askback.go", "bridge/record/judge.go"
	const below, receipt, record = "bridge/record/below.go", "bridge/record/receipt.go", "bridge/record"
	const table, people = "TestARevisionTakesThePlaceOfWhatWasAsked", "TestPeopleAskBack"
	return []mutant{
		{
			name:    "the host of a tool is taken for one that hears what people ask",
			edits:   []edit{{"api/tool.go", "req.AskBack, req.Deaf, req.Receipts = beside.AskBack, true, beside.Receipts", "req.AskBack, req.Receipts = beside.AskBack, beside.Receipts"}},
			killers: []killer{{"api", "TestAHostIsToldWhatPeopleAskItsAgent", "status 202"}},
		},
		{
			name:    "people ask the agent of a host that has no place for it, which reads a refusal",
			edits:   []edit{{"bridge/talk.go", "	case !way.On(), req.Wordless:", "	case !way.On():"}},
			killers: []killer{{"api", "TestAHostIsToldWhatPeopleAskItsAgent", "and it hears them: false"}},
		},
		{
			name:    "words in place of answers are asked for that reach nobody",
			edits:   []edit{{"bridge/intake.go", ", Wordless: req.Wordless,", ","}},
			killers: []killer{{"askbridgetest", "TestScenesPlayTheSameOnEveryPlatform/wordless_on_discord", "wordless.txtar: line 6"}},
		},
		{
			name:    "people are asked why they dismiss where the agent is told no more",
			edits:   []edit{{"render/form.go", "	if !s.Wordless {\n", "	if true {\n"}},
			killers: []killer{{"askbridgetest", "TestScenesPlayTheSameOnEveryPlatform/wordless_on_slack", "wordless.txtar: line 9"}},
		},
		{
			name:    "a library is taken for one that hears what people ask",
			edits:   []edit{{"resolver/resolver.go", "	r.Deaf = true ", "	"}},
			killers: []killer{{"resolver", "TestWhatPeopleAskTheAgentEndsTheCall/here", "it ends with"}},
		},
		{
			name:    "an answer to what took the place of a question is handed to a library as one to the question",
			edits:   []edit{{"resolver/resolver.go", "a.Question != q.Text || ", ""}},
			killers: []killer{{"resolver", "TestAnAnswerToWhatWasRevisedIsNoneToWhatTheAgentAsked/another_question", "the agent is told"}},
		},
		{
			name:    "a permission that people gave to what a prompt was revised into is the host's",
			edits:   []edit{{"mcpserver/channel.go", "	if ended.Revised > 0 {", "	if ended.Revised < 0 {"}},
			killers: []killer{{"mcpserver", "TestWhatPeopleSayToARevisedPromptAllowsNothing", "the host is told"}},
		},
		{
			name:    "what people allow on a card with another context is allowed",
			edits:   []edit{{"api/toolresult.go", "err == nil && !got.Permission && same", "err == nil && same"}},
			killers: []killer{{"api", "TestWhatPeopleAllowOnARevisedCardIsNotAllowed", "the host is told 200"}},
		},
		{
			name:    "a bridge elsewhere is not told that a call hears nothing",
			edits:   []edit{{"client/client.go", "s.AskBack, s.Deaf, s.Receipts = r.AskBack, r.Deaf, r.Receipts", "s.AskBack, s.Receipts = r.AskBack, r.Receipts"}},
			killers: []killer{{"resolver", "TestWhatPeopleAskTheAgentEndsTheCall/of_a_bridge_elsewhere", "it ends with"}},
		},
		{
			name:    "a model is taken for one that hears what people ask",
			edits:   []edit{{"mcpserver/input.go", "	r.Deaf = true ", "	"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "takes the model for one that hears them"}},
		},
		{
			name:    "a model says whether people can ask it something",
			edits:   []edit{{"mcpserver/input.go", "{ r.AskBack = \"\" }", "{}"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "lets people ask back (stay)"}},
		},
		{
			name:    "whom it was passed on to stands as an id on cards elsewhere",
			edits:   []edit{{"bridge/people.go", "	a.Action.To.Person = pp.platforms.withName(ctx, a.Action.To.Person) // Cards elsewhere say it.\n", ""}},
			killers: []killer{{"askbridgetest", "TestWhomItWasPassedOnToGoesByTheirNameElsewhere", "on Discord Kim sees"}},
		},
		{
			name:    "a card that was passed on names whoever passed it on as who can answer",
			edits:   []edit{{"bridge/record/pass.go", "	if len(r.passes()) == 0 {\n		return r.Policy", "	if true {\n		return r.Policy"}},
			killers: []killer{{"bridge/record", "TestWhomItIsPassedOnToAnswersInTheirPlace", "the cards say that"}},
		},
		{
			name:    "a press counts for what the person has not seen",
			edits:   []edit{{judge, "	case a.Action.Revised != r.Revised, r.overtook(a):\n		return Decision{Verdict: Outdated}, r.misdrawn(a, m, now)\n", ""}},
			killers: []killer{{record, table + "/a_press_on_the_card_as_it_was_before_counts_for_nothing", "completed"}},
		},
		{
			name:    "votes outlive what they were about",
			edits:   []edit{{revise, "		r.Voting.Ballots = nil\n", "		_ = r.Voting\n"}},
			killers: []killer{{record, table + "/votes_were_about_something_else", "answered"}},
		},
		{
			name:    "a decision that can be undone outlives what it was about",
			edits:   []edit{{revise, "	if r.Held != nil {\n		r.unhold()\n", "	if r.Held != nil {\n"}},
			killers: []killer{{record, table + "/a_decision_held_over_the_deadline_expires_when_it_is_revised", "it is"}},
		},
		{
			name:    "the text of a revision is kept before anybody looks whether it counts",
			edits:   []edit{{"bridge/files.go", "	if err := judge(&tried, fs.records.clock.now()); err != nil && !errors.Is(err, ErrUnchanged) {", "	if err := judge(&tried, fs.records.clock.now()); err != nil && !errors.Is(err, ErrUnchanged) && false {"}},
			killers: []killer{{"bridge", "TestARefusedRevisionLeavesNoText/of_what_is_not_asked_any_more", "0 texts are left of 2"}},
		},
		{
			name:    "what a revision brought that came too late is left in the store",
			edits:   []edit{{"bridge/talk.go", "	case taken:\n", "	case taken || true:\n"}},
			killers: []killer{{"bridge", "TestARefusedRevisionLeavesNoText/of_what_was_revised_as_its_text_was_kept", "2 texts are left"}, {"bridge", "TestARefusedRevisionLeavesNoText/whose_caller_left_as_its_text_was_kept", "1 texts are left"}},
		},
		{
			name:    "a revision that is sent again is another one",
			edits:   []edit{{revise, "	case same:\n		return ErrUnchanged\n", ""}},
			killers: []killer{{record, table + "/the_same_revision_again_changes_nothing", "revised with"}},
		},
		{
			name:    "the last of two revisions wins",
			edits:   []edit{{revise, "*v.Of != r.Revised && (!same || !again):", "again && !again:"}},
			killers: []killer{{record, table + "/a_revision_of_what_is_not_asked_any_more_is_refused", "revised with"}},
		},
		{
			name:    "drafts stay where they stood, whatever is asked there",
			edits:   []edit{{"ask/revision.go", "		at := slices.IndexFunc(old, q.Equal)\n", "		at := n\n"}},
			killers: []killer{{record, "TestARevisionKeepsWhatIsChosenForQuestionsThatStay", "draft"}},
		},
		{
			name:    "strangers ask the agent",
			edits:   []edit{{judge, "	case !r.MayAnswer(a):\n", "	case a.Action.Kind != ask.AskAgent && !r.MayAnswer(a):\n"}},
			killers: []killer{{record, people + "/strangers_cannot_ask", "asked"}},
		},
		{
			name:    "what is asked is asked twice when it is delivered again",
			edits:   []edit{{back, "	r.noted(mark)\n", "	_ = mark\n"}},
			killers: []killer{{record, people + "/delivered_again_it_is_asked_once", "asked, asked"}},
		},
		{
			name:    "an agent can say something else after its reply",
			edits:   []edit{{back, "		return ErrReplied\n", ""}},
			killers: []killer{{record, "TestTheAgentRepliesOnce", "another one is refused"}},
		},
		{
			name:    "replies are said in the order of their questions",
			edits:   []edit{{below, "		if asked.Place == place {\n", "		if asked.Number == place {\n"}},
			killers: []killer{{record, "TestTheAgentRepliesOnce", "what is said below the card"}},
		},
		{
			name:    "an operator's withdrawal has a receipt",
			edits:   []edit{{receipt, " && r.ByPeople() && ", " && !r.Open() && "}},
			killers: []killer{{record, "TestReceipts/only_a_person's_decision_is_taken", "got"}},
		},
		{
			name:    "an agent that has the answer is missed",
			edits:   []edit{{receipt, " && r.Receipt.TakenAt.IsZero()", ""}},
			killers: []killer{{record, "TestReceipts/whoever_has_taken_it_is_not_missed", "got"}},
		},
		{
			name:    "the agent is missed at once",
			edits:   []edit{{receipt, " || now.Before(r.EndedAt.Add(ReceiptWait))", ""}},
			killers: []killer{{record, "TestReceipts/nobody_is_missed_before_ten_minutes", "got"}},
		},
		{
			name:    "nobody looks again whether the answer was taken",
			edits:   []edit{{"bridge/record/conclude.go", "		next = r.receiptDue()\n", ""}},
			killers: []killer{{record, "TestReceipts/somebody_looks_again_after_ten_minutes", "it is due at"}},
		},
	}
}

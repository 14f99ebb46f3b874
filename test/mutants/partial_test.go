package mutants

// partial breaks what may be left out, and what stands beside an answer.
func partial() []mutant {
	const draft, fold = "ask/draft.go", "TestWhatIsLeftOutAndNoted"
	return []mutant{
		{
			name:    "a question that is not optional may be left",
			edits:   []edit{{draft, "return slices.DeleteFunc(left, func(i int) bool { return questions[i].Optional })", "return nil"}},
			killers: []killer{{"bridge/record", fold, "one_that_is_not_optional"}},
		},
		{
			name:    "a set of optional questions is sent untouched",
			edits:   []edit{{draft, "	if len(left) == len(questions) {\n		return left\n	}\n", ""}},
			killers: []killer{{"bridge/record", fold, "is_not_sent_empty"}},
		},
		{
			name:    "what nobody touched is told as skipped",
			edits:   []edit{{draft, "left = append(left, u)", "skipped = append(skipped, u)"}},
			killers: []killer{{"bridge/record", fold, "may_be_left_and_is_not_filled_in"}, {"api", "TestWhatIsSkippedLeftAndNotedIsTold", "left"}},
		},
		{
			name:    "a note counts as an answer",
			edits:   []edit{{draft, `len(p.Selected) == 0 && p.Other == ""`, `len(p.Selected) == 0 && p.Other == "" && p.Note.Text == ""`}},
			killers: []killer{{"bridge/record", fold, "a_note_alone_is_no_answer"}},
		},
		{
			name: "a skip that comes late undoes a newer choice",
			edits: []edit{
				{draft, "order < old.newest() ||", "order < 0 ||"},
				{"ask/action.go", "return order < d[a.Question].newest()", "return false"},
			},
			killers: []killer{{"bridge/record", fold, "a_skip_that_comes_late"}},
		},
		{
			name:    "whoever writes a note is told as who answered",
			edits:   []edit{{"bridge/record/judge.go", "draft = draft.NotedBy(q, a.By.Person)", "draft = draft.AttributedTo(q, a.By.Person)"}},
			killers: []killer{{"bridge/record", fold, "names_who_wrote"}},
		},
		{
			name:    "the last answer sends a set whose optional questions wait",
			edits:   []edit{{"ask/request.go", " || q.Optional && len(questions) > 1", ""}},
			killers: []killer{{"bridge/record", fold, "the_last_answer_of_a_set"}},
		},
		{
			name:    "a ballot that leaves a question is at odds with one that skips it",
			edits:   []edit{{"bridge/record/tally.go", "question.Optional && p.Empty()", "p.Skipped"}},
			killers: []killer{{"bridge/record", "TestABallotMaySkip", "to_skip_is_a_choice"}},
		},
		{
			name:    "an older build demands every answer",
			edits:   []edit{{"store/internal/codec/codec.go", "case ask.Partial(r.Questions):", "case ask.Partial(nil):"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesQuestionsThatMayBeLeft", "format"}},
		},
		{
			name:    "whether something may be done is skipped",
			edits:   []edit{{"dialect/dialect.go", "c.opts.Partial && !it.required && !c.permission && c.asks == \"\"", "c.opts.Partial && !it.required"}},
			killers: []killer{{"dialect", "TestWhetherSomethingMayBeDoneIsNeverSkipped", "asked as"}},
		},
		{
			name:    "a question is left out of a form that cannot say so",
			edits:   []edit{{"dialect/dialect.go", "if c.opts.Partial && !c.dialect.leavesOut {", "if false {"}},
			killers: []killer{{"dialect", "TestALeftOutQuestionOrANoteIsRefusedWhereTheFormHasNoPlaceForIt", "refuses"}},
		},
		{
			name:    "an agent's option passes for the bridge's Skip",
			edits:   []edit{{"render/sign.go", "(q.Optional || q.Notes) && v.partly[shape]", "false"}},
			killers: []killer{{"render", "TestAnOptionCalledSkipIsNumberedWhereTheBridgeHasOne", "is shown as"}},
		},
	}
}

package mutants

// access breaks what is promised of who may call, and with what.
func access() []mutant {
	return []mutant{
		{
			name:    "a request may say two things",
			edits:   []edit{{"ask/decode.go", "	d.members(\"\", data)\n	r := d.request(data)", "	r := d.request(data)"}},
			killers: []killer{{"ask", "TestARequestThatSaysTwoThingsIsRefused", "<nil>"}},
		},
		{
			name:    "MCP: arguments may say two things",
			edits:   []edit{{"mcpserver/input.go", "err := ask.CheckMembers(data); err != nil {", "err := ask.CheckMembers(nil); err != nil {"}},
			killers: []killer{{"mcpserver", "TestAnArgumentSentTwiceIsRefusedAlsoInsideAString", "<nil>"}},
		},
		{
			name:    "a tool input may say two things",
			edits:   []edit{{"dialect/dialect.go", "	case !c.members(\"\", data):\n		return c\n", ""}},
			killers: []killer{{"dialect", "TestInputThatWouldLoseAnAnswerIsRefusedWithEverythingNamed/a member sent twice", "error <nil>"}},
		},
		{
			name:    "objects inside objects are read as deep as they go",
			edits:   []edit{{"ask/decode.go", "wrapped && wrappers > 0 {", "wrapped {"}},
			killers: []killer{{"ask", "TestObjectsInsideObjectsAreNotFollowedForEver", "<nil>"}},
		},
		{
			name:    "an error may be longer than what was sent",
			edits:   []edit{{"ask/validate.go", "if len(c.problems) == maxProblems {", "if false {"}},
			killers: []killer{{"ask", "TestAnErrorIsNoLongerThanSomebodyReads", "validation lists 20001 problems"}},
		},
		{
			name:    "MCP: one body holds any number of calls",
			edits:   []edit{{"mcpserver/http.go", "&& len(batch) > maxBatch {", "&& false {"}},
			killers: []killer{{"mcpserver", "TestOneBodyCannotAskThousandsOfQuestions", "3000 calls at once: 200"}},
		},
		{
			name:    "callbacks: a body is read whatever its headers say",
			edits:   []edit{{"internal/connector/inbox.go", "		refuse(w, http.StatusUnauthorized)\n		return nil, s, err\n	}\n	body, status", "		defer refuse(w, http.StatusUnauthorized)\n	}\n	body, status"}},
			killers: []killer{{"internal/connector", "TestNothingIsReadFromWhomeverTheHeadersAlreadyRefuse", "want 401 at once"}},
		},
		{
			name:    "callbacks: any number of bodies is read at once",
			edits:   []edit{{"internal/connector/inbox.go", "	if !in.enter(r.Context()) {", "	if in.room = make(chan struct{}, 1); !in.enter(r.Context()) {"}},
			killers: []killer{{"internal/connector", "TestStrangersCannotHaveMoreReadThanThereIsRoomFor", "one too many: status 200"}},
		},
	}
}

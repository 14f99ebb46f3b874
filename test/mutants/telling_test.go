package mutants

// telling breaks who is told of a request.
func telling() []mutant {
	const posts, line, audience = "bridge/posts.go", "render/notice.go", "bridge/record/audience.go"
	const steps, claims = "bridge/record/schedule.go", "bridge/record/claim.go"
	const passes = "bridge/record/pass.go"
	const once = "TestNobodyIsRungTwiceForOneRequest"
	return []mutant{
		{
			name:    "a card that is put back rings again",
			edits:   []edit{{posts, "silent := c.Reposted || d == unsearched", "silent := d == unsearched"}},
			killers: []killer{{"askbridgetest", once, "rung after they were put back"}},
		},
		{
			name:    "a card that may be the second one rings",
			edits:   []edit{{posts, "silent := c.Reposted || d == unsearched", "silent := c.Reposted"}},
			killers: []killer{{"askbridgetest", "TestWhereNobodyCanTellWhetherACardStandsTheNextOneRingsNobody", "rung 2 times"}},
		},
		{
			name:    "Slack: a silent card names people live",
			edits:   []edit{{line, "	if !l.MentionsRing {\n		return c\n	}\n	words", "	if true {\n		return c\n	}\n	words"}},
			killers: []killer{{"askbridgetest", once, "rung after they were put back"}},
		},
		{
			name:    "Discord: a silent card rings",
			edits:   []edit{{line, "	c.Tells = nil\n", ""}},
			killers: []killer{{"askbridgetest", once, "rung after they were put back"}},
		},
		{
			name:    "Slack: who may answer is rung although somebody else is told",
			edits:   []edit{{line, "	if s.Notify == nil || !l.MentionsRing {", "	if true {"}},
			killers: []killer{{"askbridgetest", "TestThoseWhoAreToldAreRungAndNobodyElse/somebody_else", "rung are"}},
		},
		{
			name:    "an empty list tells as no list does",
			edits:   []edit{{"bridge/audience.go", "		if list == nil {\n			list = otherwise", "		if len(list) == 0 {\n			list = otherwise"}},
			killers: []killer{{"bridge", "TestTheFirstOfRequestRouteAndTokenSaysWhoIsTold", "nobody_is_told"}},
		},
		{
			name:    "Discord: a role is not rung",
			edits:   []edit{{"discord/post.go", "			m.Mentions.Roles = append(m.Mentions.Roles, p.ID)\n", ""}},
			killers: []killer{{"askbridgetest", "TestThoseWhoAreToldAreRungAndNobodyElse/the_members_of_a_group_and_of_a_role", "rung are"}},
		},
		{
			name:    "a card that told nobody is said to have told",
			edits:   []edit{{audience, "if c.Quiet || c.Adopted ||", "if c.Adopted ||"}},
			killers: []killer{{"bridge/record", "TestWhomACopyHasTold", "a silent card"}},
		},
		{
			name:    "a model says who is rung",
			edits:   []edit{{"mcpserver/input.go", "{ r.Notify = nil }", "{}"}},
			killers: []killer{{"mcpserver", "TestAModelSetsNoPolicy", "rings"}},
		},
		{
			name:    "an older build rings by its own rule",
			edits:   []edit{{"store/internal/codec/codec.go", "	case r.Audience != nil, r.Hold != 0:\n", "	case r.Hold != 0:\n"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARequestThatSaysWhoIsTold", "format"}},
		},
		{
			name:    "who has passed it on answers all the same",
			edits:   []edit{{"bridge/record/policy.go", `r.PassedOn(who).ID == "" && `, ""}},
			killers: []killer{{"bridge/record", "TestWhomItIsPassedOnToAnswersInTheirPlace", "want forbidden"}},
		},
		{
			name:    "it is passed on to whom no floor lets answer",
			edits:   []edit{{passes, ", !r.Schedule.PassTo.Allows(known):", ":"}},
			killers: []killer{{"bridge/record", "TestWhyItIsNotPassedOn/to_the_requester", "want barred"}},
		},
		{
			name:    "who was passed it and is let answer no more answers",
			edits:   []edit{{passes, "}) && r.Schedule.PassTo.Allows(who)", "})"}},
			killers: []killer{{"bridge/record", "TestWhoMayAnswerNoMoreDoesNotAlthoughItWasPassedOnToThem", "want forbidden"}},
		},
		{
			name:    "it comes back to who passed it on",
			edits:   []edit{{passes, "	case r.PassedOn(to).ID != \"\":\n		return ToPasser\n", ""}},
			killers: []killer{{"bridge/record", "TestWhyItIsNotPassedOn/back_to_who_passed_it_on", "want passer"}},
		},
		{
			name:    "who has passed it on answers through another account of theirs",
			edits:   []edit{{"bridge/people.go", "	i.Groups = b.people.humans.groups(i.Person, i.Groups)\n", ""}},
			killers: []killer{{"bridge", "TestWhoHasPassedItOnDoesNotAnswerThroughTheirOtherAccount", "Dana, who passed it on to U2, is told"}},
		},
		{
			name:    "it comes back to another account of who passed it on",
			edits:   []edit{{"bridge/people.go", "	a.Action.To.Groups = pp.humans.groups(a.Action.To.Person, a.Action.To.Groups)\n", ""}, {passes, "	for _, other := range who.Groups {\n		add(other)\n	}\n", ""}},
			killers: []killer{{"bridge", "TestWhoHasPassedItOnDoesNotAnswerThroughTheirOtherAccount", "it came back to Dana's other account"}},
		},
		{
			name:    "over the API a person is the account that their token names, and no other of theirs",
			edits:   []edit{{"bridge/operate.go", "b.people.humans.alike(who.As)", "who.As"}},
			killers: []killer{{"bridge", "TestAnOperatorIsEveryAccountOfTheirs", "Dana may not answer over the API"}},
		},
		{
			name:    "it is passed on without an end",
			edits:   []edit{{passes, "len(passes) >= ask.MaxPasses", "len(passes) < 0"}},
			killers: []killer{{"bridge/record", "TestWhyItIsNotPassedOn/for_the_sixth_time", "want often"}},
		},
		{
			name:    "reminders go to who passed it on",
			edits:   []edit{{passes, "		s.Steps[n].Who = r.instead(s.Steps[n].Who)\n", ""}},
			killers: []killer{{"bridge/record", "TestStepsTellWhoeverHasItNow", "the reminder tells [slack:U1]"}},
		},
		{
			name:    "an older build lets the one answer who passed it on",
			edits:   []edit{{"store/internal/codec/codec.go", "	case r.Schedule != nil && !r.Schedule.PassTo.IsZero():\n		return passable\n", ""}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARequestThatCanBePassedOn", "format"}},
		},
		{
			name:    "Discord: whom it was passed on to gets a card on which they cannot answer",
			edits:   []edit{{passes, "(!m.Ungrouped || r.allowsAlone(a.Action.To))", "true"}},
			killers: []killer{{"askbridgetest", "TestWhomItWasPassedOnToOnDiscordAnswersOnTheCardThatTheyAreLedTo/a_role_lets_them_answer", "it is open"}},
		},
		{
			name:    "a step happens when somebody sweeps",
			edits:   []edit{{"bridge/record/judge.go", "	if r.stepDue(now) {\n", "	if false {\n"}},
			killers: []killer{{"bridge/record", "TestAStepAddsPeopleAndPlaces", "unchanged"}},
		},
		{
			name:    "a record is due at its deadline alone",
			edits:   []edit{{steps, "s.Steps[s.Done].At.Before(next)", "false"}},
			killers: []killer{{"bridge/record", "TestARecordIsDueAtTheEarliestOfItsMoments", "it is due at"}},
		},
		{
			name:    "a step is said by whoever comes by",
			edits:   []edit{{"bridge/record/below.go", "c.Saying != c.Said", "c.Saying >= r.Schedule.Done"}},
			killers: []killer{{"bridge/record", "TestWhileSomebodySaysAStepNobodyElseDoes", "says it too"}},
		},
		{
			name:    "a reminder whose reply was lost is said again",
			edits:   []edit{{"bridge/remind.go", "	case pe.Kind == Ambiguous:\n		if result := sought(); result != nil {\n			return result\n		}\n", ""}},
			killers: []killer{{"askbridgetest", "TestALostReplyRemindsNobodyAgain", "those have heard"}},
		},
		{
			name:    "a reminder that failed is given up",
			edits:   []edit{{"bridge/remind.go", "	case !passing(pe.Kind):", "	case true:"}},
			killers: []killer{{"askbridgetest", "TestAReminderThatFailsComesLate", "those have heard"}},
		},
		{
			name:    "a step asks where the token may not",
			edits:   []edit{{"access/caller.go", "	for n, step := range r.Schedule.Steps {", "	for n, step := range r.Schedule.Steps[:0] {"}},
			killers: []killer{{"access", "TestATokenAsksNowhereElseInSteps", "asked there"}},
		},
		{
			name:    "a step lets more people answer than the route does",
			edits:   []edit{{"bridge/schedule.go", "	case by == byRoute && a.route != nil:", "	case a.route != nil:"}},
			killers: []killer{{"bridge", "TestWhomStepsAdd", "may answer"}},
		},
		{
			name:    "a request's own steps add whom its token does not let answer",
			edits:   []edit{{"bridge/schedule.go", "	case by == byToken && a.token != nil:", "	case a.token != nil:"}},
			killers: []killer{{"bridge", "TestWhomStepsAdd/nobody_else_than_the_token_does", "may answer, want"}},
		},
		{
			name:    "a token's steps add whom the route does not let answer",
			edits:   []edit{{"bridge/schedule.go", "		a.token = slices.Concat(a.token, added)\n", "		a.token, a.route = slices.Concat(a.token, added), slices.Concat(a.route, added)\n"}},
			killers: []killer{{"bridge", "TestWhomStepsAdd/nobody_whom_the_token_adds,_where_the_route_does_not", "may answer, want"}},
		},
		{
			name:    "a token's schedule takes the place of its route's",
			edits:   []edit{{"bridge/schedule.go", "case !route.Schedule.IsZero():", "case !route.Schedule.IsZero() && req.Token.Schedule.IsZero():"}},
			killers: []killer{{"bridge", "TestWhomStepsAdd/a_route's_schedule_counts_before_the_token's", ""}},
		},
		{
			name:    "nothing happens by the schedule of a token",
			edits:   []edit{{"access/caller.go", "c.Terms, c.Unbound\n", "c.Terms, c.Unbound\n	r.Token.Schedule = ask.Schedule{}\n"}},
			killers: []killer{{"access", "TestATokenSaysWhatHappensToItsRequestsWhileNobodyAnswers", "by the token there is"}},
		},
		{
			name:    "a claim keeps nothing back",
			edits:   []edit{{claims, "		if steps[n].At.Before(until) {", "		if false {"}},
			killers: []killer{{"bridge/record", "TestWhoeverIsOnItKeepsStepsBack", "it is due at"}},
		},
		{
			name:    "an older claim takes a newer one's place",
			edits:   []edit{{claims, "a.Order < last.Order", "false"}},
			killers: []killer{{"bridge/record", "TestAClaimIsTakenOverAndDecidesNothing", "the act comes to"}},
		},
		{
			name:    "steps kept back happen one by one",
			edits:   []edit{{steps, "	for s.Done < len(s.Steps) && !s.Steps[s.Done].At.After(s.Steps[first].At) {", "	for s.Done == first {"}},
			killers: []killer{{"bridge/record", "TestWhoeverIsOnItKeepsStepsBack", "when it lapses"}},
		},
		{
			name:    "a step behind the deadline stays",
			edits:   []edit{{steps, "!r.Deadline.IsZero() && !s.At.Before(r.Deadline)", "false"}},
			killers: []killer{{"bridge/record", "TestAStepThatAClaimPutsBehindTheDeadlineNeverHappens", "steps are left"}},
		},
		{
			name:    "of a time that clocks show twice the second counts",
			edits:   []edit{{"ask/hours.go", "[]time.Time{early, late}", "[]time.Time{late, early}"}},
			killers: []killer{{"ask", "TestTheNextMomentWithinWorkingHours", "want 2026-10-25T02:30:00+02:00"}},
		},
		{
			name:    "a time that clocks jump over comes late",
			edits:   []edit{{"ask/hours.go", "	jump, _ := late.In(zone).ZoneBounds()\n	return jump\n", "	return late\n"}},
			killers: []killer{{"ask", "TestTheNextMomentWithinWorkingHours", "want 2026-03-29T03:00:00+02:00"}},
		},
		{
			name:    "the hours of a night end at midnight",
			edits:   []edit{{"ask/hours.go", "for n := -1; n < 16; n++ {", "for n := range 16 {"}},
			killers: []killer{{"ask", "TestTheNextMomentWithinWorkingHours", "want 2026-03-11T05:59:00+01:00"}},
		},
		{
			name:    "steps happen at night",
			edits:   []edit{{"bridge/intake.go", "		r.Keep(hours, zone)\n", "		_ = zone\n"}},
			killers: []killer{{"bridge", "TestStepsWaitForWorkingHours", "it is due at"}},
		},
		{
			name:    "a step asks who was on call when the request was made",
			edits:   []edit{{"bridge/schedule.go", "		next.Who = hears(step, req, r)\n", "		next.Who = record.Called(hears(step, req, r), in.opts.onCall, in.records.clock.now())\n"}},
			killers: []killer{{"bridge", "TestWhoeverIsOnCallIsAskedWhenItCounts", "hear of the step"}},
		},
		{
			name:    "a list that nobody is on call for narrows nothing",
			edits:   []edit{{"bridge/rota.go", "	if len(list) > 0 && len(people) == 0 {", "	if false {"}},
			killers: []killer{{"bridge", "TestARotaThatNobodyKnowsIsRefused", "want responders: nobody is on call now"}},
		},
		{
			name:    "a rota is intersected by its name",
			edits:   []edit{{"ask/policy.go", " || e.Platform == OnCall })", " })"}},
			killers: []killer{{"bridge", "TestWhoeverIsOnCallIsAskedWhenItCounts", "may answer"}},
		},
		{
			name:    "handovers drift when clocks change",
			edits:   []edit{{"bridge/rota.go", "	at = at.In(t.From.Location())\n", "	at = at.In(t.From.Location()).Add(-time.Hour)\n"}},
			killers: []killer{{"bridge", "TestWhoseTurnItIs", "is on call"}},
		},
		{
			name:    "who has declined a turn is on call",
			edits:   []edit{{"internal/rota/names.go", "		if invited++; !attends(p) {", "		if invited++; false {"}},
			killers: []killer{{"internal/rota", "TestAttendeesWhoDeclinedAreNotOnCall", "is on call"}},
		},
		{
			name:    "a person on leave by an exception date is on call",
			edits:   []edit{{"internal/rota/series.go", "	if s.day || e.start.day {", "	if e.start.day {"}},
			killers: []killer{{"internal/rota", "TestCalendarsOfTheCorpus/dana-is-off-on-a-day-that-sam-covers", "is on call"}},
		},
		{
			name:    "an event that is not understood changes nothing",
			edits:   []edit{{"internal/rota/feed.go", "		if d.covers(at, at) {", "		if false {"}},
			killers: []killer{{"internal/rota", "TestCalendarsOfTheCorpus/an-odd-event-around-now-makes-the-rota-unavailable", "the error is"}},
		},
	}
}

package mutants

// deciding breaks who may decide.
func deciding() []mutant {
	return []mutant{
		{
			name:    "anybody may answer",
			edits:   []edit{{"bridge/policy.go", `return (to == "" || to == i.Person.ID) && r.Policy.Allows(responder(r, i))`, "return true"}},
			killers: []killer{{"bridge", "TestOnlyThoseNamedMayAnswer", `got "completed", want "forbidden"`}},
		},
		{
			name:    "a request replaces who may answer by its route",
			edits:   []edit{{"bridge/policy.go", "p = p.Narrow(ask.PolicyOf(list...))", "p = ask.PolicyOf(list...)"}},
			killers: []killer{{"bridge", "TestAnAgentCannotWidenWhoMayAnswer", "whoever asks, who is kept out"}},
		},
		{
			name:    "a request takes the requester back in",
			edits:   []edit{{"ask/policy.go", "limited := holds(floor, NotRequester) || holds(list, NotRequester)", "limited := holds(list, NotRequester)"}},
			killers: []killer{{"ask", "TestARequestOnlyNarrowsWhoMayAnswer", "who is kept out stays out"}},
		},
		{
			name:    "whoever is on one of several lists may answer",
			edits:   []edit{{"ask/policy.go", "		if !slices.ContainsFunc(list, func(e Entry) bool { return e.admits(who) }) {\n			return false\n		}\n	}\n	return true", "		if slices.ContainsFunc(list, func(e Entry) bool { return e.admits(who) }) {\n			return true\n		}\n	}\n	return false"}},
			killers: []killer{{"ask", "TestARequestOnlyNarrowsWhoMayAnswer", "may answer"}},
		},
		{
			name:    "an older build reads one list of several",
			edits:   []edit{{"store/codec.go", "		return layeredPolicy\n", "		return 0\n"}},
			killers: []killer{{"store", "TestAnOlderBuildRefusesARecordWhoseFloorItDoesNotKnow", "format"}},
		},
		{
			name:    "guests are members",
			edits:   []edit{{"ask/policy.go", "return who.Membership == Member || who.Addressed", "return true"}},
			killers: []killer{{"bridge", "TestAGuestDoesNotAnswerWhatAnyoneMay", "the request is answered"}},
		},
		{
			name:    "people whom nobody knows pass",
			edits:   []edit{{"ask/policy.go", "who.Membership == Unknown && !who.Addressed || p.IsZero()", "p.IsZero()"}},
			killers: []killer{{"bridge", "TestAGuestDoesNotAnswerWhatAnyoneMay", "the request is answered"}},
		},
		{
			name:    "a bystander answers a direct question that stands in a channel",
			edits:   []edit{{"bridge/policy.go", `(to == "" || to == i.Person.ID) && `, ""}},
			killers: []killer{{"bridge", "TestABystanderDoesNotAnswerADirectQuestionThatStandsInAChannel", "want \"not yours to answer\""}},
		},
		{
			name:    "an agent rings a user group",
			edits:   []edit{{"render/people.go", "(p.Platform == l.Platform || slices.Contains(l.Groups, p.Platform))", "strings.HasPrefix(p.Platform, l.Platform)"}},
			killers: []killer{{"render", "TestAnAgentCannotRingAUserGroup", "rings"}},
		},
		{
			name:    "a request replaces another tenant's",
			edits:   []edit{{"bridge/asking.go", "return old.Tenant == tenant && old.Session == session && old.ID != id", "return old.ID != id"}},
			killers: []killer{{"bridge", "TestAnAgentCannotReplaceAnotherTenantsRequest", "replacing another tenant's request: <nil>"}},
		},
	}
}

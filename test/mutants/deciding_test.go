package mutants

// deciding breaks who may decide.
func deciding() []mutant {
	return []mutant{
		{
			name:    "a token that names nobody passes not_requester",
			edits:   []edit{{"bridge/record/policy.go", "r.Policy.Has(ask.NotRequester) && r.known(who) == \"\"", "false"}},
			killers: []killer{{"bridge/record", "TestNotRequesterNeedsAKnownAccountOverTheAPI", "no account: may answer: true, want false"}},
		},
		{
			name:    "an answer that names no revision counts for a revised request",
			edits:   []edit{{"api/operate.go", "given.Revision == nil && r.Revised > 0 && decides(action.Kind)", "false"}},
			killers: []killer{{"api", "TestAnAnswerToARevisedRequestNamesTheRevision", "status 200, want 409"}},
		},
		{
			name:    "labels that look alike are asked",
			edits:   []edit{{"bridge/labels.go", "look := lookalike.Look(shown)", "look := shown + lookalike.Look(\"\")"}},
			killers: []killer{{"bridge", "TestLabelsThatLookAlikeAreRefused", "U+0031 here and U+006C there\" once"}},
		},
		{
			name:    "anybody may answer",
			edits:   []edit{{"bridge/record/policy.go", `(to == "" || to == a.By.ID) && r.allows(who)`, `(to == "" || to == a.By.ID)`}},
			killers: []killer{{"bridge/record", "TestOnlyThoseNamedMayAnswer", `got "completed", want "forbidden"`}},
		},
		{
			name:    "a request replaces who may answer by its route",
			edits:   []edit{{"bridge/policy.go", "p = p.Narrow(ask.PolicyOf(list...))", "p = ask.PolicyOf(list...)"}},
			killers: []killer{{"bridge", "TestAnAgentCannotWidenWhoMayAnswer", "a request can only narrow that"}},
		},
		{
			name:    "a token that may name anybody passes on to anybody",
			edits:   []edit{{"bridge/policy.go", "if a.unbound && a.named != nil {", "if a.unbound {"}},
			killers: []killer{{"bridge", "TestATokenThatMayNameAnybodyPassesNothingBeyondTheRouteWhereItNamesNobody", "it can be passed on to"}},
		},
		{
			name:    "a request takes the requester back in",
			edits:   []edit{{"ask/policy.go", "limited := holds(floor, NotRequester) || holds(list, NotRequester)", "limited := holds(list, NotRequester)"}},
			killers: []killer{{"ask", "TestARequestOnlyNarrowsWhoMayAnswer", "who_is_kept_out_stays_out"}},
		},
		{
			name:    "whoever is on one of several lists may answer",
			edits:   []edit{{"ask/policy.go", "		if !slices.ContainsFunc(list, func(e Entry) bool { return e.admits(who) }) {\n			return false\n		}\n	}\n	return true", "		if slices.ContainsFunc(list, func(e Entry) bool { return e.admits(who) }) {\n			return true\n		}\n	}\n	return false"}},
			killers: []killer{{"ask", "TestARequestOnlyNarrowsWhoMayAnswer", "may answer"}},
		},
		{
			name:    "an older build reads one list of several",
			edits:   []edit{{"store/internal/codec/codec.go", "		return layeredPolicy\n", "		return 0\n"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARecordWhoseFloorItDoesNotKnow", "format"}},
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
			edits:   []edit{{"bridge/record/policy.go", `(to == "" || to == a.By.ID)`, `(to == "" || to != "")`}},
			killers: []killer{{"bridge", "TestABystanderDoesNotAnswerADirectQuestionThatStandsInAChannel", "want \"not yours to answer\""}},
		},
		{
			name:    "what was sent to one person is anybody's where no card is named",
			edits:   []edit{{"bridge/record/policy.go", " || a.Message == (MessageRef{}) {", " {"}},
			killers: []killer{{"bridge/record", "TestWhatWasSentToOnePersonIsTheirsAloneWhereNoCardIsNamed", "somebody else: got"}},
		},
		{
			name:    "an agent rings a user group",
			edits:   []edit{{"render/people.go", "(p.Platform == l.Platform || slices.Contains(l.Groups, p.Platform))", "strings.HasPrefix(p.Platform, l.Platform)"}},
			killers: []killer{{"render", "TestAnAgentCannotRingAUserGroup", "rings"}},
		},
		{
			name:    "a control counts on any message",
			edits:   []edit{{"bridge/record/judge.go", "case !r.Knows(a.Message):\n		return Decision{Verdict: Elsewhere}, false", "case false:"}},
			killers: []killer{{"bridge/record", "TestAControlThatWasCarriedToAnotherMessageDecidesNothing", `want "elsewhere"`}},
		},
		{
			name:    "any message is taken for a card whose reply was lost",
			edits:   []edit{{"bridge/record/cards.go", "there && (missing || c.Ambiguous)", "(there || missing)"}},
			killers: []killer{{"bridge/record", "TestAControlThatWasCarriedToAnotherMessageDecidesNothing", `want "elsewhere"`}},
		},
		{
			name:    "an act counts again when it is delivered again",
			edits:   []edit{{"bridge/record/typed.go", " || slices.Contains(r.Recent, actMark(id))", ""}},
			killers: []killer{{"bridge/record", "TestAnActThatIsSentAgainChangesNothing", `want "repeated"`}},
		},
		{
			name:    "a submit covers what was chosen after it",
			edits:   []edit{{"bridge/record/judge.go", "a.Action.Kind == ask.Submit && a.Order < draft.Newest()", "false"}},
			killers: []killer{{"bridge/record", "TestAnActThatIsSentAgainChangesNothing", `want "hasty"`}},
		},
		{
			name:    "what people type is stored as it came",
			edits:   []edit{{"bridge/record/judge.go", "	a = a.cleaned()\n", ""}},
			killers: []killer{{"bridge/record", "TestTypedTextIsStoredClean", "stored"}},
		},
		{
			name:    "a reply of the word dismissed is a dismissal",
			edits:   []edit{{"ask/answer.go", "!o.Replied && o.Reason == Dismissed", "o.Reason == Dismissed"}},
			killers: []killer{{"bridge/record", "TestAReplyMayBeTheVeryWordDismissed", "dismissed true"}, {"ask", "TestHowARequestEndedIsToldByWhoEndedItAndHow", "replied with dismissed"}, {"dialect", "TestAReplyOfTheVeryWordDismissedIsNoDismissal", "declined"}},
		},
		{
			name:    "a bridge closes a card that another one looks after",
			edits:   []edit{{"bridge/unknown.go", "	if !ours {\n", "	if false {\n"}},
			killers: []killer{{"bridge", "TestAPressOnAForgottenRequestClosesOnlyACardOfOurs", "update"}},
		},
		{
			name:    "staging is taken for production",
			edits:   []edit{{"bridge/mark.go", `encode("control", m.store, id)`, `encode("control", id)`}},
			killers: []killer{{"bridge", "TestAPressOnAForgottenRequestClosesOnlyACardOfOurs", "update"}},
		},
		{
			name:    "a request replaces another tenant's",
			edits:   []edit{{"bridge/record/end.go", "return r.Tenant == tenant && r.Session == session && r.ID != id", "return r.ID != id"}},
			killers: []killer{{"bridge", "TestAnAgentCannotReplaceAnotherTenantsRequest", "replacing another tenant's request: <nil>"}},
		},
	}
}

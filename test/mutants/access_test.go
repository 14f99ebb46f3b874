package mutants

// access breaks what is promised of who may call, and with what.
func access() []mutant {
	return []mutant{
		{
			name:    "a request may say two things",
			edits:   []edit{{"ask/decode.go", "	d.members(\"\", data)\n	return data", "	return data"}},
			killers: []killer{{"ask", "TestARequestThatSaysTwoThingsIsRefused", "<nil>"}},
		},
		{
			name:    "a tool input may say two things",
			edits:   []edit{{"dialect/dialect.go", "	if !c.members(\"\", data) {\n", "	if false {\n"}},
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
			edits:   []edit{{"mcpserver/http.go", "case len(batch) > maxBatch:", "case false:"}},
			killers: []killer{{"mcpserver", "TestOneBodyCannotAskThousandsOfQuestions", "3000 calls at once: 200"}},
		},
		{
			name:    "MCP: a batch counts as one call",
			edits:   []edit{{"mcpserver/http.go", "	for range more {\n		if refused", "	for range min(more, 0) {\n		if refused"}},
			killers: []killer{{"mcpserver", "TestABatchCountsAsTheCallsThatAreInIt", "[200 200]"}},
		},
		{
			name:    "MCP: any number of calls wait",
			edits:   []edit{{"access/caller.go", "	if !c.BeginWait() {", "	if c.BeginWait(); false {"}},
			killers: []killer{{"mcpserver", "TestATokenHasAsManyCallsWaitOverMCPAsItMay", "after 24h0m0s"}},
		},
		{
			name:    "MCP: every token may use every tool",
			edits:   []edit{{"mcpserver/call.go", "if err = c.may(scope); err == nil {", "if err = c.may(\"ask\"); err == nil {"}},
			killers: []killer{{"mcpserver", "TestATokenThatMayOnlyAskIsAnsweredAndMayNotLook", "a look"}},
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
		{
			name:    "a channel on the list opens every thread",
			edits:   []edit{{"access/caller.go", "	return channel == t.Channel && c.names", "	channel = t.Channel\n	return channel == t.Channel && c.names"}},
			killers: []killer{{"api", "TestATokenCannotReachTheThreadOfAnotherChannel", "asks in thread T3 of C0000001: 201"}},
		},
		{
			name:    "a thread may be named with any channel",
			edits:   []edit{{"access/caller.go", "	return channel == t.Channel && c.names", "	return c.names"}},
			killers: []killer{{"api", "TestATokenCannotReachTheThreadOfAnotherChannel", "asks in thread T1 of C0000003: 201"}},
		},
		{
			name:    "a token for one workspace opens the others",
			edits:   []edit{{"access/caller.go", "known.Installation != \"\" && known.Installation != t.Installation", "false"}},
			killers: []killer{{"access", "TestWhichPlacesATokenNames", "slack@T1:C1 names slack@T2:C1: true"}},
		},
		{
			name:    "Slack: a card goes to another workspace than the one that is named",
			edits:   []edit{{"slack/workspaces.go", "	case installation == \"\", installation", "	case true, installation"}},
			killers: []killer{{"slack", "TestAPlaceOfAnotherWorkspaceTakesNoCard", "slack@T0000009:C0000001: <nil>"}},
		},
		{
			name:    "Discord: a card goes to another server than the one that is named",
			edits:   []edit{{"discord/place.go", "		if server != to.Installation {", "		if server == \"\" {"}},
			killers: []killer{{"discord", "TestAPlaceOfAnotherServerTakesNoCard", "in another server: <nil>"}},
		},
		{
			name:    "agents' names may look alike",
			edits:   []edit{{"internal/lookalike/lookalike.go", "if to, ok := prototypes()[r]; ok {", "if to, ok := prototypes()[r]; ok && to == \"\" {"}},
			killers: []killer{{"internal/lookalike", "TestTextsThatLookAlikeAreOne", "is another than deploy-bot"}, {"access", "TestAgentsWithNamesThatLookAlikeAreRefused", "said"}},
		},
		{
			name:    "an admin's token decides in a person's place",
			edits:   []edit{{"access/agent.go", "!slices.Contains(named, s) && slices.Contains(a.Scopes, Admin)", "slices.Contains(a.Scopes, Admin)"}},
			killers: []killer{{"api", "TestWhoMayAnswerOverTheAPI", "an admin without the scope: 200"}},
		},
		{
			name:    "a token answers what it has asked itself",
			edits:   []edit{{"access/caller.go", "if c.limits != nil && c.Asked(&r) {", "if false {"}},
			killers: []killer{{"api", "TestWhoMayAnswerOverTheAPI", "want 403"}},
		},
		{
			name:    "an agent speaks for another one of its tenant",
			edits:   []edit{{"access/caller.go", "if err == nil && !c.Asked(&r) && !c.admin() {", "if false {"}},
			killers: []killer{{"api", "TestNobodySpeaksOnTheCardOfAnotherAgent", "revises what another agent has asked: 200"}},
		},
		{
			name:    "a token that may ask alone ends what another agent has asked",
			edits:   []edit{{"access/caller.go", "if id == \"\" || c.May(Cancel) == nil {", "if true {"}},
			killers: []killer{{"api", "TestWithoutTheScopeCancelNobodyReplacesWhatAnotherAgentHasAsked", "want 403"}},
		},
		{
			name:    "an agent gets what people have answered to another one",
			edits:   []edit{{"access/caller.go", "if err == nil && s.Existed && !c.Asked(&s.Record) {", "if false {"}},
			killers: []killer{{"api", "TestAnAnswerToAnotherAgentIsNoneToTheOneWhoseTokenSaysWhoAnswers", "the agent gets 200"}},
		},
		{
			name:    "a model names who may answer its question",
			edits:   []edit{{"mcpserver/input.go", "if r.Responders != nil && !o.may(access.ModelResponders) {", "if false {"}},
			killers: []killer{{"mcpserver", "TestModelSetsOnlyWhatItsTokenAllows", "responders"}},
		},
		{
			name:    "agents without a token answer for people",
			edits:   []edit{{"access/caller.go", "slices.Contains(named, s) && s != Admin && !c.gate.anonymousAnswers", "s == ManageTokens && !c.gate.anonymousAnswers"}},
			killers: []killer{{"api", "TestWithoutTokensNobodyAnswersOverTheAPI", "want 403"}},
		},
		{
			name:    "a direct message is answered over the API by anybody",
			edits:   []edit{{"bridge/record/policy.go", "(who.Addressed || r.public()) && ", ""}},
			killers: []killer{{"bridge/record", "TestWhoAnswersOverTheAPIMayAsOnTheCard", "a direct message of somebody else: completed"}},
		},
		{
			name:    "a resend keeps a replica that has died over a post from being taken over",
			edits:   []edit{{"bridge/record/resend.go", "	r.lag(now)\n", "	r.DeliveryDue = now.Add(r.lease())\n"}},
			killers: []killer{{"bridge/record", "TestResendingLeavesTheClaimWithWhoeverIsPosting", "was moved"}},
		},
		{
			name:    "a reload takes over what it can of a change",
			edits:   []edit{{"internal/app/reload.go", "	case len(fixed) > 0:", "	case false:"}},
			killers: []killer{{"cmd/askbridge", "TestAReloadTakesOverEverythingOrNothing", "afterwards 200 200"}},
		},
		{
			name:    "a replica that is told to end takes nothing from then on",
			edits:   []edit{{"internal/app/run.go", "		_ = wait.For(context.WithoutCancel(ctx), delay)\n", "		_, _ = wait.For, delay\n"}},
			killers: []killer{{"internal/app", "TestAClickOnItsWayToAReplicaThatEndsIsNotRefused", "after the word to end: status 0"}},
		},
		{
			name:    "connections of strangers are never closed for others",
			edits:   []edit{{"internal/connlimit/admit.go", "		return silent, 0\n", "		return nil, time.Hour\n"}, {"internal/connlimit/admit.go", "if v.left(now, silentGrace) > 0 {", "if true {"}},
			killers: []killer{{"internal/connlimit", "TestNewcomersAreServedDuringAFlood/of nothing", "took"}},
		},
		{
			name:    "calls that wait may hold every connection",
			edits:   []edit{{"api/wait.go", "connlimit.MayWait(x.r.Context()) && x.who", "x.who"}},
			killers: []killer{{"api", "TestWaitsLeaveConnectionsForOthers", "it took"}},
		},
		{
			name:    "a callback with an additional slash is not served",
			edits:   []edit{{"internal/app/callbacks.go", "path.Clean(r.URL.Path)", "path.Clean(\"/\") + r.URL.Path[1:]"}},
			killers: []killer{{"internal/app", "TestAPressArrivesHoweverThePathIsWritten", "answered"}},
		},
		{
			name:    "draining closes connections between two calls at once",
			edits:   []edit{{"internal/hijack/line.go", "	if l.call != nil {\n		l.rouse()\n	}\n", "	l.rouse()\n"}},
			killers: []killer{{"api", "TestDrainingTellsWhoWaitsAndClosesWhoDoesNotAtItsEnd", "read/write on closed pipe"}},
		},
		{
			name:    "a reload gives every agent its limits anew",
			edits:   []edit{{"access/gate.go", "		c.limits = was.limits\n", "		_ = was.limits\n"}},
			killers: []killer{{"access", "TestWhatAnAgentHasUsedGoesOnCountingAfterAReload", "t3: spent is false"}},
		},
		{
			name:    "metrics: anybody chooses the values of a label",
			edits:   []edit{{"internal/metrics/observe.go", "	if slices.Contains(*m.agents.Load(), name) {", "	if name != \"\" {"}},
			killers: []killer{{"internal/metrics", "TestWhatHappensIsCountedOnce", "agent:somebody"}},
		},
		{
			name:    "an end is told again with every later change",
			edits:   []edit{{"bridge/observer.go", "ended = err == nil && open && !r.Open()", "ended = !open || !r.Open()"}},
			killers: []killer{{"bridge", "TestAnObserverIsToldOfEachThingOnce", "told (-want +got)"}},
		},
		{
			name:    "a tenant may be refused any number of times",
			edits:   []edit{{"bridge/breaker.go", "t.refusals >= tenantRefusals && ", "t.refusals < 0 && "}},
			killers: []killer{{"bridge", "TestAThousandRefusalsOfOneAgentHoldNobodyElsesCalls", "the platform refused 1"}},
		},
		{
			name:    "the word of one place breaks the connection",
			edits:   []edit{{"bridge/breaker.go", "if b.asks && pe != nil", "if false && pe != nil"}},
			killers: []killer{{"bridge", "TestAThousandRefusalsOfOneAgentHoldNobodyElsesCalls", "refusals of another agent"}},
		},
		{
			name:    "what one tenant is refused is refused to all",
			edits:   []edit{{"bridge/breaker.go", "return placeKey{tenant, place}", "return placeKey{\"\", place}"}},
			killers: []killer{{"bridge", "TestCardsThatOneAgentIsRefusedHoldUpNobodyElseInTheSameChannel", "another agent"}},
		},
		{
			name:    "what becomes of an upload counts for nothing",
			edits:   []edit{{"bridge/attach.go", "ps.platforms.breakers[name].files", "newBreaker(platform)"}},
			killers: []killer{{"bridge", "TestATokenThatIsRefusedForAnUploadMakesTheBridgeUnready", "the bridge is ready"}, {"bridge", "TestAChannelThatRefusesFilesIsLeftAloneWithThemAndGetsItsCards", "was asked 50 times"}},
		},
		{
			name:    "what a person typed stands in the log at info",
			edits:   []edit{{"api/tool.go", `x.h.log.Debug("tool result is lossy"`, `x.h.log.Info("tool result is lossy"`}},
			killers: []killer{{"api", "TestNothingThatIsAskedOrAnsweredStandsInTheLogAtInfo", "at info"}},
		},
		{
			name:    "webhooks: a failed call tells of our network",
			edits:   []edit{{"webhook/sender.go", "Outcome: outcome(err), Err: fmt", "Outcome: err.Error(), Err: fmt"}},
			killers: []killer{{"webhook", "TestAnAgentLearnsNothingOfOurNetworkFromItsWebhook", "is told as"}},
		},
		{
			name:    "webhooks: any receiver may be called",
			edits:   []edit{{"webhook/receivers.go", "return receivers == nil ||", "return true ||"}},
			killers: []killer{{"webhook", "TestAddressesThatWillNotDo", "not one of the receivers"}, {"webhook", "TestAReceiverThatWasTakenOffTheListIsNotCalled", "called true"}},
		},
		{
			name:    "webhooks: tenants share a secret",
			edits:   []edit{{"internal/app/webhook.go", "len(s.Secrets) == 0 && !cfg.SeveralTenants()", "len(s.Secrets) == 0"}},
			killers: []killer{{"internal/app", "TestNoTenantSignsWithTheSecretOfAnother", "the shared secret"}},
		},
		{
			name:    "webhooks: two tenants are given one secret",
			edits:   []edit{{"internal/config/checkwebhooks.go", "} else if first.tenant != tenant {", "} else if false {"}},
			killers: []killer{{"internal/config", "TestMistakesAreNamedWithTheirPlaceAndWithoutTheirValue", "of another tenant"}},
		},
		{
			name:    "a token may hold any number of waits",
			edits:   []edit{{"access/limits.go", "if c.waits >= cmp.Or(c.MaxWaits, DefaultMaxWaits) {", "if false {"}},
			killers: []killer{{"api", "TestOneTokenCannotHoldEveryPlaceToWait", "of too many: after"}},
		},
		{
			name:    "a wait is never given back",
			edits:   []edit{{"api/exchange.go", "	if x.waits {", "	if x.waits && x.status == 0 {"}},
			killers: []killer{{"api", "TestOneTokenCannotHoldEveryPlaceToWait", "waited 0s, want 30s"}},
		},
		{
			name:    "a token may hold any number of streams",
			edits:   []edit{{"access/limits.go", "	if c.streams >= most {", "	if false {"}},
			killers: []killer{{"api", "TestOneTokenCannotHoldEveryStream", "want 429"}},
		},
		{
			name:    "calls earned by waiting add up without end",
			edits:   []edit{{"access/limits.go", "if d >= freeWait && c.free < cmp.Or(c.Calls, DefaultCalls) {", "if d >= freeWait {"}},
			killers: []killer{{"access", "TestWaitsEarnAtMostAMinuteOfCalls", "1010 calls at once, want 20"}},
		},
		{
			name:    "a call that hardly waits is free",
			edits:   []edit{{"access/limits.go", "if d >= freeWait && c.free < cmp.Or(c.Calls, DefaultCalls) {", "if c.free < cmp.Or(c.Calls, DefaultCalls) {"}},
			killers: []killer{{"api", "TestALoopThatOnlyLooksIsSlowedDown", "of 20 calls were refused"}},
		},
		{
			name:    "tokens can be guessed as fast as one likes",
			edits:   []edit{{"access/gate.go", "wait := g.strangers.come(from); wait > 0", "wait := g.strangers.come(from); wait < 0"}},
			killers: []killer{{"api", "TestGuessingTokensIsSlowedDownAndDoesNotFillTheLog", "answered with"}},
		},
		{
			name:    "platforms are let in to an API without tokens",
			edits:   []edit{{"internal/app/sites.go", "case len(posting) > 0 && !a.callbacksApart()", "case len(posting) > 2 && !a.callbacksApart()"}},
			killers: []killer{{"internal/app", "TestWherePlatformsPostThereAreTokensOrAnotherAddress", "Slack posts: <nil>"}},
		},
		{
			name:    "a proxy may let others in without tokens",
			edits:   []edit{{"api/auth.go", "if name := forwarded(r.Header); name != \"\" {", "if name := forwarded(nil); name != \"\" {"}},
			killers: []killer{{"internal/app", "TestAProxyThatRewritesHostDoesNotOpenTheAPIWithoutTokens", "is answered with 200"}},
		},
		{
			name:    "the platforms' own address serves the API too",
			edits:   []edit{{"internal/app/sites.go", "serve(a.callbacks(http.NotFoundHandler(), true), own)", "serve(a.callbacks(agents, true), own)"}},
			killers: []killer{{"internal/app", "TestTheAddressOfThePlatformsServesNothingElse", "/v1/requests is answered with 403"}},
		},
		{
			name:    "anybody says from where a call comes",
			edits:   []edit{{"api/auth.go", "		if !h.trusts(at) {", "		if false {"}},
			killers: []killer{{"internal/app", "TestOnlyATrustedProxySaysFromWhereACallComes/nobody is trusted", "the log does not say 127.0.0.1"}},
		},
		{
			name:    "a foreign name is answered where names are listed",
			edits:   []edit{{"api/auth.go", "if p := h.checkHost(r); p != nil {", "if p := h.checkHost(r); p != nil && p.Status == 0 {"}},
			killers: []killer{{"internal/app", "TestACallUnderAForeignNameIsRefusedWhereNamesAreListed", "want 421"}},
		},
	}
}

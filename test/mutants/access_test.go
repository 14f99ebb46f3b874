package mutants

// access breaks the promises about callers and their permissions.
func access() []mutant {
	return []mutant{
		broken("a request may say two things").
			in("ask", "decoder.whole", drop("members")).
			fails("ask", "TestContradictingMembersAreRejected", "<nil>"),
		broken("a tool input may say two things").
			in("dialect", "Dialect.open", never("Unambiguous")).
			fails("dialect", "TestErrorsNameEveryProblem/a member sent twice", "error <nil>"),
		broken("objects inside objects are read as deep as they go").
			in("ask", "decoder.questions", always("wrappers")).
			fails("ask", "TestNestingDepthIsLimited", "<nil>"),
		broken("an error may be longer than what was sent").
			in("ask", "checker.addAt", never("maxProblems")).
			fails("ask", "TestErrorLengthIsLimited", "validation lists 20001 problems"),
		broken("MCP: one body holds any number of calls").
			in("mcpserver", "checkMessages", never("maxBatch")).
			fails("mcpserver", "TestOneBodyCannotAskThousandsOfQuestions", "3000 calls at once: 200"),
		broken("MCP: a batch counts as one call").
			in("mcpserver", "enter", swap("more", "min(more, 0)", "AsType")).
			fails("mcpserver", "TestBatchCountsEachCall", "[200 200]"),
		broken("MCP: any number of calls wait").
			in("access", "Caller.Wait", when("$ && false", "BeginWait")).
			fails("mcpserver", "TestMCPWaitLimit", "after 24h0m0s"),
		broken("MCP: every token may use every tool").
			in("mcpserver", "Server.tool", arg("may", 0, `"ask"`)).
			fails("mcpserver", "TestAskOnlyTokenCannotList", "a look"),
		broken("callbacks: a body is read whatever its headers say").
			in("internal/connector", "Inbox.Read", after("err = nil", "headers")).
			fails("internal/connector", "TestRefusedHeadersReadNoBody", "want 401 at once"),
		broken("callbacks: any number of bodies is read at once").
			in("internal/connector", "Inbox.body", before("in.room = make(chan struct{}, 1)", "enter")).
			fails("internal/connector", "TestStrangersCannotHaveMoreReadThanThereIsRoomFor", "one too many: status 200"),
		broken("a channel on the list opens every thread").
			in("access", "Places.allow", before("channel = t.Channel", "Installation")).
			fails("api", "TestTokenCannotReachForeignThread", "asks in thread T3 of C0000001: 201"),
		broken("a thread may be named with any channel").
			in("access", "Places.allow", always("channel", "t.Channel")).
			fails("api", "TestTokenCannotReachForeignThread", "asks in thread T1 of C0000003: 201"),
		broken("a token for one workspace opens the others").
			in("access", "Places.list", never(`""`, "t.Installation")).
			fails("access", "TestWhichPlacesATokenNames", "slack@T1:C1 covers slack@T2:C1: true"),
		broken("Slack: a card goes to another workspace than the one that is named").
			in("slack", "directory.installedIn", always(`""`, "installation")).
			fails("slack", "TestForeignWorkspaceIsRejected", "slack@T0000009:C0000001: <nil>"),
		broken("Discord: a card goes to another server than the one that is named").
			in("discord", "places.of", never("server", "Installation")).
			fails("discord", "TestForeignServerIsRejected", "in another server: <nil>"),
		broken("agents' names may look alike").
			in("internal/lookalike", "prototype", never("ok")).
			fails("internal/lookalike", "TestTextsThatLookAlikeAreOne", "is another than deploy-bot").
			fails("access", "TestAgentsWithNamesThatLookAlikeAreRefused", "said"),
		broken("an admin's token decides in a person's place").
			in("access", "Agent.has", when("slices.Contains(a.Scopes, Admin)", "named", "Admin")).
			fails("api", "TestAnswerScopes", "an admin without the scope: 200"),
		broken("a token answers what it has asked itself").
			in("access", "Caller.Answer", drop("Asked")).
			fails("api", "TestAnswerScopes", "want 403"),
		broken("an agent speaks for another one of its tenant").
			in("access", "Caller.Change", never("Asked")).
			fails("api", "TestAgentCannotReplyOnForeignCard", "revises what another agent has asked: 200"),
		broken("a token that may ask alone ends what another agent has asked").
			in("access", "Caller.admit", always("Cancel", `""`)).
			fails("api", "TestSupersedingNeedsScopeCancel", "want 403"),
		broken("an agent gets what people have answered to another one").
			in("access", "Caller.submit", never("Asked")).
			fails("api", "TestSharedAnswerMustMatchTokenResponders", "the agent gets 200"),
		broken("a model names who may answer its question").
			in("mcpserver", "call.place", never("ModelResponders", "Responders")).
			fails("mcpserver", "TestModelSetsOnlyWhatItsTokenAllows", "responders"),
		broken("agents without a token answer for people").
			in("access", "Caller.May", when("s == ManageTokens", "Admin")).
			fails("api", "TestAnswerNeedsToken", "want 403"),
		broken("a direct message is answered over the API by anybody").
			in("bridge/record", "Record.MayAnswer", always("Addressed", "public")).
			fails("bridge/record", "TestAPIAnswerFollowsCardRules", "another person's direct message: completed"),
		broken("a resend keeps a replica that has died over a post from being taken over").
			in("bridge/record", "Record.Resend", instead("lease(r, now)", "leaseIfBehind")).
			fails("bridge/record", "TestResendKeepsPostingClaim", "was moved"),
		broken("a reload takes over what it can of a change").
			in("internal/app", "App.Reload", never("fixed")).
			fails("cmd/askbridge", "TestReloadIsAtomic", "afterwards 200 200"),
		broken("a replica that is shutting down takes nothing from then on").
			in("internal/app", "App.Run", drop("For")).
			fails("internal/app", "TestShutdownServesClicksInFlight", "after the signal: status 0"),
		broken("connections of strangers are never closed for others").
			in("internal/connlimit", "Table.admit", always("left")).
			in("internal/connlimit", "Table.victim", returns("nil, time.Hour", "silent")).
			fails("internal/connlimit", "TestNewcomersAreServedDuringAFlood/of nothing", "took"),
		broken("calls that wait may hold every connection").
			in("api", "exchange.whenEnded", always("Context")).
			fails("api", "TestWaitsLeaveConnectionsForOthers", "it took"),
		broken("a callback with an additional slash is not served").
			in("internal/app", "callbacks.ServeHTTP", call("Clean", `path.Clean("/") + r.URL.Path[1:]`)).
			fails("internal/app", "TestCallbackPathSpellings", "answered"),
		broken("draining closes connections between two calls at once").
			in("internal/hijack", "line.drain", always("call")).
			fails("api", "TestDrainEndsWaitsAndClosesIdleConnections", "read/write on closed pipe"),
		broken("a reload resets the limits of every agent").
			in("access", "Quota.inherit", drop("usage")).
			fails("access", "TestWhatAnAgentHasUsedGoesOnCountingAfterAReload", "t3: spent is false"),
		broken("metrics: anybody chooses the values of a label").
			in("internal/app/metrics", "Metrics.agent", when(`name != ""`, "Contains")).
			fails("internal/app/metrics", "TestEventsAreCountedOnce", "agent:somebody"),
		broken("an end is reported again with every later change").
			in("bridge/internal/state", "Reporter.ending", set("ended", "!open || !r.Open()")).
			fails("bridge", "TestObserverReceivesEachEventOnce", "events (-want +got)"),
		broken("a tenant may be refused any number of times").
			in("bridge/internal/ratelimit", "Breaker.blocked", never("wait")).
			fails("bridge", "TestRefusalsOfOneAgentDelayNoOther", "the platform refused 1"),
		broken("the word of one place breaks the connection").
			in("bridge/internal/ratelimit", "Breaker.Note", never("checks")).
			fails("bridge", "TestRefusalsOfOneAgentDelayNoOther", "refusals of another agent"),
		broken("what one tenant is refused is refused to all").
			in("bridge/internal/ratelimit", "keyOf", returns(`placeKey{"", place}`, "placeKey")).
			fails("bridge", "TestPlaceCircuitIsPerTenant", "another agent"),
		broken("an upload that the platform refuses because of the token does not count for the connection").
			in("bridge/internal/ratelimit", "NewBreaker", arg("newBreaker", 0, "newConnection()", "Connection")).
			fails("bridge", "TestUploadWithRefusedTokenMakesBridgeUnready", "the bridge is ready"),
		broken("a posted card counts as a successful upload").
			in("bridge/internal/deliver", "Posts.attach", arg("call", 0, "ps.Platforms.Breakers[name]", "Files")).
			fails("bridge", "TestRefusedUploadsDoNotStopCards", "was asked 50 times"),
		broken("the log at info contains typed text").
			in("api", "replyTool", swap("Debug", "Info")).
			fails("api", "TestInfoLogOmitsQuestionAndAnswerText", "at info"),
		broken("webhooks: a failed call leaks network details").
			in("webhook", "failed", set("Outcome", "err.Error()")).
			fails("webhook", "TestWebhookErrorLeaksNoNetworkDetails", "is told as"),
		broken("webhooks: any receiver may be called").
			in("webhook", "listed", always("nil")).
			fails("webhook", "TestAddressesThatWillNotDo", "not one of the receivers").
			fails("webhook", "TestRemovedReceiverIsNotCalled", "called true"),
		broken("webhooks: tenants share a secret").
			in("internal/app", "callSettings", always("SeveralTenants")).
			fails("internal/app", "TestWebhookSecretsAreSeparatePerTenant", "the shared secret"),
		broken("webhooks: two tenants are given one secret").
			in("internal/app/config", "Config.checkWebhooks", never("tenant")).
			fails("internal/app/config", "TestErrorsHavePositionsAndNoValues", "of another tenant"),
		broken("a token may hold any number of waits").
			in("access", "Quota.BeginWait", never("maxWaits")).
			fails("api", "TestWaitsAreLimitedPerToken", "of too many: after"),
		broken("a wait is never given back").
			in("api", "exchange.end", when("$ && x.status == 0", "waits")).
			fails("api", "TestWaitsAreLimitedPerToken", "waited 0s, want 30s"),
		broken("a token may hold any number of streams").
			in("access", "Quota.Stream", never("streams")).
			fails("api", "TestStreamsAreLimitedPerToken", "want 429"),
		broken("calls earned by waiting add up without end").
			in("access", "Quota.EndWait", always("maxCalls")).
			fails("access", "TestWaitsEarnAtMostOneMinuteOfCalls", "1010 calls at once, want 20"),
		broken("a call that hardly waits is free").
			in("access", "Quota.EndWait", always("freeWait")).
			fails("api", "TestPollingIsRateLimited", "of 20 calls were refused"),
		broken("tokens can be guessed as fast as one likes").
			in("access", "Gate.Stranger", never("wait")).
			fails("api", "TestTokenGuessingIsRateLimitedAndLoggedOnce", "answered with"),
		broken("platforms are let in to an API without tokens").
			in("internal/app", "App.checkExposed", never("posting")).
			fails("internal/app", "TestCallbacksNeedTokensOrTheirOwnAddress", "Slack posts: <nil>"),
		broken("a proxy may let others in without tokens").
			in("api", "service.checkLocal", arg("forwarded", 0, "nil")).
			fails("internal/app", "TestProxiedCallsNeedTokens", "is answered with 200"),
		broken("the platforms' own address serves the API too").
			in("internal/app", "App.sites", call("NotFoundHandler", "agents")).
			fails("internal/app", "TestCallbackAddressServesOnlyCallbacks", "/v1/requests is answered with 403"),
		broken("any caller sets its own remote address").
			in("api", "service.remote", never("trusts")).
			fails("internal/app", "TestTrustedProxies/no trusted proxy", "log lacks 127.0.0.1"),
		broken("a foreign name is answered where names are listed").
			in("api", "service.admit", swap("p != nil", "p != nil && p.Status == 0", "checkHost")).
			fails("internal/app", "TestListedHostNames", "want 421"),
	}
}

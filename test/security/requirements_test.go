package security

// requirements are the requirements for all parts of the program.
func requirements() []promise {
	return []promise{
		{
			"S1", "Platform signatures are checked over the raw body before parsing, and are valid for five minutes; an empty or short secret prevents the start",
			[]proof{{"slack", "TestSignatures"}, {"discord", "TestSignatures"}, {"slack", "FuzzSignatureHeaders"}, {"discord", "FuzzSignatureHeaders"}, {"internal/connector", "TestRefusedHeadersReadNoBody"}},
			"",
		},
		{
			"S2", "A replay within five minutes has no effect",
			[]proof{{"slack", "TestReplayedRequestIsDeduplicated"}, {"discord", "TestReplayedRequestIsDeduplicated"}},
			"",
		},
		{
			"S3", "The correct signature is never logged or returned",
			[]proof{{"slack", "TestExpectedSignatureIsNotLogged"}},
			"",
		},
		{
			"S4", "An act counts only for the workspace or server, channel and message of its record",
			[]proof{{"slack", "TestAnyoneMeansInstallationMembers"}, {"slack", "TestForeignIDsDecideNothing"}, {"slack", "TestWorkspaceJoinsOrganization"}, {"slack/install", "TestThousandWorkspaces"}, {"bridge/record", "TestCopiedControlDecidesNothing"}, {"bridge/record", "TestDirectRequestRejectsOthersWithoutCard"}},
			"",
		},
		{
			"S38", "A Slack installation needs a state that was signed for this browser, is at most ten minutes old and was not used; only listed workspaces install, or one per invitation link, which is signed and expires",
			[]proof{{"slack/install", "TestInstallIsRefused"}, {"slack/install", "FuzzState"}, {"slack/install", "TestInvitationAdmitsOneWorkspace"}, {"slack/install", "TestForgedInvitations"}},
			"With `install.anyone` every workspace may. Anyone with an unused invitation can use it.",
		},
		{
			"S39", "Bot tokens of installations are only stored encrypted, are never logged, and are deleted with the installation",
			[]proof{{"slack/bundle", "TestInstallationsNeedEncryption"}, {"slack/install", "TestRemovalLeavesNoToken"}, {"slack/install", "TestKilledAtEveryWrite"}, {"slack/install", "TestRemovalEndsOnlyItsRequests"}, {"store", "TestBackupIsSealedLikeItsStore"}},
			"A backup from before the removal has the token, encrypted and revoked by Slack.",
		},
		{
			"S5", "Only named people, roles and groups answer; a failed lookup allows no one; membership is at most a minute old",
			[]proof{{"slack", "TestFailedLookupIsNoMember"}, {"slack", "TestUnavailableGroupHasNoMembers"}, {"slack", "TestMembershipIsUnknownBeforeAuthTest"}, {"slack", "TestBotsAreMarked"}, {"bridge", "TestGuestMayNotAnswerAnyone"}},
			"",
		},
		{
			"S6", "With `not_requester`, requesters cannot approve their own request; the token identifies the requester, not the agent's text",
			[]proof{{"mcpserver", "TestWhoAsksIsNotTheAgentsToSay"}, {"api", "TestCardShowsTokenName"}, {"api", "TestSharedAnswerMustMatchTokenResponders"}, {"api", "TestNotRequesterRejectsTokenWithoutRequester"}, {"bridge/record", "TestNotRequesterNeedsKnownAccount"}},
			"The operator decides which account a token names.",
		},
		{
			"S7", "Several distinct people can be required",
			[]proof{{"bridge/record", "TestDecisionNeedsQuorum"}, {"bridge/record", "TestVotesAcrossReplicasMatchReference"}, {"bridge/record", "TestRequesterAndStrangersDoNotCount"}, {"bridge", "TestVotesNeededByRouteAndToken"}},
			"Rules for a label cover labels that look alike; an agent that rewords options can avoid or claim them. Someone with two accounts counts twice unless `people` links them.",
		},
		{
			"S8", "Agent text cannot mention anyone or break out of its formatting",
			[]proof{{"slack", "TestPostsHaveMetadataAndNoPings"}, {"discord", "TestPostsHaveNonceAndNoPings"}, {"render/components", "TestAgentTextDoesNotFormat"}, {"render/blockkit", "FuzzEscape"}, {"render/blockkit", "TestAgentTextIsShownByteForByte"}},
			"",
		},
		{
			"S9", "Agent text cannot imitate the bridge: fixed frame, name from the token, no control or direction characters",
			[]proof{{"render", "TestCleanKeepsWhatReadersNeedAndDropsTheRest"}, {"api", "TestCardShowsTokenName"}, {"api", "TestAgentCannotReplyOnForeignCard"}, {"ask", "TestValidateReportsProblemAndPath"}},
			"",
		},
		{
			"S10", "Size, depth, lengths, duplicate and unknown members are limited before any work",
			[]proof{{"ask", "TestDuplicateMemberIsRejected"}, {"ask", "FuzzCheckMembers"}, {"ask", "FuzzDecodeRequest"}, {"api", "TestDuplicateAndUnknownMembersAreRejected"}, {"api", "TestMisspelledMemberIsRejected"}, {"api", "TestLargestBodyIsAccepted"}, {"mcpserver", "TestBodyLimits"}, {"mcpserver", "TestOneBodyCannotAskThousandsOfQuestions"}},
			"",
		},
		{
			"S11", "Typed text is sanitized and truncated before it is stored, is distinct from options, and names its author",
			[]proof{{"api", "TestQuestionIsAnswered"}, {"mcpserver", "TestTypedTextComesBackVerbatim"}},
			"",
		},
		{
			"S12", "Tokens are compared in constant time; they have scopes, places, a tenant, a rate, a quota, and a second token for rotation",
			[]proof{{"api", "TestScopes"}, {"api", "TestEveryRouteChecksScopes"}, {"api", "TestForeignRequestLooksMissingOnEveryRoute"}, {"api", "TestTokenIsRequired"}, {"api", "TestAllowLists"}, {"api", "TestForeignRequestLooksMissing"}, {"api", "TestSupersedingNeedsScopeCancel"}, {"api", "TestTokenCannotReachForeignThread"}, {"access", "TestAgentsWithNamesThatLookAlikeAreRefused"}, {"api", "TestTokenGuessingIsRateLimitedAndLoggedOnce"}, {"api", "TestReloadEndsStreamOfRemovedToken"}, {"access", "TestNoTokenOfARevokedNameHolds"}},
			"Tokens in the configuration do not expire; a removed one works until the next reload, which also ends its calls and streams.",
		},
		{
			"S13", "A token travels only in a header, never follows a redirect, and replies are not cached",
			[]proof{{"api", "TestTokenIsRequired"}, {"client", "TestTokenDoesNotFollowRedirects"}, {"api", "TestSealedTokenAsksAndWaits"}},
			"",
		},
		{
			"S14", "Calls, requests, waits, streams and open requests are limited per token, posts per channel",
			[]proof{{"api", "TestTokenRateLimit"}, {"api", "TestOpenRequestQuota"}, {"discord", "TestExhaustedLimitIsNotExceeded"}, {"bridge", "TestRefusalsOfOneAgentDelayNoOther"}, {"api", "TestPollingIsRateLimited"}, {"api", "TestWaitsAreLimitedPerToken"}, {"api", "TestStreamsAreLimitedPerToken"}, {"mcpserver", "TestMCPOpenRequestQuota"}, {"mcpserver", "TestBatchCountsEachCall"}, {"mcpserver", "TestMCPWaitLimit"}, {"access", "TestWaitsEarnAtMostOneMinuteOfCalls"}},
			"",
		},
		{
			"S15", "Slow clients are cut off; strangers cannot use up the connections of health checks, agents or platforms",
			[]proof{{"api", "TestSlowClientsAreCutOff"}, {"api", "TestSlowReaderIsDisconnected"}, {"internal/connlimit", "TestNewcomersAreServedDuringAFlood"}, {"internal/connlimit", "TestConnectionClosesInTime"}, {"api", "TestWaitsLeaveConnectionsForOthers"}, {"internal/app", "TestConnectionLimitLeavesFileDescriptors"}, {"internal/connector", "TestStrangersCannotHaveMoreReadThanThereIsRoomFor"}},
			"",
		},
		{
			"S16", "Webhooks reach only public addresses on the operator's list, follow no redirect, are signed with a secret per tenant, and reveal nothing about our network",
			[]proof{{"webhook", "TestNoAgentMakesUsCallOurOwnNetwork"}, {"webhook", "TestOnlyTheOpenInternetIsPublic"}, {"webhook", "TestReceiverVerifiesSignature"}, {"webhook", "TestAddressesThatWillNotDo"}, {"webhook", "TestWebhookErrorLeaksNoNetworkDetails"}, {"internal/app", "TestWebhookSecretsAreSeparatePerTenant"}},
			"",
		},
		{
			"S17", "Secrets come from the environment or a file and are never printed",
			[]proof{{"internal/app", "TestSecretsAppearNowhere"}, {"internal/app/config", "TestSecretIsNeverPrinted"}, {"slack", "TestSettingsPrintWithoutSecrets"}, {"discord", "TestSettingsPrintWithoutSecrets"}, {"webhook", "TestSecretsAreCheckedAndNeverShown"}},
			"",
		},
		{
			"S18", "Question and answer text is logged at debug only",
			[]proof{{"api", "TestInfoLogOmitsQuestionAndAnswerText"}, {"internal/app", "TestInfoLogOmitsTexts"}},
			"",
		},
		{
			"S19", "Names and texts cannot forge a log line, and the audit trail cannot be changed unnoticed",
			[]proof{{"api", "TestLogOmitsCallContent"}, {"internal/app/audit", "TestVerifyFindsAnyChangedByte"}, {"internal/app/audit", "TestVerifyFindsAnyChangedStoredByte"}, {"internal/app/audit", "TestVerifyReportsInsertedLine"}, {"internal/app/audit", "TestVerifyFindsTampering"}, {"internal/app/audit", "TestVerifyFindsMissingEvents"}, {"internal/app/audit", "TestTwoExportersDoNotForkTheChain"}, {"bridge/record", "TestTrailRecordsChanges"}},
			"With the trail's key someone can write another trail; heads stored elsewhere expose it.",
		},
		{
			"S20", "Redis over TLS with a minimal user",
			[]proof{{"store/redis", "TestRedisOverTLS"}, {"store/redis", "TestRedisRightsAreMinimal"}, {"store/redis", "TestDocumentListsRights"}},
			"",
		},
		{
			"S21", "The simulator answers only this machine, under a strict policy; other sites cannot act on it",
			[]proof{{"chatsim/page", "TestOnlyLoopbackNamesAreAnswered"}, {"chatsim/page", "TestOtherSitesCannotAct"}, {"chatsim/page", "TestEveryAnswerCarriesTheProtection"}, {"cmd/askbridge", "TestSimPageRefusesOtherHosts"}},
			"",
		},
		{
			"S22", "Without tokens, API and MCP answer only direct calls under loopback names, and not where a platform posts",
			[]proof{{"api", "TestNoTokensAllowsOnlyLocalCallers"}, {"internal/app", "TestTokensRequiredOffLoopback"}, {"internal/app", "TestLoopbackHostNamesOnlyWithoutTokens"}, {"mcpserver", "TestCallUsesItsOwnToken"}, {"internal/app", "TestCallbacksNeedTokensOrTheirOwnAddress"}, {"internal/app", "TestProxiedCallsNeedTokens"}, {"internal/app", "TestCallbackAddressServesOnlyCallbacks"}, {"internal/app", "TestListedHostNames"}},
			"A local proxy that adds no header looks like a local program. With tokens, any Host is answered unless `hosts` lists the names.",
		},
		{
			"S23", "No profiling or debugging endpoint",
			[]proof{{"api", "TestUnknownPathsAndMethodsGetProblems"}, {"api", "TestDocumentListsEveryRoute"}},
			"",
		},
		{
			"S24", "A panic ends neither the program nor a loop and reveals nothing",
			[]proof{{"api", "TestPanicIsContained"}, {"slack", "TestPanicIsContainedAndReported"}, {"discord", "TestPanicIsContainedAndReported"}, {"discord", "TestMessagePanicIsContained"}, {"slack", "TestDecoderPanicKeepsConnection"}},
			"",
		},
		{
			"S25", "Ended requests are deleted after their retention",
			[]proof{{"store/redis", "TestRedisCacheIsLimited"}, {"store/file", "TestFile"}},
			"Until then the store has them in clear, unless `encryption` is on.",
		},
		{
			"S26", "Few dependencies, each with a reason and a checksum",
			[]proof{{"internal/arch", "TestDependencyPageMatchesImports"}},
			"`make security` looks for known vulnerabilities if their database is reachable. No release is signed yet.",
		},
		{
			"S27", "The apps request only the scopes they use and no privileged intent",
			[]proof{{"slack", "TestListedScopesSuffice"}, {"slack", "TestEachListedScopeIsUsed"}, {"discord/bundle", "TestInviteLinkPermissions"}, {"slack/bundle", "TestManifests"}},
			"",
		},
		{
			"S28", "A request ID cannot be guessed and is never sufficient alone",
			[]proof{{"bridge", "TestRequestIDDependsOnTenantSessionAndKey"}, {"api", "TestForeignRequestLooksMissing"}, {"api", "TestTokenIsRequired"}},
			"",
		},
		{
			"S29", "A runtime token expires, is replaced or is revoked, and then no replica accepts it or answers its waiting calls; only its hash is stored; askers cannot create one",
			[]proof{{"access", "TestTokenLifecycleAcrossReplicas"}, {"access", "TestTokensAreReadFromStore"}, {"api", "TestRevokedTokenEndsItsCalls"}, {"api", "TestQuietStreamEndsWithToken"}, {"mcpserver", "TestRevokedTokenGetsNoAnswer"}, {"access", "TestStoreDoesNotContainTokens"}, {"api", "TestTokenScopes"}, {"api", "TestCreatingTokensNeedsToken"}, {"access", "TestRotatedTokenSharesLimits"}},
			"An MCP call that waits during shutdown learns that its request is open, even if its token just ended.",
		},
		{
			"S30", "Personal text can be erased from the trail without breaking the chain",
			[]proof{{"internal/app/audit", "TestErase"}},
			"The request keeps the answer until its retention ends.",
		},
		{
			"S31", "The console has no data of its own, a strict policy, and shows only what its token allows",
			[]proof{{"api", "TestConsoleContentSecurityPolicy"}, {"api", "TestConsoleShowsAndEndsRequestsInBrowser"}, {"api", "TestConsoleDropsPendingDataWithToken"}},
			"",
		},
		{
			"S35", "Someone who signs in at the console has only the scopes of their roles, none without a role, and the audit trail names them by issuer and subject",
			[]proof{{"api", "TestRolesDecideWhatPeopleMayDo"}, {"api", "TestSignInAndOutAreInTheTrail"}, {"internal/signin", "TestSignInNeedsARole"}, {"api", "TestWaitingCallEndsWithItsSession"}},
			"Roles are read at sign-in, and a lost one stays until the session ends.",
		},
		{
			"S33", "Only a revision that was read can be answered: on a card, at a shell and over the API",
			[]proof{{"api", "TestAnswerNamesRevision"}, {"cmd/askbridge", "TestRequestCommands"}},
			"",
		},
		{
			"S34", "An API answer creates a grant only with the scope `grant`, which ends with its token",
			[]proof{{"api", "TestGrantOverAPINeedsScope"}, {"api", "TestGrantEndsWithItsToken"}},
			"A restored backup restores revoked tokens and grants.",
		},
		{
			"S32", "Options that look alike are refused in requests, tool calls and revisions",
			[]proof{{"bridge", "TestLookalikeLabelsRejected"}, {"api", "TestLookAlikeLabelsAreRejected"}},
			"Letter case distinguishes labels.",
		},
	}
}

package security

// requirements are what every part of the program is held to.
func requirements() []promise {
	return []promise{
		{
			"S1", "A platform's signature is checked over the raw body before anything is parsed; it may be five minutes old, and an empty or short secret does not start",
			[]proof{{"slack", "TestSignatures"}, {"discord", "TestSignatures"}, {"slack", "FuzzSignatureHeaders"}, {"discord", "FuzzSignatureHeaders"}, {"internal/connector", "TestNothingIsReadFromWhomeverTheHeadersAlreadyRefuse"}},
			"",
		},
		{
			"S2", "A replay inside the five minutes has no effect",
			[]proof{{"slack", "TestAReplayedRequestIsTheSameAct"}, {"discord", "TestAReplayedRequestIsTheSameAct"}},
			"",
		},
		{
			"S3", "The right signature never leaves the code that compares it",
			[]proof{{"slack", "TestTheRightSignatureIsNeverLogged"}},
			"",
		},
		{
			"S4", "An act counts only for the workspace or server, channel and message that its record knows",
			[]proof{{"slack", "TestAnyoneMeansMembersOfTheInstallationThatWasAsked"}, {"bridge/record", "TestAControlThatWasCarriedToAnotherMessageDecidesNothing"}, {"bridge/record", "TestWhatWasSentToOnePersonIsTheirsAloneWhereNoCardIsNamed"}},
			"",
		},
		{
			"S5", "People, roles and groups as named; whoever cannot be looked up is nobody, and membership is at most a minute old",
			[]proof{{"slack", "TestWhoCannotBeLookedUpIsNobody"}, {"slack", "TestAGroupThatCannotBeLookedUpLetsNobodyIn"}, {"slack", "TestUntilWeKnowWhoWeAreNobodyIsKnownToBelong"}, {"slack", "TestBotsAreMarked"}, {"bridge", "TestAGuestDoesNotAnswerWhatAnyoneMay"}},
			"",
		},
		{
			"S6", "Nobody approves their own request where `not_requester` stands; who asks is known from the token and not from the agent's text",
			[]proof{{"mcpserver", "TestWhoAsksIsNotTheAgentsToSay"}, {"api", "TestTheNameOnTheCardIsTheTokens"}, {"api", "TestAnAnswerToAnotherAgentIsNoneToTheOneWhoseTokenSaysWhoAnswers"}, {"api", "TestAnAnswerTokenWithoutARequesterDoesNotPassNotRequester"}, {"bridge/record", "TestNotRequesterNeedsAKnownAccountOverTheAPI"}},
			"Whose account a token for answers names is the operator's word.",
		},
		{
			"S7", "Several distinct people can be asked to agree",
			[]proof{{"bridge/record", "TestNoChoiceIsMadeByFewerPeopleThanItTakes"}, {"bridge/record", "TestVotesOfManyReplicasAreThoseOfOneList"}, {"bridge/record", "TestTheRequesterAndStrangersNeverCount"}, {"bridge", "TestARequestAsksForAsManyPeopleAsItsRouteAndTokenDo"}},
			"What a route or a token says of a label counts for what looks like that label: an agent that words its options otherwise is held to the number for all others, and one that gives something else a label which takes fewer to that. Who has two accounts on one platform counts twice where the operator has not listed them as one person under `people`; of people on two platforms who are not listed, those on one count.",
		},
		{
			"S8", "An agent's text can neither ring anybody nor format out of its place",
			[]proof{{"slack", "TestPostsPingNobodyAndCarryTheRequest"}, {"discord", "TestPostsCarryANonceAndPingNobody"}, {"render/components", "TestNothingFormatsThatAnAgentWrote"}, {"render/blockkit", "FuzzEscape"}, {"render/blockkit", "TestWhatAnAgentWroteIsShownByteForByte"}},
			"",
		},
		{
			"S9", "An agent's text cannot pass for the bridge's own: a fixed frame, the name from the token, control and direction characters taken out",
			[]proof{{"render", "TestCleanKeepsWhatReadersNeedAndDropsTheRest"}, {"api", "TestTheNameOnTheCardIsTheTokens"}, {"api", "TestNobodySpeaksOnTheCardOfAnotherAgent"}, {"ask", "TestValidateSaysWhatIsWrongAndWhere"}},
			"",
		},
		{
			"S10", "Limits hold before work is done: size, depth, lengths, duplicate and unknown members",
			[]proof{{"ask", "TestAMemberSentTwiceIsRefusedWithItsPlace"}, {"ask", "FuzzCheckMembers"}, {"ask", "FuzzDecodeRequest"}, {"api", "TestWhatABodyHasTwiceOrNobodyKnowsIsRefusedWithItsPlace"}, {"api", "TestAMemberThatIsMisspeltIsNotPassedOver"}, {"api", "TestTheLargestBodyIsRead"}, {"mcpserver", "TestABodyHasLimitsOfSizeAndTime"}, {"mcpserver", "TestOneBodyCannotAskThousandsOfQuestions"}},
			"",
		},
		{
			"S11", "What a person types is cleaned and capped before it is stored, told apart from an option, and carries who typed it",
			[]proof{{"api", "TestAQuestionComesBackAnswered"}, {"mcpserver", "TestTypedTextComesBackVerbatim"}},
			"",
		},
		{
			"S12", "Tokens are compared in constant time, carry scopes, places, a tenant, a rate and a quota, and two of them live side by side for rotation",
			[]proof{{"api", "TestScopes"}, {"api", "TestEveryRouteOpensToItsScopesAndToNoOther"}, {"api", "TestNoRouteTellsAnotherTenantsRequestFromNone"}, {"api", "TestCallersMustShowAToken"}, {"api", "TestAllowLists"}, {"api", "TestAnotherTenantsRequestLooksLikeNone"}, {"api", "TestWithoutTheScopeCancelNobodyReplacesWhatAnotherAgentHasAsked"}, {"api", "TestATokenCannotReachTheThreadOfAnotherChannel"}, {"access", "TestAgentsWithNamesThatLookAlikeAreRefused"}, {"api", "TestGuessingTokensIsSlowedDownAndDoesNotFillTheLog"}, {"api", "TestAStreamEndsWithTheTokenThatAReloadHasTakenAway"}, {"access", "TestNoTokenOfARevokedNameHolds"}},
			"Tokens of the configuration file have no expiry; one that is taken out counts until the file is read again, on SIGHUP or by askbridge config reload; then calls that wait and streams end with it, too. Those of askbridge token have one, and are refused at once.",
		},
		{
			"S13", "A token travels in a header only, where a client was told and not where a reply sends it on to, and replies are not kept by caches",
			[]proof{{"api", "TestCallersMustShowAToken"}, {"client", "TestATokenFollowsNobodysDirections"}, {"api", "TestASealedTokenAsksAndWaits"}},
			"",
		},
		{
			"S14", "Rates of calls and requests, waits and streams per token, quota of open requests, a queue per channel",
			[]proof{{"api", "TestTheRateOfAToken"}, {"api", "TestTheQuotaOfOpenRequests"}, {"discord", "TestALimitThatIsUsedUpIsNotRunInto"}, {"bridge", "TestAThousandRefusalsOfOneAgentHoldNobodyElsesCalls"}, {"api", "TestALoopThatOnlyLooksIsSlowedDown"}, {"api", "TestOneTokenCannotHoldEveryPlaceToWait"}, {"api", "TestOneTokenCannotHoldEveryStream"}, {"mcpserver", "TestATokenAsksNoMoreOverMCPThanItMay"}, {"mcpserver", "TestABatchCountsAsTheCallsThatAreInIt"}, {"mcpserver", "TestATokenHasAsManyCallsWaitOverMCPAsItMay"}, {"access", "TestWaitsEarnAtMostAMinuteOfCalls"}},
			"",
		},
		{
			"S15", "Slow and greedy clients are cut off; strangers cannot hold so many connections that health checks, agents or platform callbacks find none",
			[]proof{{"api", "TestSlowClientsAreCutOff"}, {"api", "TestAClientThatDoesNotReadIsCutOff"}, {"internal/connlimit", "TestNewcomersAreServedDuringAFlood"}, {"internal/connlimit", "TestAConnectionIsClosedInTime"}, {"api", "TestWaitsLeaveConnectionsForOthers"}, {"internal/app", "TestConnectionsLeaveRoomForTheProgramsOwnFiles"}, {"internal/connector", "TestStrangersCannotHaveMoreReadThanThereIsRoomFor"}},
			"",
		},
		{
			"S16", "Webhooks reach the open internet only, and there whom the operator lists; they follow no redirect, are signed with a secret that no other tenant has, and tell the agent nothing of our own network",
			[]proof{{"webhook", "TestNoAgentMakesUsCallOurOwnNetwork"}, {"webhook", "TestOnlyTheOpenInternetIsPublic"}, {"webhook", "TestAReceiverCanCheckWhatItGets"}, {"webhook", "TestAddressesThatWillNotDo"}, {"webhook", "TestAnAgentLearnsNothingOfOurNetworkFromItsWebhook"}, {"internal/app", "TestNoTenantSignsWithTheSecretOfAnother"}},
			"",
		},
		{
			"S17", "Secrets come from the environment or a file and are printed nowhere",
			[]proof{{"internal/app", "TestSecretsAppearNowhere"}, {"internal/config", "TestASecretPrintsNowhere"}, {"slack", "TestSettingsPrintWithoutSecrets"}, {"discord", "TestSettingsPrintWithoutSecrets"}, {"webhook", "TestSecretsAreCheckedAndNeverShown"}},
			"",
		},
		{
			"S18", "What is asked and answered stands in the log at debug level only",
			[]proof{{"api", "TestNothingThatIsAskedOrAnsweredStandsInTheLogAtInfo"}, {"internal/app", "TestTextsStandInNoLogAtInfo"}},
			"",
		},
		{
			"S19", "A log line cannot be forged by a name or a text, and a trail of who decided what, where it is switched on, not be changed unnoticed",
			[]proof{{"api", "TestTheLogTellsOfCallsButNotOfTheirContent"}, {"internal/audit", "TestAnyByteThatWasChangedIsFound"}, {"internal/audit", "TestAnyStoredByteThatWasChangedIsFound"}, {"internal/audit", "TestVerifyNamesALineThatWasInsertedTwice"}, {"internal/audit", "TestWhatWasDoneToATrailIsFound"}, {"internal/audit", "TestEventsThatAreMissingAreFound"}, {"internal/audit", "TestTwoExportersDoNotForkTheChain"}, {"bridge/record", "TestWhatIsDoneToARequestStandsInItsTrail"}},
			"Whoever has the trail's key can write another trail; heads that are kept elsewhere tell.",
		},
		{
			"S20", "Redis over TLS with a user who may do only what is needed",
			[]proof{{"store/redis", "TestRedisOverTLS"}, {"store/redis", "TestRedisRightsAreTheLeast"}, {"store/redis", "TestTheDocumentListsTheRightsOfTheUser"}},
			"",
		},
		{
			"S21", "The simulator's page answers this machine alone, under a strict policy, and other sites cannot act on it",
			[]proof{{"chatsim/page", "TestOnlyLoopbackNamesAreAnswered"}, {"chatsim/page", "TestOtherSitesCannotAct"}, {"chatsim/page", "TestEveryAnswerCarriesTheProtection"}, {"cmd/askbridge", "TestThePageIsForThisMachineAlone"}},
			"",
		},
		{
			"S22", "Without tokens the API and the MCP server answer direct calls under loopback names only, and not where a platform posts",
			[]proof{{"api", "TestWithoutTokensOnlyLocalCallersAreServed"}, {"internal/app", "TestOffLoopbackTheProgramWantsTokens"}, {"internal/app", "TestWithoutTokensOnlyLoopbackNamesAreServed"}, {"mcpserver", "TestEachCallComesFromWhoeverSentIt"}, {"internal/app", "TestWherePlatformsPostThereAreTokensOrAnotherAddress"}, {"internal/app", "TestAProxyThatRewritesHostDoesNotOpenTheAPIWithoutTokens"}, {"internal/app", "TestTheAddressOfThePlatformsServesNothingElse"}, {"internal/app", "TestACallUnderAForeignNameIsRefusedWhereNamesAreListed"}},
			"A proxy on the same machine that adds no header at all cannot be told from a program on it. With tokens any Host is answered unless hosts lists the names: a page in a browser has no token.",
		},
		{
			"S23", "Nothing for profiling or debugging is served",
			[]proof{{"api", "TestUnknownPathsAndMethodsGetProblems"}, {"api", "TestTheDocumentTellsEveryRoute"}},
			"",
		},
		{
			"S24", "A panic ends neither the program nor a loop, and tells the outside nothing",
			[]proof{{"api", "TestAPanicIsContained"}, {"slack", "TestAPanicIsContainedAndThePersonTold"}, {"discord", "TestAPanicIsContainedAndThePersonTold"}, {"discord", "TestAPanicOverOneMessageEndsNothing"}, {"slack", "TestAMessageThatBreaksTheDecoderCostsNobodyTheConnection"}},
			"",
		},
		{
			"S25", "What has ended is forgotten after its time",
			[]proof{{"store/redis", "TestRedisForgetsNoMoreThanItMust"}, {"store/file", "TestFile"}},
			"Until then whoever reads the store reads them, unless `encryption` is configured.",
		},
		{
			"S26", "Few dependencies, each with a reason, checked against their sums",
			[]proof{{"internal/arch", "TestTheDecisionRecordListsWhatIsUsedAndNothingElse"}},
			"`make tidy-check` verifies the sums; `make security` asks for known vulnerabilities where their database can be reached, and says loudly where not. No release has been signed yet.",
		},
		{
			"S27", "The apps ask for the scopes that are used and no more, and for no privileged intent",
			[]proof{{"slack", "TestTheListedScopesAreEnough"}, {"slack", "TestEachListedScopeIsUsed"}, {"discord/bundle", "TestTheInviteLinkAsksForWhatIsUsed"}, {"slack/bundle", "TestManifests"}},
			"",
		},
		{
			"S28", "A request's id cannot be guessed, and is never enough by itself",
			[]proof{{"bridge", "TestIdentityFollowsTenantSessionAndKey"}, {"api", "TestAnotherTenantsRequestLooksLikeNone"}, {"api", "TestCallersMustShowAToken"}},
			"",
		},
		{
			"S29", "A token that was made at run time ends: it expires, is replaced after a grace, or is revoked, and from then on no replica takes it and nobody who waits with it is told anything; the store holds its hash alone, and whoever asks cannot make one",
			[]proof{{"access", "TestATokenOnItsWay"}, {"access", "TestNobodyRemembersATokenInPlaceOfTheStore"}, {"api", "TestARevokedTokenIsToldNothingMore"}, {"api", "TestAQuietStreamEndsWithItsToken"}, {"mcpserver", "TestARevokedTokenIsToldNoAnswerAtTheEndOfItsWait"}, {"access", "TestWhatIsStoredTellsNobodyTheToken"}, {"api", "TestWhoMayMakeTokens"}, {"api", "TestWithoutTokensNobodyMakesAny"}, {"access", "TestATokenAndItsSuccessorShareTheirLimits"}},
			"A call of MCP that waits while the bridge stops is told that its request is still open after its token has ended, too.",
		},
		{
			"S30", "What is told of a person can be taken out of the trail, and the chain still proves the rest",
			[]proof{{"internal/audit", "TestWhatPeopleWroteCanBeErased"}},
			"The request itself keeps the answer until it is forgotten.",
		},
		{
			"S31", "The console is a page without data of its own, under a strict policy, which shows what the caller's token may see",
			[]proof{{"api", "TestTheConsoleIsServedWithAStrictPolicy"}, {"api", "TestTheConsoleShowsAndEndsRequestsInABrowser"}, {"api", "TestWhoeverForgetsATokenIsShownNothingThatWasOnItsWay"}},
			"",
		},
		{
			"S33", "Nobody answers a revision that they have not read: on a card, at a shell and over the API",
			[]proof{{"api", "TestAnAnswerToARevisedRequestNamesTheRevision"}, {"cmd/askbridge", "TestAPersonSeesAndActsAtAShell"}},
			"",
		},
		{
			"S34", "An answer over the API allows later calls only with the scope `grant`, and for no longer than its token holds",
			[]proof{{"api", "TestAnAnswerOverTheAPIAllowsLaterCallsOnlyWithTheScopeGrant"}, {"api", "TestAGrantMadeWithATokenEndsWithTheToken"}},
			"A restored backup brings back tokens and grants that were revoked since.",
		},
		{
			"S32", "People can tell the options of a question apart: labels that look alike are refused in every request, tool call and revision",
			[]proof{{"bridge", "TestLabelsThatLookAlikeAreRefused"}, {"api", "TestLookAlikeLabelsOfAToolCallAreRefused"}},
			"Letter case tells labels apart.",
		},
	}
}

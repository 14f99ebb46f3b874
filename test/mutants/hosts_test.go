package mutants

// hosts breaks the promises to users who let other people decide for their agents: who decides, and what they see.
func hosts() []mutant {
	return []mutant{
		broken("client: an unproved reply is accepted").
			in("client", "Client.once", when("$ && false", "proof")).
			fails("api", "TestImpostorGetsNoTokenAndCannotDecide", "Submit =").
			fails("api", "TestTamperingIsDetected", "was changed"),
		broken("API: the body of a sealed call may be another").
			in("api", "exchange.raw", drop("Holds")).
			fails("api", "TestTamperingIsDetected", "the body of a call was changed"),
		broken("API: a seal never goes stale").
			in("api", "exchange.unseal", never("Fresh")).
			fails("api", "TestSealExpires", "status 200, want 401"),
		broken("API: the hash of a token is enough to call").
			in("internal/proof", "Keys.Open", never("ConstantTimeCompare")).
			fails("internal/proof", "TestStolenHashCannotCall", "with"),
		broken("dialect: another host's name for several options is ignored").
			in("dialect/internal/question", "Set.several", dropCase("flag")).
			fails("api", "TestMultiSelectIsNeverSilentlySingle", "asked as"),
		broken("hook: a permission is for anyone who sees the card").
			in("hosts/claude", "Claude.Run", dropCase("Anyone")).
			fails("hosts/claude", "TestOnlyNamedPeopleAllow", "without responders"),
		broken("hook: a permission is asked of a bridge that proves nothing").
			in("hosts/claude", "Claude.Run", dropCase("Proves")).
			fails("hosts/claude", "TestPermissionNeedsVerifiedBridge", "no token:"),
		broken("hook: an impostor at the bridge's address names the file that it writes").
			in("client", "idForm", arg("MustCompile", 0, "`.`")).
			fails("hosts/claude", "TestImpostorCannotWriteFiles", "was written").
			fails("client", "TestWhatIsNoIDOfABridgeIsNotTakenForOne", "got <nil>"),
		broken("hook: the answer to a question sets other fields").
			in("hosts/claude", "answersOnly", call("only", `only(d, "behavior", "updatedInput", "message", "updatedPermissions")`, `"message"`)).
			fails("hosts/claude", "TestAnswerHasNoExtraOutput", "a rule that allows all"),
		broken("connect: the reply chooses where an answer goes").
			in("hosts/connect", "OpenCode.reply", when(`path == ""`, "MethodPost", `"/reply"`)).
			fails("hosts/connect", "TestAnswerGoesToItsOpenCodeQuestion", "was called"),
		broken("connect: a client that starts again rejects a question that the host's screen has").
			in("hosts/connect", "asker.handedOver", never("HasSuffix")).
			fails("hosts/connect", "TestExpiredQuestionStaysInOpenCode", "rejected"),
		broken("render: a permission card that has ended does not say what it was about").
			in("render", "permissionPreview", always("prompt")).
			fails("render", "TestCards/permission_allowed", "git push origin main"),
		broken("connect: permissions over ACP are decided by anyone").
			in("hosts/connect", "NewACPPipe", dropCase("Anyone")).
			fails("hosts/connect", "TestPermissionsOfACPNeedATokenAndSomeoneWhoDecides", "no one is named"),
		broken("connect: permissions over ACP are taken from a bridge that proves nothing").
			in("hosts/connect", "NewACPPipe", never("Proves")).
			fails("hosts/connect", "TestPermissionsOfACPNeedATokenAndSomeoneWhoDecides", "no token"),
		broken("connect: a card over ACP shows only what the request repeats").
			in("hosts/connect", "acpTalk.update", drop("Copy")).
			fails("hosts/connect", "TestPermissionShowsReportedToolCall", "Edit a.go"),
		broken("client: a token follows a redirect").
			in("client", "New", never("CheckRedirect")).
			fails("client", "TestTokenDoesNotFollowRedirects", "was sent elsewhere"),
		broken("hook: PreToolUse keeps the terminal where PermissionRequest comes too").
			in("hosts/claude", "Claude.comesLater", never("Beside", "Defer")).
			fails("hosts/claude", "TestFirstDecisionCountsInEveryMode/default/chat-first", "PreToolUse decides"),
		broken("hook: PreToolUse is silent where nothing else comes").
			in("hosts/claude", "Claude.comesLater", always("Mode")).
			fails("hosts/claude", "TestFirstDecisionCountsInEveryMode/dontAsk/chat-first", "no card"),
		broken("hook: a card outlives what the terminal has decided").
			in("hosts/claude", "Claude.closedIn", never("request", `""`)).
			fails("hosts/claude", "TestPermissionIsDecidedOnce/the terminal allows", "card: still asks"),
		broken("hook: what the terminal has decided is decided again").
			in("hosts/claude", "Claude.Run", drop("end")).
			fails("hosts/claude", "TestFirstDecisionCountsInEveryMode/default/terminal-first", "decides too late"),
		broken("hook: no note that the terminal overruled the answer").
			in("hosts/claude", "event.differs", swap("true", "false")).
			fails("hosts/claude", "TestOverruledAnswerIsReported/default-refused-and-allowed", "the card:"),
		broken("hook: an old refusal is held against a new decision").
			in("hosts/claude", "Claude.begin", drop("forgetSaid")).
			fails("hosts/claude", "TestRepeatedCallForgetsRefusal", "does not count"),
		broken("equal prompts: one that comes after the answer joins it").
			in("bridge/record", "Record.Join", never("Open")).
			fails("bridge/record", "TestEndedRequestIsNotJoined", "joined"),
		broken("equal prompts: one that comes while a decision can be undone counts among those decided").
			in("bridge/record", "Record.Join", never("Held")).
			fails("bridge", "TestPromptDuringHoldAsksAgain", "joined by 3"),
		broken("hook: equal prompts are asked apart").
			in("hosts/claude", "Claude.toolCall", drop("Same")).
			fails("hosts/claude", "TestEqualPromptsShareACardThatStaysForTheOther", "2 cards"),
		broken("hook: the card of two equal prompts is closed with the first").
			in("hosts/claude", "Claude.closedIn", always("waitedFor")).
			fails("hosts/claude", "TestEqualPromptsShareACardThatStaysForTheOther", "with one of them decided"),
		broken("equal requests: an answer counts for what is asked later").
			in("bridge/internal/intake", "Intake.SubmitSame", never("Open")).
			in("bridge/internal/intake", "Intake.open", never("Open")).
			fails("bridge", "TestEndedRequestIsAskedAgain", "as it ended"),
		broken("equal requests: sessions share them").
			in("bridge/internal/intake", "Intake.alikeOf", swap("Session", "Session[:0]")).
			fails("bridge", "TestDifferentRequestsAreSeparate", "is taken for"),
		broken("equal requests: another context is the same").
			in("bridge/internal/intake", "Intake.alikeOf", omit("Context")).
			fails("bridge", "TestDifferentRequestsAreSeparate", "is taken for"),
		broken("equal requests: what its token demands is no part of one").
			in("bridge/internal/intake", "Intake.alikeOf", omit("Token")).
			fails("bridge", "TestDifferentRequestsAreSeparate", "is taken for"),
		broken("equal requests: one that was revised answers what it asked before").
			in("bridge/internal/intake", "Intake.SubmitSame", never("Revised")).
			fails("bridge", "TestRevisedRequestIsNotShared", "waits for revision 1"),
		broken("connect: anybody decides about OpenCode's permissions").
			in("hosts/connect", "NewOpenCode", dropCase("Anyone")).
			fails("hosts/connect", "TestOnlyNamedPeopleDecideForOpenCode", "no responders"),
		broken("connect: a bridge that proves nothing decides about OpenCode's permissions").
			in("hosts/connect", "NewOpenCode", never("Proves")).
			fails("hosts/connect", "TestOnlyNamedPeopleDecideForOpenCode", "a bridge that proves nothing"),
		broken("hook: a terminal that was quicker than the hook leaves a card").
			in("hosts/claude", "Claude.begin", never("IsZero")).
			fails("hosts/claude", "TestTerminalDecisionBeforeHookPostsNoCard/default-question", "1 cards"),
		broken("hook: a session closes the cards of another").
			in("hosts/claude", "Claude.folder", swap("Session", "Agent")).
			fails("hosts/claude", "TestAnotherSessionsCardStays", "card: the terminal has moved on"),
		broken("permissions: what is kept reaches beyond the ceiling").
			in("dialect", "claudeSuggestionText", never("allows")).
			fails("dialect", "TestCeilingLimitsPersistentApprovals", "got 4 persistent options"),
		broken("permissions: all that a tool does is offered from then on").
			in("dialect", "claudeRules", never("Trim")).
			fails("dialect", "TestPersistentApprovalsDescribeTheirScope/a whole tool", "persistent option: Allow for this session"),
		broken("permissions: a suggestion is offered without all it does").
			in("dialect", "claudeSuggestionText", never("len(f)")).
			fails("dialect", "TestPersistentApprovalsDescribeTheirScope/unknown members", "persistent option: Allow for this session"),
		broken("permissions: what another host keeps reaches beyond the ceiling").
			in("dialect", "call.askFor", drop("Persist")).
			fails("dialect", "TestOutcomes/codex.command", "request.txt"),
		broken("permissions: an agent over ACP may switch its mode").
			in("dialect", "acpOptions", drop("switchesMode")).
			fails("dialect", "TestACPModeSwitchesAreNotOffered", "offered"),
		broken("permissions: one tap allows what the host is wary of").
			in("dialect", "claudePrompt.ask", never("HighRisk")).
			fails("dialect", "TestDefaultToNoRequiresConfirmation", "high risk false, want true"),
		broken("format: an older build takes one tap for what has to be submitted").
			in("store/internal/codec", "formatOf", never("Confirm")).
			fails("store/internal/codec", "TestFormat/confirm", "want prefix"),
		broken("permissions: an agent's ceiling is not gone by").
			in("api", "readToolCall", set("Persist", "dialect.PersistUser")).
			fails("api", "TestPersistLimitsPermissionReach", "options"),
		broken("API: a permission is for anyone who sees the card").
			in("api", "takeTool", drop("Permission")).
			fails("api", "TestPermissionNeedsNamedResponders", "want 422"),
		broken("permissions: a member in other letters counts as another").
			in("dialect/internal/operation", "Permit", within("Alike", never("err"))).
			fails("hosts/claude", "TestWhatCannotBeShownIsNotApproved", "1 messages"),
		broken("permissions: a command hides what is not printed").
			in("dialect/internal/preview", "AsIs", never("Plain")).
			fails("hosts/claude", "TestWhatIsShownIsWhatRuns", "u202e"),
		broken("permissions: a command seems to go on in the next line").
			in("internal/visible", "Plain", never("MatchString")).
			fails("dialect", "TestSpaceAfterBackslashIsVisible", "Bash: card shows"),
		broken("permissions: a command is shown in another order than it runs in").
			in("internal/visible", "Plain", never("turned")).
			fails("internal/visible", "TestNoOperatorIsSeenInAnotherPlaceThanItRunsIn", "plain is true"),
		broken("permissions: a command is shown without what changes it").
			in("dialect/internal/preview", "ToolInput", arg("WithRest", 1, "nil")).
			fails("hosts/claude", "TestWhatIsShownIsWhatRuns", "dangerouslyDisableSandbox"),
		broken("connect: an agent is started with the token").
			in("hosts/connect", "Pipe.Command", set("Env", "os.Environ()")).
			fails("cmd/askbridge", "TestConnectPipeHidesToken", "agent environment has"),
		broken("terminal: what others wrote goes there as it is").
			in("cmd/askbridge", "run", drop("printed")).
			fails("cmd/askbridge", "TestAnswerIsEscapedOnTerminal", "terminal has"),
	}
}

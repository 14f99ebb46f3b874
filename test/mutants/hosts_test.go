package mutants

// hosts break what is promised to those who let people decide for their agents:
// who decides, and what they see.
func hosts() []mutant {
	return []mutant{
		{
			name:    "client: a reply that nobody has proved is taken",
			edits:   []edit{{"client/client.go", "if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) {", "if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) && resp.StatusCode > 599 {"}},
			killers: []killer{{"api", "TestAnImpostorNeitherGetsTheTokenNorDecides", "Submit ="}, {"api", "TestNobodyOnTheWayChangesAnything", "was changed"}},
		},
		{
			name:    "API: the body of a sealed call may be another",
			edits:   []edit{{"api/exchange.go", "x.sealed != nil && !x.sealed.Holds(data)", "false"}},
			killers: []killer{{"api", "TestNobodyOnTheWayChangesAnything", "the body of a call was changed"}},
		},
		{
			name:    "API: a seal never goes stale",
			edits:   []edit{{"api/proof.go", "!o.Fresh(time.Now())", "false"}},
			killers: []killer{{"api", "TestASealGoesStale", "status 200, want 401"}},
		},
		{
			name:    "API: the hash of a token is enough to call",
			edits:   []edit{{"internal/proof/proof.go", "subtle.ConstantTimeCompare(hash[:], k.hash[:]) != 1", "subtle.ConstantTimeCompare(hash[:], k.hash[:]) > 1"}},
			killers: []killer{{"internal/proof", "TestAStolenHashDoesNotCall", "with"}},
		},
		{
			name:    "dialect: another host's name for several options is ignored",
			edits:   []edit{{"dialect/several.go", "case len(own) > 0 && (flag || is):", "case false:"}},
			killers: []killer{{"api", "TestChooseSeveralNeverBecomesChooseOneSilently", "asked as"}},
		},
		{
			name:    "hook: a permission is for whoever sees the card",
			edits:   []edit{{"hosts/claude/claude.go", "case len(h.opts.Responders) == 0 && !h.opts.Anyone:", "case false:"}},
			killers: []killer{{"hosts/claude", "TestNobodyAllowsWhoIsNotNamed", "with nobody named"}},
		},
		{
			name:    "hook: a permission is asked of a bridge that proves nothing",
			edits:   []edit{{"hosts/claude/claude.go", "case !h.client.Proves():", "case false:"}},
			killers: []killer{{"hosts/claude", "TestAPermissionNeedsABridgeThatProvesItself", "no token:"}},
		},
		{
			name:    "hook: whoever listens at the bridge's address names the file that it writes",
			edits:   []edit{{"client/ids.go", "^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$", "."}},
			killers: []killer{{"hosts/claude", "TestNobodyAtTheBridgesPortHasAFileWritten", "was written"}, {"client", "TestWhatIsNoIDOfABridgeIsNotTakenForOne", "got <nil>"}},
		},
		{
			name:    "hook: whoever answers a question allows whatever else they like",
			edits:   []edit{{"hosts/claude/unproved.go", `"behavior", "updatedInput", "message")`, `"behavior", "updatedInput", "message", "updatedPermissions")`}},
			killers: []killer{{"hosts/claude", "TestWhoeverAnswersAQuestionSaysNothingBesides", "a rule that allows all"}},
		},
		{
			name:    "connect: an answer goes wherever the reply says",
			edits:   []edit{{"hosts/connect/opencode.go", `if method != http.MethodPost || path != route+"/reply" && path != route+"/reject" {`, `if path == "" {`}},
			killers: []killer{{"hosts/connect", "TestAnAnswerGoesNowhereInOpenCodeButToItsQuestion", "was called"}},
		},
		{
			name:    "client: a token follows a redirect",
			edits:   []edit{{"client/client.go", "c.sealer != nil || c.opts.HTTP.CheckRedirect == nil {", "c.sealer != nil {"}},
			killers: []killer{{"client", "TestATokenFollowsNobodysDirections", "was sent elsewhere"}},
		},
		{
			name:    "hook: PreToolUse keeps the terminal where PermissionRequest comes too",
			edits:   []edit{{"hosts/claude/claude.go", "return h.opts.Beside != \"\" && !h.opts.Defer &&", "return false &&"}},
			killers: []killer{{"hosts/claude", "TestWhoeverIsFirstCountsInEveryMode/default/chat-first", "PreToolUse decides"}},
		},
		{
			name:    "hook: PreToolUse is silent where nothing else comes",
			edits:   []edit{{"hosts/claude/claude.go", "e.Mode != modeDontAsk", "true"}},
			killers: []killer{{"hosts/claude", "TestWhoeverIsFirstCountsInEveryMode/dontAsk/chat-first", "nobody is asked"}},
		},
		{
			name:    "hook: a card outlives what the terminal has decided",
			edits:   []edit{{"hosts/claude/beside.go", "if request := string(id); request != \"\" &&", "if request := string(id); request == \"-\" &&"}},
			killers: []killer{{"hosts/claude", "TestAPermissionIsDecidedOnce/the terminal allows", "the card: still asks"}},
		},
		{
			name:    "hook: what the terminal has decided is decided again",
			edits:   []edit{{"hosts/claude/claude.go", "if q.turn.end() && !q.answered {", "if q.turn.end() && false {"}},
			killers: []killer{{"hosts/claude", "TestWhoeverIsFirstCountsInEveryMode/default/terminal-first", "decides too late"}},
		},
		{
			name:    "hook: nobody is told that the terminal overruled them",
			edits:   []edit{{"hosts/claude/overruled.go", "if !d.allows() {\n\t\treturn true", "if !d.allows() {\n\t\treturn false"}},
			killers: []killer{{"hosts/claude", "TestAnAnswerThatTheTerminalOverruledSaysSo/default-refused-and-allowed", "the card:"}},
		},
		{
			name:    "hook: an old refusal is held against a new decision",
			edits:   []edit{{"hosts/claude/beside.go", "\tforgetSaid(folder, e.call())\n", ""}},
			killers: []killer{{"hosts/claude", "TestARefusalIsForgottenWhenTheCallIsAskedAgain", "does not count"}},
		},
		{
			name:    "equal prompts: one that comes after the answer joins it",
			edits:   []edit{{"bridge/record/hand.go", "	if !r.Open() || r.Held != nil {\n", "	if r.Held != nil {\n"}},
			killers: []killer{{"bridge/record", "TestWhatHasEndedIsNotJoined", "joined"}},
		},
		{
			name:    "equal prompts: one that comes while a decision can be undone counts among those decided",
			edits:   []edit{{"bridge/record/hand.go", "!r.Open() || r.Held != nil {", "!r.Open() {"}},
			killers: []killer{{"bridge", "TestAPromptThatComesWhileADecisionCanBeUndoneAsksAnew", "joined by 3"}},
		},
		{
			name:    "hook: equal prompts are asked apart",
			edits:   []edit{{"hosts/claude/claude.go", "t.call.Same = ask.SameSession // It has no id.", "_ = ask.SameSession"}},
			killers: []killer{{"hosts/claude", "TestEqualPromptsShareACardThatStaysForTheOther", "2 cards"}},
		},
		{
			name:    "hook: the card of two equal prompts is closed with the first",
			edits:   []edit{{"hosts/claude/beside.go", "&& !waitedFor(folder, request) {", "{"}},
			killers: []killer{{"hosts/claude", "TestEqualPromptsShareACardThatStaysForTheOther", "with one of them decided"}},
		},
		{
			name: "equal requests: an answer counts for what is asked later",
			edits: []edit{
				{"bridge/same.go", "return err == nil && !r.Open()", "return err == nil && !r.Open() && false"},
				{"bridge/same.go", "		case !s.Record.Open():\n", "		case false:\n"},
			},
			killers: []killer{{"bridge", "TestWhatHasEndedIsAskedAnew", "as it ended"}},
		},
		{
			name:    "equal requests: sessions share them",
			edits:   []edit{{"bridge/same.go", "session: req.Session}", `session: req.Session[:0]}`}},
			killers: []killer{{"bridge", "TestWhatDiffersIsAskedApart", "is taken for"}},
		},
		{
			name:    "equal requests: another context is the same",
			edits:   []edit{{"bridge/same.go", "req.Agent, req.Context,", "req.Agent,"}},
			killers: []killer{{"bridge", "TestWhatDiffersIsAskedApart", "is taken for"}},
		},
		{
			name:    "equal requests: what its token demands is no part of one",
			edits:   []edit{{"bridge/same.go", "req.Token, req.Unbound,", "req.Unbound,"}},
			killers: []killer{{"bridge", "TestWhatDiffersIsAskedApart", "is taken for"}},
		},
		{
			name:    "equal requests: one that was revised answers what it asked before",
			edits:   []edit{{"bridge/same.go", "case s.Record.Revised > 0 || ", "case "}},
			killers: []killer{{"bridge", "TestWhatWasRevisedAnswersNobodyWhoAsksWhatItAskedBefore", "waits for revision 1"}},
		},
		{
			name:    "connect: anybody decides about OpenCode's permissions",
			edits:   []edit{{"hosts/connect/opencode.go", "case len(opts.Responders) == 0 && !opts.Anyone:", "case false:"}},
			killers: []killer{{"hosts/connect", "TestNobodyDecidesAboutOpenCodeWhoIsNotNamed", "nobody named"}},
		},
		{
			name:    "connect: a bridge that proves nothing decides about OpenCode's permissions",
			edits:   []edit{{"hosts/connect/opencode.go", "case !bridge.Proves():", "case false:"}},
			killers: []killer{{"hosts/connect", "TestNobodyDecidesAboutOpenCodeWhoIsNotNamed", "a bridge that proves nothing"}},
		},
		{
			name:    "hook: a terminal that was quicker than the hook leaves a card",
			edits:   []edit{{"hosts/claude/beside.go", "!began.IsZero() && tookSince(", "false && tookSince("}},
			killers: []killer{{"hosts/claude", "TestATerminalThatIsQuickerThanTheHookStartsLeavesNoCard/default-question", "1 cards"}},
		},
		{
			name:    "hook: a session closes the cards of another",
			edits:   []edit{{"hosts/claude/beside.go", "name := digest(e.Session)", "name := digest(e.Agent)"}},
			killers: []killer{{"hosts/claude", "TestAnotherSessionsCardStays", "the card: the terminal has moved on"}},
		},
		{
			name:    "permissions: what is kept reaches beyond the ceiling",
			edits:   []edit{{"dialect/claudepersist.go", "!c.opts.Persist.allows(to.level)", "false"}},
			killers: []killer{{"dialect", "TestNothingIsKeptBeyondTheCeiling", "4 are offered"}},
		},
		{
			name:    "permissions: all that a tool does is offered from then on",
			edits:   []edit{{"dialect/claudepersist.go", `strings.Trim(content, " :*") == ""`, "false"}},
			killers: []killer{{"dialect", "TestWhatIsKeptIsSaidInFull/all that a tool does", "offered as Allow for this session"}},
		},
		{
			name:    "permissions: a suggestion is offered without all it does",
			edits:   []edit{{"dialect/claudepersist.go", "!ok || !known || len(f) > 0 ||", "!ok || !known ||"}},
			killers: []killer{{"dialect", "TestWhatIsKeptIsSaidInFull/members unknown", "offered as Allow for this session"}},
		},
		{
			name:    "permissions: what another host keeps reaches beyond the ceiling",
			edits:   []edit{{"dialect/prompt.go", `w.reach != "" && !c.opts.Persist.allows(w.reach)`, "false"}},
			killers: []killer{{"dialect", "TestEveryEndingOfEveryDialect/codex.command", "request.txt"}},
		},
		{
			name:    "permissions: an agent over ACP may switch its mode",
			edits:   []edit{{"dialect/acpoptions.go", `!refuses && switchesMode(id, o.Label)`, "false"}},
			killers: []killer{{"dialect", "TestOptionsThatSwitchTheModeOfAnAgentAreNotOffered", "offered"}},
		},
		{
			name:    "permissions: one tap allows what the host is wary of",
			edits:   []edit{{"ask/request.go", "q.Notes || q.Confirm ||", "q.Notes ||"}},
			killers: []killer{{"dialect", "TestNoSingleTapAllowsWhatTheHostIsWaryOf", "asked as"}},
		},
		{
			name:    "format: an older build takes one tap for what has to be submitted",
			edits:   []edit{{"store/internal/codec/codec.go", "return q.Confirm })", "return false })"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesWhatOneTapMustNotDecide", "want the format"}},
		},
		{
			name:    "permissions: an agent's ceiling is not gone by",
			edits:   []edit{{"api/tool.go", "dialect.Options{Persist: dialect.Persist(x.who.Persist),", "dialect.Options{Persist: dialect.PersistUser,"}},
			killers: []killer{{"api", "TestAnOperatorSaysHowFarAPermissionReaches", "options"}},
		},
		{
			name:    "API: a permission is for whoever sees the card",
			edits:   []edit{{"api/tool.go", "got.Permission && beside.Responders == nil", "false"}},
			killers: []killer{{"api", "TestAPermissionIsForWhoeverIsNamed", "want 422"}},
		},
		{
			name:    "permissions: a member in other letters counts as another",
			edits:   []edit{{"dialect/permission.go", "if err := strictjson.Alike(input); err != nil {", "if err := strictjson.Alike(input); err != nil && false {"}},
			killers: []killer{{"hosts/claude", "TestWhatCannotBeShownIsNotApproved", "1 messages"}},
		},
		{
			name:    "permissions: a command hides what is not printed",
			edits:   []edit{{"dialect/shown.go", "if !visible.Plain(text) || likePart", "if likePart"}},
			killers: []killer{{"hosts/claude", "TestWhatIsShownIsWhatRuns", "u202e"}},
		},
		{
			name:    "permissions: a command seems to go on in the next line",
			edits:   []edit{{"internal/visible/visible.go", "if seemsToGoOn.MatchString(text) || ", "if "}},
			killers: []killer{{"dialect", "TestACommandThatOnlySeemsToGoOnIsShownAsItIs", "Bash is shown as"}},
		},
		{
			name:    "permissions: a command is shown in another order than it runs in",
			edits:   []edit{{"internal/visible/visible.go", " || turned(text) {", " {"}},
			killers: []killer{{"internal/visible", "TestNoOperatorIsSeenInAnotherPlaceThanItRunsIn", "plain is true"}},
		},
		{
			name:    "permissions: a command is shown without what changes it",
			edits:   []edit{{"dialect/shown.go", "return withRest(asIs(command), rest), words, f", "return withRest(asIs(command), nil), words, f"}},
			killers: []killer{{"hosts/claude", "TestWhatIsShownIsWhatRuns", "dangerouslyDisableSandbox"}},
		},
		{
			name:    "connect: an agent is started with the token",
			edits:   []edit{{"hosts/connect/process.go", "cmd.Env = withoutOurs(os.Environ())", "cmd.Env = os.Environ()"}},
			killers: []killer{{"cmd/askbridge", "TestAnAgentIsStartedWithoutTheToken", "the agent sees"}},
		},
		{
			name:    "terminal: what others wrote goes there as it is",
			edits:   []edit{{"cmd/askbridge/root.go", "stdout, stderr = printed(stdout), printed(stderr)", "_ = printed"}},
			killers: []killer{{"cmd/askbridge", "TestAnAnswerDoesNothingToATerminal", "the terminal gets"}},
		},
	}
}

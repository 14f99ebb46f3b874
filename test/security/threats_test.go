package security

// threats are who might want what, and what stands against it.
func threats() []promise {
	return []promise{
		{"an agent that wants to approve itself", "It names no approvers beyond what its token and route allow, and never its requester where that is excluded", []proof{{"mcpserver", "TestWhoAsksIsNotTheAgentsToSay"}}, "A token without a floor lets its agent name whoever the operator's defaults allow."},
		{"a colleague who sees a permission that is not theirs to give", "Permission prompts and plans want named responders, or the explicit word that anyone may", []proof{{"hosts/claude", "TestNobodyAllowsWhoIsNotNamed"}, {"api", "TestAPermissionIsForWhoeverIsNamed"}}, ""},
		{"an agent that shows one thing and does another", "What stands on the card is the whole of what will be done, hidden characters spelled, or nobody is asked; what was shown is what is handed back", []proof{{"hosts/claude", "TestWhatCannotBeShownIsNotApproved"}, {"hosts/claude", "TestWhatIsShownIsWhatRuns"}, {"internal/strictjson", "TestNothingHidesInWhatIsShown"}, {"dialect", "TestEveryEndingOfEveryDialect"}}, "Look-alike letters of other alphabets are shown as they are. A request over ACP whose agent sends no input shows the agent's title alone."},
		{"another program at the bridge's address, or on the way there", "Commands seal the token and take only replies that the bridge has proved", []proof{{"api", "TestAnImpostorNeitherGetsTheTokenNorDecides"}, {"api", "TestNobodyOnTheWayChangesAnything"}, {"api", "TestASealGoesStale"}, {"hosts/claude", "TestAnImpostorAllowsNothing"}, {"hosts/claude", "TestAPermissionNeedsABridgeThatProvesItself"}}, "Without a token there is nothing to prove by: questions are answered by whoever listens, permissions are not asked. Without TLS what is asked can be read."},
		{"a project whose settings lead the hook elsewhere", "The hook goes by its command alone and reads no environment", []proof{{"cmd/askbridge", "TestAProjectCannotSendTheHookElsewhere"}}, "A project that the user trusts may bring hooks of its own, which Claude Code runs beside ours."},
		{"whatever an agent runs in its shell", "The token stands in a file of the user's own and not in the environment of the agent", []proof{{"cmd/askbridge", "TestAnAgentIsStartedWithoutTheToken"}, {"cmd/askbridge", "TestScripts"}}, "What runs as the user can read the user's files. With the token it can ask; to allow something it would have to take the bridge's place too."},
	}
}

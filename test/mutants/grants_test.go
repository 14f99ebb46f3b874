package mutants

// granting breaks grants and reused answers.
func granting() []mutant {
	const nothingElse = "TestGrantCoversOnlyEqualCalls/"
	return []mutant{
		broken("operation: the folder is not covered").
			in("dialect/internal/operation", "Describe", set("Folder", `s.Text("cwd", f["cwd"])[:0]`)).
			fails("api", "TestSameCommandInTwoFoldersAsksTwice", "share one card").
			fails("dialect", "TestCardShowsTheCompleteFolder", "card shows"),
		broken("operation: the environment is not covered").
			in("dialect/internal/operation", "Describe", call("Text", "$[:0]", `"environmentId"`)).
			fails("api", "TestGrantForStagingDoesNotCoverProduction", "is answered"),
		broken("operation: requests are compared without it").
			in("bridge/internal/intake", "fingerprint", never("Operation")).
			fails("bridge", "TestDifferentRequestsAreSeparate", "is taken for"),
		broken("operation: every tool is a shell whose description does not count").
			in("dialect", "call.isShell", when("tool != claudePlan", "Contains")).
			fails("api", "TestToolThatOnlyLooksLikeAShellShowsItsWholeInput", "the other ticket is answered"),
		broken("a grant across sessions is offered without a folder").
			in("ask", "Permit.Offer", within("reach", never("Folder"))).
			fails("api", "TestNoGrantAcrossSessionsWithoutFolder", "is offered: true"),
		broken("permissions: a command spells another part of the card").
			in("dialect/internal/preview", "AsIs", never("likePart")).
			in("dialect/internal/preview", "AsIs", never("Imitates")).
			fails("dialect", "TestDifferentInputsNeverLookAlike", "both show").
			fails("dialect", "TestSameCardMeansSameOperation", "look alike"),
		broken("an answer over the API makes a grant without the scope for it").
			in("access", "Caller.Answer", arg("May", 0, "Answer")).
			fails("api", "TestGrantOverAPINeedsScope", "status 200, want 403"),
		broken("a grant outlives the token that it was made with").
			in("bridge/internal/state", "Grants.counts", returns("true, nil", "Token")).
			fails("api", "TestGrantEndsWithItsToken", "afterwards the same call is answered, want open"),
		broken("a grant meets every call of the agent").
			in("bridge/internal/state", "Grants.id", omit("Key")).
			fails("bridge", nothingElse+"another_call", "taken for allowed").
			fails("api", "TestGrantLifecycle", ""),
		broken("a grant of one session meets every other").
			in("bridge/internal/state", "Grants.id", swap("Session", "Session[:0]")).
			fails("bridge", nothingElse+"another_session", "taken for allowed"),
		broken("a grant meets the agent of another tenant").
			in("bridge/internal/state", "Grants.id", omit("Tenant")).
			fails("bridge", nothingElse+"another_tenant", "taken for allowed"),
		broken("a grant meets what other people decide").
			in("bridge/internal/state", "Grants.id", omit("Policy")).
			fails("bridge", nothingElse+"other_people", "taken for allowed"),
		broken("a grant meets what one person alone is asked").
			in("bridge/internal/state", "Grants.id", omit("reach")).
			fails("bridge", nothingElse+"one_person_alone", "taken for allowed").
			fails("bridge", "TestGrantDependsOnResponders/it_was_passed_on_to_them", "what only U1 may allow"),
		broken("a handover below a person's own card lets others allow").
			in("bridge/internal/state", "reach", never("Pass")).
			fails("bridge", "TestGrantDependsOnResponders/it_was_passed_on_to_who_had_a_card", "what only U1 may allow"),
		broken("a grant meets what several people decide").
			in("bridge/internal/state", "Grants.May", never("Voting")).
			fails("bridge", "TestVotesOfferNoGrant", "4 options"),
		broken("a grant outlives the ceiling that was lowered").
			in("store/keyvalue", "Grants.Use", never("Before")).
			fails("bridge", nothingElse+"a_shorter_time", "taken for allowed"),
		broken("a revoked grant goes on").
			in("bridge/storage", "Grant.Holds", always("IsZero")).
			fails("bridge", "TestRevokedGrantStaysRevoked", "it is allowed by"),
		broken("a revoked grant comes back with its card").
			in("store/keyvalue", "Grants.Make", never("Request")).
			fails("bridge", "TestRevokedGrantStaysRevoked", "it is allowed by"),
		broken("another tenant revokes a grant").
			in("store/keyvalue", "Grants.Revoke", omit("Tenant")).
			fails("bridge", "TestRevokedGrantStaysRevoked", "another tenant revokes it"),
		broken("another tenant sees a grant").
			in("store/keyvalue", "Grants.List", always("Tenant", "all")).
			fails("api", "TestGrantLifecycle", "another tenant sees"),
		broken("a channel's prompt is decided without an answer").
			in("mcpserver", "relay.ask", within("End", instead(`verdict = "deny"`, "return"))).
			fails("mcpserver", "TestUnansweredChannelPromptSendsNoVerdict", "got {"),
		broken("a channel's prompt is put up in part").
			in("mcpserver", "relay.takes", swap("maxPreview", "2*maxPreview", "Preview")).
			fails("mcpserver", "TestWhatCannotBeShownWholeIsNotRelayed", "too long: 1 cards"),
		broken("permissions are handed on").
			in("bridge/internal/intake", "Intake.SubmitSame", always("!req.Permission")).
			in("bridge/record", "Record.HandOn", never("Permit")).
			fails("bridge", "TestOnlySinglePersonAnswerIsHandedOn/a_permission", "handed on: true"),
		broken("votes are handed on").
			in("bridge/record", "Record.HandOn", never("Voting")).
			fails("bridge", "TestOnlySinglePersonAnswerIsHandedOn/a_vote", "handed on: true"),
		broken("old answers are handed on").
			in("bridge/record", "Record.HandOn", never("Add")).
			fails("bridge", "TestRecentAnswerIsHandedOn", "after its time: true"),
	}
}

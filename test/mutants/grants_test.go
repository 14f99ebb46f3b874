package mutants

// granting breaks what people allow for a time, and what is handed on.
func granting() []mutant {
	const grants, kept, hand = "bridge/grants.go", "store/keyvalue/grants.go", "bridge/record/hand.go"
	const nothingElse = "TestAGrantMeetsNothingElse/"
	return []mutant{
		{
			name:    "operation: the folder is not covered",
			edits:   []edit{{"dialect/operation.go", `Folder: c.text("cwd", f["cwd"]),`, `Folder: c.text("cwd", f["cwd"])[:0],`}},
			killers: []killer{{"api", "TestSameCommandInTwoFoldersAsksTwice", "share one card"}, {"dialect", "TestCardShowsTheCompleteFolder", "is shown as"}},
		},
		{
			name:    "operation: the environment is not covered",
			edits:   []edit{{"dialect/operation.go", `Environment: c.text("environmentId", f["environmentId"]),`, `Environment: c.text("environmentId", f["environmentId"])[:0],`}},
			killers: []killer{{"api", "TestGrantForStagingDoesNotCoverProduction", "is answered"}},
		},
		{
			name:    "operation: requests are compared without it",
			edits:   []edit{{"bridge/id.go", `add(!r.Operation.IsZero(), "operation", &r.Operation)`, `add(false, "operation", &r.Operation)`}},
			killers: []killer{{"bridge", "TestWhatDiffersIsAskedApart", "is taken for"}},
		},
		{
			name:    "operation: every tool is a shell whose description does not count",
			edits:   []edit{{"dialect/operation.go", "return slices.Contains(shells[c.dialect.Family], tool)", "return tool != claudePlan"}},
			killers: []killer{{"api", "TestToolThatOnlyLooksLikeAShellShowsItsWholeInput", "the other ticket is answered"}},
		},
		{
			name:    "a grant across sessions is offered without a folder",
			edits:   []edit{{"ask/permit.go", ` || op.Folder == "")`, ")"}},
			killers: []killer{{"api", "TestNoGrantAcrossSessionsWithoutFolder", "is offered: true"}},
		},
		{
			name:    "permissions: a command spells another part of the card",
			edits:   []edit{{"dialect/shown.go", "if !visible.Plain(text) || likePart.MatchString(text) || imitates(text) {", "if !visible.Plain(text) {"}},
			killers: []killer{{"dialect", "TestTwoDifferentInputsNeverLookAlike", "both show"}, {"dialect", "TestWhatTheCardShowsIsWhatIsAllowed", "look alike"}},
		},
		{
			name:    "an answer over the API makes a grant without the scope for it",
			edits:   []edit{{"access/grants.go", "if c.May(Grant) == nil {", "if c.May(Answer) == nil {"}},
			killers: []killer{{"api", "TestAnAnswerOverTheAPIAllowsLaterCallsOnlyWithTheScopeGrant", "status 200, want 403"}},
		},
		{
			name:    "a grant outlives the token that it was made with",
			edits:   []edit{{"bridge/grants.go", "return (*judge)(ctx, grant.Token)", "return true, nil"}},
			killers: []killer{{"api", "TestAGrantMadeWithATokenEndsWithTheToken", "afterwards the same call is answered, want open"}},
		},
		{
			name:    "a grant meets every call of the agent",
			edits:   []edit{{grants, "session, r.Permit.Key, r.Policy", "session, r.Policy"}},
			killers: []killer{{"bridge", nothingElse + "another_call", "taken for allowed"}, {"api", "TestAPersonAllowsACallForATimeAndRevokesThat", ""}},
		},
		{
			name:    "a grant of one session meets every other",
			edits:   []edit{{grants, "session := r.Session\n", "session := r.Session[:0]\n"}},
			killers: []killer{{"bridge", nothingElse + "another_session", "taken for allowed"}},
		},
		{
			name:    "a grant meets the agent of another tenant",
			edits:   []edit{{grants, `"grant", r.Tenant, r.Agent,`, `"grant", r.Agent,`}},
			killers: []killer{{"bridge", nothingElse + "another_tenant", "taken for allowed"}},
		},
		{
			name:    "a grant meets what other people decide",
			edits:   []edit{{grants, "r.Permit.Key, r.Policy.String(), reach(r)))", "r.Permit.Key, reach(r)))"}},
			killers: []killer{{"bridge", nothingElse + "other_people", "taken for allowed"}},
		},
		{
			name:    "a grant meets what one person alone is asked",
			edits:   []edit{{grants, "r.Policy.String(), reach(r)))", "r.Policy.String()))"}},
			killers: []killer{{"bridge", nothingElse + "one_person_alone", "taken for allowed"}, {"bridge", "TestWhoWasLetAnswerOneCallAllowsNoOther/it_was_passed_on_to_them", "what only U1 may allow"}},
		},
		{
			name:    "whom a call was passed on to below their own card allows others",
			edits:   []edit{{grants, "step.Pass != nil {", "false {"}},
			killers: []killer{{"bridge", "TestWhoWasLetAnswerOneCallAllowsNoOther/it_was_passed_on_to_who_had_a_card", "what only U1 may allow"}},
		},
		{
			name:    "a grant meets what several people decide",
			edits:   []edit{{grants, "g.store != nil && r.Voting == nil && key", "g.store != nil && key"}},
			killers: []killer{{"bridge", "TestNothingIsOfferedWhereSeveralDecide", "4 options"}},
		},
		{
			name:    "a grant outlives the ceiling that was lowered",
			edits:   []edit{{kept, "!g.Holds(now) || g.Made.Before(since) {", "!g.Holds(now) {"}},
			killers: []killer{{"bridge", nothingElse + "a_shorter_time", "taken for allowed"}},
		},
		{
			name:    "a revoked grant goes on",
			edits:   []edit{{grants, "return g.Revoked.IsZero() && now.Before(g.Until)", "return now.Before(g.Until)"}},
			killers: []killer{{"bridge", "TestARevokedGrantDoesNotComeBack", "it is allowed by"}},
		},
		{
			name:    "a revoked grant comes back with its card",
			edits:   []edit{{kept, "old.Request == g.Request || ", ""}},
			killers: []killer{{"bridge", "TestARevokedGrantDoesNotComeBack", "it is allowed by"}},
		},
		{
			name:    "another tenant revokes a grant",
			edits:   []edit{{kept, "case !now.Before(g.Until), !all && g.Tenant != tenant:", "case !now.Before(g.Until):"}},
			killers: []killer{{"bridge", "TestARevokedGrantDoesNotComeBack", "another tenant revokes it"}},
		},
		{
			name:    "another tenant sees a grant",
			edits:   []edit{{kept, "g.Holds(now) && (all || g.Tenant == tenant)", "g.Holds(now)"}},
			killers: []killer{{"api", "TestAPersonAllowsACallForATimeAndRevokesThat", "another tenant sees"}},
		},
		{
			name:    "a channel's prompt is decided by nobody's answer",
			edits:   []edit{{"mcpserver/channel.go", "		return nil // Nobody has decided: the host's own dialog stands.", "		verdict = \"deny\""}},
			killers: []killer{{"mcpserver", "TestNobodysAnswerToAChannelIsNoVerdict", "told {"}},
		},
		{
			name:    "a channel's prompt is put up in part",
			edits:   []edit{{"mcpserver/channel.go", "utf8.RuneCountInString(p.Preview) > maxPreview", "utf8.RuneCountInString(p.Preview) > 2*maxPreview"}},
			killers: []killer{{"mcpserver", "TestWhatCannotBeShownWholeIsNotRelayed", "too long: 1 cards"}},
		},
		{
			name:    "permissions are handed on",
			edits:   []edit{{"bridge/same.go", "req.Within > 0 && !req.Permission {", "req.Within > 0 {"}, {"bridge/record/hand.go", "r.Permit != nil, ", ""}},
			killers: []killer{{"bridge", "TestNothingButAnAnswerOfOnePersonIsHandedOn/a_permission", "handed on: true"}},
		},
		{
			name:    "votes are handed on",
			edits:   []edit{{hand, "r.Voting != nil, ", ""}},
			killers: []killer{{"bridge", "TestNothingButAnAnswerOfOnePersonIsHandedOn/a_vote", "handed on: true"}},
		},
		{
			name:    "old answers are handed on",
			edits:   []edit{{hand, "now.After(r.EndedAt.Add(within))", "false"}},
			killers: []killer{{"bridge", "TestALateAnswerIsHandedOnWithinItsTime", "after its time: true"}},
		},
	}
}

package mutants

// tokens breaks the promises of issued tokens.
func tokens() []mutant {
	return []mutant{
		broken("a revoked token is taken").
			in("access", "Token.State", never("Revoked")).
			fails("access", "TestTokenLifecycleAcrossReplicas", "revoked, here").
			fails("api", "TestRevokedTokenEndsItsCalls", "the wait ended with 200"),
		broken("an expired token is taken").
			in("access", "Token.State", always("Before", "IsZero")).
			fails("access", "TestTokenLifecycleAcrossReplicas", "after the grace, here").
			fails("api", "TestQuietStreamEndsWithToken", "goes on listening"),
		broken("a token that was read once is remembered").
			in("access", "Gate.read", before(`if m := g.made[id]; m != nil {
		k, err = &kept{Token: Token{ID: id, Agent: m.who.Agent}, hash: m.who.hash, version: m.version}, nil
	}`, "ErrNotFound")).
			fails("access", "TestTokensAreReadFromStore", "let in").
			fails("access", "TestTokenLifecycleAcrossReplicas", "revoked, there"),
		broken("a wait returns the answer although the token was revoked").
			in("api", "exchange.resume", drop("still")).
			fails("api", "TestRevokedTokenEndsItsCalls", "the wait ended with 200"),
		broken("a stream sends events although its token was revoked").
			in("api", "streamEvents", within("Event", drop("still"))).
			fails("api", "TestRevokedTokenEndsItsCalls", "/v1/events: received"),
		broken("a quiet stream outlives its token").
			in("api", "pipe.beat", call("still", "error(nil)")).
			fails("api", "TestQuietStreamEndsWithToken", "goes on listening"),
		broken("a token has every scope").
			in("access", "Agent.has", call("Contains", `a.Token == "" || $`, "Scopes", "s")).
			fails("api", "TestCreatedTokenWorks", "status 200, want 403"),
		broken("a token asks anywhere").
			in("access", "Agent", swap("`json:\"targets,omitempty\"`", "`json:\"-\"`")).
			fails("api", "TestCreatedTokenWorks", "status 201, want 403"),
		broken("an admin makes tokens").
			in("access", "named", omit("ManageTokens")).
			fails("api", "TestTokenScopes", "want 403"),
		broken("any local caller creates tokens").
			in("access", "Caller.May", when("s == Answer", "Admin")).
			fails("api", "TestCreatingTokensNeedsToken", "want 403"),
		broken("an asking token creates tokens").
			in("access", "Agent.check", dropCase("ManageTokens")).
			fails("access", "TestEverythingWrongWithAToken", "scopes[1]"),
		broken("the store holds the token").
			in("access", "mint", set("By", "text")).
			fails("access", "TestStoreDoesNotContainTokens", "holds a part of the token"),
		broken("two make a token of one name at once").
			in("access", "Tokens.Create", call("free", "error(nil)", "ID")).
			fails("access", "TestOfTwoWhoTakeANameAtOnceOneHasItAtMost", "2 of them have it"),
		broken("an agent of the configuration has a namesake").
			in("access", "Gate.stored", never("other")).
			fails("access", "TestRefusalsNameRemedy", "an agent of the configuration looks like it").
			fails("api", "TestReloadKeepsCreatedTokens", "want 403"),
		broken("a token that was replaced holds for ever").
			in("access", "Tokens.Rotate", never("Before")).
			fails("access", "TestTokenLifecycleAcrossReplicas", "after the grace, here"),
		broken("a rotation gives a second helping").
			in("access", "Gate.callerOf", drop("inherit", "m.who")).
			fails("access", "TestRotatedTokenSharesLimits", "rotation gives a second helping"),
		broken("a damaged token is looked up").
			in("internal/tokentext", "Check", never("checksum")).
			fails("internal/tokentext", "TestEveryWrongCharacterIsFound", "passes"),
		broken("the token of a login goes anywhere").
			in("cmd/askbridge", "bridgeFlags.resolve", always("TrimRight")).
			fails("cmd/askbridge", "TestLoginTokenIsBoundToBridge", "sent to"),
		broken("others on the machine read a login").
			in("cmd/askbridge", "readLogin", never("Mode")).
			fails("cmd/askbridge", "TestLogin", "exit code 0, want 1"),
		broken("the webhooks of one tenant are signed for another's token").
			in("internal/app", "callSettings", when("listed", "listed", "Webhooks")).
			fails("internal/app", "TestStoredTokensShareNoSecretAcrossTenants", "another tenant has"),
	}
}

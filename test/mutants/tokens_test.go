package mutants

// tokens breaks what is promised of tokens that are made while the bridge runs.
func tokens() []mutant {
	const made, all, making = "access/made.go", "access/tokens.go", "access/making.go"
	return []mutant{
		{
			name:    "a revoked token is taken",
			edits:   []edit{{all, "	case !t.Revoked.IsZero():\n		return TokenRevoked\n", ""}},
			killers: []killer{{"access", "TestATokenOnItsWay", "revoked, here"}, {"api", "TestARevokedTokenIsToldNothingMore", "the wait ended with 200"}},
		},
		{
			name:    "an expired token is taken",
			edits:   []edit{{all, "t.Expires.IsZero() || now.Before(t.Expires):", "true:"}},
			killers: []killer{{"access", "TestATokenOnItsWay", "after the grace, here"}, {"api", "TestAQuietStreamEndsWithItsToken", "goes on listening"}},
		},
		{
			name:    "a token that was read once is remembered",
			edits:   []edit{{made, "	k, err := g.tokens.get(ctx, id)\n", "	k, err := g.tokens.get(ctx, id)\n	if m := g.made[id]; m != nil {\n		k, err = &kept{Token: Token{ID: id, Agent: m.who.Agent}, hash: m.hash, version: m.version}, nil\n	}\n"}, {made, "	version string\n	who     *Caller\n", "	version string\n	who     *Caller\n	hash    [sha256.Size]byte\n"}, {made, "&madeCaller{k.version, who}", "&madeCaller{k.version, who, k.hash}"}},
			killers: []killer{{"access", "TestNobodyRemembersATokenInPlaceOfTheStore", "let in"}, {"access", "TestATokenOnItsWay", "revoked, there"}},
		},
		{
			name:    "who has waited is told although the token was revoked",
			edits:   []edit{{"api/wait.go", "	if refused := x.still(); refused != nil {\n		return refused\n	}\n", ""}},
			killers: []killer{{"api", "TestARevokedTokenIsToldNothingMore", "the wait ended with 200"}},
		},
		{
			name:    "a stream tells events although its token was revoked",
			edits:   []edit{{"api/events.go", "			if err := x.still(); err != nil {\n				return err\n			}\n", ""}},
			killers: []killer{{"api", "TestARevokedTokenIsToldNothingMore", "/v1/events: told"}},
		},
		{
			name:    "a quiet stream outlives its token",
			edits:   []edit{{"api/events.go", "	err := p.still()\n	if err == nil {\n		err = p.write", "	var err error\n	{\n		err = p.write"}},
			killers: []killer{{"api", "TestAQuietStreamEndsWithItsToken", "goes on listening"}},
		},
		{
			name:    "a token has every scope",
			edits:   []edit{{"access/agent.go", "return slices.Contains(a.Scopes, s) || ", "return a.Token == \"\" || slices.Contains(a.Scopes, s) || "}},
			killers: []killer{{"api", "TestATokenIsMadeAndCalledWith", "status 200, want 403"}},
		},
		{
			name:    "a token asks anywhere",
			edits:   []edit{{"access/agent.go", "	Targets []string `json:\"targets,omitempty\"`", "	Targets []string `json:\"-\"`"}},
			killers: []killer{{"api", "TestATokenIsMadeAndCalledWith", "status 201, want 403"}},
		},
		{
			name:    "an admin makes tokens",
			edits:   []edit{{"access/agent.go", "var named = []Scope{Admin, Answer, Grant, ManageTokens}", "var named = []Scope{Admin, Answer, Grant}"}},
			killers: []killer{{"api", "TestWhoMayMakeTokens", "want 403"}},
		},
		{
			name:    "whoever is on the machine makes tokens",
			edits:   []edit{{"access/caller.go", "slices.Contains(named, s) && s != Admin && !c.gate.anonymousAnswers", "s == Answer && !c.gate.anonymousAnswers"}},
			killers: []killer{{"api", "TestWithoutTokensNobodyMakesAny", "want 403"}},
		},
		{
			name:    "whoever asks makes tokens",
			edits:   []edit{{"access/agent.go", "case s == ManageTokens && slices.Contains(a.Scopes, Ask):", "case false:"}},
			killers: []killer{{"access", "TestEverythingWrongWithAToken", "scopes[1]"}},
		},
		{
			name:    "the store holds the token",
			edits:   []edit{{making, "Token{Agent: a, By: by,", "Token{Agent: a, By: text,"}},
			killers: []killer{{"access", "TestWhatIsStoredTellsNobodyTheToken", "holds a part of the token"}},
		},
		{
			name:    "two make a token of one name at once",
			edits:   []edit{{making, "	if err := t.free(ctx, a.Name, k.ID); err != nil {\n		return \"\", Token{}, errors.Join(err, t.kv.Delete", "	if err := error(nil); err != nil {\n		return \"\", Token{}, errors.Join(err, t.kv.Delete"}},
			killers: []killer{{"access", "TestOfTwoWhoTakeANameAtOnceOneHasItAtMost", "2 of them have it"}},
		},
		{
			name:    "an agent of the configuration has a namesake",
			edits:   []edit{{made, "other != \"\" {", "false {"}},
			killers: []killer{{"access", "TestEveryRefusalSaysWhatToDo", "an agent of the configuration looks like it"}, {"api", "TestAReloadKeepsTokensThatWereMade", "want 403"}},
		},
		{
			name:    "a token that was replaced holds for ever",
			edits:   []edit{{making, "end.Before(old.Expires) {", "end.Before(old.Expires) && false {"}},
			killers: []killer{{"access", "TestATokenOnItsWay", "after the grace, here"}},
		},
		{
			name:    "a rotation gives a second helping",
			edits:   []edit{{made, "	for _, m := range g.made {\n		who.goOn(m.who)\n	}\n", ""}},
			killers: []killer{{"access", "TestATokenAndItsSuccessorShareTheirLimits", "rotation gives a second helping"}},
		},
		{
			name:    "a damaged token is looked up",
			edits:   []edit{{"internal/tokentext/tokentext.go", "checksum(body) != text[len(body):]", "checksum(body) == \"\""}},
			killers: []killer{{"internal/tokentext", "TestEveryWrongCharacterIsFound", "passes"}},
		},
		{
			name:    "the token of a login goes anywhere",
			edits:   []edit{{"cmd/askbridge/bridgeflags.go", "== strings.TrimRight(kept.URL, \"/\") {", "== strings.TrimRight(kept.URL, \"/\") || true {"}},
			killers: []killer{{"cmd/askbridge", "TestTheTokenOfALoginIsForItsOwnBridge", "sent to"}},
		},
		{
			name:    "others on the machine read a login",
			edits:   []edit{{"cmd/askbridge/login.go", "info.Mode().Perm()&0o077 != 0 {", "info.Mode().Perm()&0o077 == 1 {"}},
			killers: []killer{{"cmd/askbridge", "TestAPersonLogsInOnce", "exit code 0, want 1"}},
		},
		{
			name:    "the webhooks of one tenant are signed for another's token",
			edits:   []edit{{"internal/app/webhook.go", "listed || tenant == \"\" || tenant != cfg.Webhooks.Tenant {", "listed {"}},
			killers: []killer{{"internal/app", "TestTokensThatAreMadeShareNoSecretAcrossTenants", "another tenant has"}},
		},
	}
}

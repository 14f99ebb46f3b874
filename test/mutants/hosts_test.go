package mutants

// hosts break what is promised to those who let people decide for their agents:
// who decides, and what they see.
func hosts() []mutant {
	return []mutant{
		{
			name:    "client: a reply that nobody has proved is taken",
			edits:   []edit{{"api/client.go", "if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) {", "if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) && resp.StatusCode > 599 {"}},
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
	}
}

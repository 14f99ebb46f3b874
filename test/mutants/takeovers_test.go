package mutants

// takeovers break what one replica does for another, and what keeps the program
// going.
func takeovers() []mutant {
	return []mutant{
		{
			name:    "Redis: a notification is believed, whoever published it",
			edits:   []edit{{"store/redis/notify.go", "r.proves(words[3], n.ID, whole)", "true"}},
			killers: []killer{{"store/redis", "TestAForgedAnswerIsNotBelieved", "taken for true"}},
		},
		{
			name:    "Redis: notifications are proved alike on every database",
			edits:   []edit{{"store/redis/notify.go", "r.keys.prefix, r.keys.db, kept.Val())", "r.keys.prefix, 0, kept.Val()[:0])"}},
			killers: []killer{{"store/redis", "TestABridgeOnAnotherDatabaseIsNotHeard", "the same on both databases"}},
		},
		{
			name:    "Redis: what another database publishes is heard",
			edits:   []edit{{"store/redis/notify.go", "	if db != r.keys.db {", "	if false {"}},
			killers: []killer{{"store/redis", "TestABridgeOnAnotherDatabaseIsNotHeard", "want our own alone"}},
		},
		{
			name:    "a deadline is known to the replica alone that took the request",
			edits:   []edit{{"bridge/watch.go", "	w.records.alarms.due.setLater(n.ID, w.records.clock.here(n.Due), takeoverGrace())\n", ""}},
			killers: []killer{{"bridge", "TestARequestOfADeadReplicaExpiresWithinASecond/a few seconds", "a second after its deadline"}},
		},
		{
			name:    "what is overdue reads as it is stored",
			edits:   []edit{{"bridge/deadlines.go", "|| d.records.clock.before(r.Due) {", "|| true {"}},
			killers: []killer{{"bridge", "TestNobodyReadsOpenAfterTheDeadline/loading", "open at its deadline"}},
		},
		{
			name:    "a replica reads by its own clock",
			edits:   []edit{{"bridge/clock.go", "	return c.heard.Load() && c.now().Add(", "	return time.Now().Add("}},
			killers: []killer{{"bridge", "TestAReplicaWithAWrongClockReadsByThatOfTheStore/slow", "later it reads"}},
		},
		{
			name:    "a slow replica has drawn over the end of a request, and nobody knows",
			edits:   []edit{{"bridge/record/conclude.go", "	c.Rendered = d.Revision\n", "	c.Rendered = max(c.Rendered, d.Revision)\n"}},
			killers: []killer{{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromASlowReplica", "stays as it was before"}},
		},
		{
			name:    "a card is posted after the end, when its turn comes",
			edits:   []edit{{"bridge/worker.go", "			there, n = w.lookAgain(e), 0\n", "			n = 0\n"}},
			killers: []killer{{"bridge", "TestACardWhoseTurnComesAfterTheEndIsNotPosted", "posted after the end"}},
		},
		{
			name:    "the cards of an answered request are left to whoever answered it for long",
			edits:   []edit{{"bridge/record/behind.go", "const EndLease = 2 * time.Second", "const EndLease = Lease - 1"}},
			killers: []killer{{"bridge", "TestTheCardOfAnAnsweredRequestIsClosedWithinThreeSecondsWhoeverDies", "calls to the platform"}},
		},
		{
			name:    "a replica that is slow is taken for dead",
			edits:   []edit{{"bridge/delivery.go", "	release := d.holdClaim(ctx, r)\n", "	release := func() {}\n"}},
			killers: []killer{{"bridge", "TestAReplicaThatIsOnlySlowIsLeftToFinish", "calls to the platform"}},
		},
		{
			name:    "Redis: what an older version wrote is not missed in the index of tenants",
			edits:   []edit{{"store/redis/tenant.go", "return t.counts != nil && slices.Equal(t.counts, now)", "return t.counts != nil"}},
			killers: []killer{{"store/redis", "TestWhatAnOlderVersionWritesIsInTheListOfItsTenant", "at once"}},
		},
		{
			name:    "Redis: whoever shares a hash with a tenant sees its requests",
			edits:   []edit{{"store/redis/tenant.go", "return rec.Tenant == *s.Tenant && i.Moment(rec) != 0 && index.SecondOf", "return index.SecondOf"}},
			killers: []killer{{"store/redis", "TestTenantsThatShareAHashSeeOnlyTheirOwn", "sees ["}},
		},
		{
			name:    "file: what an older version wrote is not missed in the index of tenants",
			edits:   []edit{{"store/file/file.go", "		if !t.inStep() {", "		if false {"}},
			killers: []killer{{"store/file", "TestWhatAnOlderVersionWroteIntoAFileIsInTheListOfItsTenant", "want [a2 a3 a4]"}},
		},
		{
			name:    "credentials that were refused are not tried again",
			edits:   []edit{{"bridge/probe.go", "		if p.refused() == nil && !p.connection.suspicious(time.Now()) {", "		if true {"}},
			killers: []killer{{"bridge", "TestATokenMadeGoodIsNoticedWithoutAnybodyAsking", "after the token was made good"}},
		},
	}
}

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
			edits:   []edit{{"bridge/deadlines.go", "for r.Open() && !r.Due.Equal(record.Forever) && !d.records.clock.before(r.Due) {", "for false {"}},
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
			name:    "a reply that was overtaken gives a closed card its buttons back",
			edits:   []edit{{"bridge/record/conclude.go", "d.Begun.Before(arrived) {", "false {"}},
			killers: []killer{{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromASlowReply/another one, and whoever replied is dead", "the card is open"}},
		},
		{
			name:  "a reply that draws a card as it was gives a closed one its buttons back",
			edits: []edit{{"bridge/record/cards.go", "	r.Copies[n].Changing = now\n	return true\n", "	return false\n"}},
			killers: []killer{
				{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromASlowReply/votes are hidden", "the card is open"},
				{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromASlowReply/there was no vote to take back", "the card is open"},
			},
		},
		{
			name:  "a card counts as closed when that could be noted",
			edits: []edit{{"bridge/record/conclude.go", "(r *Record, c *Copy, _ time.Time) {\n	if c.Ref == (MessageRef{}) {\n		return // Another replica has found it deleted since.\n	}\n", "(r *Record, c *Copy, now time.Time) {\n	if d.Begun = now; c.Ref == (MessageRef{}) {\n		return\n	}\n"}},
			killers: []killer{
				{"bridge", "TestACardThatIsClosedGetsNoButtonsBackWhereTheStoreWasAway/by a call", "the card is open"},
				{"bridge", "TestACardThatIsClosedGetsNoButtonsBackWhereTheStoreWasAway/by a reply", "the card is open"},
			},
		},
		{
			name:    "a card that is due again counts as drawn while somebody sits before it",
			edits:   []edit{{"bridge/posts.go", " && !drawn.Begun.Before(c.RetryAt)", ""}},
			killers: []killer{{"bridge", "TestACardIsDrawnAnewAlthoughItStandsHere", "it was drawn before it is due again"}},
		},
		{
			name:    "a page that is turned gives a closed card its buttons back",
			edits:   []edit{{"bridge/view.go", "	x.r = pp.records.drawing(ctx, r, i.Message)\n	return pp", "	return pp"}},
			killers: []killer{{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromALook/a page is turned", "the card is open"}},
		},
		{
			name:    "a form that is refused gives a closed card its buttons back",
			edits:   []edit{{"bridge/view.go", "		x.r = pp.records.drawing(ctx, r, i.Message)\n", ""}},
			killers: []killer{{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromALook/a form of what was asked before is refused", "the card is open"}},
		},
		{
			name:    "a form is taken to be of the card before the revision",
			edits:   []edit{{"render/action.go", "return ask.Action{Question: t.Question, Option: t.Option, Revised: t.Revised}, false", "return ask.Action{}, false"}},
			killers: []killer{{"bridge", "TestAFormOfARevisedCardHasNothingDrawn", "the platform was asked"}},
		},
		{
			name:    "a card that nobody could look for is forgotten",
			edits:   []edit{{"bridge/result.go", "		f.Ambiguous = true\n", ""}},
			killers: []killer{{"bridge", "TestAWithdrawnQuestionLeavesNoButtons/posted, and the platform is busy", "the card shows open"}},
		},
		{
			name:    "a card is drawn once more although nothing is on its way",
			edits:   []edit{{"bridge/record/conclude.go", "arrived := c.Changing.Add(drawTime)", "arrived := c.Changing.Add(2 * drawTime)"}},
			killers: []killer{{"bridge", "TestACardThatIsClosedGetsNoButtonsBackFromASlowReply/the reply must have arrived long ago", "after 2 updates"}},
		},
		{
			name:    "a card is drawn as it was, when its turn comes",
			edits:   []edit{{"bridge/worker.go", "w.take(e, backedOff)", "w.take(e, false)"}},
			killers: []killer{{"bridge", "TestACardThatWasClosedMeanwhileIsNotDrawnAsItWas", "it was drawn as [open open"}},
		},
		{
			name:    "a press on a card that nobody has noted ends the search for others",
			edits:   []edit{{"bridge/record/cards.go", "found.Ambiguous, found.Reposted, found.Step, found.Said, found.Saying = false, c.Ambiguous,", "found.Ambiguous, found.Reposted, found.Step, found.Said, found.Saying = false, false,"}},
			killers: []killer{{"bridge/record", "TestACardThatWasUsedBeforeItWasNotedDoesNotEndTheSearchForOthers", "before the press: nobody looks"}},
		},
		{
			name:    "whoever has taken over forgets what was posted before, once somebody has pressed",
			edits:   []edit{{"bridge/record/conclude.go", "			r.Copies[i].Ambiguous = r.Copies[i].Ambiguous || n.Ambiguous\n", ""}},
			killers: []killer{{"bridge/record", "TestACardThatWasUsedBeforeItWasNotedDoesNotEndTheSearchForOthers", "taken over: nobody looks"}},
		},
		{
			name:    "everything that is due after an outage is done at once",
			edits:   []edit{{"bridge/sweep.go", "		room: w.room,\n", ""}},
			killers: []killer{{"bridge", "TestAfterALongOutageNotEverythingIsDoneAtOnce", "1000 calls are under way"}},
		},
		{
			name:    "goroutines that rest outlast the bridge",
			edits:   []edit{{"internal/gopool/gopool.go", "		case <-p.closed:\n			return\n", ""}},
			killers: []killer{{"internal/gopool", "TestAGoroutineIsUsedAgain", "blocked goroutines remain"}},
		},
		{
			name:    "those who vote at another replica post what a replica is posting",
			edits:   []edit{{"bridge/delivery.go", "(!r.Unposted(c) || slices.Contains(mine, n)) && ", ""}},
			killers: []killer{{"bridge", "TestACardThatHasToWaitIsPostedOnceAlsoWhenOthersVoteMeanwhile/it is on its way", "cards stand"}},
		},
		{
			name:    "each replica that waits for a card's time posts it",
			edits:   []edit{{"bridge/record/behind.go", "return r.Unposted(c) && c.State == Delayed &&", "return r.Unposted(c) &&"}},
			killers: []killer{{"bridge/record", "TestACardThatIsFreeIsTakenByOne", "taken again"}},
		},
		{
			name:    "people who vote keep a dead replica from being taken over",
			edits:   []edit{{"bridge/record/behind.go", "(r.DeliveryDue.IsZero() || !r.posting())", "true"}},
			killers: []killer{{"bridge", "TestVotesDoNotKeepAMissingCardAway", "cards stand"}},
		},
		{
			name:    "so do the cards that are drawn anew meanwhile",
			edits:   []edit{{"bridge/record/conclude.go", "	case r.posting() && !r.DeliveryDue.IsZero():", "	case false:"}},
			killers: []killer{{"bridge", "TestVotesDoNotKeepAMissingCardAway", "cards stand"}},
		},
		{
			name:    "a replica that is slow has a card forgotten that was put back",
			edits:   []edit{{"bridge/record/conclude.go", "	if c.Ref != d.Ref {", "	if false {"}},
			killers: []killer{{"bridge/record", "TestACardThatWasPutBackIsNotMissedAgain", "had it forgotten"}},
		},
		{
			name:    "a card that nobody noted keeps its buttons for ever",
			edits:   []edit{{"bridge/people.go", "		pp.stray(i, r)\n", ""}},
			killers: []killer{{"bridge", "TestAPressOnACardThatNobodyNotedTakesItsButtonsOff/ours", "it shows"}},
		},
		{
			name:    "a press closes a card that another bridge looks after",
			edits:   []edit{{"bridge/unknown.go", "	if pp.marks.wrote(i.Token) {\n		pp.close(i, words.In(pp.language).End.Elsewhere)\n	}", "	pp.close(i, words.In(pp.language).End.Elsewhere)"}},
			killers: []killer{{"bridge", "TestAPressOnACardThatNobodyNotedTakesItsButtonsOff/with the mark of another one", "it shows"}},
		},
		{
			name:    "the cards of an answered request are left to whoever answered it for long",
			edits:   []edit{{"bridge/record/behind.go", "const EndLease = 2 * time.Second", "const EndLease = Lease - 1"}},
			killers: []killer{{"bridge", "TestTheCardOfAnAnsweredRequestIsClosedWithinThreeSecondsWhoeverDies", "calls to the platform"}},
		},
		{
			name:    "a replica that is slow is taken for dead",
			edits:   []edit{{"bridge/delivery.go", "	release := d.holdClaim(ctx, a.r)\n", "	release := func() {}\n"}},
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

package mutants

// takeovers breaks what one replica does for another, and what keeps the program running.
func takeovers() []mutant {
	return []mutant{
		broken("Redis: forged notifications are accepted").
			in("store/redis", "notifier.parse", always("ID")).
			fails("store/redis", "TestForgedAnswerIsIgnored", "accepted a forged answer"),
		broken("Redis: the code of a notification is the same on every database").
			in("store/redis", "notifier.learnKey", arg("Fprintf", 3, "0")).
			in("store/redis", "notifier.learnKey", call("Val", "$[:0]")).
			fails("store/redis", "TestNotificationsOfOtherDatabasesAreIgnored", "the same on both databases"),
		broken("Redis: notifications of other databases are accepted").
			in("store/redis", "notifier.parse", never("db")).
			fails("store/redis", "TestNotificationsOfOtherDatabasesAreIgnored", "want only our own"),
		broken("a deadline is known to the replica alone that took the request").
			in("bridge/internal/state", "Watcher.receive", drop("Due")).
			fails("bridge", "TestRequestOfCrashedReplicaExpiresInTime/a few seconds", "a second after its deadline"),
		broken("what is overdue reads as it is stored").
			in("bridge/internal/deliver", "Deadlines.AsOfNow", drop("Due")).
			fails("bridge", "TestNoReadReturnsOpenAfterDeadline/loading", "open at its deadline"),
		broken("a replica reads by its own clock").
			in("bridge/internal/state", "Clock.Before", returns("time.Now().Add(clockError).Before(t)", "Add")).
			fails("bridge", "TestWrongLocalClockUsesStoreTime/slow", "later it reads"),
		broken("a slow replica has drawn over the end of a request unnoticed").
			in("bridge/record", "Drawn.write", set("Rendered", "max(c.Rendered, d.Revision)", "Revision")).
			fails("bridge", "TestSlowReplicaDoesNotReopenClosedCard", "stays as it was before"),
		broken("a reply that was overtaken gives a closed card its buttons back").
			in("bridge/record", "Drawn.write", never("Before")).
			fails("bridge", "TestSlowReplyDoesNotReopenClosedCard/another one, after the replying replica died", "the card is open"),
		broken("a reply that draws a card as it was gives a closed one its buttons back").
			in("bridge/record", "markDrawing", returns("false")).
			fails("bridge", "TestSlowReplyDoesNotReopenClosedCard/votes are hidden", "the card is open").
			fails("bridge", "TestSlowReplyDoesNotReopenClosedCard/there was no vote to take back", "the card is open"),
		broken("a card counts as closed when that could be noted").
			in("bridge/record", "Drawn.write", swap("_", "now")).
			in("bridge/record", "Drawn.write", before("d.Begun = now", "MessageRef")).
			fails("bridge", "TestClosedCardStaysClosedAfterOutage/by a call", "the card is open").
			fails("bridge", "TestClosedCardStaysClosedAfterOutage/by a reply", "the card is open"),
		broken("a card that is due again counts as drawn while a person looks at it").
			in("bridge/internal/deliver", "suffices", always("Before")).
			fails("bridge/internal/deliver", "TestSuffices", "it was drawn before it is due again"),
		broken("a page that is turned gives a closed card its buttons back").
			in("bridge/internal/respond", "Handler.show", drop("markDrawing")).
			fails("bridge", "TestPageTurnDoesNotReopenClosedCard/a page is turned", "the card is open"),
		broken("a form that is refused gives a closed card its buttons back").
			in("bridge/internal/respond", "Handler.rejected", drop("markDrawing")).
			fails("bridge", "TestPageTurnDoesNotReopenClosedCard/a form of what was asked before is refused", "the card is open"),
		broken("a form is taken to be of the card before the revision").
			in("render", "Token.Action", returns("ask.Action{}, false", "Option")).
			fails("bridge", "TestFormOfRevisedCardRedrawsNothing", "the platform was asked"),
		broken("a card that could not be searched is forgotten").
			in("bridge/internal/deliver", "doubting", drop("Ambiguous")).
			fails("bridge", "TestWithdrawnQuestionLeavesNoButtons/posted, and the platform is busy", "the card shows open"),
		broken("a card is drawn once more although nothing is on its way").
			in("bridge/record", "Drawn.write", swap("drawTime", "2 * drawTime")).
			fails("bridge", "TestSlowReplyDoesNotReopenClosedCard/the reply must have arrived long ago", "after 2 updates"),
		broken("a card is drawn as it was, when its turn comes").
			in("bridge/internal/deliver", "Workers.run", arg("take", 1, "false")).
			fails("bridge", "TestClosedCardIsNotDrawnOpen", "it was drawn as [open open"),
		broken("a press on an unrecorded card ends the search for others").
			in("bridge/record", "adopt", set("Ambiguous", "false")).
			fails("bridge/record", "TestUsedCardKeepsSearchForDuplicates", "before the press: the search for a duplicate ended"),
		broken("a takeover forgets earlier posts after a press").
			in("bridge/record", "NewCard.write", drop("Ambiguous", "Copies")).
			fails("bridge/record", "TestUsedCardKeepsSearchForDuplicates", "taken over: the search for a duplicate ended"),
		broken("everything that is due after an outage is done at once").
			in("bridge/internal/deliver", "NewReconciler", omit("room")).
			fails("bridge", "TestTakeoversAreBoundedAfterOutage", "1000 calls are under way"),
		broken("those who vote at another replica post what a replica is posting").
			in("bridge/internal/deliver", "Delivery.collect", always("Contains", "Unposted")).
			fails("bridge", "TestQueuedCardPostsOnceDuringVotes/it is on its way", "cards stand"),
		broken("each replica that waits for a card's time posts it").
			in("bridge/record", "free", always("Delayed")).
			fails("bridge/record", "TestFreeCardIsClaimedOnce", "taken again"),
		broken("people who vote keep a dead replica from being taken over").
			in("bridge/record", "leaseIfBehind", always("DeliveryDue", "posting")).
			fails("bridge", "TestVotesDoNotDelayMissingCard", "cards stand"),
		broken("updated cards do the same").
			in("bridge/record", "Record.ApplyReport", dropCase("DeliveryDue")).
			fails("bridge", "TestVotesDoNotDelayMissingCard", "cards stand"),
		broken("a replica that is slow has a card forgotten that was put back").
			in("bridge/record", "Deleted.write", never("Ref")).
			fails("bridge/record", "TestRepostedCardIsRepostedOnce", "had it forgotten"),
		broken("an unrecorded card keeps its buttons forever").
			in("bridge/internal/respond", "Handler.Handle", drop("stray")).
			fails("bridge", "TestClickOnUnrecordedCardClosesIt/ours", "it shows"),
		broken("a press closes a card that another bridge looks after").
			in("bridge/internal/respond", "Handler.stray", always("Wrote")).
			fails("bridge", "TestClickOnUnrecordedCardClosesIt/with the mark of another one", "it shows"),
		broken("the cards of an answered request are left to the answering replica for long").
			in("bridge/record", "EndLease", set("EndLease", "Lease - 1")).
			fails("bridge", "TestAnsweredCardClosesInThreeSecondsDespiteCrash", "calls to the platform"),
		broken("a replica that is slow is taken for dead").
			in("bridge/internal/deliver", "Delivery.attempt", call("holdClaim", "func() {}")).
			fails("bridge", "TestSlowReplicaKeepsItsClaim", "calls to the platform"),
		broken("Redis: gaps in the tenant index are not noticed").
			in("store/redis", "tenantIndex.trusted", always("Equal")).
			fails("store/redis", "TestTenantListIncludesWritesOfOlderVersions", "before repair"),
		broken("Redis: tenants with the same hash see each other's requests").
			in("store/redis", "tenantIndex.scan", always("Moment", "Tenant")).
			fails("store/redis", "TestTenantsWithSameHashAreSeparate", "lists ["),
		broken("file: what an older version wrote is not missed in the index of tenants").
			in("store/file", "Store.prepare", never("inStep")).
			fails("store/file", "TestFileTenantListIncludesWritesOfOlderVersions", "want [a2 a3 a4]"),
		broken("credentials that were refused are not tried again").
			in("bridge/internal/ratelimit", "Prober.Run", always("Now", "refused")).
			fails("bridge", "TestValidTokenIsNoticedWithoutRequests", "after the token was made good"),
	}
}

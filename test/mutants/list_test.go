package mutants

// mutants is the list.
func mutants() []mutant {
	var all []mutant
	for _, some := range [][]mutant{stores(), storeErrors(), deciding(), voting(), telling(), typing(), partial(), holding(), talking(), granting(), decisions(), deliveries(), takeovers(), platforms(), rich(), hosts(), access(), tokens(), cards(), audits(), sealing(), tracing()} {
		all = append(all, some...)
	}
	return all
}

// stores breaks the promises of stores.
func stores() []mutant {
	return []mutant{
		broken("Redis: the swap does not compare").
			text("store/redis/scripts/swap.lua", "if token ~= ARGV[2] then", "if false then").
			fails("store/redis", "TestMiniredis/handles race", "an update was lost or done twice").
			fails("bridge", "TestThirtyTwoConcurrentClicksOneWins", "won"),
		broken("memory and file: the swap does not compare").
			in("store/internal/local", "Store.Change", instead(`var old *codec.Entry
	var at index.Row
	err := do(ctx, l.o.View, func(t Table) (err error) {
		old, at, err = l.load(t, id)
		return err
	})
	if err == nil {
		<-time.After(time.Millisecond)
		var next *codec.Entry
		if next, err = old.Apply(f, l.o.Now()); err != nil {
			return old.Rec, codec.Error("change", id, codec.Refuse(err))
		}
		stored = next.Rec
		err = do(ctx, l.o.Update, func(t Table) error { return l.save(t, old, at, next) })
	}`, "Table")).
			fails("store/memory", "TestMemory/many writers lose no update", "an update was lost or done twice").
			fails("store/file", "TestFile/many writers lose no update", "an update was lost or done twice"),
		broken("Redis: a change does not wait for the previous one of its record").
			in("store/redis", "turns.take", never("before")).
			fails("store/redis", "TestChangeWaitsForPreviousOne/until it ends", "it waited 0s"),
		broken("Redis: no change takes a turn").
			in("store/redis", "records.change", drop("take")).
			fails("store/redis", "TestChangeTakesTurn", "would not wait for this one"),
		broken("Redis: a change waits for a previous one that hangs").
			in("store/redis", "turns.take", dropCase("C")).
			fails("store/redis", "TestChangeWaitsForPreviousOne/for some round trips, if it hangs", "it waited 1m0s"),
		broken("Redis: a create replaces an existing record").
			in("store/redis", "records.insert", omit(`"NX"`)).
			fails("store/redis", "TestMiniredis/create of a known id returns the first record", "loaded"),
		broken("Redis: commands of a canceled caller are sent with those of others").
			in("store/redis/internal/roundtrip", "Trips.leave", drop("append")).
			fails("store/redis/internal/roundtrip", "TestCanceledWaitingCallerSendsNothing", "timeout waiting for 1 callers to wait"),
		broken("Redis: a version is identified by its number alone").
			in("store/internal/codec", "Entry.Token", returns("version", "Write")).
			fails("store/redis", "TestRedisLostWriteConflicts", "one won at version 3, want two"),
		broken("Redis: the swap does not check the deadline").
			text("store/redis/scripts/swap.lua", " or misjudged(ARGV[8]) or misjudged(ARGV[9]) then", " then").
			fails("store/redis", "TestMiniredis/a moment passes", "not passed in time"),
		broken("Redis: a write whose reply was lost counts as a conflict with itself").
			in("store/redis", "records.handleReply", never("value")).
			fails("store/redis", "TestRedisLostReplyIsHarmless", "after 1 changes"),
		broken("Redis: lost writes are not repeated").
			in("store/redis", "records.replay", call("since", "$[:0]")).
			fails("store/redis", "TestRedisLostWritesAreRepeatedAfterRestart", "a1"),
		broken("Redis: a typed answer is dropped while a replica is away").
			in("store/keyvalue", "stored", never("ErrNotReplicated")).
			fails("bridge", "TestTypedAnswerCountsWhenUnreplicated", "state open").
			fails("bridge", "TestRequestWithFileIsAskedWhenUnreplicated", "not yet copied"),
		broken("Redis: lost writes are repeated only once").
			in("store/redis", "records.replay", swap("ErrUnavailable", "ErrClosed")).
			fails("store/redis", "TestReplayAfterFailover", "the answer to be restored"),
		broken("Redis: old writes are repeated").
			in("store/redis", "journal.since", drop("Sub")).
			fails("store/redis", "TestReplaySkipsOldWrites", "an expired record is open again"),
		broken("a claim takes no lease").
			text("store/redis/scripts/claim.lua", "now + tonumber(ARGV[1]))", "now)").
			fails("store/redis", "TestMiniredis/claims are leased", "claimed next"),
		broken("a list fails of a request that only a newer build can read").
			in("bridge/internal/deliver", "Deadlines.All", call("All", "s.All(ctx, d.Records.Store)")).
			fails("bridge", "TestListSkipsNewerRecordAndLogsItOnce", "want the one that this build can read"),
		broken("members that a newer version wrote are dropped").
			in("store/internal/codec", "Entry.MarshalJSONTo", call("Sorted", "$[:0]")).
			fails("store/redis", "TestMiniredis/members of a newer build are kept", "votes"),
		broken("Redis: a put of a value does not compare").
			text("store/redis/scripts/put.lua", "if ARGV[2] == 'absent' and old or", "if false and").
			fails("store/redis", "TestKeyValueMiniredis/a put on condition stores nothing else", "want a conflict"),
		broken("Redis: a put whose reply was lost counts as a conflict with itself").
			text("store/redis/scripts/put.lua", "if version == ARGV[3] then", "if false then").
			fails("store/redis", "TestRepeatedPutIsNoConflict", "changed concurrently"),
		broken("Redis: names of expired values are kept").
			text("store/redis/scripts/put.lua", "if #gone > 0 then", "if false then").
			fails("store/redis", "TestNamesOfExpiredValuesAreRemoved", "want those of three values"),
		broken("memory and file: a put of a value does not compare").
			in("store/internal/local", "values.put", never("== keyvalue.Absent")).
			fails("store/memory", "TestKeyValue/one of many makes what was absent", "have made it").
			fails("store/file", "TestKeyValue/one of many makes what was absent", "have made it"),
		broken("memory and file: a value is there after its time").
			in("store/internal/local", "values.over", never("now")).
			fails("store/memory", "TestValuesExpireInABubble", "after it expired"),
		broken("the keys of one tenant are among those of another").
			in("store/keyvalue", "prefix", call("Replace", "tenant")).
			fails("store/keyvalue", "TestKeysAsText", "as text is"),
	}
}

// decisions breaks the promises about people's acts.
func decisions() []mutant {
	return []mutant{
		broken("a click is acknowledged before it is recorded").
			in("bridge/internal/respond", "Handler.Handle", before("_ = resp.Ack(ctx)", "judgeKnown")).
			fails(rows, "TestFault/row/02_a_replica_dies_before_the_answer_is_recorded/slack", "the click was acknowledged").
			fails(rows, "TestFault/row/02_a_replica_dies_before_the_answer_is_recorded/discord", "the click was acknowledged"),
		broken("a click is marked as done before it is recorded").
			in("bridge/internal/respond", "Handler.decide", before(`marked := errors.New("marked")
	if r, err := pp.Records.Store.Change(ctx, id, func(r *record.Record, _ time.Time) error {
		if r.Winner == a.ID {
			return marked
		}
		if !r.Open() {
			return storage.ErrUnchanged
		}
		r.Winner = a.ID
		return nil
	}); errors.Is(err, marked) {
		return &r, record.Decision{Verdict: record.Repeated}, nil
	} else if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		return &r, result, err
	}`, "Now")).
			fails("bridge", "TestClickIsRescuedFromAnyStoreFailure", "Saved now"),
		broken("a click that is delivered again is a second click").
			in("bridge/record", "HasApplied", never("Open", "Winner")).
			fails("bridge/record", "TestJudge/the second delivery of the deciding click is a success", `want "repeated"`),
		broken("an older click takes the place of a newer one").
			in("bridge/record", "draftAfter", never("Outdated")).
			fails("bridge/record", "TestJudge", `got "recorded", want "stale"`),
		broken("a click after the deadline counts").
			in("bridge/record", "decide", never("catchUp")).
			fails("bridge/record", "TestJudge/a click at the deadline expires the request then and there", `got "completed", want "late"`),
		broken("the sweep expires without looking at the deadline again").
			in("bridge/record", "catchUp", call("isOverdue", "r.Open()")).
			fails("bridge/record", "TestJudge", `got "late", want "completed"`),
		broken("an agent can withdraw what is answered").
			in("bridge/record", "endUnanswered", never("Open")).
			fails("bridge", "TestCancelWithdrawsRequest", "cancelling twice gives"),
		broken("the agent is woken before the answer is stored").
			in("bridge/internal/respond", "Handler.decide", before("early := r.Clone(); _, _ = early.Judge(a, m, now); pp.Records.Waiter.Wake(&early)", "Judge")).
			fails("bridge", "TestClickIsRescuedFromAnyStoreFailure", "the agent was woken, and nothing is recorded"),
		broken("an act that could not be stored is not tried again").
			in("bridge/internal/respond", "Handler.Handle", drop("rescue")).
			fails("bridge", "TestClicksDuringStoreOutage", `want "Saved now"`),
	}
}

// deliveries breaks deliveries to people and agents.
func deliveries() []mutant {
	return []mutant{
		broken("notifications of other replicas are lost, and there is no polling").
			in("bridge/internal/state", "Watcher.look", call("take", "map[string]record.Notification{}, false")).
			in("bridge/internal/state", "Watcher.look", arg("Until", 0, "next.Add(24 * time.Hour)")).
			fails("bridge", "TestAnswerWakesWaiterOnOtherReplica", "deadline"),
		broken("lost notifications are not found by polling").
			in("bridge/internal/state", "Watcher.look", arg("Until", 0, "next.Add(24 * time.Hour)")).
			fails("bridge", "TestLostNotificationFoundByPolling", "deadline"),
		broken("Redis: nothing is published").
			text("store/redis/scripts/swap.lua", "if ARGV[5] ~= '' then", "if false then").
			fails("store/redis", "TestMiniredis/a second handle wakes watchers", "news of the change"),
		broken("an update that fails is not repeated").
			in("bridge/internal/deliver", "Posts.update", when("$ || pe.Kind == platform.Transient", "pe == nil")).
			in("bridge/internal/deliver", "Posts.update", within("pe == nil", returns("record.Drawn{Revision: r.Revision}", "failed"))).
			fails("bridge", "TestFailedUpdateIsRetried", "calls to the platform"),
		broken("a press does not update an outdated card").
			in("bridge/internal/respond", "Handler.refuse", never("Verdict")).
			fails("bridge", "TestRefusalRedrawsOutdatedCard/another option after the end", "the reply draws 0 cards").
			fails("bridge", "TestRefusalRedrawsOutdatedCard/an option from before a revision", "the reply draws 0 cards"),
		broken("every refusal draws the card again").
			in("bridge/internal/respond", "Handler.refuse", when("pp.Lookup.mode(x.a.By.Platform).Redraws", "Verdict")).
			fails("bridge", "TestRefusalOnCurrentCardOnlySendsNote", "1 cards and 1 notes"),
		broken("a card that was drawn a moment ago is updated again by every press").
			in("bridge/record", "redrawOutdated", arg("Before", 0, "since")).
			fails("bridge", "TestOutdatedCardUpdatesOnceWhenUsed/ended c", "a press in the same moment updates the card"),
		broken("a card counts as drawn before the reply that draws it").
			in("bridge/internal/deliver", "Locks.Render", before("s.drawn = drawn", "err := f()")).
			fails("bridge/internal/deliver", "TestLateReplyDoesNotDrawOlderCard", "revision 3: bridge: a newer card has been drawn"),
		broken("a claimed card counts as drawn").
			in("bridge/internal/deliver", "Posts.shown", call("shows", "(record.Drawn{Revision: r.Revision})")).
			in("bridge/internal/deliver", "Posts.shown", when("ps.Locks.shows(c.Ref).Revision >= 0", "suffices")).
			fails("bridge", "TestFailedReplyUpdatesCard", "calls to the platform"),
		broken("an older card is drawn over a newer one").
			in("bridge/internal/deliver", "Locks.Render", never("Revision")).
			fails("bridge/internal/deliver", "TestLateReplyDoesNotDrawOlderCard", "revision 1"),
		broken("a post leaves at its turn, whatever is still on its way").
			in("bridge/internal/deliver", "Posts.queue", always("gone")).
			fails("bridge", "TestQueueSpacesPostsByAnswers", "after the one before"),
		broken("the platform's patience is not kept to").
			in("bridge/internal/deliver", "Posts.failed", set("Wait", "time.Second", "Second")).
			fails("bridge", "TestRateLimitedPostIsDelayed", "the agent sees"),
		broken("a post is repeated without a search for the first one").
			in("bridge/internal/deliver", "nextStep", set("unclear", "false")).
			fails("bridge", "TestLostReplySearchesBeforeRepost", "calls to the platform"),
		broken("only the card that was clicked is closed").
			in("bridge/record", "NeedsCall", within("Posted", when("$ && (r.Open() || r.WonAt == c.Ref)", "Rendered"))).
			fails("bridge", "TestAnswerUpdatesEveryCopy", "Rendered:1"),
		broken("the work of a dead replica is left undone").
			in("bridge/internal/deliver", "NewReconciler", drop("Deliver")).
			fails("bridge", "TestReconcilerTakesOverFromCrashedReplica", "calls to the platform"),
		broken("an unrecorded card is not searched at the end").
			in("bridge/record", "needsSearch", never("Ambiguous", "Open")).
			fails("bridge", "TestUnrecordedCopyIsSearchedAtEnd", "the first shows open"),
		broken("waiters do not notice an emptied store").
			in("bridge/internal/state", "missing.look", drop("lose")).
			fails("bridge", "TestWaitersReturnWhenStoreIsEmptied", "a waiter got context deadline exceeded"),
		broken("a receiver that is gone is called again").
			in("bridge/record", "CallResult.write", swap("res.Stop,", "")).
			fails("bridge", "TestGoneReceiverIsNotCalledAgain", "after 8 calls"),
	}
}

// platforms breaks the promises of connectors.
func platforms() []mutant {
	return []mutant{
		broken("Discord: a post without a nonce").
			in("discord", "restAPI.create", drop("Enforce")).
			in("discord", "restAPI.create", swap("nonce(what...)", `""`)).
			fails("discord", "TestLostReplyPostsOnce", "2 messages stand there"),
		broken("Discord: a card counts as drawn by a reply that may have come too late").
			in("discord", "responder.Redraw", never("ID")).
			fails("discord", "TestLateCardResponseIsReported", "want discord: the reply may have come too late"),
		broken("Discord: archived cards are remembered by their thread alone").
			in("discord", "Connector.Update", call("Add", "c.shut.Add(ref.Channel, ref.Message)")).
			in("discord", "Connector.Reply", swap("Message", "Channel", "Remove")).
			fails("discord", "TestAllCardsInArchivedThreadAreClosed", "still has a button"),
		broken("Discord: behind an invalid session the next one comes at once").
			in("discord", "gateway.keep", never("Is")).
			fails("discord", "TestInvalidSessionDelaysReconnect/that_is_over", "want from one to five seconds"),
		broken("Slack: clicks are taken over a socket that is about to close").
			in("slack", "Connector.Listen", swap("c.acts.Close", "defer c.acts.Close")).
			fails("slack", "TestClickDuringSocketStop", "it is taken"),
		broken("Discord: a thread of another channel takes a card").
			in("discord", "places.of", when(`parent == ""`, "parent")).
			fails("discord", "TestForeignThreadIsRejected/a thread of another channel", "<nil>, want thread of another channel"),
		broken("Discord: every connection of the gateway begins a new session").
			in("discord", "gateway.connect", never("resumable")).
			fails("discord", "TestPressDuringReconnectIsReceived/after a cut", "ack.in_time"),
		broken("Discord: sessions are parted from their turn and not from their IDENTIFY").
			in("discord", "gateway.connect", drop("begun")).
			in("discord", "gateway.connect", before("turn.begun()", "OnceFunc")).
			fails("discord", "TestSessionStartsAreFiveSecondsApart", "gateway.identify"),
		broken("Discord: a token that was refused is not asked about").
			in("discord", "limiter.check", always("probes")).
			fails("discord", "TestCheckIgnoresEarlierRefusals", "with a token that is good again"),
		broken("Discord: an act on a card deleted meanwhile gets no note").
			in("discord", "responder.deliver", always("code")).
			fails("discord", "TestActionOnDeletedCardGetsNote/with a press", "does not see"),
		broken("Discord: over the gateway there is as much time as over HTTP").
			in("discord", "Connector.take", drop("deferTime")).
			fails("discord", "TestLateAnswerGetsBusyNote/SQLite", "the three seconds are over"),
		broken("Discord: an archived thread is not opened for an edit").
			in("discord", "Connector.Update", always("archivedThread")).
			fails("discord", "TestCardInArchivedThreadIsClosed/which we may open", "50083"),
		broken("Discord: everybody is a member before it is known who we are").
			in("discord", "payload.belongs", never("application")).
			fails("discord", "TestMembershipIsUnknownBeforeReady/http", `membership "member" at once, want ""`),
		broken("Discord: places that refuse us hold up those that do not").
			in("discord", "limiter.check", always("stranger")).
			fails("discord", "TestForbiddenChannelsDoNotDelayOthers", "a channel that has taken something"),
		broken("Discord: places that refuse us are called without end").
			in("discord", "limiter.check", never("wait", "stranger")).
			fails("discord", "TestForbiddenChannelsDoNotDelayOthers", "place 1001"),
		broken("Discord: one card that the edge dislikes stops every card").
			in("discord", "limiter.cloudflareBlock", swap("maxBlocked", "1")).
			fails("discord", "TestCloudflareBlockIsPerPlaceUntilThree", "in one place"),
		broken("Slack: Retry-After is ignored").
			in("slack", "limiter.failed", call("Add", "now", "RetryAfter")).
			fails("slack", "TestCallsWaitForRateLimit", "after ten seconds: <nil>"),
		broken("Discord: Retry-After is ignored").
			in("discord", "limiter.failed", set("until", "now", "RetryAfter")).
			fails("discord", "TestCallsWaitForRateLimit", "after ten seconds: <nil>"),
		broken("Slack: who left a group still answers by an old list").
			in("slack", "groupLife", set("groupLife", "5 * time.Minute")).
			fails("slack", "TestGroupMembership", "Kim left the group a minute ago"),
		broken("Slack: before auth.test has succeeded everybody is a member").
			in("slack", "payload.membership", within(`us.team == ""`, swap("Unknown", "Member"))).
			fails("slack", "TestMembershipIsUnknownBeforeAuthTest", `membership = "member"`),
		broken("Slack: people of another workspace of the organisation are members").
			in("slack", "account.membership", never("home")).
			fails("slack", "TestAnyoneMeansInstallationMembers", `want "outsider"`),
		broken("Slack: guest status is cached forever").
			in("slack", "memberLife", set("memberLife", "time.Hour")).
			fails("slack", "TestGuestStatusIsAtMostOneMinuteOld", "after a minute he was asked about 0 times"),
		broken("Slack: an old form that is sent again comes after newer picks").
			in("slack", "clock.submitted", call("min", "max(order, second)")).
			fails("slack", "TestResentFormKeepsItsOrder", "the pick between them"),
		broken("Slack: typed text is put in order by the clock of this machine").
			in("slack", "clock.now", returns("at.UnixMicro()", "Microseconds")).
			fails("slack", "TestLastActionWinsDespiteClockSkew/ahead", "Dana opens the form"),
		broken("Slack: typed text comes before the press that another replica took").
			in("slack", "clock.submitted", arg("max", 1, "opening-opening", "opening")).
			fails("slack", "TestTypedAnswerAfterPressAtOtherProcess/behind", "Dana opens the form"),
		broken("Slack: a message that breaks its decoder ends the connection").
			in("slack", "link.survive", before("_ = l.conn.Close()", "Error")).
			fails("slack", "TestDecoderPanicKeepsConnection", "slack socket lost"),
		broken("Slack: emoji are drawn in what an agent wrote").
			in("render/blockkit", "plain", arg("NewTextBlockObject", 2, "true")).
			fails("slack", "TestAgentTextIsShownVerbatim", "bot :tada:"),
		broken("Slack: a click with a wrong signature counts").
			in("slack", "signed", always("Bytes")).
			fails("slack", "TestSignatures", "want signature does not match"),
	}
}

package mutants

// mutants is the list.
func mutants() []mutant {
	var all []mutant
	for _, some := range [][]mutant{stores(), storeErrors(), deciding(), voting(), telling(), typing(), partial(), holding(), talking(), granting(), decisions(), deliveries(), takeovers(), platforms(), rich(), hosts(), access(), tokens(), cards(), audits(), sealing(), tracing()} {
		all = append(all, some...)
	}
	return all
}

// row is a test of the fault suite.
func row(name, says string) killer { return killer{rows, "TestFault/row/" + name, says} }

// stores break what the stores promise.
func stores() []mutant {
	return []mutant{
		{
			name:  "Redis: the swap does not compare",
			edits: []edit{{"store/redis/scripts/swap.lua", "if token ~= ARGV[2] then", "if false then"}},
			killers: []killer{
				{"store/redis", "TestMiniredis/handles race", "an update was lost or done twice"},
				{"bridge", "TestThirtyTwoPeopleClickAtOnceAndOneWins", "won"},
			},
		},
		{
			name: "memory and file: the swap does not compare",
			edits: []edit{{
				"store/internal/local/local.go",
				`	err := do(ctx, l.o.Update, func(t Table) (err error) {
		stored, err = l.change(t, id, f)
		return err
	})
`, `	var old *codec.Entry
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
	}
`,
			}},
			killers: []killer{{"store/memory", "TestMemory/many writers lose no update", "an update was lost or done twice"}, {"store/file", "TestFile/many writers lose no update", "an update was lost or done twice"}},
		},
		{
			name:    "Redis: a change waits for no other one of its record",
			edits:   []edit{{"store/redis/turns.go", "if before != nil {", "if before != nil && false {"}},
			killers: []killer{{"store/redis", "TestAChangeWaitsForTheOneBeforeIt/until that is over", "it waited 0s"}},
		},
		{
			name:    "Redis: no change takes a turn",
			edits:   []edit{{"store/redis/redis.go", "	defer r.turns.take(ctx, id)()\n", ""}},
			killers: []killer{{"store/redis", "TestAChangeHasItsTurn", "would not wait for this one"}},
		},
		{
			name:    "Redis: a change waits for another one that hangs",
			edits:   []edit{{"store/redis/turns.go", "		case <-late.C:\n", ""}},
			killers: []killer{{"store/redis", "TestAChangeWaitsForTheOneBeforeIt/for some round trips, if it hangs", "it waited 1m0s"}},
		},
		{
			name:    "Redis: a create takes the place of what is there",
			edits:   []edit{{"store/redis/swap.go", `value, "NX", "GET"}`, `value, "GET"}`}},
			killers: []killer{{"store/redis", "TestMiniredis/create of a known id returns the first record", "loaded"}},
		},
		{
			name:    "Redis: what a caller wanted who has left is sent with what others want",
			edits:   []edit{{"store/redis/internal/roundtrip/trips.go", "t.waiting = append(t.waiting[:n:n], t.waiting[n+1:]...)", "_ = n"}},
			killers: []killer{{"store/redis/internal/roundtrip", "TestACallerWhoLeavesBeforeItsTurnHasSentNothing", "waited in vain for 1 callers to wait"}},
		},
		{
			name:    "Redis: a version is known by its number alone",
			edits:   []edit{{"store/internal/codec/codec.go", `	return version + "." + e.Write`, `	return version`}},
			killers: []killer{{"store/redis", "TestRedisALostWriteIsNotBuiltUpon", "one won at version 3, want two"}},
		},
		{
			name:    "Redis: the deadline is not judged again inside the swap",
			edits:   []edit{{"store/redis/scripts/swap.lua", " or misjudged(ARGV[8]) or misjudged(ARGV[9]) then", " then"}},
			killers: []killer{{"store/redis", "TestMiniredis/a moment passes", "not passed in time"}},
		},
		{
			name:    "Redis: a write whose reply was lost counts as a conflict with itself",
			edits:   []edit{{"store/redis/swap.go", "	if found == a.value {\n		// The", "	if false {\n		// The"}},
			killers: []killer{{"store/redis", "TestRedisALostReplyHasNoDoubleEffect", "after 1 changes"}},
		},
		{
			name:    "Redis: nothing is repeated on a server that has forgotten",
			edits:   []edit{{"store/redis/replay.go", "range r.journal.since(server) {", "range r.journal.since(server)[:0] {"}},
			killers: []killer{{"store/redis", "TestRedisLostWritesAreRepeatedAfterARestart", "a1"}},
		},
		{
			name:    "Redis: a typed answer is dropped while a replica is away",
			edits:   []edit{{"store/keyvalue/keyvalue.go", "if errors.Is(err, bridge.ErrNotReplicated) {", "if errors.Is(err, bridge.ErrNotReplicated) && false {"}},
			killers: []killer{{"bridge", "TestATypedAnswerCountsWhileAReplicaOfTheStoreIsAway", "and it is open"}, {"bridge", "TestARequestWithALongFileIsAskedWhileAReplicaOfTheStoreIsAway", "not yet copied"}},
		},
		{
			name:    "Redis: what could not be repeated at once is given up",
			edits:   []edit{{"store/redis/replay.go", "errors.Is(err, bridge.ErrUnavailable) ||", "errors.Is(err, bridge.ErrClosed) ||"}},
			killers: []killer{{"store/redis", "TestAnAnswerThatAFailoverLostComesBackOnceItCanBeWritten", "the answer to be there again"}},
		},
		{
			name:    "Redis: a server that has forgotten is given what was written long ago",
			edits:   []edit{{"store/redis/replay.go", "> journalAge {\n		old++\n	}\n	return append", "> journalAge && false {\n		old++\n	}\n	return append"}},
			killers: []killer{{"store/redis", "TestARequestOfLongAgoIsNotAskedAgainWhenRedisRestarts", "what had its time is open again"}},
		},
		{
			name:    "a claim takes no lease",
			edits:   []edit{{"store/redis/scripts/claim.lua", "now + tonumber(ARGV[1]))", "now)"}},
			killers: []killer{{"store/redis", "TestMiniredis/claims are leased", "claimed next"}},
		},
		{
			name:    "a list fails of a request that only a newer build can read",
			edits:   []edit{{"bridge/deadlines.go", "d.records.all(ctx, s)", "s.All(ctx, d.records.store)"}},
			killers: []killer{{"bridge", "TestARequestOfANewerBuildIsLeftOutOfAListThatNamesItInTheLogOnce", "want the one that this build can read"}},
		},
		{
			name:    "members that a newer version wrote are dropped",
			edits:   []edit{{"store/internal/codec/encode.go", "range slices.Sorted(maps.Keys(e.Extra)) {", "range slices.Sorted(maps.Keys(e.Extra))[:0] {"}},
			killers: []killer{{"store/redis", "TestMiniredis/members of a newer build are kept", "votes"}},
		},
		{
			name:    "Redis: a put of a value does not compare",
			edits:   []edit{{"store/redis/scripts/put.lua", "if ARGV[2] == 'absent' and old or", "if false and"}},
			killers: []killer{{"store/redis", "TestKeyValueMiniredis/a put on condition stores nothing else", "want a conflict"}},
		},
		{
			name:    "Redis: a put whose reply was lost counts as a conflict with itself",
			edits:   []edit{{"store/redis/scripts/put.lua", "if version == ARGV[3] then", "if false then"}},
			killers: []killer{{"store/redis", "TestAPutWhoseReplyWasLostIsNoConflict", "changed meanwhile"}},
		},
		{
			name:    "Redis: names of expired values stay for ever",
			edits:   []edit{{"store/redis/scripts/put.lua", "if #gone > 0 then", "if false then"}},
			killers: []killer{{"store/redis", "TestNamesOfWhatHasExpiredAreTakenAway", "that are still there"}},
		},
		{
			name:  "memory and file: a put of a value does not compare",
			edits: []edit{{"store/internal/local/values.go", "	if o.If == keyvalue.Absent && old.Version", "	if false && old.Version"}},
			killers: []killer{
				{"store/memory", "TestKeyValue/one of many makes what was absent", "have made it"},
				{"store/file", "TestKeyValue/one of many makes what was absent", "have made it"},
			},
		},
		{
			name:    "memory and file: a value is there after its time",
			edits:   []edit{{"store/internal/local/values.go", "return at != 0 && at <= now", "return at != 0 && false"}},
			killers: []killer{{"store/memory", "TestValuesExpireInABubble", "after its hour"}},
		},
		{
			name:    "the keys of one tenant are among those of another",
			edits:   []edit{{"store/keyvalue/key.go", `kind + "/" + escape.Replace(tenant) + "/"`, `kind + "/" + tenant + "/"`}},
			killers: []killer{{"store/keyvalue", "TestKeysAsText", "is written"}},
		},
	}
}

// decisions break what is promised of people's acts.
func decisions() []mutant {
	return []mutant{
		{
			name: "a click is acknowledged before it is recorded",
			edits: []edit{{
				"bridge/people.go", "	r, a, result, err := pp.judgeKnown(tight, i, a)\n",
				"	_ = resp.Ack(ctx)\n	r, a, result, err := pp.judgeKnown(tight, i, a)\n",
			}},
			killers: []killer{
				row("02_a_replica_dies_before_the_answer_is_recorded/slack", "the platform was told that the click arrived"),
				row("02_a_replica_dies_before_the_answer_is_recorded/discord", "the platform was told that the click arrived"),
			},
		},
		{
			name: "a click is marked as done before it is recorded",
			edits: []edit{{
				"bridge/people.go", "	var result record.Decision\n	began := time.Now()\n",
				`	var result record.Decision
	marked := errors.New("marked")
	if r, err := pp.records.store.Change(ctx, id, func(r *Record, _ time.Time) error {
		if r.Winner == a.ID {
			return marked
		}
		if !r.Open() {
			return ErrUnchanged
		}
		r.Winner = a.ID
		return nil
	}); errors.Is(err, marked) {
		return &r, record.Decision{Verdict: record.Repeated}, nil
	} else if err != nil && !errors.Is(err, ErrUnchanged) {
		return &r, result, err
	}
	began := time.Now()
`,
			}},
			killers: []killer{{"bridge", "TestAClickIsSavedWhereverItsStorageFails", "Saved now"}},
		},
		{
			name:    "a click that is delivered again is a second click",
			edits:   []edit{{"bridge/record/typed.go", "!r.Open() && r.Winner == id || ", ""}},
			killers: []killer{{"bridge/record", "TestWhatAnActComesTo/the second delivery of the deciding click is a success", `want "repeated"`}},
		},
		{
			name:    "an older click takes the place of a newer one",
			edits:   []edit{{"bridge/record/judge.go", "	case a.Action.Outdated(r.Questions, draft, a.Order):", "	case false:"}},
			killers: []killer{{"bridge/record", "TestWhatAnActComesTo", `got "recorded", want "stale"`}},
		},
		{
			name:    "a click after the deadline counts",
			edits:   []edit{{"bridge/record/judge.go", "case r.CatchUp(now) == nil:", "case false:"}},
			killers: []killer{{"bridge/record", "TestWhatAnActComesTo/a click at the deadline expires the request then and there", `got "completed", want "late"`}},
		},
		{
			name:    "the sweep expires without looking at the deadline again",
			edits:   []edit{{"bridge/record/end.go", "	case !r.Overdue(now):\n", "	case !r.Open():\n"}},
			killers: []killer{{"bridge/record", "TestWhatAnActComesTo", `got "late", want "completed"`}},
		},
		{
			name:    "an agent can withdraw what is answered",
			edits:   []edit{{"bridge/record/end.go", "	if !r.Open() {\n		return ErrUnchanged\n	}\n	r.end(o, now)", "	r.end(o, now)"}},
			killers: []killer{{"bridge", "TestTheAgentWithdraws", "cancelling twice gives"}},
		},
		{
			name: "the agent is woken before the answer is stored",
			edits: []edit{{
				"bridge/people.go", "		if result, err = r.Judge(a, m, now); err == nil && !known",
				"		result, err = r.Judge(a, m, now)\n		early := r.Clone()\n		pp.records.waiter.wake(&early)\n		if err == nil && !known",
			}},
			killers: []killer{{"bridge", "TestAClickIsSavedWhereverItsStorageFails", "the agent was woken, and nothing is recorded"}},
		},
		{
			name: "an act that could not be stored is not tried again",
			edits: []edit{{
				"bridge/people.go", "		if !pp.background.start(func() { pp.rescue(i, a, resp) }) {", "		if !pp.background.start(func() {}) {",
			}},
			killers: []killer{{"bridge", "TestClicksWhileTheStoreIsAway", `want "Saved now"`}},
		},
	}
}

// deliveries break how people and agents learn of it.
func deliveries() []mutant {
	return []mutant{
		{
			name: "what other replicas store is not heard of, and nobody looks",
			edits: []edit{
				{"bridge/watch.go", "changes, missed := in.take()", "changes, missed := map[string]Notification{}, false"},
				{"bridge/watch.go", "time.Until(next)", "time.Until(next.Add(24 * time.Hour))"},
			},
			killers: []killer{{"bridge", "TestAnswersReachWaitersOnAnotherReplica", "deadline"}},
		},
		{
			name:    "nobody looks for what was not heard of",
			edits:   []edit{{"bridge/watch.go", "time.Until(next)", "time.Until(next.Add(24 * time.Hour))"}},
			killers: []killer{{"bridge", "TestAnAnswerNobodyWasToldOfIsFoundByLooking", "deadline"}},
		},
		{
			name:    "Redis: nothing is published",
			edits:   []edit{{"store/redis/scripts/swap.lua", "if ARGV[5] ~= '' then", "if false then"}},
			killers: []killer{{"store/redis", "TestMiniredis/a second handle wakes watchers", "news of the change"}},
		},
		{
			name:    "an update that fails is not repeated",
			edits:   []edit{{"bridge/posts.go", "	case pe == nil:\n		return ps.failed(p, c, err)\n", "	case pe == nil, pe.Kind == Transient:\n		return record.Drawn{Revision: r.Revision}\n"}},
			killers: []killer{{"bridge", "TestAnUpdateThatFailsIsRepeated", "calls to the platform"}},
		},
		{
			name:  "a card whose drawing was lost stays as it was, whoever presses",
			edits: []edit{{"bridge/people.go", "	if pp.platforms.redraws(x.r, x.a, result.Verdict) {\n		err = pp", "	if false {\n		err = pp"}},
			killers: []killer{
				{"bridge", "TestARefusalDrawsTheCardAsTheRequestStands/another option after the end", "the reply draws 0 cards"},
				{"bridge", "TestARefusalDrawsTheCardAsTheRequestStands/an option from before a revision", "the reply draws 0 cards"},
			},
		},
		{
			name:    "every refusal draws the card again",
			edits:   []edit{{"bridge/people.go", "	if pp.platforms.redraws(x.r, x.a, result.Verdict) {\n		err = pp", "	if pp.platforms.mode(x.a.By.Platform).Redraws {\n		err = pp"}},
			killers: []killer{{"bridge", "TestARefusalOnACardThatIsDrawnRightCostsNoMoreThanANote", "1 cards and 1 notes"}},
		},
		{
			name:    "a card that was drawn a moment ago is updated again by every press",
			edits:   []edit{{"bridge/record/cards.go", "	if now.Before(since.Add(afterlife)) {", "	if now.Before(since) {"}},
			killers: []killer{{"bridge", "TestACardThatIsUsedLongAfterItChangedIsUpdatedOnce/ended c", "a press in the same moment updates the card"}},
		},
		{
			name:    "a card counts as drawn before the reply that draws it",
			edits:   []edit{{"bridge/renderlock.go", "	err := f()\n	if err == nil {\n		s.drawn = drawn\n	}\n	return err", "	s.drawn = drawn\n	return f()"}},
			killers: []killer{{"bridge", "TestAReplyThatComesLateDoesNotDrawAnOlderCard", "revision 3: bridge: a newer card has been drawn"}},
		},
		{
			name:    "a card that somebody holds counts as drawn",
			edits:   []edit{{"bridge/posts.go", "		if drawn := ps.locks.shows(c.Ref); suffices(drawn, c, r.Revision) {", "		if drawn := (record.Drawn{Revision: r.Revision}); ps.locks.shows(c.Ref).Revision >= 0 {"}},
			killers: []killer{{"bridge", "TestACardWhoseReplyFailedIsUpdated", "calls to the platform"}},
		},
		{
			name:    "an older card is drawn over a newer one",
			edits:   []edit{{"bridge/renderlock.go", "	if s.drawn.Revision > revision {\n		return errOvertaken\n	}\n", ""}},
			killers: []killer{{"bridge", "TestAReplyThatComesLateDoesNotDrawAnOlderCard", "revision 1"}},
		},
		{
			name:    "a post leaves at its turn, whatever is still on its way",
			edits:   []edit{{"bridge/posts.go", "		if gone {", "		if gone || true {"}},
			killers: []killer{{"bridge", "TestNoTwoCardsOfABurstArriveTooNearHoweverLongEachIsOnItsWay", "after the one before"}},
		},
		{
			name:    "the platform's patience is not kept to",
			edits:   []edit{{"bridge/result.go", "f.Wait = max(pe.RetryAfter, time.Second)", "f.Wait = time.Second"}},
			killers: []killer{{"bridge", "TestARateLimitedPostComesLate", "the agent sees"}},
		},
		{
			name:    "a post is repeated without a search for the first one",
			edits:   []edit{{"bridge/posts.go", "	unclear := c.Ambiguous || claimed", "	unclear := false"}},
			killers: []killer{{"bridge", "TestALostReplyIsSearchedForBeforePostingAgain", "calls to the platform"}},
		},
		{
			name:    "only the card that was clicked is closed",
			edits:   []edit{{"bridge/record/behind.go", "	case Posted:\n		return c.Rendered < r.Revision", "	case Posted:\n		return c.Rendered < r.Revision && (r.Open() || r.WonAt == c.Ref)"}},
			killers: []killer{{"bridge", "TestEveryCopyIsUpdatedWhenOneIsAnswered", "Rendered:1"}},
		},
		{
			name:    "the work of a dead replica is left undone",
			edits:   []edit{{"bridge/sweep.go", "w.deliver(&r, takesOver)", "_ = r"}},
			killers: []killer{{"bridge", "TestADeadReplicasWorkIsTakenOver", "calls to the platform"}},
		},
		{
			name:    "a card nobody knows of is not looked for at the end",
			edits:   []edit{{"bridge/record/behind.go", "return c.Ambiguous && !r.Open()", "return false"}},
			killers: []killer{{"bridge", "TestACopyNobodyKnowsOfIsLookedForAtTheEnd", "the first shows open"}},
		},
		{
			name:    "those who wait do not hear that the store was emptied",
			edits:   []edit{{"bridge/missing.go", "m.records.waiter.lose(id, err)", "_ = id"}},
			killers: []killer{{"bridge", "TestEverybodyWhoWaitsHearsThatTheStoreWasEmptied", "somebody heard context deadline exceeded"}},
		},
		{
			name:    "a receiver that is gone is called again",
			edits:   []edit{{"bridge/record/call.go", "case res.Stop, next.Attempts > len(callSchedule):", "case next.Attempts > len(callSchedule):"}},
			killers: []killer{{"bridge", "TestAReceiverThatIsGoneIsLeftAlone", "after 8 calls"}},
		},
	}
}

// platforms break what the connectors promise.
func platforms() []mutant {
	return []mutant{
		{
			name:    "Discord: a post without a nonce",
			edits:   []edit{{"discord/post.go", "	m.Enforce = true\n	m.Nonce = nonce(what...)\n", ""}},
			killers: []killer{{"discord", "TestALostReplyLeavesOneMessage", "2 messages stand there"}},
		},
		{
			name:    "Discord: a card counts as drawn by a reply that may have come too late",
			edits:   []edit{{"discord/respond.go", "time.Since(made(r.p.ID)) > sureTime", "false"}},
			killers: []killer{{"discord", "TestACardDrawnByAReplyThatMayBeTooLateIsReported", "want discord: the reply may have come too late"}},
		},
		{
			name: "Discord: archived cards are remembered by their thread alone",
			edits: []edit{
				{"discord/connector.go", "c.shut.Add(ref.Message, ref.Channel)", "c.shut.Add(ref.Channel, ref.Message)"},
				{"discord/connector.go", "c.shut.Remove(ref.Message)", "c.shut.Remove(ref.Channel)"},
			},
			killers: []killer{{"discord", "TestEachCardOfAnArchivedThreadLosesItsButtons", "still has a button"}},
		},
		{
			name:    "Discord: behind an invalid session the next one comes at once",
			edits:   []edit{{"discord/gateway.go", "		if errors.Is(err, errInvalid) {", "		if false {"}},
			killers: []killer{{"discord", "TestAfterAnInvalidSessionTheNextOneComesSecondsLater/that_is_over", "want from one to five seconds"}},
		},
		{
			name: "Slack: clicks are taken over a socket that is about to close",
			edits: []edit{{
				"slack/listen.go", "	c.acts.Close() // Whatever began behind this could be recorded and never acknowledged.", "	defer c.acts.Close()",
			}},
			killers: []killer{{"slack", "TestAClickWhileTheSocketStopsIsAcknowledgedOrNotTaken", "it is taken"}},
		},
		{
			name:    "Discord: a thread of another channel takes a card",
			edits:   []edit{{"discord/place.go", "	if parent != to.Channel {", "	if parent == \"\" {"}},
			killers: []killer{{"discord", "TestAThreadOfAnotherChannelTakesNoCard/a thread of another channel", "<nil>, want thread of another channel"}},
		},
		{
			name:    "Discord: every connection of the gateway begins a new session",
			edits:   []edit{{"discord/gateway.go", "	if s.resumable() {", "	if false {"}},
			killers: []killer{{"discord", "TestAPressInAGapIsHeard/after a cut", "ack.in_time"}},
		},
		{
			name:    "Discord: sessions are parted from their turn and not from their IDENTIFY",
			edits:   []edit{{"discord/gateway.go", "		turn.begun()\n", ""}, {"discord/gateway.go", "	free := sync.OnceFunc(turn.leave)\n", "	turn.begun()\n	free := sync.OnceFunc(turn.leave)\n"}},
			killers: []killer{{"discord", "TestSessionsThatBeginAreFiveSecondsApartAsDiscordCountsThem", "gateway.identify"}},
		},
		{
			name:    "Discord: a token that was refused is not asked about",
			edits:   []edit{{"discord/gate.go", " && !k.probes() {", " {"}},
			killers: []killer{{"discord", "TestACheckAsksDiscordWhateverWasRefusedBefore", "with a token that is good again"}},
		},
		{
			name:    "Discord: who acts on a card that is deleted meanwhile is told nothing",
			edits:   []edit{{"discord/respond.go", "	case e.code == unknownMessage:\n", "	case false:\n"}},
			killers: []killer{{"discord", "TestWhoActsOnACardThatIsDeletedMeanwhileIsTold/with a press", "does not see"}},
		},
		{
			name:    "Discord: over the gateway there is as much time as over HTTP",
			edits:   []edit{{"discord/listen.go", "		allowed = deferTime\n", "		_ = deferTime\n"}},
			killers: []killer{{"discord", "TestWhoeverCannotBeAnsweredInTimeIsPutOff/SQLite", "the three seconds are over"}},
		},
		{
			name:    "Discord: an archived thread is not opened for an edit",
			edits:   []edit{{"discord/connector.go", "	if numberOf(err) != archivedThread {", "	if err != nil || err == nil {"}},
			killers: []killer{{"discord", "TestACardInAnArchivedThreadLosesItsButtons/which we may open", "50083"}},
		},
		{
			name:    "Discord: everybody is a member before it is known who we are",
			edits:   []edit{{"discord/decode.go", `	case application == "", !snowflake`, `	case !snowflake`}},
			killers: []killer{{"discord", "TestNobodyIsAMemberBeforeWeKnowWhoWeAre/http", `membership "member" at once, want ""`}},
		},
		{
			name:    "Discord: places that refuse us hold up those that do not",
			edits:   []edit{{"discord/gate.go", "g.strange >= maxStrange && g.stranger(k) {", "g.strange >= maxStrange {"}},
			killers: []killer{{"discord", "TestManyForbiddenChannelsHoldUpNobodyElse", "a channel that has taken something"}},
		},
		{
			name:    "Discord: places that refuse us are called without end",
			edits:   []edit{{"discord/gate.go", "g.strange >= maxStrange && g.stranger(k) {", "false {"}},
			killers: []killer{{"discord", "TestManyForbiddenChannelsHoldUpNobodyElse", "place 1001"}},
		},
		{
			name:    "Discord: one card that the edge dislikes stops every card",
			edits:   []edit{{"discord/gate.go", "len(g.walls) >= maxWalls {", "len(g.walls) >= 1 {"}},
			killers: []killer{{"discord", "TestTheEdgesNoIsAboutOnePlaceUntilItIsAboutThree", "in one place"}},
		},
		{
			name:    "Slack: Retry-After is ignored",
			edits:   []edit{{"slack/call.go", "		g.until[k] = now.Add(e.RetryAfter)", "		g.until[k] = now"}},
			killers: []killer{{"slack", "TestNoCallLeavesBeforeItsTime", "after ten seconds: <nil>"}},
		},
		{
			name:    "Discord: Retry-After is ignored",
			edits:   []edit{{"discord/gate.go", "		g.lane(k.shared(), now).until = now.Add(e.RetryAfter)", "		g.lane(k.shared(), now).until = now"}},
			killers: []killer{{"discord", "TestNoCallLeavesBeforeItsTime", "after ten seconds: <nil>"}},
		},
		{
			name:    "Slack: who left a group still answers by an old list",
			edits:   []edit{{"slack/groups.go", "	groupLife     = 55 * time.Second", "	groupLife     = 5 * time.Minute"}},
			killers: []killer{{"slack", "TestMembersOfAGroupAreKnown", "Kim left the group a minute ago"}},
		},
		{
			name:    "Slack: before auth.test has succeeded everybody is a member",
			edits:   []edit{{"slack/decode.go", "	case us.team == \"\", team == \"\":\n		return ask.Unknown", "	case us.team == \"\", team == \"\":\n		return ask.Member"}},
			killers: []killer{{"slack", "TestUntilWeKnowWhoWeAreNobodyIsKnownToBelong", `membership = "member"`}},
		},
		{
			name:    "Slack: people of another workspace of the organisation are members",
			edits:   []edit{{"slack/people.go", "	case !home, a.gone:", "	case !home && false, a.gone:"}},
			killers: []killer{{"slack", "TestAnyoneMeansMembersOfTheInstallationThatWasAsked", `want "outsider"`}},
		},
		{
			name:    "Slack: whether somebody is a guest is asked once for ever",
			edits:   []edit{{"slack/people.go", "	memberLife     = 55 * time.Second", "	memberLife     = time.Hour"}},
			killers: []killer{{"slack", "TestWhoIsAGuestIsNeverOlderThanAMinute", "after a minute he was asked about 0 times"}},
		},
		{
			name:    "Slack: an old form that is sent again comes after newer picks",
			edits:   []edit{{"slack/clock.go", "		order = min(max(order, second), second+time.Second.Microseconds()-1)", "		order = max(order, second)"}},
			killers: []killer{{"slack", "TestAnOldFormThatIsSentAgainDoesNotComeAfterANewerPick", "the pick between them"}},
		},
		{
			name:    "Slack: typed text is put in order by the clock of this machine",
			edits:   []edit{{"slack/clock.go", "	return c.pressed + at.Sub(c.at).Microseconds()", "	return at.UnixMicro()"}},
			killers: []killer{{"slack", "TestWhatDanaDoesLastCountsWhateverOurClockSays/ahead", "Dana opens the form"}},
		},
		{
			name:    "Slack: typed text comes before the press that another replica took",
			edits:   []edit{{"slack/clock.go", "	order = max(order, opening+1)", "	order = max(order, opening-opening)"}},
			killers: []killer{{"slack", "TestATypedAnswerIsNotLostWhereAnotherProcessTookThePress/behind", "Dana opens the form"}},
		},
		{
			name:    "Slack: a message that breaks its decoder ends the connection",
			edits:   []edit{{"slack/socket.go", "		if v := recover(); v != nil {\n			l.c.log", "		if v := recover(); v != nil {\n			_ = l.conn.Close()\n			l.c.log"}},
			killers: []killer{{"slack", "TestAMessageThatBreaksTheDecoderCostsNobodyTheConnection", "slack socket lost"}},
		},
		{
			name:    "Slack: emoji are drawn in what an agent wrote",
			edits:   []edit{{"render/blockkit/blocks.go", "	return slackapi.NewTextBlockObject(slackapi.PlainTextType, render.Cut(text, limit, nil), false, false)", "	return slackapi.NewTextBlockObject(slackapi.PlainTextType, render.Cut(text, limit, nil), true, false)"}},
			killers: []killer{{"slack", "TestWhatAnAgentWroteIsSeenByteForByte", "bot :tada:"}},
		},
		{
			name:    "Slack: a click with a wrong signature counts",
			edits:   []edit{{"slack/http.go", "			return hmac.Equal(mac.Sum(nil), s.Bytes)", "			return true"}},
			killers: []killer{{"slack", "TestSignatures", "want signature does not match"}},
		},
	}
}

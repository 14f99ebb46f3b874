package mutants

// telling breaks who is notified about a request.
func telling() []mutant {
	const once = "TestNotifiedOncePerRequest"
	return []mutant{
		broken("a card that is put back rings again").
			in("bridge/internal/deliver", "Posts.post", never("Reposted")).
			fails("askbridgetest", once, "rung after they were put back"),
		broken("a card that may be the second one rings").
			in("bridge/internal/deliver", "Posts.post", never("unsearched")).
			fails("askbridgetest", "TestUnverifiablePostDoesNotNotifyAgain", "rung 2 times"),
		broken("Slack: a silent card names people live").
			in("render", "Silent", always("MentionsRing")).
			fails("askbridgetest", once, "rung after they were put back"),
		broken("Discord: a silent card rings").
			in("render", "Silent", drop("Tells")).
			fails("askbridgetest", once, "rung after they were put back"),
		broken("Slack: responders are mentioned although other people are notified").
			in("render", "Subject.names", always("MentionsRing")).
			fails("askbridgetest", "TestOnlyNotifiedPeopleAreMentioned/other_people", "rung are"),
		broken("an empty list notifies like no list").
			in("bridge/internal/intake", "audience", within("Notify", when("len(list) == 0", "list"))).
			fails("bridge", "TestNotifyListOfRequestThenRouteThenToken", "empty_list"),
		broken("Discord: a role is not rung").
			in("discord", "ringing", drop("Roles")).
			fails("askbridgetest", "TestOnlyNotifiedPeopleAreMentioned/the_members_of_a_group_and_of_a_role", "rung are"),
		broken("a card that notified no one counts as a notification").
			in("bridge/record", "Notified", never("Quiet")).
			fails("bridge/record", "TestCopyNotified", "a silent card"),
		broken("a model sets who is notified").
			in("mcpserver", "withhold", drop("Notify")).
			fails("mcpserver", "TestModelCannotSetPolicy", "rings"),
		broken("an older build rings by its own rule").
			in("store/internal/codec", "formatOf", never("Audience")).
			fails("store/internal/codec", "TestFormat/audience", "want prefix"),
		broken("who has passed it on answers all the same").
			in("bridge/record", "allows", always("ID")).
			fails("bridge/record", "TestSuccessorAnswersInstead", "want forbidden"),
		broken("a handover ignores the required responders").
			in("bridge/record", "whyNotPass", never("Allows")).
			fails("bridge/record", "TestHandoverRefusals/to_the_requester", "want barred"),
		broken("who was passed it and is let answer no more answers").
			in("bridge/record", "Schedule.passedTo", always("Allows")).
			fails("bridge/record", "TestSuccessorNeedsPermission", "want forbidden"),
		broken("it comes back to who passed it on").
			in("bridge/record", "whyNotPass", never("Successor")).
			fails("bridge/record", "TestHandoverRefusals/back_to_who_passed_it_on", "want passer"),
		broken("who has passed it on answers through another account of theirs").
			in("bridge", "judge", drop("Groups")).
			fails("bridge", "TestPasserCannotAnswerWithLinkedAccount", "note to Dana after passing on to U2"),
		broken("it comes back to another account of who passed it on").
			in("bridge/internal/respond", "Handler.Judge", drop("Groups")).
			in("bridge/record", "accountsOf", drop("Groups")).
			fails("bridge", "TestPasserCannotAnswerWithLinkedAccount", "it came back to Dana's other account"),
		broken("over the API a person is the account that their token names, and no other of theirs").
			in("bridge", "responder", set("Groups", "who.As")).
			fails("bridge", "TestOperatorIncludesLinkedAccounts", "Dana may not answer over the API"),
		broken("the inbox still shows what someone has voted on").
			in("bridge/record", "Awaits", always("hasVoted")).
			fails("api", "TestInboxListsWhatAnswerAccepts", "after an answer to each"),
		broken("it is passed on without an end").
			in("bridge/record", "whyNotPass", never("MaxPasses")).
			fails("bridge/record", "TestHandoverRefusals/for_the_sixth_time", "want often"),
		broken("reminders go to who passed it on").
			in("bridge/record", "Schedule.insert", drop("replacePassers")).
			fails("bridge/record", "TestStepsNotifySuccessor", "reminder to [slack:U1]"),
		broken("an older build lets the one answer who passed it on").
			in("store/internal/codec", "formatOf", dropCase("IsZero")).
			fails("store/internal/codec", "TestFormat/handing_over", "want prefix"),
		broken("Discord: the successor gets a card on which they cannot answer").
			in("bridge/record", "pass", always("Action", "Ungrouped")).
			fails("askbridgetest", "TestHandoverOnDiscordLinksToCard/a_role_lets_them_answer", "it is open"),
		broken("a step happens at the time of the sweep").
			in("bridge/record", "Record.Judge", never("stepDue")).
			fails("bridge/record", "TestStepAddsPeopleAndPlaces", "unchanged"),
		broken("a record is due at its deadline alone").
			in("bridge/record", "nextDue", never("At")).
			fails("bridge/record", "TestRecordIsDueAtEarliestTime", "it is due at"),
		broken("a step is announced by every replica").
			in("bridge/record", "Work.stage", when("c.Saying >= r.Schedule.Done", "Said")).
			fails("bridge/record", "TestStepIsAnnouncedByOneReplica", "announced by another replica"),
		broken("a reminder whose reply was lost is sent again").
			in("bridge/internal/deliver", "Posts.remind", never("Ambiguous")).
			fails("askbridgetest", "TestLostReplyDoesNotRemindAgain", "notified (-want"),
		broken("a reminder still shows a waiting agent after the end").
			in("bridge/record", "OutdatedReminders", always("Open")).
			fails("askbridgetest", "TestRemindersSayHowRequestEnded/answered", "after the end, want"),
		broken("the message of a reminder whose process crashed is not searched for after the end").
			in("bridge/record", "unannounced", call("Below", "Below(r, c, c.Said)", "Saying")).
			fails("bridge/record", "TestUnrecordedReminderIsSoughtAfterEnd", "not sought"),
		broken("a reminder is posted where it notifies no one").
			in("bridge/record", "announcedBelow", returns("true", "canNotify")).
			fails("askbridgetest", "TestReminderIsPostedOnlyWhereItNotifies", "reminders on Slack"),
		broken("a reminder that failed is given up").
			in("bridge/internal/deliver", "Posts.remind", always("!temporary")).
			fails("askbridgetest", "TestFailedReminderIsRetried", "notified (-want"),
		broken("a step asks where the token may not").
			in("access", "Places.check", swap("Steps", "Steps[:0]")).
			fails("access", "TestStepPlacesFollowTokenLimits", "asked there"),
		broken("a step lets more people answer than the route does").
			in("bridge/internal/intake", "answering.widened", always("byRoute")).
			fails("bridge", "TestPeopleAddedBySteps", "may answer"),
		broken("a request's own steps add people refused by its token").
			in("bridge/internal/intake", "answering.widened", always("byToken")).
			fails("bridge", "TestPeopleAddedBySteps/only_those_of_the_token", "may answer, want"),
		broken("a token's steps add people refused by the route").
			in("bridge/internal/intake", "answering.widened", within("byToken", after("a.route = slices.Concat(a.route, added)", "Concat"))).
			fails("bridge", "TestPeopleAddedBySteps/added_by_the_token,_refused_by_the_route", "may answer, want"),
		broken("a token's schedule takes the place of its route's").
			in("bridge/internal/intake", "planned", when("$ && req.Token.Schedule.IsZero()", "route")).
			fails("bridge", "TestPeopleAddedBySteps/a_route's_schedule_counts_before_the_token's", ""),
		broken("nothing happens by the schedule of a token").
			in("access", "Caller.admit", after("r.Token.Schedule = ask.Schedule{}", "Requesters")).
			fails("access", "TestTokenSchedule", "by the token there is"),
		broken("a claim keeps nothing back").
			in("bridge/record", "Schedule.postpone", never("At")).
			fails("bridge/record", "TestClaimDelaysSteps", "it is due at"),
		broken("an older claim takes a newer one's place").
			in("bridge/record", "claim", never("Order")).
			fails("bridge/record", "TestClaimCanBeTakenOver", "the act comes to"),
		broken("steps kept back happen one by one").
			in("bridge/record", "Schedule.advance", when("s.Done == first", "Steps", "len")).
			fails("bridge/record", "TestClaimDelaysSteps", "when it lapses"),
		broken("a step behind the deadline stays").
			in("bridge/record", "Schedule.setSteps", never("At", "IsZero")).
			fails("bridge/record", "TestClaimDelaysStepPastDeadline", "steps are left"),
		broken("of a time that clocks show twice the second counts").
			in("ask", "clockShows", swap("early, late", "late, early", "range")).
			fails("ask", "TestHoursNext", "want 2026-10-25T02:30:00+02:00"),
		broken("a time that clocks jump over comes late").
			in("ask", "clockShows", returns("late", "jump")).
			fails("ask", "TestHoursNext", "want 2026-03-29T03:00:00+02:00"),
		broken("the hours of a night end at midnight").
			in("ask", "Hours.Next", swap("-1", "0")).
			fails("ask", "TestHoursNext", "want 2026-03-11T05:59:00+01:00"),
		broken("steps happen at night").
			in("bridge/internal/intake", "Intake.Submit", drop("DeferSteps")).
			fails("bridge", "TestStepsWaitForWorkingHours", "it is due at"),
		broken("a step asks who was on call when the request was made").
			in("bridge/internal/intake", "Intake.schedule", call("recipients", "record.ResolveRotas($, in.Settings.OnCall, in.Records.Clock.Now())")).
			fails("bridge", "TestRotaIsResolvedWhenItApplies", "the step adds"),
		broken("an empty rota does not restrict").
			in("bridge/internal/intake", "Intake.resolveRotas", never("people")).
			fails("bridge", "TestUnknownRotaRejected", "want responders: no one is on call now"),
		broken("a rota is intersected by its name").
			in("ask", "people", never("OnCall")).
			fails("bridge", "TestRotaIsResolvedWhenItApplies", "may answer"),
		broken("handovers drift when clocks change").
			in("bridge", "Turns.OnCall", call("In", "$.Add(-time.Hour)")).
			fails("bridge", "TestTurnsOnCall", "is on call"),
		broken("who has declined a turn is on call").
			in("internal/app/rota", "called", never("attends")).
			fails("internal/app/rota", "TestAttendeesWhoDeclinedAreNotOnCall", "is on call"),
		broken("a person on leave by an exception date is on call").
			in("internal/app/rota", "event.mark", never("s.day")).
			fails("internal/app/rota", "TestCalendarCorpus/dana-is-off-on-a-day-that-sam-covers", "is on call"),
		broken("an event that is not understood changes nothing").
			in("internal/app/rota", "Feed.OnCall", never("covers")).
			fails("internal/app/rota", "TestCalendarCorpus/an-odd-event-around-now-makes-the-rota-unavailable", "the error is"),
	}
}

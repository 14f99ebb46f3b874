package mutants

// partial breaks optional questions and notes.
func partial() []mutant {
	const fold = "TestSkippedQuestionsAndNotes"
	return []mutant{
		broken("a question that is not optional may be left").
			in("ask", "Draft.Missing", call("DeleteFunc", "nil")).
			fails("bridge/record", fold, "one_that_is_not_optional"),
		broken("a set of optional questions is sent untouched").
			in("ask", "Draft.Missing", never("left")).
			fails("bridge/record", fold, "is_not_sent_empty"),
		broken("an untouched question is reported as skipped").
			in("ask", "Draft.unanswered", instead("skipped = append(skipped, u)", "left", "append")).
			fails("bridge/record", fold, "may_be_left_and_is_not_filled_in").
			fails("api", "TestSkippedAndNotedAnswersAreReturned", "left"),
		broken("a note counts as an answer").
			in("ask", "Pick.Empty", when(`$ && p.Note.Text == ""`, "Other")).
			fails("bridge/record", fold, "a_note_alone_is_no_answer"),
		broken("a skip that comes late undoes a newer choice").
			in("ask", "Draft.Skip", call("newest", "0")).
			in("ask", "Action.Outdated", never("newest")).
			fails("bridge/record", fold, "a_skip_that_comes_late"),
		broken("the author of a note is reported as the responder").
			in("bridge/record", "choose", swap("NotedBy", "AttributedTo")).
			fails("bridge/record", fold, "names_its_author"),
		broken("the last answer sends a set whose optional questions wait").
			in("ask", "NeedsSubmit", never("Optional")).
			fails("bridge/record", fold, "the_last_answer_of_a_set"),
		broken("a ballot that leaves a question is at odds with one that skips it").
			in("bridge/record", "choiceOf", set("Skipped", "p.Skipped")).
			fails("bridge/record", "TestBallotMaySkip", "to_skip_is_a_choice"),
		broken("an older build demands every answer").
			in("store/internal/codec", "formatOf", arg("Partial", 0, "nil")).
			fails("store/internal/codec", "TestFormat/optional", "want prefix"),
		broken("whether something may be done is skipped").
			in("dialect", "call.vary", set("Optional", "c.opts.Partial && !it.Required")).
			fails("dialect", "TestPermissionCannotBeSkipped", "questions are"),
		broken("a question is left out of a form that cannot say so").
			in("dialect", "call.vary", drop("canSkip")).
			fails("dialect", "TestUnsupportedVariantsAreRefused", "refuses"),
		broken("an agent's option passes for the bridge's Skip").
			in("render", "voice.isOurs", never("Optional", "partly")).
			fails("render", "TestOptionSkipIsNumbered", "is shown as"),
	}
}

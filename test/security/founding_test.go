package security

import (
	"bytes"
	"os"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

// founding are the five documents that askbridge was begun with, line by line: what each
// says that a tool which asks people has to do, and the tests that fail where it does not.
func founding() []promise {
	const (
		d, r, a, e = "dialect", "resolver", "api", "cmd/askbridge"
	)
	everyEnd := proof{d, "TestEveryEndingOfEveryDialect"}
	return []promise{
		// Spring AI: AskUserQuestionTool.
		{"SP1", "Several questions with 2-4 options each, single-select and multi-select, free text beyond the options", []proof{everyEnd, {d, "TestHowManyOptionsEachHostTakes"}, {d, "TestReadingTheResultBackGivesWhatWasChosen"}}, ""},
		{"SP2", "1-10 questions in one call, neither null nor empty", []proof{{d, "TestHowManyQuestionsEachFamilyTakes"}, {d, "TestAModelReadsTheFirstThingThatItsHostFindsWrongAndNothingElse"}}, "Released builds take four: the variant `released` follows them."},
		{"SP3", "The question's text is required, not blank, and should end in a question mark; the header is required and has 12 characters at most", []proof{{d, "TestAModelReadsTheFirstThingThatItsHostFindsWrongAndNothingElse"}, {d, "TestAgnoHeadersAreCountedInCharacters"}, {d, "TestOddInputThatHarmsNothingIsAcceptedWithAdvice"}}, ""},
		{"SP4", "`multiSelect` is false where it is null", []proof{{d, "TestSpringMapsQuestionTextsToLabelsJoinedByCommas"}}, ""},
		{"SP5", "The handler gets the questions and returns a map: keys are question texts, values a label, labels joined by commas, or free text", []proof{{d, "TestSpringMapsQuestionTextsToLabelsJoinedByCommas"}, everyEnd, {a, "TestEveryDialectIsServed"}}, ""},
		{"SP6", "The tool is safe for concurrent use, and what it hands out cannot be changed", []proof{{"bridge", "TestThirtyTwoPeopleClickAtOnceAndOneWins"}, {"render", "TestDrawingLeavesTheSubjectAlone"}, {"ask", "TestMovesAreAbsoluteAndLeaveTheOldDraftAlone"}, {"bridge", "TestWhatOneCallerDoesToItsAnswerReachesNoOther"}, {"bridge", "TestQuestionsThatTheirCallerChangesStayAsTheyWereHandedIn"}}, ""},
		{"SP7", "Answers are validated: the map is there, every question has an answer, none is null, empty ones are accepted; what is wrong is said for people and not for the model", []proof{{d, "TestSpringJudgesAnAnswerMap"}, {d, "TestSpringWantsEveryAnswerUnlessValidationIsOff"}}, ""},
		{"SP8", "Keys that belong to no question are warned about and passed", []proof{{d, "TestSpringJudgesAnAnswerMap"}}, ""},
		{"SP9", "`answersValidation(false)` switches that off and allows partial answers", []proof{{d, "TestSpringWantsEveryAnswerUnlessValidationIsOff"}, {a, "TestACallNamesHowItsHostDiffersFromItsDocuments"}, {a, "TestAnOperatorNamesHowTheHostsOfAnAgentDiffer"}, {e, "TestAShellSaysHowAHostDiffersFromItsDocuments"}}, ""},
		{"SP10", "A console handler: numbers, several with commas, bare text is free text, numbers out of range are dropped", []proof{{r, "TestALineAtTheConsoleIsReadAsSpringsExampleReadsIt"}}, ""},
		{"SP11", "A web handler: the call waits for an answer that comes over HTTP, and ends with an error when its time is over", []proof{{a, "TestAPersonAtAShellAnswersAndTheCardSaysSo"}, {a, "TestAWaitEndsWithTheAnswer"}, {a, "TestAWaitTellsOfTheDeadline"}}, ""},
		{"SP12", "Main agents only: a sub-agent cannot ask", []proof{{d, "TestOnlyTheHostsThatForbidItRefuseASubAgent"}, {a, "TestSubagentsAskOnlyWhereTheyMay"}}, ""},
		{"SP13", "The model is told of every member of the input", []proof{{d, "TestAModelIsToldOfTheToolAsItsHostKnowsIt"}, {a, "TestAHostWithoutAToolOfItsOwnRegistersThatOfAnother"}}, ""},
		{"SP14", "What is wrong with the answers can be thrown past the model (`throw-exception-on-error`)", []proof{{d, "TestSpringWantsEveryAnswerUnlessValidationIsOff"}, {a, "TestEveryDialectIsServed"}}, "The setting is the application's own; `Askbridge-Is-Error` tells its handler when to throw."},

		// Agno: ask_user_question.
		{"AG1", "1-4 questions of 2-4 options, single-select and multi-select, in a JSON text `questions_json`", []proof{{d, "TestHowManyQuestionsEachFamilyTakes"}, {d, "TestAgnoErrorsReadAsItsPageShowsThem"}, everyEnd}, ""},
		{"AG2", "The first call pauses the run and says what is awaited; the second, with `user_answers`, completes it", []proof{everyEnd, {d, "TestAgnoTakesAnswersByNumberAndGivesThemByHeader"}, {a, "TestAgnosSecondCallIsCompletedByWhatPeopleChose"}}, "Over HTTP both calls have one `tool_call_id`, and what completes the second is what people chose in chat: `user_answers` is nobody's recorded choice. Without the id, the second asks them again."},
		{"AG3", "The result is `answers` by header as lists, `questions_asked` and the status `completed`", []proof{{d, "TestAgnoTakesAnswersByNumberAndGivesThemByHeader"}, everyEnd}, ""},
		{"AG4", "`user_answers` names questions by `question_0` and on, values are lists", []proof{{d, "TestAgnoTakesAnswersByNumberAndGivesThemByHeader"}}, ""},
		{"AG5", "`create_question(question, header, options, multi_select=False)` makes a question", []proof{{"test/security", "TestThePythonSDKHasAgnosHelper"}}, "The Python SDK has it; its own tests are run by `make sdk-py`."},
		{"AG6", "The header has at most 12 characters, the question ends in a question mark", []proof{{d, "TestAgnoErrorsReadAsItsPageShowsThem"}, {d, "TestAgnoHeadersAreCountedInCharacters"}}, ""},
		{"AG7", "Labels of 1-5 words; this is advice", []proof{{d, "TestAgnoAdvisesShortLabels"}}, ""},
		{"AG8", "Other is always offered by the front end", []proof{everyEnd, {"render", "TestControlsFitTheQuestions"}}, ""},
		{"AG9", "Wrong input is `{\"error\": …, \"status\": \"failed\"}`: not JSON, not 1-4 questions, missing members, in its words", []proof{{d, "TestAgnoErrorsReadAsItsPageShowsThem"}, {d, "TestAModelReadsTheFirstThingThatItsHostFindsWrongAndNothingElse"}, {a, "TestABadInputIsRefusedInTheHostsWords"}}, ""},
		{"AG10", "Works over AG-UI", []proof{everyEnd, {d, "TestEachHostGetsTheFormItsOwnExamplesShow"}}, ""},

		// askuserquestion-go.
		{"GO1", "`Resolver` with `Ask(ctx, Request) ([]Answer, error)`: one answer for each question in order, with the tool call's id", []proof{{r, "TestALibraryOfItsOwnTypesGetsAnAnswerFromChat"}, {d, "TestTheGoLibrarysToolRunsAResolver"}}, ""},
		{"GO2", "`NewTool` and `NewToolNamed`, under `ask_user_question` or `AskUserQuestion`, for a host that imports nothing else of ours", []proof{{r, "TestAHostTakesTheWholeToolFromHere"}}, ""},
		{"GO3", "`Description` is what the model is told", []proof{{r, "TestAHostTakesTheWholeToolFromHere"}, {d, "TestAModelIsToldOfTheToolAsItsHostKnowsIt"}}, ""},
		{"GO4", "1-4 questions, 2-4 options; text, header and labels not empty; labels unique within a question; the 12 characters of a header are advice", []proof{{r, "TestTheToolsRulesHaveErrorsOfTheirOwn"}, {d, "TestHowManyQuestionsEachFamilyTakes"}, {d, "TestHowManyOptionsEachHostTakes"}}, ""},
		{"GO5", "Each of these has an error of its own, to be told by `errors.Is`, whose words the model reads alone", []proof{{r, "TestTheToolsRulesHaveErrorsOfTheirOwn"}, {d, "TestTheGoLibrarysErrorsCanBeToldApart"}, {d, "TestAModelReadsTheFirstThingThatItsHostFindsWrongAndNothingElse"}}, ""},
		{"GO6", "The canonical answer: questions parted by an empty line, in order; a label bare, several with dashes; typed text replaces labels; missing answers are left out", []proof{{d, "TestTheGoLibrarysExampleFormatsTheSameEverywhere"}, {d, "TestTheGoLibrarysFormatInItsCorners"}, {"ask", "TestFormat"}}, ""},
		{"GO7", "Wrong input is an error result and no Go error, so that the model can mend it", []proof{{r, "TestWhatAToolSaysWithoutAnswers"}, {d, "TestTheGoLibrarysToolRunsAResolver"}}, ""},
		{"GO8", "`ErrResolverCancelled` is no error result: `[cancelled by user]`", []proof{{r, "TestWhatAToolSaysWithoutAnswers"}, {r, "TestAnEndWithoutAnAnswerIsAnErrorOfItsOwn"}}, "A reply in place of answers, which its page counts among these, is an error result that ends in what the person wrote (`ErrReplied`): `[cancelled by user]` would leave that out. Newer questions in place of these are one, too (`ErrWithdrawn`), since no person has cancelled."},
		{"GO9", "A context that the host cancelled comes back as a Go error", []proof{{r, "TestAContextThatEndsIsPassedOn"}, {r, "TestWhatAToolSaysWithoutAnswers"}}, ""},
		{"GO10", "Fewer answers than questions are taken, more are not needed; Other counts over labels", []proof{{r, "TestAHostTakesTheWholeToolFromHere"}, {d, "TestTheGoLibrarysFormatInItsCorners"}}, ""},
		{"GO11", "`StaticResolver`, `ResolverFunc`", []proof{{r, "TestCannedAnswersAreGivenAsTheyAre"}}, ""},
		{"GO12", "`StdinResolver`: numbers, lists with commas, `other` and words; an empty line cancels", []proof{{r, "TestSomebodyAtATerminalAnswers"}}, ""},
		{"GO13", "`MaxQuestions`, `MinOptions`, `MaxOptions` and `RecommendedHeaderLen` are constants", []proof{{r, "TestAHostReadsFromHereHowMuchACallMayHold"}}, ""},
		{"GO14", "A demo wires the tool to a terminal, to look at its rules and its answers without a model", []proof{{"examples/terminal", "TestSomebodyAtTheTerminalIsTheModelsAnswer"}}, ""},

		// REQ-AUQ.
		{"RQ1", "REQ-AUQ-001: 1-4 questions with 2-4 options, the description optional; the agent waits while people see them with options to choose", []proof{{d, "TestHowManyQuestionsEachFamilyTakes"}, {d, "TestHowManyOptionsEachHostTakes"}, {"bridge", "TestAskAndAnswer"}}, ""},
		{"RQ2", "REQ-AUQ-002: a choice is recorded, several are joined by commas, free text takes their place", []proof{everyEnd, {"bridge/record", "TestTheMachine"}}, ""},
		{"RQ3", "REQ-AUQ-003: the result is `{\"answers\": {\"question text\": \"selected label\"}}`; a cancelled set says so and the agent goes on", []proof{everyEnd, {d, "TestEachHostGetsTheFormItsOwnExamplesShow"}}, ""},
		{"RQ4", "REQ-AUQ-004: the tool's schema, as a model is to be told of it, for every dialect", []proof{{d, "TestAModelIsToldOfTheToolAsItsHostKnowsIt"}, {a, "TestAHostWithoutAToolOfItsOwnRegistersThatOfAnother"}}, ""},
		{"RQ5", "REQ-AUQ-005: a sub-agent's call is refused, and told that only parent conversations can ask", []proof{{d, "TestOnlyTheHostsThatForbidItRefuseASubAgent"}, {a, "TestSubagentsAskOnlyWhereTheyMay"}}, ""},
		{"RQ6", "REQ-AUQ-006: connected clients are told that an agent waits, with the questions, and that people have answered or cancelled", []proof{{a, "TestEventsHoldTheQuestions"}, {a, "TestOneRequestIsFollowedToItsEnd"}}, ""},

		// Opal.
		{"OP1", "`ask_user` with a question and optional choices: free text, multiple choice or both", []proof{everyEnd, {d, "TestAnOpalSubAgentAsksThroughItsParent"}}, ""},
		{"OP2", "The result is the answer's text; over RPC `{\"answer\": …}`", []proof{everyEnd, {d, "TestAnOpalSubAgentAsksThroughItsParent"}}, "Outside of RPC an answer is `{\"answer\": …}` as well, the result of `client/ask_user`, of which the tool takes the text; failures are the text alone, without the quotes that `inspect` puts around it."},
		{"OP3", "The same schema for main agents and sub-agents", []proof{{d, "TestAModelIsToldOfTheToolAsItsHostKnowsIt"}, {d, "TestAnOpalSubAgentAsksThroughItsParent"}}, ""},
		{"OP4", "No time limit", []proof{{d, "TestOpalWaitsAsLongAsPeopleNeedAndSaysInItsLogWhatWasAsked"}, {"bridge", "TestAHostThatWaitsForEverIsGivenNoDeadlineThatNobodySet"}}, ""},
		{"OP5", "The log line: 60 characters of the question", []proof{{d, "TestOpalWaitsAsLongAsPeopleNeedAndSaysInItsLogWhatWasAsked"}}, "Characters are code points here, and what a reader takes for one in Elixir."},
		{"OP6", "Abort while it is pending makes the call fail", []proof{everyEnd, {"mcpserver", "TestACancelledCallWithdrawsWhereThatIsWanted"}, {e, "TestAWithdrawnToolCallSaysSo"}}, ""},
		{"OP7", "A sub-agent's question goes through its parent, and the answer to exactly that child; without a handler it goes to the client", []proof{{d, "TestAnOpalSubAgentAsksThroughItsParent"}, {a, "TestTheSameToolCallFindsTheSameRequest"}, {"bridge", "TestIdentityFollowsTenantSessionAndKey"}}, ""},
		{"OP8", "A failed request says why, as `User input request failed: …`, and one of a sub-agent as `Question failed: …`", []proof{{d, "TestAnOpalSubAgentAsksThroughItsParent"}, everyEnd}, "The page says nothing of a call without a question. `Missing required parameter: question` is what the released source says."},
		{"OP9", "A client that shows no questions gets an error", []proof{everyEnd, {"bridge", "TestWhatCannotBeShownFailsAtOnceWithTheReason"}}, ""},
		{"OP10", "Over RPC `client/ask_user` with the members `session_id`, `question` and `choices`", []proof{{d, "TestAnOpalSubAgentAsksThroughItsParent"}, everyEnd}, ""},
	}
}

func TestEveryLineOfTheFoundingDocumentsHasItsTests(t *testing.T) {
	t.Parallel()
	held(t, founding())
	const page = root + "/docs/founding.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, page, within(t, page, string(data), "founding", table("What its document says", founding())))
}

// The helper of Agno's page is Python, and stands beside its tests in the SDK.
func TestThePythonSDKHasAgnosHelper(t *testing.T) {
	t.Parallel()
	for file, has := range map[string]string{
		"sdk/python/src/askbridge/agno.py": "def create_question(",
		"sdk/python/tests/test_agno.py":    "question = create_question(",
	} {
		data, err := os.ReadFile(root + "/" + file)
		if err != nil || !bytes.Contains(data, []byte(has)) {
			t.Errorf("%s has no %q: %v", file, has, err)
		}
	}
}

package security

import (
	"bytes"
	"os"
	"testing"
)

// founding lists the requirements of the five documents that askbridge started from, and
// the tests that fail when one is not met.
func founding() []promise {
	const (
		d, r, a, e = "dialect", "resolver", "api", "cmd/askbridge"
	)
	everyEnd := proof{d, "TestOutcomes"}
	return []promise{
		// Spring AI: AskUserQuestionTool.
		{"SP1", "Several questions with 2-4 options each, single-select and multi-select, free text beyond the options", []proof{everyEnd, {d, "TestOptionLimits"}, {d, "TestResultsDecodeToTheChoices"}}, ""},
		{"SP2", "1-10 questions in one call, neither null nor empty", []proof{{d, "TestQuestionLimits"}, {d, "TestModelErrorIsFirstErrorOfItsHost"}}, "Released builds take four: the variant `released` follows them."},
		{"SP3", "The question is required and not blank and should end in a question mark; the header is required, at most 12 characters", []proof{{d, "TestModelErrorIsFirstErrorOfItsHost"}, {d, "TestAgnoHeadersAreCountedInCharacters"}, {d, "TestHarmlessOddInputGetsAdvice"}}, ""},
		{"SP4", "A null `multiSelect` is false", []proof{{d, "TestSpringMapsQuestionTextsToLabelsJoinedByCommas"}}, ""},
		{"SP5", "The handler gets the questions and returns a map: keys are question texts, values a label, labels joined by commas, or free text", []proof{{d, "TestSpringMapsQuestionTextsToLabelsJoinedByCommas"}, everyEnd, {a, "TestEveryDialectIsServed"}}, ""},
		{"SP6", "Safe for concurrent use; returned values are immutable", []proof{{"bridge", "TestThirtyTwoConcurrentClicksOneWins"}, {"render", "TestDrawingLeavesTheSubjectAlone"}, {"ask", "TestMovesAreAbsoluteAndCopyDraft"}, {"bridge", "TestOutcomeIsCallersOwn"}, {"bridge", "TestSubmittedQuestionsAreCopied"}}, ""},
		{"SP7", "Answers are validated: a map with a non-null answer per question, empty ones accepted; errors are for people, not for the model", []proof{{d, "TestSpringRequiresEveryAnswerUnlessValidationIsOff"}}, ""},
		{"SP8", "Unknown keys cause a warning and pass", []proof{{d, "TestSpringMapsQuestionTextsToLabelsJoinedByCommas"}}, "askbridge builds the map itself, so it has no unknown keys."},
		{"SP9", "`answersValidation(false)` switches that off and allows partial answers", []proof{{d, "TestSpringRequiresEveryAnswerUnlessValidationIsOff"}, {a, "TestVariantFromQuery"}, {a, "TestVariantFromAgentSettings"}, {e, "TestAskVariants"}}, ""},
		{"SP10", "A console handler: numbers, several with commas, bare text is free text, numbers out of range are dropped", []proof{{r, "TestConsoleLineMatchesSpringExample"}}, ""},
		{"SP11", "A web handler: the call waits for an answer over HTTP and times out with an error", []proof{{a, "TestAnswerOverAPIUpdatesCard"}, {a, "TestWaitEndsWithAnswer"}, {a, "TestWaitReportsDeadline"}}, ""},
		{"SP12", "Main agents only: a sub-agent cannot ask", []proof{{d, "TestSubAgentsAreRefusedOnlyByHostsThatForbidThem"}, {a, "TestSubagentPlacesAreLimited"}}, ""},
		{"SP13", "The tool description covers every input member", []proof{{d, "TestToolSchemaMatchesHost"}, {a, "TestSchemaOfBorrowedTool"}}, ""},
		{"SP14", "Answer errors can be thrown past the model (`throw-exception-on-error`)", []proof{{d, "TestSpringRequiresEveryAnswerUnlessValidationIsOff"}, {a, "TestEveryDialectIsServed"}}, "The application has the setting; its handler throws on `Askbridge-Is-Error`."},

		// Agno: ask_user_question.
		{"AG1", "1-4 questions of 2-4 options, single-select and multi-select, in a JSON text `questions_json`", []proof{{d, "TestQuestionLimits"}, {d, "TestAgnoErrorsMatchItsDocs"}, everyEnd}, ""},
		{"AG2", "The first call pauses the run with what it awaits; the second, with `user_answers`, completes it", []proof{everyEnd, {d, "TestAgnoReadsAnswersByNumberAndReturnsThemByHeader"}, {a, "TestAgnoSecondCallContainsChoices"}}, "Over HTTP both calls share a `tool_call_id`, and the choice in chat completes the second, not `user_answers`. Without the ID, people are asked again."},
		{"AG3", "The result is `answers` by header as lists, `questions_asked` and the status `completed`", []proof{{d, "TestAgnoReadsAnswersByNumberAndReturnsThemByHeader"}, everyEnd}, ""},
		{"AG4", "`user_answers` names questions by `question_0` and on, values are lists", []proof{{d, "TestAgnoReadsAnswersByNumberAndReturnsThemByHeader"}}, ""},
		{"AG5", "`create_question(question, header, options, multi_select=False)` makes a question", []proof{{"test/security", "TestPythonSDKHasAgnoHelper"}}, "In the Python SDK, tested by `make sdk-py`."},
		{"AG6", "The header has at most 12 characters, the question ends in a question mark", []proof{{d, "TestAgnoErrorsMatchItsDocs"}, {d, "TestAgnoHeadersAreCountedInCharacters"}}, ""},
		{"AG7", "Labels of 1-5 words; this is advice", []proof{{d, "TestAgnoAdvisesShortLabels"}}, ""},
		{"AG8", "Other is always offered by the front end", []proof{everyEnd, {"render", "TestControlsFitTheQuestions"}}, ""},
		{"AG9", "Wrong input is `{\"error\": …, \"status\": \"failed\"}`: not JSON, not 1-4 questions, missing members, in its words", []proof{{d, "TestAgnoErrorsMatchItsDocs"}, {d, "TestModelErrorIsFirstErrorOfItsHost"}, {a, "TestInvalidInputGetsHostError"}}, ""},
		{"AG10", "Works over AG-UI", []proof{everyEnd, {d, "TestResultsMatchHostExamples"}}, ""},

		// askuserquestion-go.
		{"GO1", "`Resolver` with `Ask(ctx, Request) ([]Answer, error)`: one answer per question in order, with the tool call ID", []proof{{r, "TestCustomTypesAnsweredFromChat"}, {d, "TestGoLibraryToolRunsResolver"}}, ""},
		{"GO2", "`NewTool` and `NewToolNamed`, under `ask_user_question` or `AskUserQuestion`, for a host without other imports", []proof{{r, "TestToolDefinitionForHost"}}, ""},
		{"GO3", "`Description` is the tool description", []proof{{r, "TestToolDefinitionForHost"}, {d, "TestToolSchemaMatchesHost"}}, ""},
		{"GO4", "1-4 questions, 2-4 options; text, header and labels not empty; labels unique within a question; the 12 characters of a header are advice", []proof{{r, "TestToolRuleErrors"}, {d, "TestQuestionLimits"}, {d, "TestOptionLimits"}}, ""},
		{"GO5", "Each has its own error for `errors.Is`; the model reads only its text", []proof{{r, "TestToolRuleErrors"}, {d, "TestGoLibraryErrorsMatchSentinels"}, {d, "TestModelErrorIsFirstErrorOfItsHost"}}, ""},
		{"GO6", "The canonical answer: questions in order, separated by an empty line; one label bare, several with dashes; typed text replaces labels; missing answers are omitted", []proof{{d, "TestGoLibraryExampleFormat"}, {d, "TestGoLibraryFormatEdgeCases"}, {"ask", "TestFormat"}}, ""},
		{"GO7", "Wrong input is an error result, not a Go error, so the model can correct it", []proof{{r, "TestToolResultWithoutAnswers"}, {d, "TestGoLibraryToolRunsResolver"}}, ""},
		{"GO8", "`ErrResolverCancelled` is no error result: `[cancelled by user]`", []proof{{r, "TestToolResultWithoutAnswers"}, {r, "TestUnansweredEndIsAnError"}}, "A reply instead of answers is an error result with the person's text (`ErrReplied`), as are newer questions (`ErrWithdrawn`)."},
		{"GO9", "A context cancelled by the host returns a Go error", []proof{{r, "TestContextErrorIsReturned"}, {r, "TestToolResultWithoutAnswers"}}, ""},
		{"GO10", "Fewer answers than questions are accepted; Other overrides labels", []proof{{r, "TestToolDefinitionForHost"}, {d, "TestGoLibraryFormatEdgeCases"}}, ""},
		{"GO11", "`StaticResolver`, `ResolverFunc`", []proof{{r, "TestCannedAnswersAreGivenAsTheyAre"}}, ""},
		{"GO12", "`StdinResolver`: numbers, lists with commas, `other` and words; an empty line cancels", []proof{{r, "TestTerminalAnswer"}}, ""},
		{"GO13", "`MaxQuestions`, `MinOptions`, `MaxOptions` and `RecommendedHeaderLen` are constants", []proof{{r, "TestToolLimits"}}, ""},
		{"GO14", "A terminal demo shows rules and answers without a model", []proof{{"examples/terminal", "TestTerminalAnswerReachesModel"}}, ""},

		// REQ-AUQ.
		{"RQ1", "REQ-AUQ-001: 1-4 questions with 2-4 options, description optional; the agent waits while people choose", []proof{{d, "TestQuestionLimits"}, {d, "TestOptionLimits"}, {"bridge", "TestAskAndAnswer"}}, ""},
		{"RQ2", "REQ-AUQ-002: a choice is recorded, several are joined by commas, free text replaces them", []proof{everyEnd, {"bridge/record", "TestRecordInvariants"}}, ""},
		{"RQ3", "REQ-AUQ-003: the result is `{\"answers\": {\"question text\": \"selected label\"}}`; a cancelled set is marked and the agent continues", []proof{everyEnd, {d, "TestResultsMatchHostExamples"}}, ""},
		{"RQ4", "REQ-AUQ-004: the tool's schema for the model, for every dialect", []proof{{d, "TestToolSchemaMatchesHost"}, {a, "TestSchemaOfBorrowedTool"}}, ""},
		{"RQ5", "REQ-AUQ-005: a sub-agent's call is refused: only parent conversations can ask", []proof{{d, "TestSubAgentsAreRefusedOnlyByHostsThatForbidThem"}, {a, "TestSubagentPlacesAreLimited"}}, ""},
		{"RQ6", "REQ-AUQ-006: connected clients get events for waiting, answered and cancelled questions", []proof{{a, "TestEventsIncludeQuestions"}, {a, "TestFollowRequestToEnd"}}, ""},

		// Opal.
		{"OP1", "`ask_user` with a question and optional choices: free text, multiple choice or both", []proof{everyEnd, {d, "TestOpalSubAgentAsksThroughParent"}}, ""},
		{"OP2", "The result is the answer's text; over RPC `{\"answer\": …}`", []proof{everyEnd, {d, "TestOpalSubAgentAsksThroughParent"}}, "Outside RPC an answer is `{\"answer\": …}` as well; failures are plain text without the quotes of `inspect`."},
		{"OP3", "The same schema for main agents and sub-agents", []proof{{d, "TestToolSchemaMatchesHost"}, {d, "TestOpalSubAgentAsksThroughParent"}}, ""},
		{"OP4", "No time limit", []proof{{d, "TestOpalHasNoDeadlineAndLogsTheQuestion"}, {"bridge", "TestNoDeadlineForHostThatWaitsForever"}}, ""},
		{"OP5", "The log line: 60 characters of the question", []proof{{d, "TestOpalHasNoDeadlineAndLogsTheQuestion"}}, "Characters are code points here and graphemes in Elixir."},
		{"OP6", "An abort fails the pending call", []proof{everyEnd, {"mcpserver", "TestCancelledCallWithdrawsIfConfigured"}, {e, "TestAskWithdrawnToolCall"}}, ""},
		{"OP7", "A sub-agent's question goes through its parent, and the answer to exactly that child; without a handler it goes to the client", []proof{{d, "TestOpalSubAgentAsksThroughParent"}, {a, "TestSameToolCallAttaches"}, {"bridge", "TestRequestIDDependsOnTenantSessionAndKey"}}, ""},
		{"OP8", "A failed request returns `User input request failed: …`, one of a sub-agent `Question failed: …`", []proof{{d, "TestOpalSubAgentAsksThroughParent"}, everyEnd}, "Without a question: `Missing required parameter: question`, from the released source."},
		{"OP9", "A client that shows no questions gets an error", []proof{everyEnd, {"bridge", "TestUnpostableRequestFailsWithReason"}}, ""},
		{"OP10", "RPC `client/ask_user` has `session_id`, `question` and `choices`", []proof{{d, "TestOpalSubAgentAsksThroughParent"}, everyEnd}, ""},
	}
}

func TestFoundingDocumentsHaveTests(t *testing.T) {
	t.Parallel()
	held(t, founding())
}

// The helper of Agno's page is in Python, next to its tests in the SDK.
func TestPythonSDKHasAgnoHelper(t *testing.T) {
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

package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/askbridge/askbridge/ask"
)

// Spring AI's AskUserQuestionTool. The rules are those of its documentation
// page: one to ten questions, header at most 12 characters, two to four
// options, answers as a map from question text to a string.
// https://github.com/spring-ai-community/spring-ai-agent-utils/blob/main/spring-ai-agent-utils/docs/AskUserQuestionTool.md
//
// The released code differs: it takes one to four questions and only warns of
// long headers and option counts ([Options.Released]). The tool itself puts a
// sentence in front of the map; "spring" is what the handler of an application
// returns to it, "spring-tool" is what the model reads.
const springSource = "https://github.com/spring-ai-community/spring-ai-agent-utils/blob/main/spring-ai-agent-utils/src/main/java/org/springaicommunity/agent/tools/AskUserQuestionTool.java"

const (
	springMaxQuestions         = ask.MaxQuestions
	springReleasedMaxQuestions = 4
	// springHeader is counted as Java counts, in UTF-16 units.
	springHeader = 12
	springPrefix = "User has answered your questions: "
)

func spring() Dialect {
	return Dialect{
		Name: "spring", Family: "spring", Host: "Spring AI, answer of the handler", Tool: "AskUserQuestionTool", Source: springSource,
		Limits:   Limits{MaxQuestions: springMaxQuestions, MinOptions: 2, MaxOptions: 4, Header: springHeader},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question are joined by commas; there is no form for a cancelled set, so it is an error to throw.",
		read:     readSpring,
		write: func(c *call, picks []pick) Result {
			return c.springAnswer(picks, "")
		},
		end: fail,
	}
}

func springTool() Dialect {
	d := spring()
	d.Name, d.Host = "spring-tool", "Spring AI, result for the model"
	d.write = func(c *call, picks []pick) Result {
		return c.springAnswer(picks, springPrefix)
	}
	return d
}

func readSpring(c *call, data json.RawMessage) {
	c.mainAgentOnly("AskUserQuestionTool can be used only with main agents, not sub-agents")
	var list json.RawMessage
	switch data[0] {
	case '{':
		f, ok := c.fields("", data)
		if !ok {
			return
		}
		list = f.take("questions")
		// The model leaves "answers" empty; it is the host's to fill.
		f.take("answers")
		c.rest("", f)
	default:
		list = data
	}
	if missing(list) {
		c.bad("questions", ask.ErrNoQuestions, "Questions list cannot be null")
		c.unread = true
		return
	}
	c.set("questions", list, claudeShape)
	if c.unread {
		return
	}
	most := c.dialect.Limits.MaxQuestions
	if c.opts.Released {
		most = springReleasedMaxQuestions
	}
	if c.opts.MaxQuestions > 0 {
		most = min(c.opts.MaxQuestions, ask.MaxQuestions)
	}
	if c.sent < 1 || c.sent > most {
		kind := ask.ErrTooManyQuestions
		if c.sent == 0 {
			kind = ask.ErrNoQuestions
		}
		c.bad("questions", kind, "Questions list must contain 1-%d questions, got: %d", most, c.sent)
	}
	for _, it := range c.items {
		c.springQuestion(it)
	}
	c.unique("question", itemText)
}

func (c *call) springQuestion(it item) {
	// A released host only warns where its documentation says must.
	warned := c.bad
	if c.opts.Released {
		warned = c.odd
	}
	if strings.TrimSpace(it.text.text) == "" {
		c.bad(it.at+".question", ask.ErrEmptyQuestion, "%s: Question text cannot be null or blank", it.at)
	} else if !strings.HasSuffix(strings.TrimSpace(it.text.text), "?") {
		c.advise(it.at+".question", "should end with \"?\"")
	}
	if strings.TrimSpace(it.header.text) == "" {
		c.bad(it.at+".header", ask.ErrSyntax, "%s: Header cannot be null or blank", it.at)
	} else if n := len(utf16.Encode([]rune(it.header.text))); n > springHeader {
		warned(it.at+".header", ask.ErrTooLong, "%s: Header must be max %d characters, got: %d", it.at, springHeader, n)
	}
	if it.sent < 2 || len(it.options) > 4 {
		warned(it.at+".options", ask.ErrOptionCount, "%s: Options must have 2-4 items", it.at)
	}
	for j, o := range it.options {
		at := fmt.Sprintf("%s.options[%d]", it.at, j)
		if strings.TrimSpace(o.label.text) == "" {
			c.bad(at+".label", ask.ErrEmptyLabel, "%s: Option label cannot be null or blank", at)
		}
		if strings.TrimSpace(o.description) == "" {
			c.odd(at+".description", ask.ErrSyntax, "%s: Option description cannot be null or blank", at)
		}
	}
}

func (c *call) springAnswer(picks []pick, prefix string) Result {
	if !c.opts.NoAnswersValidation {
		for _, p := range picks {
			if p.skipped {
				return asText(springMissing(p.text.text)).asError()
			}
		}
	}
	answers := c.answerMap(picks, byText)
	if prefix != "" {
		return asText(prefix + string(answers))
	}
	return asJSON(answers)
}

// ErrSpringAnswer stands for Spring's InvalidUserAnswerException, which is meant
// for the person's side and not for the model.
var ErrSpringAnswer = errors.New("InvalidUserAnswerException")

func springMissing(question string) string {
	return fmt.Sprintf("Missing answer for question: \"%s\". All questions must have answers.", question)
}

// CheckSpringAnswers judges an answer map as the tool's own validation does:
// the map is not null, every question has a value that is not null, empty
// values are acceptable. Keys that fit no question are returned as warnings.
func CheckSpringAnswers(questions []ask.Question, answers map[string]*string) (warnings []string, err error) {
	if answers == nil {
		return nil, fmt.Errorf("%w: questionAnswerFunction returned null. Must return a non-null Map<String, String>", ErrSpringAnswer)
	}
	asked := map[string]bool{}
	var wrong []string
	for _, q := range questions {
		asked[q.Text] = true
		switch value, ok := answers[q.Text]; {
		case !ok:
			wrong = append(wrong, springMissing(q.Text))
		case value == nil:
			wrong = append(wrong, fmt.Sprintf("Answer for question \"%s\" is null. Answer values should not be null (empty strings are acceptable).", q.Text))
		}
	}
	for _, key := range sortedKeys(answers) {
		if !asked[key] {
			warnings = append(warnings, fmt.Sprintf("Answer map contains unexpected key that does not match any question: \"%s\"", key))
		}
	}
	if wrong != nil {
		return warnings, fmt.Errorf("%w: %s", ErrSpringAnswer, strings.Join(wrong, " "))
	}
	return warnings, nil
}

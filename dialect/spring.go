package dialect

import (
	"bytes"
	"encoding/json"
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
// The released code differs: it takes one to four questions, wants every option
// described, and only warns of long headers and option counts
// ([Options.Released]). The tool itself puts a
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
		Name: "spring", Family: "spring", Host: "Spring AI, answer of the handler", Tool: "AskUserQuestionTool", Source: springSource, leavesOut: true,
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
	if c.springNulls(list) {
		return
	}
	c.set("questions", list, claudeShape)
	if c.unread {
		return
	}
	// Java makes the options before the question they belong to, and counts last.
	for _, it := range c.items {
		c.springQuestion(it)
	}
	if most := c.springMost(); c.sent < 1 || c.sent > most {
		c.bad("questions", count(c.sent), "Questions list must contain 1-%d questions, got: %d", most, c.sent)
	}
	c.unique("question", itemText)
}

// springNulls refuses a list with a question that is null.
func (c *call) springNulls(list json.RawMessage) bool {
	var questions []json.RawMessage
	if json.Unmarshal(list, &questions) != nil {
		return false
	}
	for i, q := range questions {
		if missing(bytes.TrimSpace(q)) {
			c.bad(fmt.Sprintf("questions[%d]", i), ask.ErrSyntax, "Question at index %d is null", i)
			c.unread = true
		}
	}
	return c.unread
}

func (c *call) springMost() int {
	if c.opts.MaxQuestions == 0 && c.opts.Released {
		return springReleasedMaxQuestions
	}
	return c.maxQuestions()
}

func (c *call) springQuestion(it item) {
	// A released host refuses what its documentation lets pass, and only warns
	// where its documentation says must.
	cut, blank := c.bad, c.tolerate
	if c.opts.Released {
		cut, blank = c.tolerate, c.bad
	}
	for j, o := range it.options {
		at := optionPath(it, j)
		if strings.TrimSpace(o.label.text) == "" {
			c.bad(at+".label", ask.ErrEmptyLabel, "Option label cannot be null or blank")
		}
		if strings.TrimSpace(o.description) == "" {
			blank(at+".description", ask.ErrSyntax, "Option description cannot be null or blank")
		}
	}
	if strings.TrimSpace(it.text.text) == "" {
		c.bad(it.at+".question", ask.ErrEmptyQuestion, "Question text cannot be null or blank")
	} else if !strings.HasSuffix(strings.TrimSpace(it.text.text), "?") {
		c.advise(it.at+".question", "should end with \"?\"")
	}
	if strings.TrimSpace(it.header.text) == "" {
		c.bad(it.at+".header", ask.ErrSyntax, "Header cannot be null or blank")
	} else if n := len(utf16.Encode([]rune(it.header.text))); n > springHeader {
		cut(it.at+".header", ask.ErrTooLong, "Header must be max %d characters, got: %d", springHeader, n)
	}
	if it.sent < 2 || len(it.options) > 4 {
		cut(it.at+".options", ask.ErrOptionCount, "Options must have 2-4 items")
	}
}

func (c *call) springAnswer(picks []pick, prefix string) Result {
	if !c.opts.Partial && !c.left {
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

func springMissing(question string) string {
	return fmt.Sprintf("Missing answer for question: \"%s\". All questions must have answers.", question)
}

package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Spring AI's AskUserQuestionTool. The rules are from its documentation: one to ten questions, a header of at most 12 characters,
// two to four options, and answers as a map from question text to a string.
// https://github.com/spring-ai-community/spring-ai-agent-utils/blob/main/spring-ai-agent-utils/docs/AskUserQuestionTool.md
//
// The released code differs: it accepts one to four questions, requires a description for each option, and only warns of long
// headers and option counts ([Options.Released]). The tool puts a sentence in front of the map: "spring" is the result of an
// application's handler, "spring-tool" is what the model reads.
const springSource = "https://github.com/spring-ai-community/spring-ai-agent-utils/blob/main/spring-ai-agent-utils/src/main/java/org/springaicommunity/agent/tools/AskUserQuestionTool.java"

const (
	springMaxQuestions         = ask.MaxQuestions
	springReleasedMaxQuestions = 4
	// springHeader is counted in UTF-16 units, as in Java.
	springHeader = 12
	springPrefix = "User has answered your questions: "
)

func spring() Dialect {
	return Dialect{
		Name: "spring", Family: "spring", Host: "Spring AI, answer of the handler", Tool: "AskUserQuestionTool", Source: springSource, canSkip: true,
		Limits:   Limits{MaxQuestions: springMaxQuestions, MinOptions: 2, MaxOptions: 4, Header: springHeader},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question are joined by commas; there is no form for a cancelled set, so it is an error to throw.",
		studied:  "page of the tool; source at 5410240, 2026-07-29",
		headless: noScreen,
		read:     readSpring,
		write: func(c *call, picks []answer.Pick) Result {
			return springAnswer(c, picks, "")
		},
		end: fail,
	}
}

func springTool() Dialect {
	d := spring()
	d.Name, d.Host = "spring-tool", "Spring AI, result for the model"
	d.write = func(c *call, picks []answer.Pick) Result {
		return springAnswer(c, picks, springPrefix)
	}
	return d
}

func readSpring(c *call, data json.RawMessage) {
	c.requireMainAgent("AskUserQuestionTool can be used only with main agents, not sub-agents")
	var list json.RawMessage
	switch data[0] {
	case '{':
		f, ok := c.Fields("", data)
		if !ok {
			return
		}
		list = f.Take("questions")
		// The host fills in "answers", never the model.
		f.Take("answers")
		c.Rest("", f)
	default:
		list = data
	}
	if js.Missing(list) {
		c.RejectAsHost("questions", ask.ErrNoQuestions, "Questions list cannot be null")
		c.Unread = true
		return
	}
	if springNulls(c, list) {
		return
	}
	c.ReadList("questions", list, question.Claude)
	if c.Unread {
		return
	}
	// Java creates the options before their question, and counts last.
	for _, it := range c.Items {
		springQuestion(c, it)
	}
	if most := springMost(c); c.Sent < 1 || c.Sent > most {
		c.RejectAsHost("questions", question.CountError(c.Sent), "Questions list must contain 1-%d questions, got: %d", most, c.Sent)
	}
	c.Unique("question", question.ItemText)
}

// springNulls rejects questions that are null.
func springNulls(c *call, list json.RawMessage) bool {
	var questions []json.RawMessage
	if json.Unmarshal(list, &questions) != nil {
		return false
	}
	for i, q := range questions {
		if js.Missing(bytes.TrimSpace(q)) {
			c.RejectAsHost(fmt.Sprintf("questions[%d]", i), ask.ErrSyntax, "Question at index %d is null", i)
			c.Unread = true
		}
	}
	return c.Unread
}

// springMost is the maximum number of questions.
func springMost(c *call) int {
	if c.opts.MaxQuestions == 0 && c.opts.Released {
		return springReleasedMaxQuestions
	}
	return c.MaxQuestions()
}

// springQuestion applies the rules to one question.
func springQuestion(c *call, it question.Item) {
	// The released code rejects some inputs that the documentation accepts, and the other way around.
	cut, blank := c.RejectAsHost, c.TolerateAsHost
	if c.opts.Released {
		cut, blank = c.TolerateAsHost, c.RejectAsHost
	}
	for j, o := range it.Options {
		at := question.OptionPath(it, j)
		if strings.TrimSpace(o.Label.Text) == "" {
			c.RejectAsHost(at+".label", ask.ErrEmptyLabel, "Option label cannot be null or blank")
		}
		if strings.TrimSpace(o.Description) == "" {
			blank(at+".description", ask.ErrSyntax, "Option description cannot be null or blank")
		}
	}
	if strings.TrimSpace(it.Text.Text) == "" {
		c.RejectAsHost(it.At+".question", ask.ErrEmptyQuestion, "Question text cannot be null or blank")
	} else if !strings.HasSuffix(strings.TrimSpace(it.Text.Text), "?") {
		c.Advise(it.At+".question", "should end with \"?\"")
	}
	if strings.TrimSpace(it.Header.Text) == "" {
		c.RejectAsHost(it.At+".header", ask.ErrSyntax, "Header cannot be null or blank")
	} else if n := len(utf16.Encode([]rune(it.Header.Text))); n > springHeader {
		cut(it.At+".header", ask.ErrTooLong, "Header must be max %d characters, got: %d", springHeader, n)
	}
	if it.Sent < 2 || len(it.Options) > 4 {
		cut(it.At+".options", ask.ErrOptionCount, "Options must have 2-4 items")
	}
}

// springAnswer is the map of answers behind the prefix. Every question needs an answer unless it could be skipped.
func springAnswer(c *call, picks []answer.Pick, prefix string) Result {
	if !c.opts.Partial && !c.left {
		for _, p := range picks {
			if p.Skipped {
				return asText(springMissing(p.Text.Text)).asError()
			}
		}
	}
	answers := answer.Map(&c.Set, picks, answer.ByText)
	if prefix != "" {
		return asText(prefix + string(answers))
	}
	return asJSON(answers)
}

// springMissing is the tool's error for a question without an answer.
func springMissing(question string) string {
	return fmt.Sprintf("Missing answer for question: \"%s\". All questions must have answers.", question)
}

package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// top reads the object around the questions. A bare list, or a single question
// object, counts as the questions.
func (c *call) top(data json.RawMessage, s shape) (fields, bool) {
	if data[0] != '{' {
		return fields{"questions": data}, true
	}
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return nil, false
	}
	if _, bare := f[s.text[0]]; bare && f["questions"] == nil {
		f = fields{"questions": data}
	}
	return f, true
}

// readSet reads {"questions": […]}. Members named in known mean nothing to
// people.
func (c *call) readSet(data json.RawMessage, s shape, known ...string) {
	f, ok := c.top(data, s)
	if !ok {
		return
	}
	c.set("questions", f.take("questions"), s)
	for _, name := range known {
		f.take(name)
	}
	c.rest("", f)
}

// ids takes the session and the tool-call id from members of those names.
func (c *call) ids(f fields, session, toolCall string) {
	if session != "" {
		c.request.Session = c.text(session, f.take(session))
	}
	if toolCall != "" {
		c.request.ToolCallID = c.text(toolCall, f.take(toolCall))
	}
}

// countQuestions is the rule that most hosts share.
func (c *call) countQuestions() {
	if most := c.maxQuestions(); c.sent == 0 || c.sent > most {
		c.badAt("questions", count(c.sent), "has %d questions; give 1 to %d", c.sent, most)
	}
}

// count is what is wrong with a number of questions that is no good.
func count(sent int) error {
	if sent == 0 {
		return ask.ErrNoQuestions
	}
	return ask.ErrTooManyQuestions
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func contains(values []string, v string) bool { return slices.Contains(values, v) }

// without returns the values that are not among the others.
func without(values, others []string) []string {
	var left []string
	for _, v := range values {
		if !contains(others, v) {
			left = append(left, v)
		}
	}
	return left
}

// countOptions is the rule that most hosts share.
func (c *call) countOptions(it item, format string, args ...any) {
	l := c.dialect.Limits
	if n := len(it.options); n != 0 && (n < l.MinOptions || l.MaxOptions > 0 && n > l.MaxOptions) || n == 0 && it.sent > 0 {
		c.odd(c.path(it, "options"), ask.ErrOptionCount, format, args...)
	}
}

func optionPath(it item, i int) string { return fmt.Sprintf("%s.options[%d]", it.at, i) }

// yesNo gives a question the options Yes and No.
func (c *call) yesNo(it *item, q *ask.Question) {
	yes := ask.YesNo(q.Text)
	q.Options, q.NoOther, q.MultiSelect = yes.Options, true, false
	it.options = nil
	for _, o := range yes.Options {
		it.options = append(it.options, option{label: quote(o.Label), key: quote(strings.ToLower(o.Label))})
	}
}

// pathElement keeps an id from becoming more than one element of a path.
func pathElement(id string) string { return url.PathEscape(id) }

func indexed(i int) string { return fmt.Sprintf("[%d]", i) }

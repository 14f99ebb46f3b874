// Package question reads the questions of a tool input in the form of any host: a [Shape] names the members, and a [Set] keeps
// each question in the words of the input next to the one that people see.
package question

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/lenient"
)

// Limits are the host's limits for one call; zero means none.
type Limits struct {
	MaxQuestions int
	MinOptions   int
	MaxOptions   int
	Header       int
}

// Set is the questions of a tool input.
type Set struct {
	lenient.Reader

	Limits Limits
	// Most is the caller's own maximum of questions, or zero.
	Most int

	// Request is what people see. Its questions have the same order as Items.
	Request ask.Request
	Items   []Item
	// Sent is the number of questions in the input.
	Sent int
	// Raw is the list of questions as it was sent.
	Raw json.RawMessage
	// Home is the person's home directory, which cards write as ~.
	Home string
}

// Item is one question in the words of the input.
type Item struct {
	Index   int
	At      string // the path of the question
	Shape   Shape
	Text    js.Token
	Header  js.Token
	Key     js.Token // the host's ID of the question
	Kind    string
	Multi   bool
	Options []Option
	// Sent is the number of options in the input, including a removed "Other".
	Sent int
	// Has lists the members that were sent.
	Has map[string]bool
	// Extra holds the members that its shape calls known.
	Extra js.Fields
	// Required is set if a schema requires an answer.
	Required bool
	// Other names the member that takes typed text, if the form has one.
	Other js.Token
}

// Option is one option in the words of the input.
type Option struct {
	Label       js.Token
	Key         js.Token
	Preview     js.Token
	Kind        string
	Description string
	Has         map[string]bool
}

// HostPath returns the path of "questions[1].options" in the input.
func (s *Set) HostPath(path string) string {
	for i, it := range s.Items {
		rest, ok := strings.CutPrefix(path, "questions"+Index(i))
		if !ok {
			continue
		}
		for _, n := range []struct {
			ours string
			host []string
		}{{".question", it.Shape.Text}, {".header", it.Shape.Header}, {".options", it.Shape.Options}} {
			if after, ok := strings.CutPrefix(rest, n.ours); ok && len(n.host) > 0 {
				rest = "." + n.host[0] + after
			}
		}
		if before, ok := strings.CutSuffix(rest, ".label"); ok && len(it.Shape.Label) > 0 {
			rest = before + "." + it.Shape.Label[0]
		}
		if path = strings.TrimPrefix(it.At+rest, "."); path == "" {
			return "question"
		}
		return path
	}
	return path
}

// Path returns the path of a member of a question.
func (s *Set) Path(it Item, rest string) string {
	return strings.TrimPrefix(it.At+"."+rest, ".")
}

// ItemText is a key for [Set.Unique], as are ItemHeader and ItemKey.
func ItemText(it Item) js.Token { return it.Text }

// ItemHeader returns the header.
func ItemHeader(it Item) js.Token { return it.Header }

// ItemKey returns the host's ID.
func ItemKey(it Item) js.Token { return it.Key }

// Add adds a question. Its text and header come from the item unless q has a text.
func (s *Set) Add(it Item, q ask.Question) {
	it.Index = len(s.Items)
	if q.Text == "" {
		q.Text = it.Text.Text
	}
	q.Header = it.Header.Text
	s.Items = append(s.Items, it)
	s.Request.Questions = append(s.Request.Questions, q)
}

// OptionPath returns the path of an option.
func OptionPath(it Item, i int) string { return fmt.Sprintf("%s.options[%d]", it.At, i) }

// Index returns an index in a path.
func Index(i int) string { return fmt.Sprintf("[%d]", i) }

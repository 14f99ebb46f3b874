package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// js is a piece of JSON text. It is put together by hand so that texts of the
// input can be echoed with the bytes they came in.
type js string

const null js = "null"

// token is a text with the JSON string it was sent as.
type token struct {
	text string
	json js
}

func (t token) empty() bool { return t.json == "" }

// quote makes the token of a text of ours.
func quote(s string) token { return token{text: s, json: str(s)} }

// str writes a JSON string. Characters that only matter inside HTML stay as
// they are.
func str(s string) js {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return js(bytes.TrimRight(b.Bytes(), "\n"))
}

// join puts tokens together without decoding them.
func join(tokens []token, sep string) token {
	texts, inner := make([]string, len(tokens)), make([]string, len(tokens))
	for i, t := range tokens {
		texts[i], inner[i] = t.text, string(t.json[1:len(t.json)-1])
	}
	return token{
		text: strings.Join(texts, sep),
		json: js(`"` + strings.Join(inner, sep) + `"`),
	}
}

type member struct{ key, value js }

func at(key string, value js) member { return member{str(key), value} }

func object(members ...member) js {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = string(m.key + ":" + m.value)
	}
	return js("{" + strings.Join(parts, ",") + "}")
}

func array[T ~string](values []T) js {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(v)
	}
	return js("[" + strings.Join(parts, ",") + "]")
}

func labelList(tokens []token) js {
	values := make([]js, len(tokens))
	for i, t := range tokens {
		values[i] = t.json
	}
	return array(values)
}

func boolean(b bool) js {
	if b {
		return "true"
	}
	return "false"
}

func asJSON(body js) Result {
	return Result{Body: []byte(body), ContentType: "application/json"}
}

func asText(body string) Result {
	return Result{Body: []byte(body), ContentType: "text/plain; charset=utf-8"}
}

func (r Result) asError() Result {
	r.IsError = true
	return r
}

// pick is the answer to one question in the words of the input.
type pick struct {
	*item
	// labels and keys are the chosen options.
	labels, keys []token
	// preview is that of the one chosen option, as the input has it.
	preview token
	other   string
	notes   string
	skipped bool
}

// values are the chosen labels and then the typed text.
func (p pick) values() []token {
	if p.other == "" {
		return p.labels
	}
	return append(slices.Clip(p.labels), quote(p.other))
}

// picks brings the answers into the order of the questions, one for each, and the notes
// beside what has none.
func (c *call) picks(out ask.Outcome) ([]pick, error) {
	picks := make([]pick, len(c.items))
	for i := range c.items {
		picks[i] = pick{item: &c.items[i], skipped: true}
	}
	for _, u := range slices.Concat(out.Skipped, out.Left) {
		if u.Index >= 0 && u.Index < len(picks) {
			picks[u.Index].notes = u.Notes
		}
	}
	for _, a := range out.Answers {
		if a.Index < 0 || a.Index >= len(picks) || !picks[a.Index].skipped {
			continue
		}
		p, q := &picks[a.Index], c.request.Questions[a.Index]
		p.other, p.notes = strings.TrimSpace(a.Other), a.Notes
		selected := a.Selected
		if !q.MultiSelect && p.other != "" && len(selected) > 0 {
			c.warn("question %d has a pick and typed text; the text counts", a.Index+1)
			selected = nil
		}
		if q.NoOther && p.other != "" {
			return nil, fmt.Errorf("the recorded answer to question %d has typed text, which this host does not take", a.Index+1)
		}
		for _, label := range selected {
			o := slices.IndexFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
			if o < 0 {
				return nil, fmt.Errorf("the recorded answer to question %d is not one of its options", a.Index+1)
			}
			p.labels = append(p.labels, p.options[o].label)
			p.keys = append(p.keys, p.options[o].key)
			p.preview = p.options[o].preview
		}
		if len(p.labels) != 1 || p.multi || p.other != "" {
			p.preview = token{}
		}
		p.skipped = len(p.labels) == 0 && p.other == ""
	}
	return picks, nil
}

// joined is the comma form. It warns when the parts cannot be told apart again.
func (c *call) joined(p pick) token {
	values := p.values()
	if len(values) > 1 || p.multi {
		for _, v := range values {
			if strings.Contains(v.text, ",") {
				c.warn("question %d: %q holds a comma, so the joined answer cannot be split again", p.index+1, brief(v.text))
			}
		}
	}
	return join(values, ", ")
}

// answerMap is the form several hosts share: one member for each answered
// question, joined values.
func (c *call) answerMap(picks []pick, key func(pick) js) js {
	var members []member
	for _, p := range picks {
		if !p.skipped {
			members = append(members, member{key(p), c.joined(p).json})
		}
	}
	return object(members...)
}

func byText(p pick) js  { return p.text.json }
func byIndex(p pick) js { return str(fmt.Sprint(p.index)) }

func (c *call) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// fail is how most hosts say that there is no answer: an error with a sentence.
func fail(_ *call, e Ending, text string) Result {
	if e == Pending {
		return asText(text)
	}
	return asText(text).asError()
}

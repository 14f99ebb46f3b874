package ask

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ReplyMode is which typed messages count as answers.
type ReplyMode string

// The modes. Each includes the previous one. The zero value defers to route and token.
const (
	// RepliesOff: messages never answer.
	RepliesOff ReplyMode = "off"
	// RepliesLabels: a label, a number, a letter, yes or no.
	RepliesLabels ReplyMode = "labels"
	// RepliesText: also free text, where a question accepts it.
	RepliesText ReplyMode = "text"
)

// ReplyLanguages are the languages whose words for yes and no are supported.
var ReplyLanguages = []string{"de", "en", "es", "fr", "it", "ja", "ko", "pt", "zh"}

// Replies configures whether a message next to a card answers it. The zero value defers to
// route and token; if they leave it open too, messages never answer.
type Replies struct {
	Mode ReplyMode `json:"mode" enum:"off,labels,text" doc:"Which messages next to the card count as answers: none; a label, a number, a letter, yes or no; also free text"`
	// Languages are accepted for yes and no in addition to English and the card's language.
	Languages []string `json:"languages,omitempty" nullable:"false" doc:"The languages accepted for yes and no in addition to English and the card's"`
	// Strict accepts only whole labels after the request's code. Votes and permission prompts
	// are always strict.
	Strict bool `json:"strict,omitempty" doc:"Whether only a whole label behind the code of the request counts"`
}

// IsZero reports whether everything is left to route and token.
func (r Replies) IsZero() bool { return r.Mode == "" && len(r.Languages) == 0 && !r.Strict }

// On reports whether messages can answer.
func (r Replies) On() bool { return r.Mode == RepliesLabels || r.Mode == RepliesText }

// Normal returns the canonical form, with defaults omitted.
func (r Replies) Normal() Replies {
	r.Languages = slices.Clone(r.Languages)
	slices.Sort(r.Languages)
	if r.Languages = slices.Compact(r.Languages); slices.Equal(r.Languages, []string{"en"}) {
		r.Languages = nil
	}
	return r
}

// Check validates replies; problems are reported at path.
func (r Replies) Check(path string) []Problem {
	var c checker
	if !slices.Contains([]ReplyMode{"", RepliesOff, RepliesLabels, RepliesText}, r.Mode) {
		c.add(path+".mode", ErrReplies, "%q is not off, labels or text", shorten(string(r.Mode)))
	}
	for n, l := range r.Languages {
		if !slices.Contains(ReplyLanguages, l) {
			c.add(fmt.Sprintf("%s.languages[%d]", path, n), ErrReplies, "%q is none of the languages whose words for yes and no are known: %v", shorten(l), ReplyLanguages)
		}
	}
	return c.problems
}

// Under limits the replies to the ceiling of a route or token. Members that are not set take
// the ceiling's value.
func (r Replies) Under(ceiling Replies) Replies {
	modes := []ReplyMode{RepliesOff, RepliesLabels, RepliesText}
	switch {
	case r.Mode == "":
		r.Mode = ceiling.Mode
	case ceiling.Mode != "":
		r.Mode = modes[min(slices.Index(modes, r.Mode), slices.Index(modes, ceiling.Mode))]
	}
	if len(r.Languages) == 0 {
		r.Languages = ceiling.Languages
	}
	r.Strict = r.Strict || ceiling.Strict
	return r
}

// replies parses [Replies] from an object or a mode alone.
func (d *decoder) replies(path string, data json.RawMessage) Replies {
	var r Replies
	if empty(data) {
		return r
	}
	if data[0] == '"' {
		if text := d.text(path, data); len(text) == 0 || text[0] != '{' {
			return Replies{Mode: ReplyMode(text)}
		}
	}
	data = d.unquote(path, data)
	m, ok := d.object(path, data)
	if !ok {
		return r
	}
	r.Mode = ReplyMode(d.text(path+".mode", m.take("mode")))
	if languages := m.take("languages"); !empty(languages) {
		items, _ := d.array(path+".languages", languages, "a list of languages")
		for n, item := range items {
			r.Languages = append(r.Languages, d.text(fmt.Sprintf("%s.languages[%d]", path, n), item))
		}
	}
	if strict := m.take("strict"); !empty(strict) {
		r.Strict = d.flag(path+".strict", strict)
	}
	d.rest(path, m)
	return r.Normal()
}

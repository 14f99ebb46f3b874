package ask

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ReplyMode is what typed messages can answer.
type ReplyMode string

// The modes, each of which takes what the one before it does. The zero value leaves it
// to route and token.
const (
	// RepliesOff: messages answer nothing.
	RepliesOff ReplyMode = "off"
	// RepliesLabels: a label, a number, a letter, yes or no.
	RepliesLabels ReplyMode = "labels"
	// RepliesText: also text of one's own, where a question takes it.
	RepliesText ReplyMode = "text"
)

// ReplyLanguages are the languages whose words for yes and no can count.
var ReplyLanguages = []string{"de", "en", "es", "fr", "it", "ja", "ko", "pt", "zh"}

// Replies says whether a message beside a card answers it. The zero value leaves it to
// route and token, and without them messages answer nothing.
type Replies struct {
	Mode ReplyMode `json:"mode" enum:"off,labels,text" doc:"What a message beside the card can answer: nothing; a label, a number, a letter, yes or no; also text of one's own"`
	// Languages are those whose words for yes and no count beside English and the language
	// of the card.
	Languages []string `json:"languages,omitempty" nullable:"false" doc:"The languages whose words for yes and no count beside English and the card's"`
	// Strict takes nothing but whole labels behind the request's code. Votes and
	// permission prompts are strict whatever is said.
	Strict bool `json:"strict,omitempty" doc:"Whether only a whole label behind the code of the request counts"`
}

// IsZero reports whether everything is left to route and token.
func (r Replies) IsZero() bool { return r.Mode == "" && len(r.Languages) == 0 && !r.Strict }

// On reports whether messages can answer anything.
func (r Replies) On() bool { return r.Mode == RepliesLabels || r.Mode == RepliesText }

// Normal returns what means the same with every default left out.
func (r Replies) Normal() Replies {
	r.Languages = slices.Clone(r.Languages)
	slices.Sort(r.Languages)
	if r.Languages = slices.Compact(r.Languages); slices.Equal(r.Languages, []string{"en"}) {
		r.Languages = nil
	}
	return r
}

// Check returns what is wrong with replies that stand at path.
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

// Under returns the replies within what a route or a token says: no more than it
// takes, and all of it where the replies say nothing themselves.
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

// replies reads replies: an object, or a mode alone.
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

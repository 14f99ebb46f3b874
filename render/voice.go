package render

import (
	"sync"

	"github.com/askbridge/askbridge/internal/words"
)

// voice is what the bridge says in one language.
type voice struct {
	*words.Words
	label labels
	// ours are the words of the bridge's own labels, in all their shapes; partly those
	// of the labels that only some questions have: an agent's own Skip is taken for
	// nothing elsewhere.
	ours, partly map[string]bool
}

// voices are the voices in use, by language.
var voices sync.Map

func voiceIn(language string) *voice {
	if v, known := voices.Load(language); known {
		return v.(*voice)
	}
	w := words.In(language)
	v := &voice{Words: w, label: labelled(w)}
	// Nobody is to take an agent's English words for the bridge's either.
	english := labelled(words.In(words.Default))
	v.ours, v.partly = known(append(v.label.always(), english.always()...)), known(append(v.label.sometimes(), english.sometimes()...))
	if words.Known(language) != "" || language == "" {
		voices.Store(language, v)
	}
	return v
}

// fill puts what is live in the place of the slots of a text, and the rest in the style.
func fill(style Style, text string, live ...[]Span) []Span {
	var spans []Span
	for {
		before, slot, after, found := words.Cut(text)
		if before != "" {
			spans = append(spans, Span{Style: style, Text: before})
		}
		if !found {
			return spans
		}
		if slot < len(live) {
			spans = append(spans, live[slot]...)
		}
		text = after
	}
}

// one is a span in place of several.
func one(s Span) []Span { return []Span{s} }

// The slots of a text, in the order of what fills them.
var slot0, slot1, slot2 = words.Slot(0), words.Slot(1), words.Slot(2)

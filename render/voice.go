package render

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/words"
)

// voice holds the bridge's own texts in one language.
type voice struct {
	*words.Words
	label labels
	// ours are the words of the bridge's own labels, in all their shapes; partly those
	// of the labels that only some questions have, so that an agent may offer to skip elsewhere.
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
	// An agent's English words must not pass for the bridge's either.
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

// imitates reports whether an agent's label on question q could be taken for one of the bridge's own:
// it begins with an arrow as links do, or has the bridge's words, possibly behind a single character or
// in look-alike letters.
func (v *voice) imitates(q ask.Question, label string) bool {
	if first, _ := utf8.DecodeRuneInString(label); unicode.Is(arrows, first) {
		return true
	}
	parts := parted(label)
	if v.isOurs(q, parts) {
		return true
	}
	return len(parts) > 1 && utf8.RuneCountInString(parts[0]) == 1 && v.isOurs(q, parts[1:])
}

// arrows are the characters that look like the sign of a link.
var arrows = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2190, Hi: 0x21FF, Stride: 1},
		{Lo: 0x2794, Hi: 0x27BE, Stride: 1},
		{Lo: 0x27F0, Hi: 0x27FF, Stride: 1},
		{Lo: 0x2900, Hi: 0x297F, Stride: 1},
		{Lo: 0x2B00, Hi: 0x2BFF, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1F800, Hi: 0x1F8FF, Stride: 1}},
}

func (v *voice) isOurs(q ask.Question, parts []string) bool {
	text := strings.Join(parts, "")
	if utf8.RuneCountInString(text) > longestOurs {
		return false
	}
	return slices.ContainsFunc(shapes(text), func(shape string) bool {
		return v.ours[shape] || q.Optional && v.partly[shape]
	})
}

// titled spells a platform's name for people, as in "Slack".
func (v *voice) titled(platform string) string {
	if platform == ask.API {
		return "API"
	}
	r, size := utf8.DecodeRuneInString(platform)
	if size == 0 {
		return v.People.AnotherPlatform
	}
	return string(unicode.ToUpper(r)) + platform[size:]
}

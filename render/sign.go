package render

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/lookalike"
)

// Signs are what the label of each of the bridge's own buttons begins with, and
// none of an agent's options ever does: whatever the words behind it, who sees a
// sign sees the bridge. None of them is drawn as an emoji.
const Signs = sendSign + writeSign + closeSign + backSign + nextSign + textSign + skipSign + linkSign

const (
	sendSign  = "✓"
	writeSign = "✎"
	closeSign = "✕"
	backSign  = "‹"
	nextSign  = "›"
	textSign  = "¶"
	skipSign  = "»"
	linkSign  = "⇗"
)

// What stands on the bridge's own buttons.
const (
	submitLabel     = sendSign + " Submit"
	otherLabel      = writeSign + " Other" + Ellipsis
	answerLabel     = writeSign + " Answer" + Ellipsis
	answerFormLabel = writeSign + " Answer"
	replyLabel      = writeSign + " Reply" + Ellipsis
	dismissLabel    = closeSign + " Dismiss" + Ellipsis
	backLabel       = backSign + " Back"
	nextLabel       = nextSign + " Next"
	readLabel       = textSign + " Read in full"
	takeBackLabel   = closeSign + " Take my vote back"
	// It stands on cards that show no options.
	undoLabel = backSign + " Undo"
	// This stands in a row of its own, on cards that offer it.
	claimLabel = sendSign + " I'm on it"
	// So does this.
	passLabel = writeSign + " Pass to" + Ellipsis
	// It stands only where people can ask back. No option begins with its sign.
	askLabel = writeSign + " Ask" + Ellipsis

	// These stand only on questions that may be skipped, or have a note.
	skipLabel    = skipSign + " Skip"
	skippedLabel = skipSign + " Skipped"
	noteLabel    = writeSign + " Note" + Ellipsis
)

// ours are the words of those labels, in all their shapes; partly those of the labels
// that only such a question has: an agent's own Skip is taken for nothing elsewhere.
var (
	ours   = known(submitLabel, otherLabel, answerLabel, replyLabel, dismissLabel, backLabel, nextLabel, readLabel, takeBackLabel)
	partly = known(skipLabel, skippedLabel, noteLabel)
)

func known(labels ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, label := range labels {
			for _, shape := range shapes(strings.Join(words(label), "")) {
				all[shape] = true
			}
		}
		return all
	})
}

// longestOurs is longer than the words of any of our labels, however they are
// written: most labels of agents are, too, and need no second look.
const longestOurs = 24

// imitates reports whether a label of an agent on question q could be taken for one of
// our own: it begins with what could be a sign, or has our words, be it behind a
// character that stands for a sign or in letters that look like ours.
func imitates(q ask.Question, label string) bool {
	if first, _ := utf8.DecodeRuneInString(label); first == '<' || first == '>' || first > unicode.MaxASCII && !unicode.In(first, unicode.L, unicode.Nd) {
		return true
	}
	parts := words(label)
	if isOurs(q, parts) {
		return true
	}
	return len(parts) > 1 && utf8.RuneCountInString(parts[0]) == 1 && isOurs(q, parts[1:])
}

func isOurs(q ask.Question, words []string) bool {
	text := strings.Join(words, "")
	if utf8.RuneCountInString(text) > longestOurs {
		return false
	}
	return slices.ContainsFunc(shapes(text), func(shape string) bool {
		return ours()[shape] || (q.Optional || q.Notes) && partly()[shape]
	})
}

// words parts a label at all that is neither a letter nor a digit.
func words(label string) []string {
	return strings.FieldsFunc(label, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// shapes is what words look like in small letters without accents. Plain ASCII,
// which most labels are, needs no table for that.
func shapes(text string) []string {
	shapes := []string{text}
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		shapes = lookalike.Shapes(text)
	}
	for i, shape := range shapes {
		shape = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.M, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, shape)
		shapes[i] = alike.Replace(shape)
	}
	return shapes
}

// alike makes one of the ASCII letters and digits that fonts draw alike.
var alike = strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s")

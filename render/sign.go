package render

import (
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/internal/words"
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

// labels are the texts of the bridge's own buttons, in one language.
type labels struct {
	submit, other, answer, answerForm, reply, dismiss, back, next, read, takeBack string
	// undo is on cards that show no options.
	undo string
	// claim is in its own row, on cards that offer it.
	claim string
	// ask is only on cards where people can ask back. No option begins with its sign.
	ask string
	// pass is in the same row as claim.
	pass string
	// These stand only on questions that may be skipped, or have a note.
	skip, skipped, note string
}

func labelled(w *words.Words) labels {
	b := w.Button
	return labels{
		submit:     sendSign + " " + b.Submit,
		other:      writeSign + " " + b.Other + Ellipsis,
		answer:     writeSign + " " + b.Answer + Ellipsis,
		answerForm: writeSign + " " + b.Answer,
		reply:      writeSign + " " + b.Reply + Ellipsis,
		dismiss:    closeSign + " " + b.Dismiss + Ellipsis,
		back:       backSign + " " + b.Back,
		next:       nextSign + " " + b.Next,
		read:       textSign + " " + b.Read,
		takeBack:   backSign + " " + b.TakeBack,
		undo:       backSign + " " + b.Undo,
		claim:      sendSign + " " + b.Claim,
		pass:       writeSign + " " + b.Pass + Ellipsis,
		ask:        writeSign + " " + b.Ask + Ellipsis,
		skip:       skipSign + " " + b.Skip,
		skipped:    skipSign + " " + b.Skipped,
		note:       writeSign + " " + b.Note + Ellipsis,
	}
}

// always are the labels on the same card as options, and sometimes those on questions that can be
// skipped or have notes.
func (l labels) always() []string {
	return []string{l.submit, l.other, l.answer, l.reply, l.dismiss, l.back, l.next, l.read, l.takeBack}
}

func (l labels) sometimes() []string { return []string{l.skip, l.skipped, l.note} }

// known are the words of labels, in all their shapes.
func known(labels []string) map[string]bool {
	all := map[string]bool{}
	for _, label := range labels {
		for _, shape := range shapes(strings.Join(parted(label), "")) {
			all[shape] = true
		}
	}
	return all
}

// longestOurs is longer than the words of any of our labels, however they are
// written: most labels of agents are, too, and need no second look.
const longestOurs = 24

// parted parts a label at all that is neither a letter nor a digit.
func parted(label string) []string {
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

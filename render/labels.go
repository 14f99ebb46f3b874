package render

import (
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/internal/words"
)

// labels are the texts of the bridge's own buttons, in one language. None begins with a digit and a
// period, as the options of a question do when one of them could be taken for a button of the bridge.
type labels struct {
	// These are on cards.
	submit, other, answer, back, next, read, claim, more string
	// These are only on questions that may be skipped.
	skip, skipped string
	// These are in the private message behind more, and undo is also on cards that can be undone.
	reply, ask, note, pass, takeBack, undo, dismiss, details string
	noteTo                                                   func(question int) string
}

func labelled(w *words.Words) labels {
	b := w.Button
	return labels{
		submit:   b.Submit,
		other:    b.Other + Ellipsis,
		answer:   b.Answer + Ellipsis,
		back:     b.Back,
		next:     b.Next,
		read:     b.Read,
		claim:    b.Claim,
		more:     b.More + Ellipsis,
		skip:     b.Skip,
		skipped:  b.Skipped,
		reply:    b.Reply + Ellipsis,
		ask:      b.Ask + Ellipsis,
		note:     b.Note + Ellipsis,
		noteTo:   func(question int) string { return b.NoteTo(question) + Ellipsis },
		pass:     b.Pass + Ellipsis,
		takeBack: b.TakeBack,
		undo:     b.Undo,
		dismiss:  b.Dismiss + Ellipsis,
		details:  b.Details,
	}
}

// always are the labels that no option may have, and sometimes those that it may not have on questions
// that can be skipped.
func (l labels) always() []string {
	return []string{
		l.submit, l.other, l.answer, l.back, l.next, l.read, l.claim, l.more,
		l.reply, l.ask, l.note, l.pass, l.takeBack, l.undo, l.dismiss, l.details,
	}
}

func (l labels) sometimes() []string { return []string{l.skip, l.skipped} }

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
const longestOurs = 32

// parted parts a label at all that is neither a letter, such as a circled one, nor a digit.
func parted(label string) []string {
	return strings.FieldsFunc(label, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Other_Alphabetic) })
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

// Package visible writes texts of others so that a person who sees the text sees
// all of it, and a terminal does nothing but print it: control characters and
// escape sequences, direction marks, tags and other characters without a picture
// are spelled as JSON escapes them. Wrap sets a text in lines as wide as the terminal.
package visible

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxBlank and maxSpaces are how much room a text may leave before what follows
// could be overlooked.
const (
	maxBlank  = 2
	maxSpaces = 40
	tab       = 8
	// maxMarks is how many combining marks in a row stay on a card, as ask.Clean leaves them.
	maxMarks = 8
	// emojiStyle asks for the coloured picture of the symbol before it.
	emojiStyle = '\ufe0f'
)

// Plain reports whether a person who sees the text sees all of it: it has nothing
// but visible characters and line breaks, no gap that hides what comes behind, no line
// that only seems to go on: one whose last backslash has a space behind it, and none that
// is seen in another order than it runs in.
func Plain(text string) bool {
	if seemsToGoOn.MatchString(text) || turned(text) {
		return false
	}
	spaces, blank, marks, before := 0, 0, 0, rune(0)
	for _, r := range text {
		if marks = row(marks, r); marks > maxMarks {
			return false
		}
		switch r {
		case ' ':
			spaces++
		case '\t':
			spaces += tab
		case '\n':
			spaces = 0
			blank++
		default:
			if hidden(r) && (r != emojiStyle || !unicode.IsSymbol(before)) {
				return false
			}
			spaces, blank = 0, 0
		}
		before = r
		if spaces > maxSpaces || blank > maxBlank+1 {
			return false
		}
	}
	return true
}

// seemsToGoOn is a line that a shell ends, and a reader does not.
var seemsToGoOn = regexp.MustCompile(`(?m)\\[ \t]+$`)

// row is how many combining marks stand in a row, with one more character.
func row(marks int, r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return marks + 1
	}
	return 0
}

// hidden reports whether nobody sees the character, or not where it stands.
func hidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r == unicode.ReplacementChar, r == '\u2800', unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r)
}

// Reveal spells what hides in a text, and leaves the rest as it is.
func Reveal(text string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		if r != '\n' && r != '\t' && hidden(r) && (r != emojiStyle || !unicode.IsSymbol(before)) {
			spell(&b, r)
			before = 0
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// Line is a line of our own with texts of others in it, revealed. What these have on further lines stands
// behind a bar there, so that nobody reads it as something that we say.
func Line(text string) string { return strings.ReplaceAll(Reveal(text), "\n", "\n     | ") }

// spell writes a character as JSON escapes it.
func spell(b *strings.Builder, r rune) {
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}

// Quote writes a text as a JSON string whose every hidden character is spelled, and every
// right-to-left letter where one turns the text around.
func Quote(text string) string {
	var b strings.Builder
	turns := turned(text) || turned(strings.ReplaceAll(text, "\n", " ")) // It stands on one line then.
	b.WriteByte('"')
	spaces, marks := 0, 0
	for _, r := range text {
		if spaces++; r != ' ' {
			spaces = 0
		}
		marks = row(marks, r)
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) || spaces > maxSpaces || marks > maxMarks || turns && rightToLeft(r):
			spell(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Writer reveals what is written to W. A character may come in parts.
type Writer struct {
	W    io.Writer
	part []byte
}

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.part, p...)
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if r := text[len(text)-n:]; utf8.RuneStart(r[0]) {
			if !utf8.FullRune(r) {
				end = len(text) - n
			}
			break
		}
	}
	w.part = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.W, Reveal(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

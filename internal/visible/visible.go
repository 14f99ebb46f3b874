// Package visible formats untrusted text so that people see all of it, and a terminal only prints it:
// control characters, escape sequences, direction marks, tags and other invisible characters are
// written as JSON escapes. Wrap breaks lines at the terminal's width.
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

// maxBlank and maxSpaces limit the gap after which text could be overlooked.
const (
	maxBlank  = 2
	maxSpaces = 40
	tab       = 8
	// maxMarks is how many consecutive combining marks a card keeps, as in ask.Clean.
	maxMarks = 8
	// emojiStyle requests the colored form of the symbol before it.
	emojiStyle = '\ufe0f'
)

// Plain reports whether people see all of a text, in the order it is processed: only visible characters
// and line breaks, no large gaps, no line that only seems to continue because a space follows its final
// backslash, and no reordered line.
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

// seemsToGoOn matches a line that ends for a shell and continues for a reader.
var seemsToGoOn = regexp.MustCompile(`(?m)\\[ \t]+$`)

// row is the number of consecutive combining marks after one more character.
func row(marks int, r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return marks + 1
	}
	return 0
}

// hidden reports whether a character is invisible or displayed at another place.
func hidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r == unicode.ReplacementChar, r == '\u2800', unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r)
}

// Reveal escapes invisible characters in a text.
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

// Line reveals a line of our own that contains untrusted text. Further lines get a bar in front, so
// that they are not mistaken for ours.
func Line(text string) string { return strings.ReplaceAll(Reveal(text), "\n", "\n     | ") }

// spell writes a character as a JSON escape.
func spell(b *strings.Builder, r rune) {
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}

// Quote formats a text as a JSON string with all invisible characters escaped, and right-to-left
// letters where they would reorder the text.
func Quote(text string) string {
	var b strings.Builder
	turns := turned(text) || turned(strings.ReplaceAll(text, "\n", " ")) // The string has no line breaks.
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

// Writer reveals what is written to W. A character may be split across writes.
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

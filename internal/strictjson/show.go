package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// maxBlank and maxSpaces are how much room a text may leave before what follows
// could be overlooked.
const (
	maxBlank  = 2
	maxSpaces = 40
	tab       = 8
	// emojiStyle asks for the coloured picture of the symbol before it.
	emojiStyle = '\ufe0f'
)

// Plain reports whether a person who sees the text sees all of it: it has nothing
// but visible characters and line breaks, and no gap that hides what comes behind.
func Plain(text string) bool {
	spaces, blank, before := 0, 0, rune(0)
	for _, r := range text {
		switch r {
		case ' ':
			spaces++
		case '\t':
			spaces += tab
		case '\n':
			spaces = 0
			blank++
		default:
			if hidden(r) && !(r == emojiStyle && unicode.IsSymbol(before)) {
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
	if Plain(text) {
		return text
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		if r != '\n' && r != '\t' && hidden(r) && !(r == emojiStyle && unicode.IsSymbol(before)) {
			spell(&b, r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// spell writes a character as JSON escapes it.
func spell(b *strings.Builder, r rune) {
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
}

// Quote writes a text as a JSON string whose every hidden character is spelled.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	spaces := 0
	for _, r := range text {
		if spaces++; r != ' ' {
			spaces = 0
		}
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) || spaces > maxSpaces:
			spell(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Show writes a JSON text for people: indented, its strings with the characters
// themselves, and with whatever hides in them spelled. What is no JSON, or
// what [Alike] refuses, is shown as a string.
func Show(data []byte) string {
	var text bytes.Buffer
	if Alike(data) != nil || json.Indent(&text, bytes.TrimSpace(data), "", "  ") != nil {
		return Quote(string(data))
	}
	var out strings.Builder
	for rest := text.String(); ; {
		from := strings.IndexByte(rest, '"')
		if from < 0 {
			out.WriteString(rest)
			return out.String()
		}
		to := from + 1
		for rest[to] != '"' {
			if rest[to] == '\\' {
				to++
			}
			to++
		}
		out.WriteString(rest[:from])
		raw := []byte(rest[from : to+1])
		var s string
		if lone(raw) || json.Unmarshal(raw, &s) != nil {
			out.Write(raw)
		} else {
			out.WriteString(Quote(s))
		}
		rest = rest[to+1:]
	}
}

// lone reports whether a string of JSON escapes one half of a surrogate pair
// without the other.
func lone(raw []byte) bool {
	unit := func(at int) rune {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 32)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for at := 0; at < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		switch u := unit(at); {
		case u >= 0xdc00 && u <= 0xdfff:
			return true
		case u >= 0xd800 && u <= 0xdbff:
			if low := unit(at + 6); low < 0xdc00 || low > 0xdfff {
				return true
			}
			at += 11
		default:
			at++
		}
	}
	return false
}

package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxBlank and maxSpaces are how much room a text may leave before what follows
// could be overlooked.
const (
	maxBlank  = 2
	maxSpaces = 40
	tab       = 8
)

// Plain reports whether a person who sees the text sees all of it: it has nothing
// but visible characters and line breaks, and no gap that hides what comes behind.
func Plain(text string) bool {
	spaces, blank := 0, 0
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
			if hidden(r) {
				return false
			}
			spaces, blank = 0, 0
		}
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
		case hidden(r) && r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case hidden(r) || spaces > maxSpaces:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Show writes a JSON text for people: indented, its strings with the characters
// themselves, and with whatever hides in them spelled. What is no JSON is shown as
// a string.
func Show(data []byte) string {
	var text bytes.Buffer
	if json.Indent(&text, bytes.TrimSpace(data), "", "  ") != nil {
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
		var s string
		if json.Unmarshal([]byte(rest[from:to+1]), &s) != nil {
			s, _ = strconv.Unquote(rest[from : to+1])
		}
		out.WriteString(Quote(s))
		rest = rest[to+1:]
	}
}

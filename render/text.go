package render

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/askbridge/askbridge/ask"
)

// Ellipsis ends every text that was cut.
const Ellipsis = "…"

// Clean returns text as people may see it: as [ask.Clean] does, without tabs, and
// with at most one blank line in a row.
func Clean(text string) string {
	text = visible(text)
	if !strings.Contains(text, "\n") {
		return strings.TrimFunc(text, ask.IsBlank)
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRightFunc(line, ask.IsBlank)
		if line == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimFunc(strings.Join(kept, "\n"), ask.IsBlank)
}

// Line returns text cleaned and on one line.
func Line(text string) string { return ask.Line(text) }

// code returns a sample cleaned, with its indentation and blank lines.
func code(text string) string {
	text = visible(text)
	if !strings.Contains(text, "\n") {
		return strings.TrimRightFunc(text, unicode.IsSpace)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// visible drops what cannot be seen, makes every line break a newline and every
// tab spaces.
func visible(text string) string { return strings.ReplaceAll(ask.Clean(text), "\t", "    ") }

// Units counts UTF-16 code units, the strictest reading of "characters" in any
// platform's documentation.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Cut shortens text to a width, with an ellipsis, never inside what a reader
// sees as one character and at a word's end if one is near. Width must add up
// over characters; nil counts UTF-16 code units.
func Cut(text string, limit int, width func(string) int) string {
	if width == nil {
		width = Units
	}
	if width(text) <= limit {
		return text
	}
	room := limit - width(Ellipsis)
	if room < 0 {
		return ""
	}
	kept, used, word, wordAt := 0, 0, 0, 0
	for rest, state := text, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += width(cluster); used > room {
			break
		}
		kept += len(cluster)
		if strings.TrimSpace(cluster) == "" {
			word, wordAt = kept, used
		}
	}
	if wordAt > room*4/5 {
		kept = word
	}
	return strings.TrimRightFunc(text[:kept], unicode.IsSpace) + Ellipsis
}

// rightToLeft lists the scripts that are written from right to left.
var rightToLeft = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic,
	unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui, unicode.Yezidi, unicode.Sogdian, unicode.Old_Sogdian,
}

// Isolate wraps text that holds right-to-left letters, so that the text around it on the line keeps
// its place. The text must be cleaned: then it cannot end the isolation itself.
func Isolate(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return mayTurn(r) && unicode.In(r, rightToLeft...) }) {
		return "\u2068" + text + "\u2069"
	}
	return text
}

// mayTurn spares most text the search in the tables of scripts.
func mayTurn(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFEFF || r >= 0x10800 && r <= 0x1EFFF
}

// orElse returns the first text that is not empty.
func orElse(texts ...string) string {
	if i := slices.IndexFunc(texts, func(s string) bool { return s != "" }); i >= 0 {
		return texts[i]
	}
	return ""
}

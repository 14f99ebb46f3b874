package ask

import (
	"slices"
	"strings"
	"unicode"
)

// MaxTyped is how much of a typed answer or reply is kept, in characters: as many
// as the longest field of any platform takes
// (https://docs.discord.com/developers/components/reference#text-input).
const MaxTyped = 4000

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	blackFlag          = '\U0001F3F4'
	// maxMarks is how many combining marks in a row are kept. Scripts need
	// three or four; a tower of them reaches into the lines around it.
	maxMarks = 8
)

// flags are the tags behind a black flag that make it another one; see
// https://www.unicode.org/reports/tr51/#valid-emoji-tag-sequences. Any other run
// of tags is text that nobody sees.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// Clean returns other people's text as it may be shown, stored and printed: no
// control characters but line breaks and tabs, so no escape sequences for a
// terminal; nothing invisible; nothing that turns the reading direction around;
// one kind of line break. Letters and their order stay as they were; joiners
// stay where scripts and emoji need them. What is clean stays as it is.
func Clean(text string) string {
	if plainASCII(text) {
		return text
	}
	runes := []rune(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
	out := make([]rune, 0, len(runes))
	marks, kept := 0, 0 // kept is where a run of tags ends that makes a flag.
	for i, r := range runes {
		if r == blackFlag {
			kept = i + 1 + tagged(runes[i+1:])
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n', r == '\t', i < kept:
			out = append(out, r)
		case r == '\r', r == '\v', r == '\f', r == '\u0085', r == '\u2028', r == '\u2029':
			out = append(out, '\n')
		case r == zeroWidthJoiner, r == zeroWidthNonJoiner:
			if len(out) > 0 && joins(out[len(out)-1]) && i+1 < len(runes) && joins(runes[i+1]) {
				out = append(out, r)
			}
		case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			out = append(out, r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		case unicode.Is(unicode.Variation_Selector, r) && (len(out) == 0 || unicode.Is(unicode.Variation_Selector, out[len(out)-1])):
		case marks <= maxMarks:
			out = append(out, r)
		}
	}
	return string(out)
}

// Line returns text cleaned and on one line.
func Line(text string) string { return oneSpaced(Clean(text)) }

// IsBlank reports whether a reader sees nothing where the character stands but the room that it
// takes: white space, or the cell without dots of Braille.
func IsBlank(r rune) bool { return r == '\u2800' || unicode.IsSpace(r) }

// oneSpaced puts one space in the place of each run of blanks, and none at the ends. Most
// texts are so already, and stay as they are.
func oneSpaced(text string) string {
	gap := true
	for _, r := range text {
		if IsBlank(r) && (gap || r != ' ') {
			return strings.Join(strings.FieldsFunc(text, IsBlank), " ")
		}
		gap = r == ' '
	}
	return strings.TrimSuffix(text, " ")
}

// Typed returns what a person typed as it is stored: cleaned, without white
// space around it, and no longer than [MaxTyped].
func Typed(text string) string {
	text = strings.TrimSpace(Clean(text))
	n := 0
	for i := range text {
		if n++; n > MaxTyped {
			return text[:i]
		}
	}
	return text
}

// tagged is how many of the next runes are tags that make a flag of a black one.
func tagged(next []rune) int {
	var tags []rune
	for _, r := range next {
		switch {
		case r == '\U000E007F':
			if slices.Contains(flags, string(tags)) {
				return len(tags) + 1
			}
			return 0
		case r < '\U000E0020' || r > '\U000E007E':
			return 0
		}
		tags = append(tags, r-'\U000E0000')
	}
	return 0
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// joins reports whether a joiner beside r can have a meaning: in emoji and in
// scripts whose letters join.
func joins(r rune) bool {
	return r > unicode.MaxLatin1 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r))
}

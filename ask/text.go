package ask

import (
	"slices"
	"strings"
	"unicode"
)

// MaxTyped is the number of characters kept of a typed answer or reply: the longest input field
// of any platform (https://docs.discord.com/developers/components/reference#text-input).
const MaxTyped = 4000

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	blackFlag          = '\U0001F3F4'
	// maxMarks is the number of consecutive combining marks kept. Scripts need three or four;
	// longer stacks overlap adjacent lines.
	maxMarks = 8
)

// flags are the tag sequences that turn a black flag into another one; see
// https://www.unicode.org/reports/tr51/#valid-emoji-tag-sequences. Any other run of tags is
// invisible text.
var flags = []string{"gbeng", "gbsct", "gbwls"}

// Clean sanitizes untrusted text for display, storage and printing. It removes control
// characters except line breaks and tabs (and with them terminal escape sequences), invisible
// characters and bidirectional overrides, and normalizes line breaks. Letters and their order
// are unchanged; joiners are kept where scripts and emoji need them. Clean is idempotent.
func Clean(text string) string {
	if plainASCII(text) {
		return text
	}
	runes := []rune(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
	out := make([]rune, 0, len(runes))
	marks, kept := 0, 0 // end of a run of tags that forms a flag
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

// Line returns text sanitized and on one line.
func Line(text string) string { return oneSpaced(Clean(text)) }

// IsBlank reports whether a character renders as empty space: white space, or the Braille cell
// without dots.
func IsBlank(r rune) bool { return r == '\u2800' || unicode.IsSpace(r) }

// oneSpaced collapses each run of blanks into one space and trims the ends. It returns text
// unchanged where there is nothing to collapse.
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

// Typed sanitizes what a person typed for storage: cleaned, trimmed, and truncated to
// [MaxTyped].
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

// tagged returns how many of the next runes are tags that turn a black flag into another one.
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

// joins reports whether a joiner next to r can have a meaning: in emoji, and in scripts whose
// letters join.
func joins(r rune) bool {
	return r > unicode.MaxLatin1 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r))
}

package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// turned reports whether a line has an operator that is displayed at another place or mirrored: "cat א
// > ב" is displayed as "cat ב < א". That happens where two of three are right-to-left: the letter
// before it, the letter after it, and the first letter of the line
// (https://www.unicode.org/reports/tr9/#N1).
func turned(text string) bool {
	if !strings.ContainsFunc(text, rightToLeft) {
		return false
	}
	for line := range strings.Lines(text) {
		at := strings.IndexFunc(line, unicode.IsLetter)
		first := rightToLeft(runeAt(line[max(at, 0):]))
		before, between := first, false // Whether the previous letter is right-to-left, and whether an operator follows it.
		for i, r := range line {
			switch {
			case unicode.IsLetter(r):
				behind := rightToLeft(r)
				if between && (first && (before || behind) || before && behind) {
					return true
				}
				before, between = behind, false
			case strings.ContainsRune(operators, r) && !inPath(line, i):
				between = true
			}
		}
		if between && first { // The end of a line takes the direction of its first letter.
			return true
		}
	}
	return false
}

// operators are characters that mean something else to a shell at another place.
const operators = "/*<>|&$=~\\`[]{}"

// inPath reports whether a character is a slash between two letters, which people read in their own
// direction.
func inPath(line string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	return line[i] == '/' && unicode.IsLetter(before) && unicode.IsLetter(runeAt(line[i+1:]))
}

// runeAt returns the first character of a text.
func runeAt(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// rightToLeft reports whether a character is a letter of a right-to-left script. Unicode reserves these
// ranges for them (https://www.unicode.org/Public/UCD/latest/ucd/extracted/DerivedBidiClass.txt).
func rightToLeft(r rune) bool {
	isKept := r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
	return isKept && unicode.IsLetter(r)
}

package visible

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most width characters at spaces. Longer words, such as links,
// stay whole. Line breaks of the text are kept.
func Wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.Lines(text) {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

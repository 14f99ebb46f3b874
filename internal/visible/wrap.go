package visible

import (
	"strings"
	"unicode/utf8"
)

// Wrap parts a text into lines of at most width characters, at spaces. A longer word, such as a
// link to copy, stays whole; a line that ends in the text ends here, too.
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

package render

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Filed is what a message says beside the files of a request, by whose code it is known, in
// the language of its card. Revised ones say that they count, and any further up do not.
func Filed(code, language string, files []ask.Attachment, revised bool) string {
	say := voiceIn(language).Files
	var text strings.Builder
	text.WriteString(say.Below(code))
	if revised {
		text.WriteString("\n" + say.Instead)
	}
	for _, f := range files {
		fmt.Fprintf(&text, "\n%s `%s`", say.File("`"+f.Name+"`", f.Bytes), f.SHA256)
	}
	return text.String()
}

// files say what is uploaded below the card: each file by its name, how long it is, and
// the digest of its bytes, by which somebody can tell it from any other.
func fileSections(s Subject) []Section {
	if len(s.Files) == 0 {
		return nil
	}
	var text []Span
	for n, f := range s.Files {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, Span{Text: s.voice.Files.File(f.Name, f.Bytes) + " "}, Span{Style: Mono, Text: f.SHA256})
		if f.Unshown > 0 {
			text = append(text, Span{Text: " · " + s.voice.Files.Unshown(f.Unshown)})
		}
	}
	return []Section{{Kind: Body, ID: "files", Text: text}}
}

// filed is the same as lines of text.
func fileLines(s Subject) []string {
	var lines []string
	for _, f := range s.Files {
		line := s.voice.Files.File(f.Name, f.Bytes) + " " + f.SHA256
		if f.Unshown > 0 {
			line += " · " + s.voice.Files.Unshown(f.Unshown)
		}
		lines = append(lines, line)
	}
	return lines
}

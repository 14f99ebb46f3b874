package render

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Filed is the text of the message with the files of a request, in the language of its card. Code
// identifies the request. Revised files are marked as replacing earlier ones.
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

// fileSections lists the files below the card: each with its name, its size, and the digest of its
// bytes, which identifies it.
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

// fileLines is the same as lines of text.
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

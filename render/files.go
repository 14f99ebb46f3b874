package render

import (
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Filed is the text of the message with the files of a request, in the language of its card: each file with its
// complete SHA-256, of which the card shows the [Fingerprint]. Revised files replace earlier ones.
func Filed(language string, files []ask.Attachment, revised bool) string {
	v := voiceIn(language)
	var lines []string
	if revised {
		lines = append(lines, v.Files.Instead)
	}
	for _, f := range files {
		named := f
		named.Name = "`" + f.Name + "`"
		lines = append(lines, v.file(named)+" `"+f.SHA256+"`")
	}
	return strings.Join(lines, "\n")
}

// Fingerprint returns the part of a hexadecimal digest that cards show: enough to compare with the complete one, which
// is next to the file.
func Fingerprint(sha256 string) string { return sha256[:min(len(sha256), fingerprintShown)] }

const fingerprintShown = 8

// file names a file with its size, before its digest.
func (v *voice) file(f ask.Attachment) string {
	if f.Unshown > 0 {
		return v.Files.Whole(f.Name, v.Files.Size(f.Bytes))
	}
	return v.Files.File(f.Name, v.Files.Size(f.Bytes))
}

// fileSections lists the files below the card: each with its name, its size, and the fingerprint of its bytes.
func fileSections(s Subject) []Section {
	if len(s.Files) == 0 {
		return nil
	}
	var text []Span
	for n, f := range s.Files {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, Span{Text: s.voice.file(f) + " "}, Span{Style: Mono, Text: Fingerprint(f.SHA256)}, Span{Text: Ellipsis})
		if f.Unshown > 0 {
			text = append(text, Span{Text: " · " + s.voice.Files.Unshown(f.Unshown)})
		}
	}
	return []Section{{Kind: Body, ID: "files", Text: text}}
}

// fileLines is the same as lines of text, with each digest as shown returns it.
func fileLines(s Subject, shown func(sha256 string) string) []string {
	var lines []string
	for _, f := range s.Files {
		line := s.voice.file(f) + " " + shown(f.SHA256)
		if f.Unshown > 0 {
			line += " · " + s.voice.Files.Unshown(f.Unshown)
		}
		lines = append(lines, line)
	}
	return lines
}

package render

import (
	"fmt"

	"github.com/askbridge/askbridge/ask"
)

// What cards say of files.
const (
	sayFile     = "File: %s, %d bytes, SHA-256 "
	sayFiles    = "The files of question %s, as its card says:"
	sayFilesDue = "The files are on their way below. As soon as they stand there, this can be answered."
	sayNoFiles  = "The files could not be uploaded here, so this cannot be answered here."
)

// Filing is how the files stand below a card.
type Filing string

// The ways in which files stand below a card.
const (
	// FilesStand, or there are none.
	FilesStand Filing = ""
	// FilesDue: somebody uploads them.
	FilesDue Filing = "due"
	// FilesMissing: they could not be uploaded.
	FilesMissing Filing = "missing"
)

// Filed is what a message says beside the files of a request, by whose code it is known.
func Filed(code string, files []ask.Attachment) string {
	text := fmt.Sprintf(sayFiles, code)
	for _, f := range files {
		text += fmt.Sprintf("\n"+sayFile+"`%s`", "`"+f.Name+"`", f.Bytes, f.SHA256)
	}
	return text
}

// files say what is uploaded below the card: each file by its name, how long it is, and
// the digest of its bytes, by which somebody can tell it from any other.
func (s Subject) files() []Section {
	if len(s.Files) == 0 {
		return nil
	}
	var text []Span
	for n, f := range s.Files {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, Span{Text: fmt.Sprintf(sayFile, f.Name, f.Bytes)}, Span{Style: Mono, Text: f.SHA256})
	}
	return []Section{{Kind: Body, ID: "files", Text: text}}
}

// filed is the same as lines of text.
func (s Subject) filed() []string {
	var lines []string
	for _, f := range s.Files {
		lines = append(lines, fmt.Sprintf(sayFile, f.Name, f.Bytes)+f.SHA256)
	}
	return lines
}

// unfiled is a card whose files do not stand below it: it says so, and has no controls.
func (s Subject) unfiled(l Limits) []Section {
	sections := s.top("asks")
	if s.Context != "" {
		sections = append(sections, Section{Kind: Body, ID: "context", Text: prose(Cut(s.Context, contextShown, l.Width))})
	}
	why := sayFilesDue
	if s.Filing == FilesMissing {
		why = sayNoFiles
	}
	sections = append(sections, s.beside()...)
	sections = append(sections, Section{Kind: Body, ID: "outline", Text: s.outline(l)}, Section{Kind: Frame, ID: "files.due", Text: []Span{{Text: why}}}, s.terms(l))
	if s.Plain {
		return flat(sections)
	}
	return sections
}

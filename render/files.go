package render

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
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
func (s Subject) files() []Section {
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
func (s Subject) filed() []string {
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

// unfiled is a card whose files do not stand below it: it says so, and has no controls. What is
// asked is cut until one message holds it; the card that can be answered has it in full.
func (s Subject) unfiled(c Card, l Limits) []Section {
	why := s.voice.Files.Due
	if s.Filing == FilesMissing {
		why = s.voice.Files.Missing
	}
	for _, most := range []int{loneShown, loneShown / 2, loneShown / 4, loneShown / 7} {
		c.Sections = s.asks()
		if s.Context != "" {
			c.Sections = append(c.Sections, Section{Kind: Body, ID: "context", Text: prose(Cut(s.Context, min(contextShown, most), l.Width))})
		}
		c.Sections = append(c.Sections, s.beside(l)...)
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "outline", Text: s.outline(most, l)}, Section{Kind: Frame, ID: "files.due", Text: []Span{{Text: why}}}, s.terms(l))
		if s.Plain {
			c.Sections = flat(c.Sections)
		}
		if l.fits(c) {
			break
		}
	}
	return c.Sections
}

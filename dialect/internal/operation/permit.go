package operation

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/diff"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// Permit turns the one question of the set into a request for permission and shows the operation with the first option, which
// allows it. Call [Describe] first. An input too long for a card becomes a file as people read it, and a second file as it
// runs if that differs.
func Permit(s *question.Set, path, what string, input json.RawMessage, shown, words string) {
	s.Request.Permission = true
	if len(input) > 0 {
		if err := strictjson.Alike(input); err != nil {
			s.Reject(path, ask.ErrSyntax, "%s", err)
		} else if !utf8.Valid(input) {
			s.Reject(path, ask.ErrSyntax, "is not valid UTF-8")
		}
	}
	runs, read := running(input, shown)
	q := &s.Request.Questions[0]
	if len(q.Options) == 0 {
		return
	}
	s.Request.Permit = &ask.Permit{Where: where(s), Words: preview.Words(words)}
	q.Options[0].Preview = quote.Paragraphs(where(s), s.Request.Enclose(read, shown), preview.Words(words))
	if len(s.Request.Files) == 0 {
		return
	}
	if runs.Text != shown {
		s.Request.Files = append(s.Request.Files, runs)
	}
	size := 0
	for _, f := range s.Request.Files {
		size += len(f.Text)
	}
	if size > ask.MaxFileText {
		s.Reject(path, ask.ErrTooLong, "%s has %d bytes as it runs and as people read it, of which %d can be approved in chat", what, size, ask.MaxFileText)
		s.Request.Files = nil
	}
}

// running returns what runs, byte for byte: the command or plan if nothing else of the input is shown, otherwise the
// input as it was sent. read is the name of a file with the text that is shown.
func running(input json.RawMessage, shown string) (runs ask.File, read string) {
	f := js.FieldsOf(input)
	for _, name := range []string{"command", "plan"} {
		for _, value := range []json.RawMessage{f[name], js.FieldsOf(f["metadata"])[name]} { // OpenCode has it in metadata.
			if text, ok := js.StringOf(value); ok && text == shown {
				return ask.File{Name: name + ".txt", Text: text}, name + ".txt"
			}
		}
	}
	_, changes := diff.Change("", input, diff.MaxDepth)
	if _, diffs := diff.FileChanges(f["changes"]); changes || diffs {
		read = "change.diff"
	}
	return ask.File{Name: "input.json", Text: string(input)}, cmp.Or(read, "input.txt")
}

// Offer adds the options that allow the operation again without asking, as far as the grants permit. They are inserted
// at this index, and each has the same effect on this call as the first option.
func Offer(s *question.Set, grants ask.Grants, tool, shown string, at int) {
	q, it := &s.Request.Questions[0], &s.Items[0]
	if len(s.Problems) > 0 || len(q.Options) == 0 || shown == "" {
		return
	}
	p := s.Request.Permit
	p.Offer(q, s.Request.Operation, grants, s.Request.Session, at)
	if len(p.Offers) == 0 {
		return
	}
	p.What, p.Allow = what(s, tool, shown), q.Options[0].Label
	for n, o := range p.Offers {
		it.Options = slices.Insert(it.Options, at+n, question.Option{Label: js.Quote(o.Label), Key: it.Options[0].Key})
	}
}

// what describes the call on one line: the tool, its input, cut if it is long, and where it would run.
func what(s *question.Set, tool, shown string) string {
	suffix := ""
	if place := where(s); place != "" {
		suffix = " (" + strings.ToLower(place[:1]) + strings.ReplaceAll(place[1:], "\n", ", ") + ")"
	}
	return quote.Line(strings.TrimSuffix(tool+": "+visible.Reveal(shown), ": "), maxGranted) + suffix
}

// maxGranted is where an input is cut in the list of what people allowed.
const maxGranted = 200

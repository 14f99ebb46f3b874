package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/dialect/internal/diff"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/visible"
)

// Parts of a card that show the content of a tool call:
//
//	npm test                             the command, or the input as JSON or as a diff
//
//	From the agent:                      a text block
//	Needs the network.
//
//	The change:                          a diff block
//	--- /srv/app/a.go
//	+++ /srv/app/a.go
//	@@ -1 +1 @@
//	-a
//	+b
//
//	Output of terminal: "term_1"         a terminal block
//
//	File: /srv/app/a.go, line 3          a location
//
// A block that only repeats the title or the input is dropped from the card and from the operation, and so is the _meta of a
// block. Any other block is shown as JSON.
// https://agentclientprotocol.com/protocol/v1/tool-calls#content
const (
	fromAgent  = "From the agent:"
	theChange  = "The change:"
	ofTerminal = "Output of terminal: "
	fileAt     = "File: "
	// newFile is the old name in the diff of a new file.
	newFile = "(new file)"
)

// acpToolCall returns how a tool call is shown below its title, and what an approval covers. The protocol has no tool names, so
// no member of an input is known to be a description: the command of a call that executes something is shown as it is, followed
// by every other member.
func acpToolCall(c *call, t, others js.Fields) (shown string, covered js.Fields) {
	title, _ := js.StringOf(t["title"])
	kind, _ := js.StringOf(t["kind"])
	covered = c.covered(t, "title")
	d := &display{title: title, input: js.FieldsOf(covered["rawInput"])}
	for _, name := range []string{"content", "locations"} {
		if list := js.Items(covered[name]); js.IsArray(covered[name]) {
			if delete(covered, name); name == "content" {
				list = d.blocks(list)
			} else {
				list = d.places(list)
			}
			if len(list) > 0 {
				covered[name] = js.Encode(list)
			}
		}
	}
	rest := maps.Clone(covered)
	shown = quote.Paragraphs(append([]string{shownInput(rest.Take("rawInput"), kind == acpExecute)}, d.parts...)...)
	shown = preview.WithPrompt(shown, append(preview.Parts("", rest), preview.Parts("(request).", others)...))
	if changesFiles(kind, title) && !d.changes && !preview.HasText(covered["rawInput"], preview.IsContent) {
		shown = quote.Paragraphs(shown, preview.NoContent)
	}
	if d.content != nil {
		covered[shownMember] = js.Encode(d.content)
	}
	return shown, covered
}

// shownMember holds the blocks and locations that are shown in words, within what an approval covers.
const shownMember = "(shown)"

// shownInput shows the input of a tool call.
func shownInput(input json.RawMessage, executes bool) string {
	if len(input) == 0 {
		return ""
	}
	f := js.FieldsOf(input)
	if command, ok := js.StringOf(f["command"]); executes && ok && command != "" {
		delete(f, "command")
		if likeDisplay(command) {
			return preview.WithRest(visible.Quote(command), f)
		}
		return preview.WithRest(preview.AsIs(command), f)
	}
	shown, _, _ := preview.ToolInput(input, false)
	return shown
}

// changesFiles reports whether a tool call changes the content of a file. Kimi Code leaves the kind out.
func changesFiles(kind, title string) bool {
	return kind == acpEdit || kind == "" && slices.Contains([]string{"Edit", "Write"}, title)
}

// display collects the parts of a card that show content and locations.
type display struct {
	title string
	input js.Fields

	parts []string
	// content is the content of the parts. It is equal only for equal parts.
	content []json.RawMessage
	// changes is set when a block has the content of a change.
	changes bool
	// files are the paths that the card already shows.
	files []string
}

func (d *display) add(part string, content ...any) {
	d.parts = append(d.parts, part)
	d.content = append(d.content, js.Encode(content))
}

// blocks adds a part for each content block and returns the blocks without a part.
func (d *display) blocks(list []json.RawMessage) (rest []json.RawMessage) {
	for _, block := range list {
		f := js.FieldsOf(block)
		delete(f, "_meta")
		if !d.block(f) {
			if f != nil {
				block = js.Encode(f)
			}
			rest = append(rest, block)
		}
	}
	return rest
}

// block adds a part for a content block and reports whether it shows all of it.
func (d *display) block(f js.Fields) bool {
	kind, _ := js.StringOf(f["type"])
	switch kind {
	case "content":
		inner := js.FieldsOf(f["content"])
		delete(inner, "_meta")
		text, ok := js.StringOf(inner["text"])
		if is, _ := js.StringOf(inner["type"]); !ok || is != "text" || len(inner) != 2 || len(f) != 2 {
			return false
		}
		if strings.TrimSpace(text) != "" && text != d.title && !d.inputHas(text) {
			d.add(fromAgent+"\n"+ownLines(text), kind, text)
		}
		return true
	case "diff":
		return d.diff(f)
	case "terminal":
		id, ok := js.StringOf(f["terminalId"])
		if ok && len(f) == 2 {
			d.add(ofTerminal+visible.Quote(id), kind, id)
		}
		return ok && len(f) == 2
	}
	return false
}

// diff adds a part for a change of a file and reports whether it shows all of it.
func (d *display) diff(f js.Fields) bool {
	path, named := js.StringOf(f["path"])
	text, has := js.StringOf(f["newText"])
	old, had := js.StringOf(f["oldText"])
	d.changes = d.changes || has
	if !named || !has || !had && !js.Missing(f["oldText"]) {
		return false
	}
	left := maps.Clone(f)
	for _, name := range []string{"type", "path", "oldText", "newText"} {
		delete(left, name)
	}
	d.files = append(d.files, path)
	if len(left) > 0 {
		return false
	}
	if d.inputChanges(path, old, text) {
		return true
	}
	from, to := newFile, shownPath(path)
	if had {
		from = to
	}
	diff := diff.Unified(from, to, old, text)
	if diff != "" {
		d.add(theChange+"\n"+diff, "diff", path, had, old, text)
	}
	return diff != ""
}

// places adds a part for each location of a file that the card does not show yet, and returns those with other members.
func (d *display) places(list []json.RawMessage) (rest []json.RawMessage) {
	for _, name := range diff.Paths {
		if path, ok := js.StringOf(d.input[name]); ok {
			d.files = append(d.files, path)
		}
	}
	for _, place := range list {
		f := js.FieldsOf(place)
		delete(f, "_meta")
		path, ok := js.StringOf(f["path"])
		line := string(f["line"])
		switch {
		case !ok || len(f) > 2 || len(f) == 2 && f["line"] == nil || !js.Missing(f["line"]) && strings.Trim(line, "0123456789") != "":
			rest = append(rest, place)
		case !js.Missing(f["line"]):
			d.add(fileAt+shownPath(path)+", line "+line, "location", path, line)
		case !slices.Contains(d.files, path):
			d.add(fileAt+shownPath(path), "location", path)
		}
	}
	return rest
}

// inputHas reports whether a member of the input is this text, so that the card already shows it.
func (d *display) inputHas(text string) bool {
	for _, value := range d.input {
		if is, ok := js.StringOf(value); ok && is == text {
			return true
		}
	}
	return false
}

// inputChanges reports whether the input contains the same change of a file, so that the card already shows it: the whole text, or
// one piece of it and its replacement.
func (d *display) inputChanges(path, old, text string) bool {
	named := slices.ContainsFunc(diff.Paths, func(name string) bool { is, ok := js.StringOf(d.input[name]); return ok && is == path })
	if whole, ok := js.StringOf(d.input["content"]); named && ok && whole == text {
		return true
	}
	for n, name := range diff.Replaced {
		piece, ok := js.StringOf(d.input[name])
		replacement, has := js.StringOf(d.input[diff.Replacing[n]])
		if !named || !ok || !has {
			continue
		}
		if piece == "" && old == "" && replacement == text || piece != "" && strings.Count(old, piece) == 1 && strings.Replace(old, piece, replacement, 1) == text {
			return true
		}
	}
	return false
}

// likeDisplay reports whether a line of the text could be mistaken for the beginning of a part with content.
func likeDisplay(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == fromAgent || line == theChange || strings.HasPrefix(line, strings.TrimSpace(ofTerminal)) || strings.HasPrefix(line, strings.TrimSpace(fileAt)) {
			return true
		}
	}
	return false
}

// ownLines returns a text for the lines of a part, quoted if it could be mistaken for another part.
func ownLines(text string) string {
	if !visible.Plain(text) || preview.Imitates(text) || likeDisplay(text) || strings.HasPrefix(text, `"`) {
		return visible.Quote(text)
	}
	return text
}

// shownPath returns a path for the end of a line.
func shownPath(path string) string {
	if strings.HasPrefix(path, "(") || strings.Contains(path, ", line ") {
		return visible.Quote(path)
	}
	return quote.OnOneLine(path)
}

package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/visible"
)

// What the content of a tool call becomes on a card:
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
// A block that only repeats the title or the input is dropped, together with its part of the operation, and so is the _meta
// of a block. Any other block is shown as JSON.
// https://agentclientprotocol.com/protocol/v1/tool-calls#content
const (
	fromAgent  = "From the agent:"
	theChange  = "The change:"
	ofTerminal = "Output of terminal: "
	fileAt     = "File: "
	// newFile is the text that a diff of a new file replaces.
	newFile = "(new file)"
)

// toolCall returns how a tool call is shown, without its title, and what an approval of it covers. The protocol has no names
// of tools, so no member of an input is known to be a description: the command of a call that executes something is shown as
// it is, followed by every other member.
func (c *call) toolCall(t, others fields) (shown string, covered fields) {
	title, _ := plainText(t["title"])
	kind, _ := plainText(t["kind"])
	covered = c.covered(t, "title")
	d := &display{title: title, input: members(covered["rawInput"])}
	for _, name := range []string{"content", "locations"} {
		if list, ok := listOf(covered[name]); ok {
			if delete(covered, name); name == "content" {
				list = d.blocks(list)
			} else {
				list = d.places(list)
			}
			if len(list) > 0 {
				covered[name] = encoded(list)
			}
		}
	}
	rest := maps.Clone(covered)
	shown = lines(append([]string{shownInput(rest.take("rawInput"), kind == acpExecute)}, d.parts...)...)
	shown = withPrompt(shown, append(shownParts("", rest), shownParts("(request).", others)...))
	if changesFiles(kind, title) && !d.changes && !hasText(covered["rawInput"], isContent) {
		shown = lines(shown, noContent)
	}
	if d.said != nil {
		covered[shownMember] = encoded(d.said)
	}
	return shown, covered
}

// shownMember holds the blocks and locations that are shown in words, within what an approval covers.
const shownMember = "(shown)"

// shownInput is the input of a tool call.
func shownInput(input json.RawMessage, executes bool) string {
	if len(input) == 0 {
		return ""
	}
	f := members(input)
	if command, ok := plainText(f["command"]); executes && ok && command != "" {
		delete(f, "command")
		if likeDisplay(command) {
			return withRest(visible.Quote(command), f)
		}
		return withRest(asIs(command), f)
	}
	shown, _, _ := toolInput(input, false)
	return shown
}

// changesFiles reports whether a tool call changes the content of a file. Kimi Code leaves the kind out.
func changesFiles(kind, title string) bool {
	return kind == acpEdit || kind == "" && slices.Contains([]string{"Edit", "Write"}, title)
}

// display collects the parts of a card that show content and locations.
type display struct {
	title string
	input fields

	parts []string
	// said is what the parts say, in a form that is the same for the same parts only.
	said []json.RawMessage
	// changes is set when a block has the content of a change.
	changes bool
	// files are the paths that the card shows already.
	files []string
}

func (d *display) add(part string, said ...any) {
	d.parts = append(d.parts, part)
	d.said = append(d.said, encoded(said))
}

// blocks adds the parts of content blocks and returns the blocks that have no words of their own.
func (d *display) blocks(list []json.RawMessage) (rest []json.RawMessage) {
	for _, block := range list {
		f := members(block)
		delete(f, "_meta")
		if !d.block(f) {
			if f != nil {
				block = encoded(f)
			}
			rest = append(rest, block)
		}
	}
	return rest
}

// block adds a part for a content block, and reports whether that shows all of it.
func (d *display) block(f fields) bool {
	kind, _ := plainText(f["type"])
	switch kind {
	case "content":
		inner := members(f["content"])
		delete(inner, "_meta")
		text, ok := plainText(inner["text"])
		if is, _ := plainText(inner["type"]); !ok || is != "text" || len(inner) != 2 || len(f) != 2 {
			return false
		}
		if strings.TrimSpace(text) != "" && text != d.title && !d.inputHas(text) {
			d.add(fromAgent+"\n"+ownLines(text), kind, text)
		}
		return true
	case "diff":
		return d.diff(f)
	case "terminal":
		id, ok := plainText(f["terminalId"])
		if ok && len(f) == 2 {
			d.add(ofTerminal+visible.Quote(id), kind, id)
		}
		return ok && len(f) == 2
	}
	return false
}

func (d *display) diff(f fields) bool {
	path, named := plainText(f["path"])
	text, has := plainText(f["newText"])
	old, had := plainText(f["oldText"])
	d.changes = d.changes || has
	if !named || !has || !had && !missing(f["oldText"]) {
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
	diff := unified(from, to, old, text)
	if diff != "" {
		d.add(theChange+"\n"+diff, "diff", path, had, old, text)
	}
	return diff != ""
}

// places adds a part for each location of a file that the card does not name yet, and returns those that hold more.
func (d *display) places(list []json.RawMessage) (rest []json.RawMessage) {
	for _, name := range paths {
		if path, ok := plainText(d.input[name]); ok {
			d.files = append(d.files, path)
		}
	}
	for _, place := range list {
		f := members(place)
		delete(f, "_meta")
		path, ok := plainText(f["path"])
		line := string(f["line"])
		switch {
		case !ok || len(f) > 2 || len(f) == 2 && f["line"] == nil || !missing(f["line"]) && strings.Trim(line, "0123456789") != "":
			rest = append(rest, place)
		case !missing(f["line"]):
			d.add(fileAt+shownPath(path)+", line "+line, "location", path, line)
		case !slices.Contains(d.files, path):
			d.add(fileAt+shownPath(path), "location", path)
		}
	}
	return rest
}

// inputHas reports whether a member of the input is this text, so that the card shows it already.
func (d *display) inputHas(text string) bool {
	for _, value := range d.input {
		if said, ok := plainText(value); ok && said == text {
			return true
		}
	}
	return false
}

// inputChanges reports whether the input says the same change of a file, so that the card shows it already: the whole text,
// or one piece of it and its replacement.
func (d *display) inputChanges(path, old, text string) bool {
	named := slices.ContainsFunc(paths, func(name string) bool { said, ok := plainText(d.input[name]); return ok && said == path })
	if whole, ok := plainText(d.input["content"]); named && ok && whole == text {
		return true
	}
	for n, name := range replaced {
		piece, ok := plainText(d.input[name])
		replacement, has := plainText(d.input[replacing[n]])
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

// ownLines is a text below a line of ours, quoted where something in it could be mistaken for another part.
func ownLines(text string) string {
	if !visible.Plain(text) || imitates(text) || likeDisplay(text) || strings.HasPrefix(text, `"`) {
		return visible.Quote(text)
	}
	return text
}

// shownPath is a path on a line of ours.
func shownPath(path string) string {
	if strings.HasPrefix(path, "(") || strings.Contains(path, ", line ") {
		return visible.Quote(path)
	}
	return onOneLine(path)
}

// listOf returns the items of a list.
func listOf(data json.RawMessage) ([]json.RawMessage, bool) {
	if len(data) == 0 || data[0] != '[' {
		return nil, false
	}
	return fieldList(data), true
}

// encoded is the JSON of a value that always has one.
func encoded(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("dialect: JSON that was read before always encodes: %v", err))
	}
	return data
}

package dialect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// A permission is asked in the words of its host. What stands on the card is what
// will be done: the whole of it, with nothing hidden, or its beginning with the whole in a
// file below.

// permit makes the one question of the call one for a permission, and shows what is to be approved
// with the option that approves it. The operation has to be set before. An input that is too
// long for a card becomes a file as people read it, and another one as it runs if that differs.
func (c *call) permit(path, what string, input json.RawMessage, shown, words string) {
	c.permission, c.request.Permission = true, true
	if len(input) > 0 {
		if err := strictjson.Alike(input); err != nil {
			c.badAt(path, ask.ErrSyntax, "%s", err)
		} else if !utf8.Valid(input) {
			c.badAt(path, ask.ErrSyntax, "is not valid UTF-8")
		}
	}
	runs, read := running(input, shown)
	q := &c.request.Questions[0]
	if len(q.Options) == 0 {
		return
	}
	q.Options[0].Preview = lines(c.where(), c.request.Enclose(read, shown), quotedWords(words))
	if len(c.request.Files) == 0 {
		return
	}
	if runs.Text != shown {
		c.request.Files = append(c.request.Files, runs)
	}
	size := 0
	for _, f := range c.request.Files {
		size += len(f.Text)
	}
	if size > ask.MaxFileText {
		c.badAt(path, ask.ErrTooLong, "%s has %d bytes as it runs and as people read it, of which %d can be approved in chat", what, size, ask.MaxFileText)
		c.request.Files = nil
	}
}

// running is what runs, byte for byte: the command, or the plan, where that is all that is
// shown of the input, else the input as it was sent. Read is what a file is called that has
// what is shown of it.
func running(input json.RawMessage, shown string) (runs ask.File, read string) {
	f := members(input)
	for _, name := range []string{"command", "plan"} {
		for _, value := range []json.RawMessage{f[name], members(f["metadata"])[name]} { // OpenCode has it in metadata.
			if text, ok := plainText(value); ok && text == shown {
				return ask.File{Name: name + ".txt", Text: text}, name + ".txt"
			}
		}
	}
	_, changes := shownChange("", input, maxDepth)
	if _, diffs := codexDiff(f["changes"]); changes || diffs {
		read = "change.diff"
	}
	return ask.File{Name: "input.json", Text: string(input)}, cmp.Or(read, "input.txt")
}

// offer adds the options that allow the call for a time, as far as the ceiling lets it:
// before the option at index at, and each of them does what the one at index allow does.
func (c *call) offer(tool, shown string, allow, at int) {
	q, it := &c.request.Questions[0], &c.items[0]
	if len(c.problems) > 0 || len(q.Options) <= allow || shown == "" {
		return
	}
	p := ask.Permit{What: c.what(tool, shown), Allow: q.Options[allow].Label}
	p.Offer(q, c.request.Operation, c.opts.Grants, c.request.Session, at)
	if len(p.Offers) == 0 {
		return
	}
	for n, o := range p.Offers {
		it.options = slices.Insert(it.options, at+n, option{label: quote(o.Label), key: it.options[allow].key})
	}
	c.request.Permit = &p
}

// what is the call on one line: the tool, what it is given, cut where that is long, and where it
// would run.
func (c *call) what(tool, shown string) string {
	where := ""
	if place := c.where(); place != "" {
		where = " (" + strings.ToLower(place[:1]) + strings.ReplaceAll(place[1:], "\n", ", ") + ")"
	}
	return line(strings.TrimSuffix(tool+": "+visible.Reveal(shown), ": "), maxGranted) + where
}

// maxGranted is how much of a call stands in a list of what was allowed.
const maxGranted = 200

// members reads the members of an object that was checked; nil if it is none.
func members(data json.RawMessage) fields {
	var f fields
	if json.Unmarshal(data, &f) != nil {
		return nil
	}
	return f
}

// plainText returns a text of the input; it is not ok where that is no string.
func plainText(data json.RawMessage) (text string, ok bool) {
	return text, len(data) > 0 && data[0] == '"' && json.Unmarshal(data, &text) == nil
}

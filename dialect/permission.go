package dialect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// A permission is asked in the words of its host. What stands on the card is what
// will be done: the whole of it, with nothing hidden, or its beginning with the whole in a
// file below.

// permit makes the one question of the call one for a permission, and puts what is
// to be approved on the card, beside the option that does so. What is too long for a card
// goes below it as people read it, and beside that, where it reads otherwise, as it runs.
func (c *call) permit(path, what string, input json.RawMessage, shown string) {
	c.permission, c.request.Permission = true, true
	if err := strictjson.Alike(input); len(input) > 0 && err != nil {
		c.badAt(path, ask.ErrSyntax, "%s", err)
	}
	runs, read := running(input, shown)
	q := &c.request.Questions[0]
	if len(q.Options) == 0 {
		return
	}
	if q.Options[0].Preview = c.request.Enclose(read, shown); len(c.request.Files) == 0 {
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
		if text, ok := plainText(f[name]); ok && text == shown {
			return ask.File{Name: name + ".txt", Text: text}, name + ".txt"
		}
	}
	if _, changes := shownChange("", input, maxDepth); changes {
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
	key := sha256.Sum256([]byte(strings.Join([]string{c.dialect.Family, tool, c.cwd, shown}, "\x00")))
	p := ask.Permit{
		Key: hex.EncodeToString(key[:16]), What: line(strings.TrimSuffix(tool+": "+visible.Reveal(shown), ": "), maxGranted),
		Allow: q.Options[allow].Label,
	}
	p.Offer(q, c.opts.Grants, c.request.Session, at)
	if len(p.Offers) == 0 {
		return
	}
	for n, o := range p.Offers {
		it.options = slices.Insert(it.options, at+n, option{label: quote(o.Label), key: it.options[allow].key})
	}
	c.request.Permit = &p
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

// shownInput is what a tool is about to be given, for people. A command stands
// there as it will run, where nothing else of the input changes what it does.
func shownInput(input json.RawMessage) string {
	f := members(input)
	command, ok := plainText(f.take("command"))
	f.take("description", "timeout")
	f.take("timeout")
	switch {
	case !ok || command == "" || len(f) > 0:
		if changed, ok := shownChange("", input, maxDepth); ok {
			return changed
		}
		return strictjson.Show(input)
	case !visible.Plain(command):
		return visible.Quote(command)
	}
	return command
}

// shownPlan is a plan for people, with whatever else the host would be told.
func shownPlan(input json.RawMessage) string {
	f := members(input)
	plan, ok := plainText(f.take("plan"))
	if !ok || plan == "" {
		return strictjson.Show(input)
	}
	var shown strings.Builder
	shown.WriteString(visible.Reveal(plan))
	for _, name := range sortedKeys(f) {
		fmt.Fprintf(&shown, "\n\n%s: %s", name, strictjson.Show(f[name]))
	}
	return shown.String()
}

package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// What would change a file is shown as a unified diff of the texts that the input holds, with
// every line of them. Nobody here knows what the file holds: the names above a diff are those
// of the members, and its numbers count their lines.

// replaced and replacing are how hosts call a text of a file and what comes in its place.
var replaced, replacing = [...]string{
	"old_string",  // Claude Code, Gemini CLI, Qwen Code, Crush
	"old_content", // Crush, once it has read the file
	"oldText",     // ACP
	"old_text",    // Kimi CLI
}, [...]string{"new_string", "new_content", "newText", "new_text"}

// paths are how hosts call the file that a "content" is written to.
var paths = []string{"file_path", "filePath", "filepath", "path"}

const (
	// unknown stands for the text that a whole file replaces, which no input says.
	unknown = "(not in the input)"
	// maxDepth is how deep an input is looked through for changes: the deepest of the known
	// ones, edits[0].old_string, is three levels down.
	maxDepth = 4
)

// How a diff says where its texts end, which are parts of a file. Two of them without a line
// break at their ends are what hosts send mostly, and go without saying.
const (
	endOfFile = "\n\\ No newline at end of file\n"
	endOfText = "\n\\ No line break at the end\n"
	bothBreak = "\\ A line break at the end of both\n"
)

// patchLine is a line of a patch that a host has made itself: of a unified diff, as git and jsdiff
// (OpenCode) write it too, or in the form of apply_patch
// (https://github.com/openai/codex/blob/001cdd2/codex-rs/apply-patch/apply_patch_tool_instructions.md).
var patchLine = regexp.MustCompile(`^(?:[-+ @\\]|\*\*\* |diff --git |index |Index: |={67}\n)`)

// plainName is a member's name that can stand without quotes.
var plainName = regexp.MustCompile(`^[\w.$-]+$`)

// shownChange is a value that says how texts change: each as a diff, below what else it says.
// It is not ok for a value that says no such thing. What stands there can be told from any
// other value: each line of a text has a mark before it, and every other text is quoted.
func shownChange(at string, data json.RawMessage, depth int) (shown string, ok bool) {
	if depth == 0 || missing(data) {
		return "", false
	}
	var said, changed []string
	inside := func(where string, value json.RawMessage) {
		if part, is := shownChange(where, value, depth-1); is {
			changed = append(changed, part)
		} else {
			said = append(said, where+": "+strictjson.Show(value))
		}
	}
	switch data[0] {
	case '"':
		text, _ := plainText(data)
		return at + ":\n" + text, isPatch(text)
	case '[':
		for n, item := range fieldList(data) {
			inside(fmt.Sprintf("%s[%d]", at, n), item)
		}
	case '{':
		f := members(data)
		if diff := f.change(at); diff != "" {
			changed = append(changed, diff)
		}
		for _, name := range sortedKeys(f) {
			inside(within(at, name), f[name])
		}
	}
	return lines(append([]string{strings.Join(said, "\n")}, changed...)...), len(changed) > 0
}

// within is the path of a member, which nobody can take for anything else.
func within(at, name string) string {
	if !plainName.MatchString(name) {
		name = visible.Quote(name)
	}
	return strings.TrimPrefix(at+"."+name, ".")
}

// change takes the text that the object has for a file and the one in whose place that comes,
// and returns the difference; empty where there is none to show.
func (f fields) change(at string) string {
	names := slices.IndexFunc(replacing[:], func(name string) bool { return !missing(f[name]) })
	from, to := unknown, "content"
	if names >= 0 {
		from, to = replaced[names], replacing[names]
	} else if !slices.ContainsFunc(paths, func(name string) bool { return !missing(f[name]) }) {
		return ""
	}
	old, had := plainText(f[from])
	text, has := plainText(f[to])
	if !has || !had && !missing(f[from]) {
		return ""
	}
	above := within(at, from)
	if !had {
		above = unknown
	}
	diff := unified(above, within(at, to), old, text)
	if diff != "" {
		if delete(f, to); had {
			delete(f, from) // One that is null is shown as that.
		}
	}
	return diff
}

// unified is the difference of two texts with all lines of both; empty where they differ in
// nothing that can be seen, or hold something that cannot.
func unified(from, to, old, text string) string {
	if slices.Equal(strings.Fields(old), strings.Fields(text)) {
		return ""
	}
	end := ""
	switch broken := strings.HasSuffix(old, "\n"); {
	case old == "" || text == "" || broken != strings.HasSuffix(text, "\n"):
	case broken:
		end = bothBreak
	default:
		old, text = old+"\n", text+"\n"
	}
	diff, err := udiff.ToUnified(from, to, old, udiff.Lines(old, text), strings.Count(old, "\n")+1)
	if err != nil || !legible(diff) {
		return ""
	}
	return strings.TrimSuffix(strings.ReplaceAll(diff, endOfFile, endOfText)+end, "\n")
}

// legible reports whether each line of a diff is seen as it is. A line may be indented.
func legible(diff string) bool {
	for line := range strings.Lines(diff) {
		if !visible.Plain(strings.TrimLeft(strings.TrimRight(line[1:], "\n"), " \t")) {
			return false
		}
	}
	return true
}

// isPatch reports whether a text is a patch, with nothing in it that is none.
func isPatch(text string) bool {
	patch := strings.HasPrefix(text, "*** ") || strings.HasPrefix(text, "@@ ") || strings.Contains(text, "\n@@ ")
	for line := range strings.Lines(text) {
		if !patch || !patchLine.MatchString(line) {
			return false
		}
	}
	return patch && legible(text)
}

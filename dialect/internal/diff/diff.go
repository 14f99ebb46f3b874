// Package diff shows changes of files in tool inputs as unified diffs with every line of both texts.
//
// The bridge does not know the files. The names above a diff are those of the members that hold the texts, and its line
// numbers count the lines of these texts.
package diff

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// Replaced are the hosts' names for a text of a file.
var Replaced = [...]string{
	"old_string",  // Claude Code, Gemini CLI, Qwen Code, Crush
	"old_content", // Crush, once it has read the file
	"oldText",     // ACP
	"old_text",    // Kimi CLI
}

// Replacing are the names for its replacement, in the same order.
var Replacing = [...]string{"new_string", "new_content", "newText", "new_text"}

// Paths are the hosts' names for the path of a file that "content" is written to.
var Paths = []string{"file_path", "filePath", "filepath", "path"}

const (
	// unknown replaces the old text of a file that is replaced as a whole, which no input contains.
	unknown = "(not in the input)"
	// MaxDepth is how deep an input is searched for changes. The deepest known one, edits[0].old_string, is at level
	// three.
	MaxDepth = 4
)

// Marks at the end of a diff, whose texts are parts of a file. Most hosts send two texts without a line break at their
// ends, which needs no mark.
const (
	endOfFile = "\n\\ No newline at end of file\n"
	endOfText = "\n\\ No line break at the end\n"
	bothBreak = "\\ A line break at the end of both\n"
)

// patchLine matches a line of a patch that the host wrote: a unified diff, also as git and jsdiff (OpenCode) write it, or the
// format of apply_patch
// (https://github.com/openai/codex/blob/001cdd2/codex-rs/apply-patch/apply_patch_tool_instructions.md).
var patchLine = regexp.MustCompile(`^(?:[-+ @\\]|\*\*\* |diff --git |index |Index: |={67}\n)`)

// plainName matches a member's name that needs no quotes.
var plainName = regexp.MustCompile(`^[\w.$-]+$`)

// Change shows the changes of texts within a value as diffs, below the other members. It is not ok for a value without
// changes. No two values look alike: each line of a text has a mark in front of it, and every other text is quoted.
func Change(at string, data json.RawMessage, depth int) (shown string, ok bool) {
	if depth == 0 || js.Missing(data) {
		return "", false
	}
	var plain, changed []string
	inside := func(where string, value json.RawMessage) {
		if part, is := Change(where, value, depth-1); is {
			changed = append(changed, part)
		} else {
			plain = append(plain, where+": "+strictjson.Show(value))
		}
	}
	switch data[0] {
	case '"':
		text, _ := js.StringOf(data)
		return at + ":\n" + text, IsPatch(text)
	case '[':
		for n, item := range js.Items(data) {
			inside(fmt.Sprintf("%s[%d]", at, n), item)
		}
	case '{':
		f := js.FieldsOf(data)
		if diff := change(f, at); diff != "" {
			changed = append(changed, diff)
		}
		for _, name := range js.Keys(f) {
			inside(Path(at, name), f[name])
		}
	}
	return quote.Paragraphs(append([]string{strings.Join(plain, "\n")}, changed...)...), len(changed) > 0
}

// Path returns the path of a member, quoted if it could be mistaken for anything else.
func Path(at, name string) string {
	if !plainName.MatchString(name) {
		name = visible.Quote(name)
	}
	return strings.TrimPrefix(at+"."+name, ".")
}

// change takes a text and its replacement from an object and returns the difference. It is empty if there is none to show.
func change(f js.Fields, at string) string {
	names := slices.IndexFunc(Replacing[:], func(name string) bool { return !js.Missing(f[name]) })
	from, to := unknown, "content"
	if names >= 0 {
		from, to = Replaced[names], Replacing[names]
	} else if !slices.ContainsFunc(Paths, func(name string) bool { return !js.Missing(f[name]) }) {
		return ""
	}
	old, had := js.StringOf(f[from])
	text, has := js.StringOf(f[to])
	if !has || !had && !js.Missing(f[from]) {
		return ""
	}
	above := Path(at, from)
	if !had {
		above = unknown
	}
	diff := Unified(above, Path(at, to), old, text)
	if diff != "" {
		if delete(f, to); had {
			delete(f, from) // Null is shown as null.
		}
	}
	return diff
}

// Unified returns the difference of two texts with all lines of both. It is empty if they differ only in white space or contain
// hidden characters.
func Unified(from, to, old, text string) string {
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

// legible reports whether a diff has no hidden characters. Lines may be indented.
func legible(diff string) bool {
	for line := range strings.Lines(diff) {
		if !visible.Plain(strings.TrimLeft(strings.TrimRight(line[1:], "\n"), " \t")) {
			return false
		}
	}
	return true
}

// IsPatch reports whether every line of a text belongs to a patch.
func IsPatch(text string) bool {
	patch := strings.HasPrefix(text, "*** ") || strings.HasPrefix(text, "@@ ") || strings.Contains(text, "\n@@ ")
	for line := range strings.Lines(text) {
		if !patch || !patchLine.MatchString(line) {
			return false
		}
	}
	return patch && legible(text)
}

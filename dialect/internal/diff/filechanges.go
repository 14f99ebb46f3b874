package diff

import (
	"encoding/json"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/visible"
)

// Codex describes a change of a file as {path, kind, diff}. For a new or deleted file, kind is {type} and diff is the whole
// text of the file. For an update, kind is {type, move_path} and diff is the hunks of a unified diff, followed by movedTo
// and the new path if the file moves.
// https://github.com/openai/codex/blob/1360a10/codex-rs/app-server-protocol/src/protocol/item_builders.rs
const movedTo = "\n\nMoved to: "

// noFile is the old name of a new file and the new name of a deleted one, as in git diff.
const noFile = "/dev/null"

// FileChanges shows Codex's list of changes as unified diffs under the paths of their files, separated by blank lines. No line
// of a diff is empty. It is not ok for changes in any other format, or with a text that a card cannot show as it is.
func FileChanges(changes json.RawMessage) (shown string, ok bool) {
	var diffs []string
	for _, data := range js.Items(changes) {
		diff, is := fileChange(js.FieldsOf(data))
		if !is {
			return "", false
		}
		diffs = append(diffs, diff)
	}
	return quote.Paragraphs(diffs...), len(diffs) > 0
}

// fileChange shows one change.
func fileChange(f js.Fields) (diff string, ok bool) {
	path, named := js.StringOf(f["path"])
	text, is := js.StringOf(f["diff"])
	kind := js.FieldsOf(f["kind"])
	if !named || !is || path == "" || len(f) != 3 {
		return "", false
	}
	name := fileName(path)
	switch what, _ := js.StringOf(kind["type"]); {
	case what == "add" && len(kind) == 1:
		diff, ok = wholeFile(noFile, name, "", text)
	case what == "delete" && len(kind) == 1:
		diff, ok = wholeFile(name, noFile, text, "")
	case what == "update" && len(kind) == 2 && string(kind["move_path"]) == "null":
		diff, ok = "--- "+name+"\n+++ "+name+"\n"+text, isHunks(text)
	case what == "update" && len(kind) == 2:
		to, _ := js.StringOf(kind["move_path"])
		hunks, moves := strings.CutSuffix(text, movedTo+to)
		if !moves || to == "" {
			return "", false
		}
		diff, ok = "rename from "+name+"\nrename to "+fileName(to), hunks == "" || isHunks(hunks)
		if hunks != "" {
			diff += "\n--- " + name + "\n+++ " + fileName(to) + "\n" + hunks
		}
	}
	return diff, ok
}

// wholeFile returns the diff between a text and no text.
func wholeFile(from, to, old, text string) (diff string, ok bool) {
	diff = udiff.Unified(from, to, old, text)
	if diff == "" {
		return "--- " + from + "\n+++ " + to, true
	}
	return strings.TrimSuffix(diff, "\n"), IsPatch(diff)
}

// isHunks reports whether a text consists of hunks of a unified diff.
func isHunks(text string) bool { return strings.HasPrefix(text, "@@ ") && IsPatch(text) }

// fileName returns a path for the header of a diff, quoted if it could be mistaken for anything else.
func fileName(path string) string {
	if path == noFile {
		return visible.Quote(path)
	}
	return quote.OnOneLine(path)
}

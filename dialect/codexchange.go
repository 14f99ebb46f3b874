package dialect

import (
	"encoding/json"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/askbridge/askbridge/internal/visible"
)

// What Codex changes in a file is an object {path, kind, diff}. The kind of a new or deleted file is {type}, and its diff
// is the whole text of the file. The kind of an update is {type, move_path}, and its diff is the hunks of a unified diff,
// followed by codexMoved and the new path if the file moves.
// https://github.com/openai/codex/blob/1360a10/codex-rs/app-server-protocol/src/protocol/item_builders.rs
const codexMoved = "\n\nMoved to: "

// noFile stands for the file that a new file replaces, and for what is left of a deleted one, as in git diff.
const noFile = "/dev/null"

// codexDiff shows changes as unified diffs under the paths of their files. Two diffs have an empty line between them, and
// no line of a diff is empty. It is not ok for changes in any other form than Codex sends, or with a text that a card
// cannot show as it is.
func codexDiff(changes json.RawMessage) (shown string, ok bool) {
	var diffs []string
	for _, data := range fieldList(changes) {
		diff, is := codexFileDiff(members(data))
		if !is {
			return "", false
		}
		diffs = append(diffs, diff)
	}
	return lines(diffs...), len(diffs) > 0
}

func codexFileDiff(f fields) (diff string, ok bool) {
	path, named := plainText(f["path"])
	text, is := plainText(f["diff"])
	kind := members(f["kind"])
	if !named || !is || path == "" || len(f) != 3 {
		return "", false
	}
	name := fileName(path)
	switch what, _ := plainText(kind["type"]); {
	case what == "add" && len(kind) == 1:
		diff, ok = wholeFile(noFile, name, "", text)
	case what == "delete" && len(kind) == 1:
		diff, ok = wholeFile(name, noFile, text, "")
	case what == "update" && len(kind) == 2 && string(kind["move_path"]) == "null":
		diff, ok = "--- "+name+"\n+++ "+name+"\n"+text, isHunks(text)
	case what == "update" && len(kind) == 2:
		to, _ := plainText(kind["move_path"])
		hunks, moves := strings.CutSuffix(text, codexMoved+to)
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

// wholeFile is the diff between a text and none.
func wholeFile(from, to, old, text string) (diff string, ok bool) {
	diff = udiff.Unified(from, to, old, text)
	if diff == "" {
		return "--- " + from + "\n+++ " + to, true
	}
	return strings.TrimSuffix(diff, "\n"), isPatch(diff)
}

// isHunks reports whether a text is hunks of a unified diff.
func isHunks(text string) bool { return strings.HasPrefix(text, "@@ ") && isPatch(text) }

// fileName is a path in the header of a diff, quoted where it could be mistaken for anything else.
func fileName(path string) string {
	if path == noFile {
		return visible.Quote(path)
	}
	return onOneLine(path)
}

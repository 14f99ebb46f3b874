package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spoken are the files outside the folders of the platforms that name one, and what for.
var spoken = map[string]string{
	"api/examples.go":           "examples of the document",
	"internal/app/platforms.go": "the list",
}

// platformFolders hold what is particular to a platform; the doubles and the harness for other people's tests are made
// of these two.
var platformFolders = []string{"slack", "discord", "render/blockkit", "render/components", "chatsim", "askbridgetest", "test", "examples"}

// A new platform takes its folder and a line in package app: nothing else branches on a platform's name.
func TestOnlyItsFolderAndTheListNameAPlatform(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range files(t) {
		if r, _ := rowOf(f.pkg); f.test || r.harness || slices.ContainsFunc(platformFolders, func(dir string) bool { return within(f.pkg, dir) }) {
			continue
		}
		names := slices.ContainsFunc(f.imports, func(path string) bool {
			rel, ours := strings.CutPrefix(path, module+"/")
			return ours && (within(rel, "slack") || within(rel, "discord") || within(rel, "chatsim/slacksim") || within(rel, "chatsim/discordsim"))
		})
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			names = names || err == nil && (text == "slack" || text == "discord")
			return true
		})
		if seen[f.name] = names; names && spoken[f.name] == "" {
			t.Errorf("%s names a platform: that belongs in the platform's folder, or in its bundle", f.name)
		}
	}
	for name := range spoken {
		if !seen[name] {
			t.Errorf("%s names no platform any more: take it out of spoken", name)
		}
	}
}

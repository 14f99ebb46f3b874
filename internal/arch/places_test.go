package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// colons are the files outside the domain that cut or join a text at a colon, and what
// they have there in place of a platform and an id.
var colons = map[string]string{
	"dialect/internal/js/js.go":  "a member's name and value in JSON",
	"discord/decode.go":          "the platform before an interaction's id",
	"hosts/claude/settings.go":   "the event of a hook, before its text",
	"internal/app/rota/names.go": "mailto: before an address",
	"internal/app/rota/lines.go": "a property of a calendar before its value",
	"render/layout.go":           "who asks, before the questions of a plain card",
	"render/table.go":            "the alignment of a column, and a heading before its cell",
	"render/blockkit/escape.go":  "an emoji's code",
	"render/components/modal.go": "the question before what makes a modal's id unique",
	"render/token.go":            "a control's id",
	"scripts/manual/page.go":     "a title in a help text",
	"scripts/cardtable/main.go":  "a commit before a file of it",
}

// Only package ask knows the text form of a place or a responder. Other packages use [ask.ParsePlace],
// [ask.ParseEntry] and their String methods.
func TestOnlyTheDomainCutsAPlaceAtItsColon(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range files(t) {
		// Stores and benchmarks handle the colons of Redis and of other formats, and the doubles share no code with
		// what they judge.
		if f.test || f.pkg == "ask" || slices.ContainsFunc([]string{"store", "test", "chatsim"}, func(dir string) bool { return within(f.pkg, dir) }) {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if !cutsAtColon(n) {
				return true
			}
			if seen[f.name] = true; colons[f.name] == "" {
				t.Errorf("%s cuts or joins a text at a colon: use ask.ParsePlace or ask.ParseEntry, or say in colons what it is", f.name)
			}
			return true
		})
	}
	for name := range colons {
		if !seen[name] {
			t.Errorf("%s has no colon any more: take it out of colons", name)
		}
	}
}

// cutsAtColon reports whether a node looks for a colon, or puts one between two others.
func cutsAtColon(n ast.Node) bool {
	colon := func(e ast.Expr) bool {
		literal, ok := e.(*ast.BasicLit)
		return ok && (literal.Value == `":"` || literal.Value == `':'` || literal.Value == "`:`")
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, ok := f.X.(*ast.Ident)
		return ok && slices.Contains([]string{"strings", "bytes"}, of.Name) && !strings.HasPrefix(f.Sel.Name, "Contains") && slices.ContainsFunc(n.Args, colon)
	case *ast.BinaryExpr:
		return n.Op == token.ADD && (colon(n.X) || colon(n.Y))
	}
	return false
}

func TestForeignPlaceParsingIsNoticed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`strings.Cut(who, ":")`: true, `strings.SplitN(s, ":", 2)`: true, `platform + ":" + id`: true, `strings.IndexByte(s, ':')`: true,
		`strings.CutPrefix(who, Name+":")`: true, `strings.Cut(s, "=")`: false, `a + ": " + b`: false,
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		var found bool
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || cutsAtColon(n)
			return true
		})
		if found != want {
			t.Errorf("%s: noticed %v", text, found)
		}
	}
}

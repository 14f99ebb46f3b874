package security

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

const (
	// root is where the module begins.
	root = "../.."
	// doc is where the tables stand for people.
	doc = root + "/docs/security.md"
)

// proof names a test: the folder of its package and its function.
type proof struct{ folder, test string }

// promise is one line of a table: what holds, and the tests that fail when it
// does not.
type promise struct {
	id, says string
	proofs   []proof
	// residual is what remains; empty for nothing known.
	residual string
}

func TestEveryPromiseHasItsTests(t *testing.T) {
	t.Parallel()
	held(t, append(requirements(), threats()...))
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	text := within(t, doc, string(data), "requirements", table("Requirement", requirements()))
	golden.Check(t, doc, within(t, doc, text, "threats", table("Threat and what stands against it", threats())))
}

// held fails for every promise of which a test is not there.
func held(t *testing.T, all []promise) {
	t.Helper()
	known := map[string]map[string]bool{}
	for _, p := range all {
		t.Run(p.id, func(t *testing.T) {
			if len(p.proofs) == 0 && p.residual == "" {
				t.Error("nothing holds it, and nothing is said of what remains")
			}
			for _, at := range p.proofs {
				if known[at.folder] == nil {
					known[at.folder] = testsIn(t, at.folder)
				}
				if !known[at.folder][at.test] {
					t.Errorf("%s has no test %s", at.folder, at.test)
				}
			}
		})
	}
}

// testsIn lists the test functions of a folder, whatever their build tags.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range names {
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

// within puts a table between the marks of its name.
func within(t *testing.T, page, text, name, table string) string {
	t.Helper()
	begins, ends := fmt.Sprintf("<!-- %s: written by go test ./test/security -update -->\n", name), fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, begun := strings.Cut(text, begins)
	_, after, ended := strings.Cut(rest, ends)
	if !begun || !ended {
		t.Fatalf("%s has no place for %s", page, name)
	}
	return before + begins + table + ends + after
}

// table writes promises as Markdown.
func table(what string, all []promise) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | Held by | What remains |\n|---|---|---|---|\n", what)
	for _, p := range all {
		var held []string
		for _, at := range p.proofs {
			held = append(held, fmt.Sprintf("`%s` %s", at.folder, at.test))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.id, p.says, strings.Join(held, "<br>"), p.residual)
	}
	return b.String()
}

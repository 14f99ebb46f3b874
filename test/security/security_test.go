package security

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

// root is the directory of the module.
const root = "../.."

// proof names a test: the folder of its package and its function.
type proof struct{ folder, test string }

// promise is one row of a table and the tests that fail when it is broken.
type promise struct {
	id, text string
	proofs   []proof
	// residual is the known limitation, empty if there is none.
	residual string
}

func TestPromisesHaveTests(t *testing.T) {
	t.Parallel()
	held(t, append(requirements(), threats()...))
}

func TestPagesListEveryPromise(t *testing.T) {
	t.Parallel()
	dangers := threats()
	for i := range dangers { // The page of tests refers to them by number.
		dangers[i].text = dangers[i].id + ": " + dangers[i].text
		dangers[i].id = fmt.Sprintf("T%d", i+1)
	}
	for path, tables := range map[string]map[string]string{
		"docs/security.md":         {"requirements": promised("Requirement", requirements()), "threats": promised("Threat and protection", dangers)},
		"docs/founding.md":         {"founding": listed(founding())},
		"docs/reference/checks.md": {"tests": tested(requirements(), dangers)},
	} {
		path = filepath.Join(root, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for name, table := range tables {
			text = within(t, path, text, name, table)
		}
		golden.Check(t, path, text)
	}
}

// held fails for every promise of which a test is not there.
func held(t *testing.T, all []promise) {
	t.Helper()
	known := map[string]map[string]bool{}
	for _, p := range all {
		t.Run(p.id, func(t *testing.T) {
			if len(p.proofs) == 0 && p.residual == "" {
				t.Error("neither a test nor a limitation")
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

// promised is the table of promises for readers.
func promised(what string, all []promise) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | Limitation |\n|---|---|---|\n", what)
	for _, p := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.id, p.text, p.residual)
	}
	return b.String()
}

// listed is a list of promises for readers.
func listed(all []promise) string {
	var b strings.Builder
	for _, p := range all {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(p.id+": "+p.text+". "+p.residual))
	}
	return b.String()
}

// tested lists the tests of each promise.
func tested(lists ...[]promise) string {
	var b strings.Builder
	for _, p := range slices.Concat(lists...) {
		fmt.Fprintf(&b, "- %s:", p.id)
		folder := ""
		for _, at := range p.proofs {
			if at.folder != folder {
				folder = at.folder
				fmt.Fprintf(&b, " `%s`", folder)
			}
			b.WriteString(" " + at.test)
		}
		b.WriteString("\n")
	}
	return b.String()
}

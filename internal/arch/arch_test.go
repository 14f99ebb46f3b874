package arch

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	modules := required(t)
	for _, f := range files(t) {
		for _, path := range f.imports {
			if problem := judge(f.pkg, path, f.test, modules); problem != "" {
				t.Errorf("%s: %s", f.name, problem)
			}
		}
	}
}

func TestEveryPackageHasARow(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for _, f := range files(t) {
		if _, ok := rowOf(f.pkg); !ok && !missing[f.pkg] {
			missing[f.pkg] = true
			t.Errorf("package %s has no row in the import table (internal/arch/table_test.go): add one that says what it may import", f.pkg)
		}
	}
}

// TestDependencyPageMatchesImports compares three lists: what
// go.mod requires directly, what is imported, and what has a line in the record.
func TestDependencyPageMatchesImports(t *testing.T) {
	t.Parallel()
	record, err := os.ReadFile(filepath.Join(root, "docs", "decisions", "0002-dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, line := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(record), -1) {
		listed = append(listed, line[1])
	}
	all, direct := required(t), requiredDirectly(t)
	var imported []string
	for _, f := range files(t) {
		for _, path := range f.imports {
			if m := moduleOf(path, all); m != "" {
				imported = append(imported, m)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(direct)
	slices.Sort(imported)
	if diff := cmp.Diff(slices.Compact(imported), listed); diff != "" {
		t.Errorf("docs/decisions/0002-dependencies.md does not list what is imported (-imported +listed):\n%s", diff)
	}
	if diff := cmp.Diff(direct, listed); diff != "" {
		t.Errorf("docs/decisions/0002-dependencies.md does not list what go.mod requires (-go.mod +listed):\n%s", diff)
	}
}

// A sleep is fine inside a synctest bubble, where it only moves the clock.
func TestTestsDoNotSleepOutsideABubble(t *testing.T) {
	t.Parallel()
	for _, f := range files(t) {
		if !f.test || slices.Contains(f.imports, "testing/synctest") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Sleep" {
				t.Errorf("%s sleeps for real: wait for a condition, or run the test in a synctest bubble", f.name)
			}
			return true
		})
	}
}

func TestImportRulesRejectViolations(t *testing.T) {
	t.Parallel()
	modules := []string{slackSDK, discordSDK, redisSDK, huma, gocmp, cobra, yaml, websocket, "github.com/chromedp/chromedp", "example.org/new"}
	tests := []struct {
		pkg, path string
		test      bool
		want      string // Part of the problem; empty means allowed.
	}{
		{pkg: "ask", path: "encoding/json"},
		{pkg: "ask", path: "net/http", want: "pure"},
		{pkg: "ask", path: module + "/render", want: "may not import"},
		{pkg: "ask", path: gocmp + "/cmp", test: true},
		{pkg: "ask", path: gocmp + "/cmp", want: "only tests"},
		{pkg: "render/blockkit", path: slackSDK},
		{pkg: "render/blockkit", path: discordSDK, want: "may not import"},
		{pkg: "render/components", path: slackSDK, want: "may not import"},
		{pkg: "bridge", path: module + "/slack", want: "may not import"},
		{pkg: "bridge", path: module + "/bridge/bridgetest", want: "only tests"},
		{pkg: "bridge", path: module + "/bridge/bridgetest", test: true},
		{pkg: "bridge", path: "testing", want: "testing"},
		{pkg: "bridge", path: "testing/synctest", test: true},
		{pkg: "bridge/bridgetest", path: "testing/synctest"},
		{pkg: "bridge/bridgetest", path: gocmp + "/cmp"},
		{pkg: "bridge/bridgetest", path: "github.com/chromedp/chromedp", want: "only tests"},
		{pkg: "slack", path: slackSDK + "/socketmode"},
		{pkg: "slack", path: module + "/discord", want: "may not import"},
		{pkg: "slack", path: module + "/store", want: "may not import"},
		{pkg: "store/redis", path: redisSDK},
		{pkg: "store", path: redisSDK, want: "may not import"},
		{pkg: "store/file", path: redisSDK, want: "may not import"},
		{pkg: "store/file", path: module + "/store/redis", want: "may not import"},
		{pkg: "store/redis", path: module + "/store/internal/local", want: "may not import"},
		{pkg: "store/memory", path: module + "/store/internal/fixture", want: "only tests"},
		{pkg: "chatsim/slacksim", path: module + "/chatsim"},
		{pkg: "chatsim", path: module + "/chatsim/page"},
		{pkg: "chatsim/slacksim", path: module + "/ask", want: "may not import"},
		{pkg: "chatsim/slacksim", path: slackSDK, want: "may not import"},
		{pkg: "chatsim/slacksim", path: slackSDK, test: true},
		{pkg: "api", path: huma + "/adapters/humago"},
		{pkg: "api", path: module + "/slack", want: "may not import"},
		{pkg: "internal/app", path: module + "/slack"},
		{pkg: "internal/app", path: module + "/askbridgetest", want: "only tests"},
		{pkg: "test/redistest", path: module + "/test/need"},
		{pkg: "bridge/bridgetest", path: module + "/test/need", want: "may not import"},
		{pkg: "internal/app", path: slackSDK, want: "may not import"},
		{pkg: "askbridgetest", path: module + "/internal/app", want: "may not import"},
		{pkg: "cmd/askbridge", path: cobra},
		{pkg: "examples/library", path: module + "/bridge"},
		{pkg: "examples/library", path: module + "/internal/app", want: "may not import"},
		{pkg: "slack", path: "example.org/new/thing", want: "may not import"},
		{pkg: "slack", path: "example.org/unknown", want: "no module"},
	}
	for _, tt := range tests {
		name := fmt.Sprintf("%s imports %s, test=%v", tt.pkg, tt.path, tt.test)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judge(tt.pkg, tt.path, tt.test, modules)
			if tt.want == "" && got != "" {
				t.Errorf("refused: %s", got)
			}
			if tt.want != "" && !strings.Contains(got, tt.want) {
				t.Errorf("judge = %q, want something about %q", got, tt.want)
			}
		})
	}
}

// judge returns the problem of one import, or "".
func judge(pkg, path string, test bool, modules []string) string {
	r, ok := rowOf(pkg)
	if !ok {
		return "" // TestEveryPackageHasARow reports it once.
	}
	rel, ours := strings.CutPrefix(path, module+"/")
	switch {
	case test:
		return "" // Tests may put any pieces together.
	case ours && slices.Contains(harnessOnly, rel) && !r.harness:
		return fmt.Sprintf("%s links the testing package: only tests may import it", rel)
	case ours && !slices.ContainsFunc(r.ours, func(pattern string) bool { return fits(pattern, rel) }):
		return fmt.Sprintf("%s may not import %s; of ours it may import %q", pkg, rel, r.ours)
	case ours:
		return ""
	case isStd(path) && within(path, "testing") && !r.harness:
		return fmt.Sprintf("%s may not import %s: testing stays out of programs", pkg, path)
	case isStd(path) && r.pure && slices.Contains(impure, path):
		return fmt.Sprintf("%s is pure and may not import %s", pkg, path)
	case isStd(path):
		return ""
	}
	m := moduleOf(path, modules)
	switch {
	case m == "":
		return fmt.Sprintf("no module in go.mod provides %s", path)
	case slices.Contains(r.others, m), r.harness && m == gocmp:
		return ""
	case slices.Contains(testOnly, m):
		return fmt.Sprintf("only tests may import %s", m)
	}
	return fmt.Sprintf("%s may not import %s; of other people's modules it may import %q", pkg, m, r.others)
}

// rowOf finds the row for a package: its own, else the longest tree it is in.
func rowOf(pkg string) (row, bool) {
	if r, ok := table[pkg]; ok {
		return r, true
	}
	for dir := pkg; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return row{}, false
		}
		dir = dir[:i]
		if r, ok := table[dir+"/..."]; ok {
			return r, true
		}
	}
}

// fits reports whether a pattern of the table covers a package of this module.
func fits(pattern, pkg string) bool {
	if pattern == "public" {
		return !within(pkg, "internal") && !within(pkg, "cmd")
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(pkg, dir+"/")
	}
	return pkg == pattern
}

func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// isStd recognizes the standard library by the missing dot in the first element.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// moduleOf is the longest of the modules that contains the package.
func moduleOf(path string, modules []string) string {
	best := ""
	for _, m := range modules {
		if within(path, m) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// required lists the modules that go.mod names.
func required(t *testing.T) []string {
	t.Helper()
	return requirements(t, true)
}

// requiredDirectly lists those that do not just come along with others.
func requiredDirectly(t *testing.T) []string {
	t.Helper()
	return requirements(t, false)
}

func requirements(t *testing.T, indirect bool) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range mod.Require {
		if indirect || !r.Indirect {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// file is one Go file of the module, ignoring build constraints.
type file struct {
	name    string // Relative to the root.
	pkg     string // Folder relative to the root, with slashes.
	test    bool
	imports []string
}

func files(t *testing.T) []file {
	t.Helper()
	var all []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == root {
				return nil
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir // A module of its own.
			}
			if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(name), test: strings.HasSuffix(path, "_test.go")}
		f.pkg = filepath.ToSlash(filepath.Dir(name))
		for _, spec := range tree.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, path)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no Go file found")
	}
	return all
}

package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

const (
	// maxGroup is how many files of a package may all use each other, directly or through others.
	maxGroup = 16
	// maxMethods is how many methods a type may have. The engine is stricter: see mostMethods.
	maxMethods = 40
)

func TestGroupsOfFilesStaySmall(t *testing.T) {
	t.Parallel()
	for _, p := range loaded(t) {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		if group := largestGroup(uses(p.Fset, p.Syntax, p.TypesInfo, p.Types)); len(group) > maxGroup {
			t.Errorf("%s: %d files all use each other, limit %d: move a part with few uses into a package of its own: %s",
				name, len(group), maxGroup, strings.Join(group, ", "))
		}
	}
}

func TestTypesHaveFewMethods(t *testing.T) {
	t.Parallel()
	for _, p := range loaded(t) {
		for _, name := range p.Types.Scope().Names() {
			decl, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || decl.IsAlias() {
				continue
			}
			named, ok := decl.Type().(*types.Named)
			if !ok {
				continue
			}
			full := strings.TrimPrefix(p.PkgPath, module+"/") + "." + name
			if n := named.NumMethods(); n > maxMethods {
				t.Errorf("%s has %d methods, limit %d: give methods that share some of its fields a type of their own", full, n, maxMethods)
			}
		}
	}
}

func TestLargestGroup(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		uses map[string][]string
		want []string
	}{
		{name: "chain", uses: map[string][]string{"a": {"b"}, "b": {"c"}, "c": nil}},
		{name: "pair", uses: map[string][]string{"a": {"b"}, "b": {"a"}, "c": {"a"}}, want: []string{"a", "b"}},
		{name: "ring", uses: map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, want: []string{"a", "b", "c"}},
		{name: "two groups", uses: map[string][]string{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}}, want: []string{"c", "d", "e"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := largestGroup(tt.uses); !slices.Equal(got, tt.want) {
				t.Errorf("largestGroup = %q, want %q", got, tt.want)
			}
		})
	}
}

// load reads the module once for all tests.
var load = sync.OnceValues(func() ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, "./...")
})

// loaded returns the production packages of the module with their types, without the doubles and the suites.
func loaded(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(p *packages.Package) bool {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		return within(name, "chatsim") || within(name, "test")
	})
	if len(all) < 20 {
		t.Fatalf("loaded %d packages of %s", len(all), module)
	}
	for _, p := range all {
		for _, err := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, err)
		}
	}
	return all
}

// uses returns, for each file of a package, the other files that declare something it uses.
func uses(files *token.FileSet, trees []*ast.File, info *types.Info, pkg *types.Package) map[string][]string {
	fileOf := func(p token.Pos) string { return filepath.Base(files.Position(p).Filename) }
	graph := map[string]map[string]bool{}
	for _, tree := range trees {
		graph[fileOf(tree.Pos())] = map[string]bool{}
	}
	for id, used := range info.Uses {
		if used.Pkg() != pkg || !used.Pos().IsValid() {
			continue
		}
		if from, to := fileOf(id.Pos()), fileOf(used.Pos()); from != to {
			graph[from][to] = true
		}
	}
	plain := map[string][]string{}
	for name, to := range graph {
		plain[name] = slices.Sorted(maps.Keys(to))
	}
	return plain
}

// largestGroup returns the largest set of files that can all reach each other, sorted; nil if no two files can.
func largestGroup(uses map[string][]string) []string {
	reach := map[string]map[string]bool{}
	for from := range uses {
		seen := map[string]bool{}
		for todo := uses[from]; len(todo) > 0; todo = todo[1:] {
			if next := todo[0]; !seen[next] {
				seen[next] = true
				todo = append(slices.Clone(todo), uses[next]...)
			}
		}
		reach[from] = seen
	}
	var largest []string
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		var group []string
		for to := range reach[from] {
			if to == from || reach[to][from] {
				group = append(group, to)
			}
		}
		if len(group) > 1 && len(group) > len(largest) {
			largest = slices.Sorted(slices.Values(group))
		}
	}
	return largest
}

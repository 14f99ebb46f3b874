package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostMethods is how many methods a type of the engine may have. A bridge is put
// together from parts with a state of their own, and none of them is to become what the
// bridge once was: 89 methods around one struct.
const mostMethods = 25

func TestNoTypeOfTheEngineDoesEverything(t *testing.T) {
	t.Parallel()
	methods := map[string][]string{}
	for name, tree := range parsed(t) {
		own := map[string][]string{}
		methodsByType(tree, own)
		for kind, names := range own {
			kind = path.Dir(name) + "." + kind
			methods[kind] = append(methods[kind], names...)
		}
	}
	if len(methods["bridge.Bridge"]) == 0 {
		t.Fatal("package bridge has no type Bridge with methods: this test looks in the wrong place")
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if n := len(methods[name]); n > mostMethods {
			t.Errorf("%s has %d methods, limit %d: move those that share a state into a part of their own: %s",
				name, n, mostMethods, strings.Join(methods[name], ", "))
		}
	}
}

func TestNoPartOfTheEngineKnowsTheWhole(t *testing.T) {
	t.Parallel()
	for name, tree := range parsed(t) {
		for _, holder := range holders(tree, "Bridge") {
			t.Errorf("%s: %s holds a Bridge: give it the parts that it needs", name, holder)
		}
	}
}

func TestMethodsAndHoldersAreFoundAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	const source = `package bridge
type Bridge struct{}
type part struct{ deep struct{ b *Bridge } }
type whole struct{ Bridge }
type free struct{ f func(*part) }
type list[T any] struct{}
func (b *Bridge) A() {}
func (Bridge) B() {}
func (l *list[T]) C() {}
func D() {}`
	tree, err := parser.ParseFile(token.NewFileSet(), "source.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string][]string{}
	methodsByType(tree, methods)
	if got := methods["Bridge"]; !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("methods of Bridge = %q, want A and B", got)
	}
	if got := methods["list"]; !slices.Equal(got, []string{"C"}) {
		t.Errorf("methods of list = %q, want C", got)
	}
	if got := holders(tree, "Bridge"); !slices.Equal(got, []string{"part", "whole"}) {
		t.Errorf("types that hold a Bridge = %q, want part and whole", got)
	}
}

// parsed returns the files of the engine, without tests.
func parsed(t *testing.T) map[string]*ast.File {
	t.Helper()
	trees := map[string]*ast.File{}
	for _, f := range files(t) {
		if f.test || f.pkg != "bridge" && !within(f.pkg, "bridge/internal") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trees[f.name] = tree
	}
	return trees
}

// methodsByType adds the methods of a file to those of each type.
func methodsByType(tree *ast.File, methods map[string][]string) {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			name := named(f.Recv.List[0].Type)
			methods[name] = append(methods[name], f.Name.Name)
		}
	}
}

// holders are the structs of a file with a field of the type, or of a pointer to it.
func holders(tree *ast.File, name string) []string {
	var found []string
	for _, d := range tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			kind, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			ast.Inspect(kind.Type, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return named(f.Type) == name }) {
					found = append(found, kind.Name.Name)
				}
				return true
			})
		}
	}
	return found
}

// named is the name of a type, whether pointed to or with type parameters; empty for a
// type without one.
func named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return named(e.X)
	case *ast.IndexExpr:
		return named(e.X)
	case *ast.IndexListExpr:
		return named(e.X)
	}
	return ""
}

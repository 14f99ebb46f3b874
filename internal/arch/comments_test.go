package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
)

// firstWord is what a comment begins with, where that may be a name.
var firstWord = regexp.MustCompile(`^[a-z]\w*`)

func TestCommentsBeginWithOwnName(t *testing.T) {
	t.Parallel()
	source := syntax(t)
	for name, tree := range source.trees {
		for doc, names := range documented(tree) {
			if word := firstWord.FindString(doc.Text()); word != "" && !slices.Contains(names, word) {
				t.Errorf("%s:%d begins with %q and documents %q", name, source.positions.Position(doc.Pos()).Line, word, names)
			}
		}
	}
}

// source is the syntax of all Go files that git knows, tests included, by their names relative to the root.
type source struct {
	positions *token.FileSet
	trees     map[string]*ast.File
}

// parseOnce parses the files once for all tests.
var parseOnce = sync.OnceValues(func() (source, error) {
	s := source{token.NewFileSet(), map[string]*ast.File{}}
	names, err := gitFiles()
	if err != nil {
		return s, err
	}
	for _, name := range names {
		if filepath.Ext(name) == ".go" {
			tree, err := parser.ParseFile(s.positions, filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return s, err
			}
			s.trees[name] = tree
		}
	}
	return s, nil
})

func syntax(t *testing.T) source {
	t.Helper()
	s, err := parseOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// documented returns the doc comments of a file with the names they document.
func documented(file *ast.File) map[*ast.CommentGroup][]string {
	all := map[*ast.CommentGroup][]string{}
	add := func(doc *ast.CommentGroup, names ...string) {
		if doc != nil {
			all[doc] = append(all[doc], names...)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Doc, s.Name.Name)
					add(d.Doc, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(s.Doc, n.Name)
						add(d.Doc, n.Name)
					}
				}
			}
		}
	}
	return all
}

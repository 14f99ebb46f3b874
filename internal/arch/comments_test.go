package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// firstWord is what a comment begins with, where that may be a name.
var firstWord = regexp.MustCompile(`^[a-z]\w*`)

func TestCommentsBeginWithOwnName(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	for _, name := range tracked(t) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for doc, names := range documented(file) {
			if word := firstWord.FindString(doc.Text()); word != "" && !slices.Contains(names, word) {
				t.Errorf("%s:%d begins with %q and documents %q", name, files.Position(doc.Pos()).Line, word, names)
			}
		}
	}
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

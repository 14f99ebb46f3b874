package arch

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// bracketed is what a link to a name looks like where it is not taken for one.
var bracketed = regexp.MustCompile(`\[\*?([A-Za-z]\w*)(?:\.[A-Za-z]\w*){0,2}\]`)

// Readers of the documentation see a name that does not exist in its brackets, and a name of
// another package that does not exist as a link which leads nowhere.
func TestDocLinksExist(t *testing.T) {
	t.Parallel()
	read := packageNames{}
	for _, pkg := range public(t) {
		for _, text := range texts(read.doc(t, module+"/"+pkg)) {
			for _, link := range read.broken(t, module+"/"+pkg, text) {
				t.Errorf("the documentation of %s names %s, which links to nothing", pkg, link)
			}
		}
	}
}

// packageNames is the documentation of those that were read, by import path.
type packageNames map[string]*doc.Package

func (p packageNames) doc(t *testing.T, path string) *doc.Package {
	t.Helper()
	if p[path] != nil {
		return p[path]
	}
	in, err := build.Import(path, root, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range in.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(in.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	p[path], err = doc.NewFromFiles(files, parsed, path)
	if err != nil {
		t.Fatal(err)
	}
	return p[path]
}

// broken are the links of a comment that name nothing, of the package whose path is given.
func (p packageNames) broken(t *testing.T, path, text string) []string {
	t.Helper()
	var all []string
	parser := p.doc(t, path).Parser()
	inline := func(texts []comment.Text) {
		for _, text := range texts {
			switch text := text.(type) {
			case comment.Plain:
				all = append(all, bracketed.FindAllString(string(text), -1)...)
			case *comment.DocLink:
				if text.ImportPath != "" && text.Name != "" && !p.doc(t, text.ImportPath).Parser().LookupSym(text.Recv, text.Name) {
					all = append(all, "["+text.DefaultURL("")+"]")
				}
			}
		}
	}
	var block func(comment.Block)
	block = func(b comment.Block) {
		switch b := b.(type) {
		case *comment.Heading:
			inline(b.Text)
		case *comment.Paragraph:
			inline(b.Text)
		case *comment.List:
			for _, item := range b.Items {
				for _, b := range item.Content {
					block(b)
				}
			}
		case *comment.Code:
			// Nothing is a link there, and a picture may have brackets of its own.
			for _, name := range bracketed.FindAllStringSubmatch(b.Text, -1) {
				if parser.LookupSym("", name[1]) {
					all = append(all, name[0])
				}
			}
		}
	}
	for _, b := range parser.Parse(text).Content {
		block(b)
	}
	return all
}

// texts are all comments that a reader of the documentation sees.
func texts(of *doc.Package) []string {
	all := []string{of.Doc}
	values := func(list []*doc.Value) {
		for _, v := range list {
			all = append(all, v.Doc)
			all = append(all, inside(v.Decl)...)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			all = append(all, f.Doc)
		}
	}
	values(of.Consts)
	values(of.Vars)
	funcs(of.Funcs)
	for _, typ := range of.Types {
		all = append(all, typ.Doc)
		all = append(all, inside(typ.Decl)...)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return all
}

// inside are the comments on fields, methods and values of a declaration.
func inside(decl *ast.GenDecl) []string {
	var all []string
	ast.Inspect(decl, func(n ast.Node) bool {
		if group, ok := n.(*ast.CommentGroup); ok {
			all = append(all, group.Text())
		}
		return true
	})
	return all
}

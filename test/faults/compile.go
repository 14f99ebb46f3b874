package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Compile type-checks the packages of edited files and returns their errors. It builds nothing, so checking a whole
// list of variants takes seconds: for other files of an edited package it reads only the declarations, and it skips
// packages that import an edited one and files that are not Go.
func Compile(edited map[string]string) error {
	known, err := packages()
	if err != nil {
		return err
	}
	c := check{known: known, files: map[string]string{}, sources: map[string]bool{}, done: map[string]*types.Package{}}
	for file, content := range edited {
		c.files[source(file)] = content
	}
	for file := range edited {
		if filepath.Ext(file) != ".go" {
			continue
		}
		p, isBuilt := known.at[filepath.Dir(source(file))]
		if !isBuilt {
			return fmt.Errorf("%s belongs to no package of the program", file)
		}
		c.sources[p.ImportPath] = true
	}
	for file := range edited {
		if p, isBuilt := known.at[filepath.Dir(source(file))]; isBuilt {
			if _, err := c.Import(p.ImportPath); err != nil {
				return err
			}
		}
	}
	return nil
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	ImportMap               map[string]string
}

// inventory has every package of the program, its imports, and the compiler's export data.
type inventory struct {
	at, named map[string]*listed

	mu       sync.Mutex // an importer does not allow concurrent use
	exported types.Importer
	declared map[string]*ast.File // unchanged files, without the bodies of functions
}

// positions has the positions of all parsed files.
var positions = token.NewFileSet()

// declarations parses a file that is not edited.
func (i *inventory) declarations(name string) (*ast.File, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if file := i.declared[name]; file != nil {
		return file, nil
	}
	file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, isFunc := d.(*ast.FuncDecl); isFunc && f.Type.TypeParams == nil && f.Name.Name != "init" {
			f.Body = nil
		}
	}
	i.declared[name] = file
	return file, nil
}

// packages runs go list once, which compiles what is not in the build cache.
var packages = sync.OnceValues(func() (*inventory, error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Imports,ImportMap", "./...")
	cmd.Dir, cmd.Stderr = root(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &inventory{at: map[string]*listed{}, named: map[string]*listed{}, declared: map[string]*ast.File{}}
	b.exported = importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(b.named[path].Export)
	})
	for packages := json.NewDecoder(out); ; {
		p := new(listed)
		if err = packages.Decode(p); err != nil {
			break
		}
		b.at[p.Dir], b.named[p.ImportPath] = p, p
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, cmd.Wait()
})

// check is one type check of edited packages.
type check struct {
	known   *inventory
	files   map[string]string // edited files by path
	sources map[string]bool   // whether a package is type-checked from source, because it or one of its imports is edited
	done    map[string]*types.Package
}

// Import returns a package with the edits applied.
func (c *check) Import(path string) (*types.Package, error) {
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case c.done[path] != nil:
		return c.done[path], nil
	case !c.fromSources(path):
		c.known.mu.Lock()
		defer c.known.mu.Unlock()
		return c.known.exported.Import(path)
	}
	p := c.known.named[path]
	files := make([]*ast.File, len(p.GoFiles))
	for i, name := range p.GoFiles {
		var err error
		name = filepath.Join(p.Dir, name)
		if text, isEdited := c.files[name]; isEdited {
			files[i], err = parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
		} else {
			files[i], err = c.known.declarations(name)
		}
		if err != nil {
			return nil, err
		}
	}
	var wrong []error
	judged := types.Config{Importer: mapped{c, p.ImportMap}, Error: func(err error) {
		var found types.Error
		errors.As(err, &found)
		_, isEdited := c.files[positions.Position(found.Pos).Filename]
		if isEdited || !found.Soft { // Without function bodies, imports look unused.
			wrong = append(wrong, err)
		}
	}}
	c.done[path], _ = judged.Check(path, positions, files, nil) // The Error function collects the errors.
	return c.done[path], errors.Join(wrong...)
}

// fromSources reports whether a package is edited or imports an edited one.
func (c *check) fromSources(path string) bool {
	from, isKnown := c.sources[path]
	if p := c.known.named[path]; !isKnown && p != nil {
		for _, imported := range p.Imports {
			from = c.fromSources(imported) || from
		}
		c.sources[path] = from
	}
	return from
}

// mapped is the importer of one package, which resolves its vendored imports.
type mapped struct {
	*check
	names map[string]string
}

// Import resolves an import path of the package.
func (m mapped) Import(path string) (*types.Package, error) {
	if name, isMapped := m.names[path]; isMapped {
		path = name
	}
	return m.check.Import(path)
}

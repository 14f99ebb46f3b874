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

// Compile judges the packages of edited files as the compiler would, and says what is wrong with
// them. It builds nothing, so that a whole list of variants is looked through in seconds: the other
// files of an edited package are read by their declarations, packages that import it not at all, and
// no file that is not Go's.
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
			return fmt.Errorf("%s is in no package of the program", file)
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

// listed is a package as go list has it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	ImportMap               map[string]string
}

// inventory is every package of the program and what it imports, with what the compiler has exported.
type inventory struct {
	at, named map[string]*listed

	mu       sync.Mutex // an importer is for one at a time
	exported types.Importer
	declared map[string]*ast.File // files as they stand, without the bodies of functions
}

// positions are those of all files that were read.
var positions = token.NewFileSet()

// declarations reads a file that is not edited.
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

// packages lists them once; what is not compiled yet is compiled then.
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

// check is one look at edited packages.
type check struct {
	known   *inventory
	files   map[string]string // edited ones, by their paths
	sources map[string]bool   // whether a package is read from its sources, since it or what it imports is edited
	done    map[string]*types.Package
}

// Import returns a package as the edits leave it.
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
		if isEdited || !found.Soft { // Where there are no bodies, no import is used.
			wrong = append(wrong, err)
		}
	}}
	c.done[path], _ = judged.Check(path, positions, files, nil) // Error has heard of it.
	return c.done[path], errors.Join(wrong...)
}

// fromSources tells whether a package is edited, or imports one that is.
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

// mapped is a check as one package imports through it, under its own names for what is vendored.
type mapped struct {
	*check
	names map[string]string
}

// Import returns what the package means by a path.
func (m mapped) Import(path string) (*types.Package, error) {
	if name, isMapped := m.names[path]; isMapped {
		path = name
	}
	return m.check.Import(path)
}

package mutants

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// root is the directory of the module.
const root = "../.."

// mutant is one way to break the program.
type mutant struct {
	// name describes the broken promise.
	name    string
	changes []change
	// killers are the tests that notice. All of them must fail.
	killers []killer
}

// change is one edit of the program's sources. The files are keyed by path in the module.
type change func(files map[string]string) error

// killer is a test that must fail, and part of its output.
type killer struct {
	where  string // a directory of the module
	test   string // its name, including subtests
	output string // part of its output
}

// broken starts the definition of a mutant.
func broken(name string) mutant { return mutant{name: name} }

// in applies an operator to a declaration of a package, which is named by its directory. The declaration is a
// function, Type.method, a type, a variable or a constant.
func (m mutant) in(pkg, declaration string, do operator) mutant {
	m.changes = append(slices.Clip(m.changes), func(files map[string]string) error {
		if err := mutate(files, pkg, declaration, do); err != nil {
			return fmt.Errorf("%s, %s: %w", pkg, declaration, err)
		}
		return nil
	})
	return m
}

// text replaces a text that occurs exactly once in a file. Use it for files that are not Go.
func (m mutant) text(file, old, replacement string) mutant {
	m.changes = append(slices.Clip(m.changes), func(files map[string]string) error {
		content, err := read(files, file)
		if n := strings.Count(content, old); err == nil && n != 1 {
			err = fmt.Errorf("%s: %q occurs %d times, want once", file, old, n)
		}
		files[file] = strings.Replace(content, old, replacement, 1)
		return err
	})
	return m
}

// fails adds a test that must fail, its directory in the module, and part of its output.
func (m mutant) fails(where, test, output string) mutant {
	m.killers = append(slices.Clip(m.killers), killer{where, test, output})
	return m
}

// sources returns the files that the mutant changes, by path in the module.
func (m mutant) sources() (map[string]string, error) {
	files := map[string]string{}
	for _, c := range m.changes {
		if err := c(files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// read returns a file with the previous changes of the mutant applied.
func read(files map[string]string, file string) (string, error) {
	if content, changed := files[file]; changed {
		return content, nil
	}
	content, err := os.ReadFile(filepath.Join(root, file))
	return string(content), err
}

// mutate applies an operator to a declaration.
func mutate(files map[string]string, pkg, declaration string, do operator) error {
	file, err := declaredIn(pkg, declaration)
	if err != nil {
		return err
	}
	content, err := read(files, file)
	if err != nil {
		return err
	}
	files[file], err = mutated(content, declaration, do)
	if err != nil {
		return fmt.Errorf("in %s: %w", path.Base(file), err)
	}
	return nil
}

// mutated returns the text of a file after an operator was applied to one of its declarations.
func mutated(content, declaration string, do operator) (string, error) {
	t, err := parse(content, declaration)
	if err != nil {
		return "", err
	}
	p, err := do(t)
	if err != nil {
		return "", err
	}
	return content[:p.from] + p.text + content[p.to:], nil
}

// packages caches the files of each declaration by package.
var packages sync.Map

// declaredIn finds the file of a declaration among the files of a package that are built on this platform.
func declaredIn(pkg, name string) (string, error) {
	load, _ := packages.LoadOrStore(pkg, sync.OnceValues(func() (map[string][]string, error) { return inventory(pkg) }))
	all, err := load.(func() (map[string][]string, error))()
	if err != nil {
		return "", err
	}
	files := all[name]
	if len(files) != 1 {
		return "", fmt.Errorf("declared %d times in the package, want once: %v", len(files), files)
	}
	return files[0], nil
}

// inventory lists the files of each declaration of a package.
func inventory(pkg string) (map[string][]string, error) {
	dir := filepath.Join(root, pkg)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, e := range entries {
		built, err := build.Default.MatchFile(dir, e.Name())
		if err != nil || !built || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for name := range declarations(file) {
			all[name] = append(all[name], path.Join(pkg, e.Name()))
		}
	}
	return all, nil
}

// declarations yields the top-level declarations of a file, by name.
func declarations(file *ast.File) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = lastName(d.Recv.List[0].Type) + "." + name
				}
				if !yield(name, d) {
					return
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					for name := range specNames(s) {
						if !yield(name, s) {
							return
						}
					}
				}
			}
		}
	}
}

// specNames yields the names in the declaration of a type, variable or constant.
func specNames(s ast.Spec) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch s := s.(type) {
		case *ast.TypeSpec:
			yield(s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if !yield(n.Name) {
					return
				}
			}
		}
	}
}

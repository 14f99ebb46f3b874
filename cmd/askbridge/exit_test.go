package main

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	all := exitCodes(t)
	if documented := tableCodes(t, "../../docs/operations/shell.md", "## Exit codes"); !slices.Equal(documented, all) {
		t.Errorf("docs/operations/shell.md documents the exit codes %v, the program has %v", documented, all)
	}
	// Exit code 3 is that of askbridge sim.
	ofAsk := slices.DeleteFunc(slices.Clone(all), func(code int) bool { return code == exitUnanswered })
	if documented := tableCodes(t, "../../docs/recipes/scripts.md", "| exit code |"); !slices.Equal(documented, ofAsk) {
		t.Errorf("docs/recipes/scripts.md documents the exit codes %v, askbridge ask has %v", documented, ofAsk)
	}
}

// exitCodes returns the sorted values of the constants of this package whose names begin with "exit".
func exitCodes(t *testing.T) []int {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, ident := range spec.Names {
				if !strings.HasPrefix(ident.Name, "exit") || i >= len(spec.Values) {
					continue
				}
				if value, ok := spec.Values[i].(*ast.BasicLit); ok && value.Kind == gotoken.INT {
					code, err := strconv.Atoi(value.Value)
					if err != nil {
						t.Fatal(err)
					}
					codes = append(codes, code)
				}
			}
			return true
		})
	}
	slices.Sort(codes)
	return codes
}

var codeCell = regexp.MustCompile(`(?m)^\| (\d+(?:, \d+)*) \|`)

// tableCodes returns the sorted exit codes in the first column of the table after a text.
func tableCodes(t *testing.T, page, after string) []int {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(data), after)
	if !found {
		t.Fatalf("%s: no %q", page, after)
	}
	var codes []int
	for _, row := range codeCell.FindAllStringSubmatch(table, -1) {
		for cell := range strings.SplitSeq(row[1], ", ") {
			code, err := strconv.Atoi(cell)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

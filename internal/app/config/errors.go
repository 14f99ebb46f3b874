package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Problem is one mistake in a file. Its message never quotes a value.
type Problem struct {
	// Line and Column count from 1; both are zero for a missing setting.
	Line, Column int
	// Path is the setting, such as "slack.bot_token".
	Path    string
	Message string
}

// Error lists all mistakes in a file.
type Error struct {
	File     string
	Problems []Problem
}

// Error formats each problem on its own line, in the form that editors understand: file:line:column.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		where := e.File
		if p.Line > 0 {
			where += fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		if p.Path != "" {
			where = strings.TrimPrefix(where+": "+p.Path, ": ") // Settings that are in no file.
		}
		lines[i] = strings.TrimPrefix(where+": "+p.Message, ": ")
	}
	return strings.Join(lines, "\n")
}

// Join merges errors about one file in its order. For a setting and those below it only the first error
// counts: an invalid setting makes others look invalid.
func Join(errs ...error) error {
	var all problems
	var others []error
	file := ""
	for _, err := range errs {
		known, ok := errors.AsType[*Error](err)
		if !ok {
			others = append(others, err)
			continue
		}
		file = known.File
		all = append(all, slices.DeleteFunc(slices.Clone(known.Problems), func(p Problem) bool {
			return slices.ContainsFunc(all, func(before Problem) bool { return below(p.Path, before.Path) || below(before.Path, p.Path) })
		})...)
	}
	return errors.Join(append([]error{all.err(file)}, others...)...)
}

// below reports whether a setting is equal to or inside another one.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// problems collects mistakes.
type problems []Problem

func (p *problems) add(at position, path, format string, args ...any) {
	*p = append(*p, Problem{Line: at.line, Column: at.column, Path: path, Message: fmt.Sprintf(format, args...)})
}

// err returns nil or an [*Error] in the order of the file, missing settings last.
func (p problems) err(file string) error {
	if len(p) == 0 {
		return nil
	}
	sort.SliceStable(p, func(i, j int) bool {
		a, b := &p[i], &p[j]
		if (a.Line == 0) != (b.Line == 0) {
			return a.Line > b.Line
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) < 0
	})
	return &Error{File: file, Problems: p}
}

// position is a position in the file.
type position struct{ line, column int }

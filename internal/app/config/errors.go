package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file. Its message never quotes a value.
type Problem struct {
	// Line and Column count from 1; both are zero for what is not there.
	Line, Column int
	// Path is the setting, as in "slack.bot_token".
	Path    string
	Message string
}

// Error names everything wrong with a file.
type Error struct {
	File     string
	Problems []Problem
}

// Error puts each problem on a line of its own, in the form that editors follow: file:line:column.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		where := e.File
		if p.Line > 0 {
			where += fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		if p.Path != "" {
			where = strings.TrimPrefix(where+": "+p.Path, ": ") // Settings that no file has given.
		}
		lines[i] = strings.TrimPrefix(where+": "+p.Message, ": ")
	}
	return strings.Join(lines, "\n")
}

// Join makes one error of several about a file: of everything wrong with it, in its order. Of one setting and of
// what is below it, what the first of them says counts: a setting that is wrong makes others look so.
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

// below reports whether a setting is another one, or stands in it.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// problems collects what is wrong.
type problems []Problem

func (p *problems) add(at position, path, format string, args ...any) {
	*p = append(*p, Problem{Line: at.line, Column: at.column, Path: path, Message: fmt.Sprintf(format, args...)})
}

// err returns nil or an [*Error] in the order of the file; what is not there comes last.
func (p problems) err(file string) error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Error{File: file, Problems: p}
}

// position is a place in the file.
type position struct{ line, column int }

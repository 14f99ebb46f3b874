package config

import (
	"cmp"
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
			where += ": " + p.Path
		}
		lines[i] = where + ": " + p.Message
	}
	return strings.Join(lines, "\n")
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

package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// target is a declaration, or a part of one, that an operator searches.
type target struct {
	text    string // of the whole file
	file    *token.File
	node    ast.Node
	nodes   []ast.Node // node and all its descendants, outer nodes first
	parents map[ast.Node]ast.Node
	tokens  []lexeme // of the whole file
}

// lexeme is a token and its position in the file.
type lexeme struct {
	from, to int
	text     string
}

// lexemes splits Go source into tokens, without comments and semicolons at line ends.
func lexemes(text string) []lexeme {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var all []lexeme
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return all
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		from := file.Offset(pos)
		all = append(all, lexeme{from, from + len(lit), lit})
	}
}

// parse finds a declaration in the text of a file.
func parse(text, name string) (*target, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	t := &target{text: text, file: fset.File(file.FileStart), tokens: lexemes(text)}
	for declared, node := range declarations(file) {
		if declared == name {
			return t.at(node), nil
		}
	}
	return nil, errors.New("not declared")
}

// at returns the target narrowed to a node.
func (t *target) at(node ast.Node) *target {
	narrow := &target{text: t.text, file: t.file, tokens: t.tokens, node: node, parents: map[ast.Node]ast.Node{}}
	var open []ast.Node
	ast.Inspect(node, func(n ast.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		if len(open) > 0 {
			narrow.parents[n] = open[len(open)-1]
		}
		open = append(open, n)
		narrow.nodes = append(narrow.nodes, n)
		return true
	})
	return narrow
}

// span is a part of the file, from one offset to another.
type span struct{ from, to int }

func (s span) within(other span) bool { return other.from <= s.from && s.to <= other.to }

// offset returns the file offset of a position.
func (t *target) offset(p token.Pos) int { return t.file.Offset(p) }

// spanOf returns the span of a node in the file.
func (t *target) spanOf(n ast.Node) span { return span{t.offset(n.Pos()), t.offset(n.End())} }

// source returns the text of a node.
func (t *target) source(n ast.Node) string { return t.text[t.offset(n.Pos()):t.offset(n.End())] }

// occurrences returns every place in a span with the sequence of tokens of a symbol.
func (t *target) occurrences(symbol string, in span) []span {
	wanted := lexemes(symbol)
	var found []span
	for i := range t.tokens {
		if len(wanted) == 0 || i+len(wanted) > len(t.tokens) {
			break
		}
		run := t.tokens[i : i+len(wanted)]
		place := span{run[0].from, run[len(run)-1].to}
		if place.within(in) && slices.EqualFunc(run, wanted, func(a, b lexeme) bool { return a.text == b.text }) {
			found = append(found, place)
		}
	}
	return found
}

// mentions reports whether every symbol occurs in a span.
func (t *target) mentions(in span, symbols []string) bool {
	return !slices.ContainsFunc(symbols, func(s string) bool { return len(t.occurrences(s, in)) == 0 })
}

// one returns the only node of a kind that contains all symbols and has no smaller node of that kind that also
// does. is returns the span in which the symbols must occur.
func (t *target) one(kind string, is func(ast.Node) (span, bool), symbols []string) (ast.Node, error) {
	var found []ast.Node
	for _, n := range t.nodes {
		if where, matches := is(n); matches && t.mentions(where, symbols) {
			found = slices.DeleteFunc(found, func(outer ast.Node) bool { return t.spanOf(n).within(t.spanOf(outer)) })
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, t.ambiguous(kind, symbols, found)
}

// ambiguous describes why there is not exactly one node.
func (t *target) ambiguous(kind string, symbols []string, found []ast.Node) error {
	wanted := kind
	if len(symbols) > 0 {
		wanted += " mentioning " + strings.Join(symbols, ", ")
	}
	if len(found) == 0 {
		for _, s := range symbols {
			if len(t.occurrences(s, t.spanOf(t.node))) == 0 {
				return fmt.Errorf("no %s: %s does not occur", wanted, s)
			}
		}
		return fmt.Errorf("no %s", wanted)
	}
	var b strings.Builder
	for _, n := range found {
		first, _, _ := strings.Cut(t.source(n), "\n")
		fmt.Fprintf(&b, "\n\tline %d: %s", t.file.Line(n.Pos()), first)
	}
	return fmt.Errorf("%s: found %d places, want one:%s", wanted, len(found), b.String())
}

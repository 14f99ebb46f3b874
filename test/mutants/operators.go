package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// operator breaks one place of a declaration. It finds the place by the symbols in it: names, literals, operators
// or short sequences of them, regardless of layout. The smallest node that contains all symbols is the place, and
// there must be exactly one.
type operator func(t *target) (patch, error)

// patch replaces a part of a file.
type patch struct {
	span
	text string
}

// Code that operators insert; $ is the original code. It stays in the source as dead code, so that variables and
// imports are still used.
const (
	neverTrue  = "(false && ($))"
	alwaysTrue = "(true || ($))"
	neverDone  = "if false { $ }"
	doneBefore = "if true { return %s }; %s"
)

// never makes a condition false: of an if, a for or a case, an operand of && or ||, a comparison, or a boolean
// result.
func never(symbols ...string) operator { return rewrite("condition", condition, neverTrue, symbols) }

// always makes a condition true.
func always(symbols ...string) operator { return rewrite("condition", condition, alwaysTrue, symbols) }

// when replaces a condition; $ in the code is the original.
func when(code string, symbols ...string) operator {
	return rewrite("condition", condition, "("+code+")", symbols)
}

// drop removes a statement with all its branches.
func drop(symbols ...string) operator { return rewrite("statement", statement, neverDone, symbols) }

// before inserts code before a statement.
func before(code string, symbols ...string) operator {
	return rewrite("statement", statement, code+"; $", symbols)
}

// after inserts code after a statement.
func after(code string, symbols ...string) operator {
	return rewrite("statement", statement, "$; "+code, symbols)
}

// instead replaces a statement; $ in the code is the original.
func instead(code string, symbols ...string) operator {
	return rewrite("statement", statement, code, symbols)
}

// call replaces a call with another expression; $ in the code is the original.
func call(function, code string, symbols ...string) operator {
	return rewrite("call of "+function, calls(function), code, symbols)
}

// rewrite replaces a node with code; $ in the code is the original.
func rewrite(kind string, is func(*target, ast.Node) bool, code string, symbols []string) operator {
	return func(t *target) (patch, error) {
		n, err := t.one(kind, t.whole(is), symbols)
		if err != nil {
			return patch{}, err
		}
		return t.replace(n, strings.ReplaceAll(code, "$", t.source(n))), nil
	}
}

// whole searches for symbols in the complete node.
func (t *target) whole(is func(*target, ast.Node) bool) func(ast.Node) (span, bool) {
	return func(n ast.Node) (span, bool) { return t.spanOf(n), is(t, n) }
}

func (t *target) replace(n ast.Node, text string) patch { return patch{t.spanOf(n), text} }

// returns replaces the results of a return statement that contains the symbols. Without symbols the function
// returns the results immediately.
func returns(results string, symbols ...string) operator {
	return func(t *target) (patch, error) {
		if len(symbols) == 0 {
			body := bodyOf(t.node)
			if body == nil {
				return patch{}, errors.New("not a function")
			}
			at := t.offset(body.Lbrace) + 1
			return patch{span{at, at}, fmt.Sprintf(doneBefore, results, "")}, nil
		}
		isReturn := func(_ *target, n ast.Node) bool { _, is := n.(*ast.ReturnStmt); return is }
		n, err := t.one("return statement", t.whole(isReturn), symbols)
		if err != nil {
			return patch{}, err
		}
		return t.replace(n, fmt.Sprintf(doneBefore, results, t.source(n))), nil
	}
}

// dropCase removes a case of a switch or a select. The symbols are between case and colon; for the default case,
// use the word default.
func dropCase(symbols ...string) operator {
	return func(t *target) (patch, error) {
		n, err := t.one("case", func(n ast.Node) (span, bool) {
			switch n.(type) {
			case *ast.CaseClause, *ast.CommClause:
				return t.header(n)
			}
			return span{}, false
		}, symbols)
		if err != nil {
			return patch{}, err
		}
		return t.replace(n, ""), nil
	}
}

// set changes the value that a variable, constant, field or key gets where it is assigned or declared.
func set(name, value string, symbols ...string) operator {
	return func(t *target) (patch, error) {
		assigns := func(_ *target, n ast.Node) bool { return assigned(n, name) != nil }
		n, err := t.one("assignment of "+name, t.whole(assigns), symbols)
		if err != nil {
			return patch{}, err
		}
		return t.replace(assigned(n, name), value), nil
	}
}

// assigned returns the value that a node assigns to a name.
func assigned(n ast.Node, name string) ast.Expr {
	pick := func(at int, values []ast.Expr, names int) ast.Expr {
		if at >= 0 && len(values) == names {
			return values[at]
		}
		return nil
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		at := slices.IndexFunc(n.Lhs, func(e ast.Expr) bool { return lastName(e) == name })
		return pick(at, n.Rhs, len(n.Lhs))
	case *ast.ValueSpec:
		at := slices.IndexFunc(n.Names, func(e *ast.Ident) bool { return e.Name == name })
		return pick(at, n.Values, len(n.Names))
	case *ast.KeyValueExpr:
		if lastName(n.Key) == name {
			return n.Value
		}
	}
	return nil
}

// lastName returns the last name of an expression: f of x.f, of f[i], of f[T] and of *f.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.IndexListExpr:
		return lastName(e.X)
	case *ast.StarExpr:
		return lastName(e.X)
	case *ast.ParenExpr:
		return lastName(e.X)
	}
	return ""
}

// arg replaces an argument of a call, counted from zero.
func arg(function string, number int, value string, symbols ...string) operator {
	return func(t *target) (patch, error) {
		n, err := t.one("call of "+function, t.whole(calls(function)), symbols)
		if err != nil {
			return patch{}, err
		}
		args := n.(*ast.CallExpr).Args
		if number >= len(args) {
			return patch{}, fmt.Errorf("%s takes %d arguments here", function, len(args))
		}
		return t.replace(args[number], value), nil
	}
}

// calls matches calls of a function or method with any package or receiver.
func calls(function string) func(*target, ast.Node) bool {
	return func(_ *target, n ast.Node) bool {
		c, isCall := n.(*ast.CallExpr)
		return isCall && lastName(c.Fun) == function
	}
}

// omit removes an element of a composite literal, an argument, or one of several values of a case.
func omit(symbols ...string) operator {
	return func(t *target) (patch, error) {
		n, err := t.one("element of a list", t.whole(func(t *target, n ast.Node) bool { return t.list(n) != nil }), symbols)
		if err != nil {
			return patch{}, err
		}
		list := t.list(n)
		at := slices.IndexFunc(list, func(e ast.Expr) bool { return e == n })
		whole := t.spanOf(n)
		switch {
		case at+1 < len(list):
			whole.to = t.offset(list[at+1].Pos())
		case at > 0:
			whole.from = t.offset(list[at-1].End())
		}
		return patch{whole, ""}, nil
	}
}

// list returns the list that contains a node, or nil.
func (t *target) list(n ast.Node) []ast.Expr {
	e, isExpr := n.(ast.Expr)
	if !isExpr {
		return nil
	}
	var list []ast.Expr
	switch parent := t.parents[n].(type) {
	case *ast.CompositeLit:
		list = parent.Elts
	case *ast.CallExpr:
		list = parent.Args
	case *ast.CaseClause:
		list = parent.List
	}
	if !slices.Contains(list, e) {
		return nil
	}
	return list
}

// swap replaces a symbol with another one, in the smallest part of the declaration that contains it and the other
// symbols.
func swap(old, replacement string, symbols ...string) operator {
	return func(t *target) (patch, error) {
		in := t.node
		if len(symbols) > 0 {
			var err error
			all := func(*target, ast.Node) bool { return true }
			if in, err = t.one("part", t.whole(all), append([]string{old}, symbols...)); err != nil {
				return patch{}, err
			}
		}
		found := t.occurrences(old, t.spanOf(in))
		if len(found) != 1 {
			return patch{}, fmt.Errorf("%s occurs %d times, want once", old, len(found))
		}
		return patch{found[0], replacement}, nil
	}
}

// within applies an operator inside an if, a for, a switch, a case, a function literal or the value of a key. The
// symbol is in its header, before the body.
func within(symbol string, do operator) operator {
	return func(t *target) (patch, error) {
		n, err := t.one("head", t.header, []string{symbol})
		if err != nil {
			return patch{}, err
		}
		return do(t.at(n))
	}
}

// header returns the part of a node before its body.
func (t *target) header(n ast.Node) (span, bool) {
	upTo := func(end token.Pos) (span, bool) { return span{t.offset(n.Pos()), t.offset(end)}, true }
	switch n := n.(type) {
	case *ast.IfStmt:
		return upTo(n.Body.Lbrace)
	case *ast.ForStmt:
		return upTo(n.Body.Lbrace)
	case *ast.RangeStmt:
		return upTo(n.Body.Lbrace)
	case *ast.SwitchStmt:
		return upTo(n.Body.Lbrace)
	case *ast.TypeSwitchStmt:
		return upTo(n.Body.Lbrace)
	case *ast.CaseClause:
		return upTo(n.Colon)
	case *ast.CommClause:
		return upTo(n.Colon)
	case *ast.KeyValueExpr:
		return upTo(n.Colon)
	case *ast.FuncLit:
		head, _ := upTo(n.Body.Lbrace)
		if parent := t.parents[n]; parent != nil { // The call that it is an argument of, or the assignment.
			head.from = t.offset(parent.Pos())
		}
		return head, true
	}
	return span{}, false
}

// bodyOf returns the body of a function.
func bodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// statement matches the statements of a block or a case, but not those in the header of another one.
func statement(t *target, n ast.Node) bool {
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return false
	}
	s, isStmt := n.(ast.Stmt)
	switch parent := t.parents[n].(type) {
	case *ast.BlockStmt:
		return isStmt
	case *ast.CaseClause:
		return isStmt
	case *ast.CommClause:
		return isStmt && parent.Comm != s
	}
	return false
}

// condition matches boolean expressions, recognized by their place or operator.
func condition(t *target, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ParenExpr:
		return false
	case *ast.UnaryExpr:
		return n.Op == token.NOT
	case *ast.BinaryExpr:
		if n.Op.Precedence() <= token.EQL.Precedence() {
			return true
		}
	}
	e, isExpr := n.(ast.Expr)
	if !isExpr {
		return false
	}
	switch parent := t.parents[n].(type) {
	case *ast.IfStmt:
		return parent.Cond == e
	case *ast.ForStmt:
		return parent.Cond == e
	case *ast.BinaryExpr:
		return parent.Op == token.LAND || parent.Op == token.LOR
	case *ast.CaseClause:
		outer, _ := t.parents[t.parents[parent]].(*ast.SwitchStmt)
		return outer != nil && outer.Tag == nil && slices.Contains(parent.List, e)
	case *ast.ReturnStmt:
		return t.isBool(parent, slices.Index(parent.Results, e))
	}
	return false
}

// isBool reports whether a result of a return statement is declared as bool.
func (t *target) isBool(from ast.Node, number int) bool {
	var results *ast.FieldList
	for n := from; n != nil && results == nil; n = t.parents[n] {
		switch n := n.(type) {
		case *ast.FuncDecl:
			results = n.Type.Results
		case *ast.FuncLit:
			results = n.Type.Results
		}
	}
	if results == nil {
		return false
	}
	for _, field := range results.List {
		if number -= max(len(field.Names), 1); number < 0 {
			return lastName(field.Type) == "bool"
		}
	}
	return false
}

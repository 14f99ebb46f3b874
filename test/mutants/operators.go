package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// operator breaks one place of a declaration. It finds the place by the symbols it mentions: names,
// literals, operators or short sequences of them, whatever their layout. The smallest place that
// mentions all of them counts, and there must be exactly one.
type operator func(t *target) (patch, error)

// patch replaces a part of a file.
type patch struct {
	span
	text string
}

// The code that operators insert, where $ is what was there. It stays in the source as dead code, so
// that variables and imports are still used.
const (
	neverTrue  = "(false && ($))"
	alwaysTrue = "(true || ($))"
	neverDone  = "if false { $ }"
	doneBefore = "if true { return %s }; %s"
)

// never makes a condition false: of an if, a for or a case, an operand of && or ||, a comparison, or
// a boolean result.
func never(symbols ...string) operator { return rewrite("condition", condition, neverTrue, symbols) }

// always makes a condition true.
func always(symbols ...string) operator { return rewrite("condition", condition, alwaysTrue, symbols) }

// when puts another condition in the place of one, which is $ in it.
func when(code string, symbols ...string) operator {
	return rewrite("condition", condition, "("+code+")", symbols)
}

// drop takes a statement out, with all its branches.
func drop(symbols ...string) operator { return rewrite("statement", statement, neverDone, symbols) }

// before inserts code before a statement.
func before(code string, symbols ...string) operator {
	return rewrite("statement", statement, code+"; $", symbols)
}

// after inserts code after a statement.
func after(code string, symbols ...string) operator {
	return rewrite("statement", statement, "$; "+code, symbols)
}

// instead puts other code in the place of a statement, which is $ in it.
func instead(code string, symbols ...string) operator {
	return rewrite("statement", statement, code, symbols)
}

// call puts another expression in the place of a call, which is $ in it.
func call(function, code string, symbols ...string) operator {
	return rewrite("call of "+function, calls(function), code, symbols)
}

// rewrite puts code in the place of a node, which is $ in it.
func rewrite(kind string, is func(*target, ast.Node) bool, code string, symbols []string) operator {
	return func(t *target) (patch, error) {
		n, err := t.one(kind, t.whole(is), symbols)
		if err != nil {
			return patch{}, err
		}
		return t.replace(n, strings.ReplaceAll(code, "$", t.source(n))), nil
	}
}

// whole looks for symbols everywhere in a node.
func (t *target) whole(is func(*target, ast.Node) bool) func(ast.Node) (span, bool) {
	return func(n ast.Node) (span, bool) { return t.spanOf(n), is(t, n) }
}

func (t *target) replace(n ast.Node, text string) patch { return patch{t.spanOf(n), text} }

// returns gives other results: of a return statement that mentions the symbols, or without symbols
// of the whole function, at once.
func returns(results string, symbols ...string) operator {
	return func(t *target) (patch, error) {
		if len(symbols) == 0 {
			body := bodyOf(t.node)
			if body == nil {
				return patch{}, errors.New("it is not a function")
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

// dropCase takes a case out of a switch or a select. The symbols stand between case and colon; of
// the default case it is the word default.
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

// set gives a variable, a constant, a field or a key another value where it is assigned or declared.
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

// assigned is the value that a node gives to a name.
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

// lastName is the name of what an expression refers to: f of x.f, of f[i], of f[T] and of *f.
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

// arg gives a call another argument, counted from zero.
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

// calls matches the calls of a function or method, whatever its package or receiver.
func calls(function string) func(*target, ast.Node) bool {
	return func(_ *target, n ast.Node) bool {
		c, isCall := n.(*ast.CallExpr)
		return isCall && lastName(c.Fun) == function
	}
}

// omit takes out an element of a composite literal, an argument or one of several values of a case.
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

// list is the list of which a node is an element, or nil.
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

// swap puts one symbol in the place of another, in the smallest part of the declaration that
// mentions both this one and the other symbols.
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

// within applies an operator inside of an if, a for, a switch, a case, a function literal or the
// value of a key. The symbol stands in its head, before the body.
func within(symbol string, do operator) operator {
	return func(t *target) (patch, error) {
		n, err := t.one("head", t.header, []string{symbol})
		if err != nil {
			return patch{}, err
		}
		return do(t.at(n))
	}
}

// header is what stands before the body of a node.
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
		if parent := t.parents[n]; parent != nil { // The call that takes it, or what it is assigned to.
			head.from = t.offset(parent.Pos())
		}
		return head, true
	}
	return span{}, false
}

// bodyOf is the body of a function.
func bodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// statement matches the statements of a block or a case, but not those in the head of another one.
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

// condition matches what is true or false by its place or by its operator.
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

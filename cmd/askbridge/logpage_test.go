package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module  = "github.com/askbridge/askbridge"
	logPage = "docs/operations/log.md"
	// logHeader begins the tables of lines on that page.
	logHeader = "| Message | Level | What it means | What to do |"
)

var (
	// messageAt maps the methods of a logger to the index of the message argument.
	messageAt = map[string]int{
		"Info": 0, "Warn": 0, "Error": 0, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "Log": 2, "LogAttrs": 2, "NewLogLogger": 0,
	}
	// noLogger lists receivers with such a method that are not loggers.
	noLogger = []string{"client.Info", "r.conn.client.Info"} // Redis has a command INFO.
	// madeUp maps expressions of messages that are not constant to their entries on the page.
	madeUp = map[string]string{
		"log.Handler()":   "http: …", // Errors of net/http about connections.
		"a.log.Handler()": "http: …",
	}
)

// logged has the levels of each message, without debug.
type logged map[string][]string

func (l logged) add(message, level string) {
	if level != "debug" && !slices.Contains(l[message], level) {
		l[message] = append(l[message], level)
	}
}

// logSource collects the log messages of a file, and the calls that it cannot resolve.
type logSource struct {
	fset    *gotoken.FileSet
	imports []string
	lines   logged
	unclear []string
}

func (s *logSource) object(at gotoken.Pos, format string, args ...any) {
	s.unclear = append(s.unclear, fmt.Sprintf("%s: %s", s.fset.Position(at), fmt.Sprintf(format, args...)))
}

func (s *logSource) file(f *ast.File) {
	s.imports = nil
	for _, i := range f.Imports {
		whole, _ := strconv.Unquote(i.Path.Value) // It parses.
		name := strings.TrimPrefix(path.Base(whole), "go-")
		if i.Name != nil {
			name = i.Name.Name
		}
		if whole == "log" {
			s.object(i.Pos(), "package log writes past the level and the format of the configuration")
		}
		s.imports = append(s.imports, name)
	}
	for _, d := range f.Decls {
		called := map[ast.Expr]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called[n.Fun] = true
				s.call(d, n)
			case *ast.SelectorExpr:
				if !called[n] {
					s.value(n)
				}
			}
			return true
		})
	}
}

// value objects to a method of a logger that is no call: what it is called with is written elsewhere.
func (s *logSource) value(sel *ast.SelectorExpr) {
	if _, logs := messageAt[sel.Sel.Name]; !logs {
		return
	}
	of := strings.ToLower(types.ExprString(sel.X))
	if of == "slog" || of == "log" || strings.HasSuffix(of, ".log") || strings.HasSuffix(of, "logger") {
		s.object(sel.Pos(), "call %s with a literal message", types.ExprString(sel))
	}
}

// call takes down what a call logs, if it is one of a logger: of anything but a package.
func (s *logSource) call(d ast.Decl, c *ast.CallExpr) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	method := sel.Sel.Name
	at, logs := messageAt[method]
	if !logs || len(c.Args) <= at || slices.Contains(noLogger, types.ExprString(sel)) {
		return
	}
	if of, named := sel.X.(*ast.Ident); named && of.Name != "slog" && of.Name != "log" && slices.Contains(s.imports, of.Name) {
		return
	}
	var message string
	if text, constant := literal(c.Args[at]); constant {
		message = text
	} else if text, known := madeUp[types.ExprString(c.Args[at])]; known {
		message = text
	} else {
		s.object(c.Pos(), "the message %s is no constant; list it in madeUp", types.ExprString(c.Args[at]))
		return
	}
	switch method {
	case "Log", "LogAttrs", "NewLogLogger":
		level, found := c.Args[1], false
		of := ast.Node(d) // A variable has one of the levels that its function names.
		if _, direct := level.(*ast.SelectorExpr); direct {
			of = level
		}
		ast.Inspect(of, func(n ast.Node) bool {
			if l, is := n.(*ast.SelectorExpr); is && types.ExprString(l.X) == "slog" && strings.HasPrefix(l.Sel.Name, "Level") {
				found = true
				s.lines.add(message, strings.ToLower(strings.TrimPrefix(l.Sel.Name, "Level")))
			}
			return true
		})
		if !found {
			s.object(c.Pos(), "the level of %q does not stand in its function", message)
		}
	default:
		s.lines.add(message, strings.ToLower(strings.TrimSuffix(method, "Context")))
	}
}

// literal is the value of a string, or of several that are joined.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == gotoken.STRING
	case *ast.BinaryExpr:
		left, one := literal(e.X)
		right, other := literal(e.Y)
		return left + right, one && other && e.Op == gotoken.ADD
	}
	return "", false
}

// programLogs reads the program and every package of this module that it links, on any system.
func programLogs(t *testing.T) *logSource {
	t.Helper()
	s := &logSource{fset: gotoken.NewFileSet(), lines: logged{}}
	seen := map[string]bool{}
	for next := []string{module + "/cmd/askbridge"}; len(next) > 0; next = next[1:] {
		if seen[next[0]] {
			continue
		}
		seen[next[0]] = true
		files, err := filepath.Glob(filepath.Join(root, strings.TrimPrefix(next[0], module), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", next[0], err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.file(f)
			for _, i := range f.Imports {
				if whole, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(whole, module+"/") {
					next = append(next, whole)
				}
			}
		}
	}
	return s
}

// pageLines are the rows of the tables of lines, and what is wrong with the tables themselves.
func pageLines(page string) (rows logged, wrong []string) {
	rows = logged{}
	inside := false
	for n, line := range strings.Split(page, "\n") {
		switch {
		case line == logHeader:
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|---"):
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			name := regexp.MustCompile("^`([^`]+)`$").FindStringSubmatch(cells[0])
			if len(cells) != 4 || name == nil || slices.Contains(cells, "") {
				wrong = append(wrong, fmt.Sprintf("line %d is no row of four cells that begins with a message: %s", n+1, line))
				continue
			}
			if rows[name[1]] != nil {
				wrong = append(wrong, fmt.Sprintf("line %d: %q has a row already", n+1, name[1]))
			}
			rows[name[1]] = strings.Split(cells[1], ", ")
		}
	}
	return rows, wrong
}

// compareLog returns the differences between page and program.
func compareLog(program, page logged) (wrong []string) {
	for _, message := range slices.Sorted(maps.Keys(program)) {
		want, got := slices.Sorted(slices.Values(program[message])), slices.Sorted(slices.Values(page[message]))
		switch {
		case got == nil:
			wrong = append(wrong, fmt.Sprintf("no row for %q, which is logged at %s", message, strings.Join(want, ", ")))
		case !slices.Equal(want, got):
			wrong = append(wrong, fmt.Sprintf("%q is logged at %s, and the page has %s", message, strings.Join(want, ", "), strings.Join(got, ", ")))
		}
	}
	for _, message := range slices.Sorted(maps.Keys(page)) {
		if program[message] == nil {
			wrong = append(wrong, fmt.Sprintf("nothing logs %q", message))
		}
	}
	return wrong
}

func TestLogPageListsEveryMessage(t *testing.T) {
	t.Parallel()
	program := programLogs(t)
	if len(program.lines) < 100 {
		t.Fatalf("only %d messages were found, so this test has read too little", len(program.lines))
	}
	page, err := os.ReadFile(filepath.Join(root, logPage))
	if err != nil {
		t.Fatal(err)
	}
	rows, wrong := pageLines(string(page))
	for _, reply := range slices.Concat(program.unclear, wrong, compareLog(program.lines, rows)) {
		t.Error(reply)
	}
}

func TestLogSourceParser(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ code, want, unclear string }{
		"a constant":                   {code: `s.log.Info("one")`, want: "map[one:[info]]"},
		"a constant of two parts":      {code: `s.log.Warn("one " + "two")`, want: "map[one two:[warn]]"},
		"with a context":               {code: `log.ErrorContext(ctx, "one")`, want: "map[one:[error]]"},
		"debug":                        {code: `log.Debug("one"); log.Log(ctx, slog.LevelDebug, "two")`, want: "map[]"},
		"what a logger was given":      {code: `log.With("a", b).Info("one")`, want: "map[one:[info]]"},
		"of two levels":                {code: `l := slog.LevelWarn; if bad { l = slog.LevelError }; log.Log(ctx, l, "one")`, want: "map[one:[warn error]]"},
		"an error's text":              {code: `_ = err.Error()`, want: "map[]"},
		"a function of a package":      {code: `http.Error(w, "one", 500)`, want: "map[]"},
		"a message that is put up":     {code: `log.Warn("one " + two)`, want: "map[]", unclear: `the message "one " + two is no constant`},
		"a level from elsewhere":       {code: `log.LogAttrs(ctx, l, "one")`, want: "map[]", unclear: `the level of "one"`},
		"a method that is handed over": {code: `f := c.log.Warn; f("one")`, want: "map[]", unclear: `call c.log.Warn with a literal message`},
		"of the global logger":         {code: `slog.Info("one")`, want: "map[one:[info]]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &logSource{fset: gotoken.NewFileSet(), lines: logged{}}
			f, err := parser.ParseFile(s.fset, "x.go", "package x\nimport (\"log/slog\"; \"net/http\")\nfunc f() {"+tc.code+"}", parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.file(f)
			if got := fmt.Sprint(s.lines); strings.ReplaceAll(got, "logged", "map") != tc.want {
				t.Errorf("logs %s, want %s", got, tc.want)
			}
			if got := strings.Join(s.unclear, "; "); (tc.unclear == "") != (got == "") || !strings.Contains(got, tc.unclear) {
				t.Errorf("unresolved calls %q, want %q", got, tc.unclear)
			}
		})
	}
}

func TestLogPageDifferences(t *testing.T) {
	t.Parallel()
	program := logged{"one": {"info"}, "two": {"warn", "error"}}
	const top = logHeader + "\n|---|---|---|---|\n"
	const both = top + "| `one` | info | a | b |\n| `two` | warn, error | a | b |\n"
	for name, tc := range map[string]struct{ page, want string }{
		"nothing differs":      {both, ""},
		"a row is missing":     {strings.Replace(both, "| `one` | info | a | b |\n", "", 1), `no row for "one"`},
		"a message is renamed": {strings.Replace(both, "`one`", "`none`", 1), `nothing logs "none"`},
		"a level is missing":   {strings.Replace(both, "warn, error", "warn", 1), `"two" is logged at error, warn, and the page has warn`},
		"a row is repeated":    {both + "\n" + both, `"one" has a row already`},
		"a cell is missing":    {strings.Replace(both, "info | a |", "info |", 1), "line 3 is no row of four cells"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, wrong := pageLines(tc.page)
			got := strings.Join(append(wrong, compareLog(program, rows)...), "; ")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("differences %q, want %q", got, tc.want)
			}
		})
	}
}

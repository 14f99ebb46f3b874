package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/askbridge/askbridge/internal/textinput"
)

// scanner is a setting with its own format, such as a duration. Its error completes a sentence that
// begins with the setting's name, and does not quote the text.
type scanner interface{ scan(text string) error }

// decoder fills structs from a syntax tree. It continues after a mistake, to report all of them at
// once.
type decoder struct {
	world    surroundings
	sections map[string]any      // Platform sections.
	found    map[string]position // All keys by path.
	problems problems
}

// decode reads the only document in data into the struct that out points to. It reports whether there
// was anything to decode.
func (d *decoder) decode(data []byte, out any) bool {
	d.found = map[string]position{}
	// https://yaml.org/spec/1.2.2/#52-character-encodings
	data, err := textinput.UTF8(data)
	if err != nil {
		d.problems.add(position{}, "", "%s", err)
		return false
	}
	// Duplicate keys are accepted here and rejected below, with everything else.
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.syntax(err)
		return false
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType && doc.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) > 1 {
		d.problems.add(start(bodies[1]), "", "a second document begins here; a file must have one")
		return false
	}
	if len(bodies) == 1 {
		d.value("", bodies[0], reflect.ValueOf(out).Elem())
	}
	return len(d.found) > 0 || len(d.problems) == 0
}

// syntax adopts the parser's messages. They name characters at most; the longer form would quote
// neighboring lines, which may contain secrets.
func (d *decoder) syntax(err error) {
	var detail yaml.Error
	if !errors.As(err, &detail) {
		d.problems.add(position{}, "", "invalid YAML")
		return
	}
	d.problems.add(place(detail.GetToken()), "", "invalid YAML: %s", detail.GetMessage())
}

func (d *decoder) value(path string, n ast.Node, v reflect.Value) {
	at := start(n)
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		d.problems.add(at, path, "anchors, aliases and tags are not supported")
		return
	case ast.NullType:
		d.problems.add(at, path, "has no value; set one, or remove the key")
		return
	}
	switch {
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
		fresh := reflect.New(v.Type().Elem())
		d.value(path, n, fresh.Elem())
		v.Set(fresh)
	case isScanner(v) || v.Kind() != reflect.Struct && v.Kind() != reflect.Map && v.Kind() != reflect.Slice:
		d.scalar(path, n, v)
	case v.Kind() == reflect.Slice:
		d.list(path, n, v)
	default:
		d.mapping(path, n, v)
	}
}

func isScanner(v reflect.Value) bool {
	_, ok := reflect.TypeAssert[scanner](v.Addr())
	return ok
}

func (d *decoder) list(path string, n ast.Node, v reflect.Value) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.problems.add(start(n), path, "must be a list")
		return
	}
	// An empty list is not the same as none.
	v.Set(reflect.MakeSlice(v.Type(), len(list.Values), len(list.Values)))
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.found[at] = start(item)
		d.value(at, item, v.Index(i))
	}
}

func (d *decoder) mapping(path string, n ast.Node, v reflect.Value) {
	pairs, ok := n.(ast.MapNode)
	if !ok {
		what := path
		if what == "" {
			what = "the file"
		}
		d.problems.add(start(n), "", "%s must hold keys and values, such as %s: …", what, example(v))
		return
	}
	if v.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	seen := map[string]position{}
	for pair := pairs.MapRange(); pair.Next(); {
		key, at := pair.Key().GetToken().Value, place(pair.Key().GetToken())
		full := join(path, key)
		if first, twice := seen[key]; twice {
			d.problems.add(at, known(full, key), "is a duplicate; the first is on line %d", first.line)
			continue
		}
		seen[key] = at
		if v.Kind() == reflect.Map {
			d.found[full] = at
			entry := reflect.New(v.Type().Elem()).Elem()
			d.value(full, pair.Value(), entry)
			v.SetMapIndex(reflect.ValueOf(key), entry)
			continue
		}
		setting, ok := d.setting(path, key, v)
		if !ok && removed[full] != "" {
			d.found[full] = at
			continue
		}
		if !ok {
			d.problems.add(at, known(full, key), "unknown key%s", d.hint(path, key, v.Type()))
			continue
		}
		if path == "" && d.world.skips(key) {
			if d.sections[key] != nil {
				d.found[full] = at
			}
			continue
		}
		d.found[full] = at
		d.value(full, pair.Value(), setting)
	}
}

// setting finds the field of a key.
func (d *decoder) setting(path, key string, v reflect.Value) (reflect.Value, bool) {
	if section, ok := d.sections[key]; ok && path == "" {
		return reflect.ValueOf(section).Elem(), true
	}
	field, ok := fields(v.Type())[key]
	if !ok {
		return reflect.Value{}, false
	}
	return v.FieldByIndex(field), true
}

// scalar reads a value. Only text may contain references; the result is then parsed as the type of the
// setting.
func (d *decoder) scalar(path string, n ast.Node, v reflect.Value) {
	at := start(n)
	text, foreign, isText := "", false, true
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.LiteralNode:
		text = n.Value.Value
	case ast.ScalarNode:
		text, isText = n.GetToken().Value, false
	default:
		d.problems.add(at, path, "must be a single value")
		return
	}
	if isText && !d.world.literal(path) {
		var err error
		if text, foreign, err = d.world.expand(text); err != nil {
			d.problems.add(at, path, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
			return
		}
	}
	if err := set(v, text, isText, foreign); err != nil {
		d.problems.add(at, path, "%s", err)
	}
}

func set(v reflect.Value, text string, isText, foreign bool) error {
	if s, ok := reflect.TypeAssert[scanner](v.Addr()); ok {
		return s.scan(text)
	}
	switch v.Kind() {
	case reflect.String:
		if !isText {
			return errors.New("must be text; put it in quotes")
		}
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil || isText && !foreign || text != "true" && text != "false" {
			return errors.New("must be true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.Atoi(text)
		if err != nil || isText && !foreign {
			return errors.New("must be an integer")
		}
		v.SetInt(int64(i))
	default:
		panic("config: no setting has the type " + v.Type().String())
	}
	return nil
}

// start is the beginning of a node. A mapping's own token is its first colon.
func start(n ast.Node) position {
	if pairs, ok := n.(ast.MapNode); ok {
		if first := pairs.MapRange(); first.Next() {
			return place(first.Key().GetToken())
		}
	}
	return place(n.GetToken())
}

func place(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{}
	}
	return position{line: t.Position.Line, column: t.Position.Column}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Package strictjson reads JSON that a person decides about. It must have one
// meaning: for the program that shows it, for the one that runs it, and for
// whichever library either of them uses.
//
// [Check] refuses what readers take in different ways: a member name that stands
// there twice (RFC 8259 section 4) or differs from another in case alone, and text
// that is no UTF-8. [Decode] then knows members by their exact names, where
// encoding/json takes "Command" for "command". [Show] writes a text for people in
// which nothing can hide.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth is how deep values may stand in each other.
const maxDepth = 100

// ErrAmbiguous is matched by the error of a text that has more than one meaning.
var ErrAmbiguous = errors.New("strictjson: more than one meaning")

// Error says where a text has more than one meaning, and why.
type Error struct {
	// Path locates the value, as in "tool_input.options[1]"; empty for the whole.
	Path   string
	Detail string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Detail
	}
	return e.Path + ": " + e.Detail
}

// Is matches [ErrAmbiguous].
func (e *Error) Is(target error) bool { return target == ErrAmbiguous }

// within puts a step in front of the path.
func within(err error, step string) error {
	e, ok := err.(*Error) //nolint:errorlint // Nothing has wrapped it.
	if !ok {
		return err
	}
	sep := "."
	if e.Path == "" || e.Path[0] == '[' {
		sep = ""
	}
	return &Error{step + sep + e.Path, e.Detail}
}

// Check returns an error of encoding/json for a text that is no JSON, and an
// [*Error] for one with more than one meaning. It takes time in proportion to the
// length of the text.
func Check(data []byte) error {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return &Error{Detail: "is not UTF-8"}
	}
	s := scanner{data: data}
	return s.value()
}

// scanner goes through a text that is known to be JSON.
type scanner struct {
	data  []byte
	at    int
	depth int
	names []string // of the objects around this place
}

// next skips space and returns the byte that follows it.
func (s *scanner) next() byte {
	for strings.IndexByte(" \t\r\n", s.data[s.at]) >= 0 {
		s.at++
	}
	return s.data[s.at]
}

func (s *scanner) value() error {
	if s.depth++; s.depth > maxDepth {
		return &Error{Detail: fmt.Sprintf("stands more than %d values deep", maxDepth)}
	}
	defer func() { s.depth-- }()
	switch s.next() {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		s.text()
		return nil
	}
	for s.at < len(s.data) && strings.IndexByte(" \t\r\n,]}", s.data[s.at]) < 0 {
		s.at++ // A number, true, false or null.
	}
	return nil
}

func (s *scanner) object() error {
	first := len(s.names)
	defer func() { s.names = s.names[:first] }()
	var many map[string]string // by the folded name, once there are many
	for s.at++; s.next() != '}'; {
		if s.data[s.at] == ',' {
			s.at++
			s.next()
		}
		name, err := s.name()
		if err != nil {
			return err
		}
		if many == nil && len(s.names)-first == few {
			many = map[string]string{}
			for _, other := range s.names[first:] {
				many[fold(other)] = other
			}
		}
		if err := alike(name, s.names[first:], many); err != nil {
			return err
		}
		if many != nil {
			many[fold(name)] = name
		} else {
			s.names = append(s.names, name)
		}
		s.next()
		s.at++ // The colon.
		if err := s.value(); err != nil {
			return within(err, name)
		}
	}
	s.at++
	return nil
}

// few is how many names are compared one by one.
const few = 16

// alike refuses a name that some readers take for one that has come before.
func alike(name string, before []string, many map[string]string) error {
	other, found := "", false
	if many != nil {
		other, found = many[fold(name)]
	} else if n := slices.IndexFunc(before, func(b string) bool { return strings.EqualFold(b, name) }); n >= 0 {
		other, found = before[n], true
	}
	switch {
	case !found:
		return nil
	case other == name:
		return &Error{Detail: fmt.Sprintf("the member %q stands there twice", name)}
	}
	return &Error{Detail: fmt.Sprintf("the members %q and %q differ in case alone", other, name)}
}

func (s *scanner) array() error {
	s.at++
	for n := 0; s.next() != ']'; n++ {
		if s.data[s.at] == ',' {
			s.at++
		}
		if err := s.value(); err != nil {
			return within(err, "["+strconv.Itoa(n)+"]")
		}
	}
	s.at++
	return nil
}

// text skips a string and returns it as it is written. It reports whether that is
// its own text between quotes.
func (s *scanner) text() (raw []byte, plain bool) {
	from := s.at
	plain = true
	for s.at++; s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
			plain = false
		}
	}
	s.at++
	return s.data[from:s.at], plain
}

func (s *scanner) name() (name string, err error) {
	raw, plain := s.text()
	if plain {
		return string(raw[1 : len(raw)-1]), nil
	}
	err = json.Unmarshal(raw, &name)
	return name, err
}

// fold maps names to the same text that some readers take for the same, as
// encoding/json does.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// Decode checks a text and stores it in the value that v points to, as
// [json.Unmarshal] does, but for members of structs: these are known by their
// exact names only, which the structs' tags have to spell.
func Decode(data []byte, v any) error {
	if err := Check(data); err != nil {
		return err
	}
	return assign(data, reflect.ValueOf(v).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// assign is Decode for a text that was checked.
func assign(data json.RawMessage, v reflect.Value) error {
	if string(data) == "null" || v.Addr().Type().Implements(unmarshaler) {
		return json.Unmarshal(data, v.Addr().Interface())
	}
	switch v.Kind() { //nolint:exhaustive // The others hold no members.
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return assign(data, v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for n, item := range items {
			if err := assign(item, v.Index(n)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			return err
		}
		return assignMembers(members, v)
	}
	return json.Unmarshal(data, v.Addr().Interface())
}

func assignMembers(members map[string]json.RawMessage, v reflect.Value) error {
	for field, f := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if err := assignMembers(members, f); err != nil {
				return err
			}
			continue
		}
		raw, ok := members[name]
		if !ok || name == "" || name == "-" || !field.IsExported() {
			continue
		}
		if err := assign(raw, f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Package strictjson reads JSON that a person decides about. What is shown has to
// be what will be done: for the program that shows it, for the one that does it,
// and for whichever library either of them uses.
//
// [Decode] refuses a member sent twice, as [ask.CheckMembers] does, and knows
// members by their exact names, where encoding/json takes "Command" for "command".
// [Alike] finds names that such a reader mixes up. [Show] writes a text for people
// in which nothing hides.
package strictjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/ask"
)

// Decode stores a text in the value that v points to, as [json.Unmarshal] does,
// but for members of structs: these are known by their exact names only, which the
// structs' tags have to spell.
func Decode(data []byte, v any) error {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return err
	}
	if err := ask.CheckMembers(data); err != nil {
		return err
	}
	return assign(data, reflect.ValueOf(v).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// assign is Decode for a text that has no member twice.
func assign(data json.RawMessage, v reflect.Value) error {
	if string(data) == "null" || v.Addr().Type().Implements(unmarshaler) {
		return json.Unmarshal(data, v.Addr().Interface())
	}
	switch v.Kind() {
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

// maxDepth is how deep values may stand in each other.
const maxDepth = 50

// Alike returns an error for a text in which two members of an object differ in
// case alone, or in which values stand deeper in each other than anybody can
// follow. Its member names have to be checked.
func Alike(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return alike(v, maxDepth)
}

func alike(v any, depth int) error {
	if depth == 0 {
		return fmt.Errorf("stands more than %d values deep", maxDepth)
	}
	switch v := v.(type) {
	case []any:
		for n, item := range v {
			if err := alike(item, depth-1); err != nil {
				return fmt.Errorf("[%d]: %w", n, err)
			}
		}
	case map[string]any:
		seen := make(map[string]string, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if other, twice := seen[fold(name)]; twice {
				return fmt.Errorf("the members %q and %q differ in case alone", other, name)
			}
			seen[fold(name)] = name
			if err := alike(v[name], depth-1); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
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

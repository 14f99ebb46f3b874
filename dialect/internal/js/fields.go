package js

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Fields are the members of an object that were not taken yet.
type Fields map[string]json.RawMessage

// FieldsOf returns the members of an object, or nil if the value is no object.
func FieldsOf(data json.RawMessage) Fields {
	var f Fields
	if json.Unmarshal(data, &f) != nil {
		return nil
	}
	return f
}

// Take removes the named members and returns the value of the first one that exists.
func (f Fields) Take(names ...string) json.RawMessage {
	var found json.RawMessage
	for _, name := range names {
		if v, ok := f[name]; ok && found == nil {
			found = v
			delete(f, name)
		}
	}
	return found
}

// Members returns the members in the order of their names.
func (f Fields) Members() []Member {
	var all []Member
	for _, name := range Keys(f) {
		all = append(all, At(name, Text(f[name])))
	}
	return all
}

// Object returns an object with the members in the order of their names.
func (f Fields) Object() json.RawMessage { return json.RawMessage(Object(f.Members()...)) }

// Without returns the object without one of its members.
func (f Fields) Without(name string) json.RawMessage {
	f = maps.Clone(f)
	delete(f, name)
	return Encode(f)
}

// Missing reports whether a value is absent or null.
func Missing(data json.RawMessage) bool {
	return len(data) == 0 || string(data) == "null"
}

// StringOf returns the text of a JSON string. It is not ok for any other value.
func StringOf(data json.RawMessage) (text string, ok bool) {
	return text, len(data) > 0 && data[0] == '"' && json.Unmarshal(data, &text) == nil
}

// Items returns the values of an array, or nil if the value is no array.
func Items(data json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// IsArray reports whether the value is an array.
func IsArray(data json.RawMessage) bool { return len(data) > 0 && data[0] == '[' }

// Encode encodes a value that was decoded from JSON before.
func Encode(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("js: encode value that was decoded before: %v", err))
	}
	return data
}

// Names returns the names of an object's members in the order in which they are written.
func Names(data json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		var skipped json.RawMessage
		if err != nil || d.Decode(&skipped) != nil {
			return names
		}
		if s, ok := name.(string); ok && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// Keys returns the keys of a map in ascending order.
func Keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/textinput"
)

type decoder struct {
	checker
	ignored []string
}

// whole returns the text as well-formed JSON. For a text that is not JSON it returns a number,
// which is neither an object nor a list.
func (d *decoder) whole(data []byte) json.RawMessage {
	data, _, err := textinput.JSON(data)
	if err != nil || !json.Valid(data) && !empty(data) {
		return json.RawMessage("0")
	}
	d.members("", data)
	return data
}

type members map[string]json.RawMessage

// entries parses a list of people and groups.
func (d *decoder) entries(path string, data json.RawMessage) []string {
	if empty(data) {
		return nil
	}
	items, ok := d.array(path, data, "a list such as [\"slack:U0000001\"]")
	if !ok {
		return nil
	}
	who := make([]string, len(items))
	for i, item := range items {
		who[i] = d.text(fmt.Sprintf("%s[%d]", path, i), item)
	}
	return who
}

// text parses a string; numbers and booleans are accepted as their literal text.
func (d *decoder) text(path string, data json.RawMessage) string {
	data = bytes.TrimSpace(data)
	if empty(data) {
		return ""
	}
	var s string
	switch data[0] {
	case '"':
		_ = json.Unmarshal(data, &s) // It is valid.
	case '{', '[':
		d.add(path, ErrSyntax, "must be a string")
	default:
		s = string(data)
	}
	return s
}

func (d *decoder) flag(path string, data json.RawMessage) bool {
	switch strings.ToLower(strings.Trim(string(bytes.TrimSpace(data)), `"`)) {
	case "", "null", "false", "0", "no":
		return false
	case "true", "1", "yes":
		return true
	}
	d.add(path, ErrSyntax, "must be true or false")
	return false
}

func (d *decoder) object(path string, data json.RawMessage) (members, bool) {
	if data = bytes.TrimSpace(data); !bytes.HasPrefix(data, []byte("{")) {
		if path == "" {
			path = bodyPath
		}
		d.add(path, ErrSyntax, "must be a JSON object")
		return nil, false
	}
	var m members
	_ = json.Unmarshal(data, &m) // It is valid.
	return m, true
}

// maxItems is the number of list entries that are decoded, more than any valid list has.
const maxItems = 500

func (d *decoder) array(path string, data json.RawMessage, what string) ([]json.RawMessage, bool) {
	if data = bytes.TrimSpace(data); !bytes.HasPrefix(data, []byte("[")) {
		d.add(path, ErrSyntax, "must be %s", what)
		return nil, false
	}
	var items []json.RawMessage
	_ = json.Unmarshal(data, &items) // It is valid.
	if len(items) > maxItems {
		d.add(path, ErrTooLong, "has %d entries; no list has more than %d", len(items), maxItems)
		return nil, false
	}
	return items, true
}

// rest records the unknown members.
func (d *decoder) rest(path string, m members) {
	if len(m) == 0 {
		return
	}
	if path != "" {
		path += "."
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		d.ignored = append(d.ignored, path+name)
	}
}

// take removes and returns the first of the named members that is present.
func (m members) take(names ...string) json.RawMessage {
	var found json.RawMessage
	for _, name := range names {
		if v, ok := m[name]; ok && found == nil {
			found = v
			delete(m, name)
		}
	}
	return found
}

func (d *decoder) unquote(path string, data json.RawMessage) json.RawMessage {
	inner, opened := Unquote(data)
	if opened {
		d.members(path, inner)
	}
	return inner
}

// Unquote unwraps a JSON string that contains a JSON array or object, which some models send,
// and reports whether it did. Any other input is returned without surrounding white space.
func Unquote(data json.RawMessage) (inner json.RawMessage, opened bool) {
	return textinput.Unwrap(data)
}

func empty(data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || string(data) == "null"
}

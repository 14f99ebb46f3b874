package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Canonical writes a JSON text so that two texts with the same meaning become the same bytes:
// without spaces, the members of objects sorted by name, and every string escaped in one way.
// Two numbers are the same only if they are spelled alike, and half of a surrogate pair stays
// as it was escaped, since decoders turn different ones into the same character. The error is
// that of [json.Decoder.Token]. Names that appear twice have to be refused before.
func Canonical(data []byte) ([]byte, error) {
	c := canon{data: data, from: json.NewDecoder(bytes.NewReader(data))}
	c.from.UseNumber()
	return c.value()
}

// canon reads one text.
type canon struct {
	data []byte
	from *json.Decoder
}

// value reads the next value and returns its canonical form.
func (c *canon) value() ([]byte, error) {
	raw, err := c.token()
	if err != nil {
		return nil, err
	}
	switch raw[0] {
	case '{':
		return c.object()
	case '[':
		return c.list()
	case '"':
		return text(raw)
	}
	return raw, nil
}

// token reads the next token and returns its bytes.
func (c *canon) token() ([]byte, error) {
	begin := c.from.InputOffset()
	if _, err := c.from.Token(); err != nil {
		return nil, fmt.Errorf("strictjson: %w", err)
	}
	return bytes.TrimLeft(c.data[begin:c.from.InputOffset()], " \t\r\n,:"), nil
}

func (c *canon) object() ([]byte, error) {
	members := map[string][]byte{}
	for c.from.More() {
		raw, err := c.token()
		if err != nil {
			return nil, err
		}
		name, err := text(raw)
		if err != nil {
			return nil, err
		}
		if members[string(name)], err = c.value(); err != nil {
			return nil, err
		}
	}
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(append(append(append(out, ','), name...), ':'), members[name]...)
	}
	_, err := c.token()
	return slices.Concat([]byte("{"), bytes.TrimPrefix(out, []byte(",")), []byte("}")), err
}

func (c *canon) list() ([]byte, error) {
	var out []byte
	for c.from.More() {
		item, err := c.value()
		if err != nil {
			return nil, err
		}
		out = append(append(out, ','), item...)
	}
	_, err := c.token()
	return slices.Concat([]byte("["), bytes.TrimPrefix(out, []byte(",")), []byte("]")), err
}

// text is the canonical form of a string.
func text(raw []byte) ([]byte, error) {
	if lone(raw) {
		return raw, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("strictjson: %w", err)
	}
	return json.Marshal(s)
}

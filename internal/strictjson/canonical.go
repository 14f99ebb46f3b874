package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Canonical returns a form of JSON that is equal for equal values: without spaces, with sorted
// members and uniformly escaped strings. Numbers keep their spelling. Unpaired surrogates keep
// their escape, because decoders replace all of them with the same character. The caller has
// rejected duplicate members. The error is that of [json.Decoder.Token].
func Canonical(data []byte) ([]byte, error) {
	c := canon{data: data, from: json.NewDecoder(bytes.NewReader(data))}
	c.from.UseNumber()
	return c.value()
}

type canon struct {
	data []byte
	from *json.Decoder
}

// value returns the canonical form of the next value.
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

// token returns the bytes of the next token.
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

// text returns the canonical form of a string.
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

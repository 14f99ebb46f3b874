// Package textinput reads text in the encodings that editors, shells and agents write, so that every way in accepts
// the same input.
//
// Windows editors put a byte order mark before UTF-8. Windows PowerShell 5.1 redirects output as UTF-16
// (https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_character_encoding). Some agents
// send an object as a JSON string that holds the object.
package textinput

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	markUTF8  = []byte{0xEF, 0xBB, 0xBF}
	markUTF16 = map[[2]byte]binary.ByteOrder{{0xFF, 0xFE}: binary.LittleEndian, {0xFE, 0xFF}: binary.BigEndian}
)

// errUTF16 is the error for UTF-16 that UTF-8 cannot express, so that nothing is replaced in a text people decide about.
var errUTF16 = errors.New("the input begins with a byte order mark of UTF-16, but is not valid UTF-16; send UTF-8")

// CheckCoding returns an error that names the Content-Encoding of a body, given the values of that header, or nil for a body
// without one. Nothing here decompresses: an input is small, and a decompressor is one more thing to exhaust.
func CheckCoding(values []string) error {
	coding := strings.Join(values, ", ")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return fmt.Errorf("the body has the Content-Encoding %s; send it without one", coding)
}

// UTF8 returns data as UTF-8 without a byte order mark (https://www.unicode.org/faq/utf_bom.html). It decodes UTF-16 that
// begins with a mark, and returns an error if it is malformed. Data without a mark is returned unchanged.
func UTF8(data []byte) ([]byte, error) {
	if len(data) < 2 {
		return data, nil
	}
	order := markUTF16[[2]byte(data)]
	if order == nil {
		return bytes.TrimPrefix(data, markUTF8), nil
	}
	data = data[2:]
	if len(data)%2 != 0 {
		return nil, errUTF16
	}
	text := make([]byte, 0, len(data))
	for ; len(data) > 0; data = data[2:] {
		r := rune(order.Uint16(data))
		if utf16.IsSurrogate(r) {
			if len(data) < 4 {
				return nil, errUTF16
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(data[2:]))); r == utf8.RuneError {
				return nil, errUTF16
			}
			data = data[2:]
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}

// JSON returns an input as the JSON text it holds: as UTF-8, without a byte order mark and surrounding space. It opens a
// JSON string that holds an object or a list, and reports with wrapped that it did. It does not validate the rest. The
// error is that of [UTF8].
func JSON(data []byte) (text []byte, wrapped bool, err error) {
	if data, err = UTF8(data); err != nil {
		return nil, false, err
	}
	text, wrapped = Unwrap(data)
	return text, wrapped, nil
}

// Unwrap opens a JSON string that holds a JSON object or list, and reports whether it did. Anything else is returned
// without surrounding space.
func Unwrap(data []byte) (inner []byte, opened bool) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '"' {
		return data, false
	}
	var s string
	if json.Unmarshal(data, &s) != nil {
		return data, false
	}
	inner = bytes.TrimSpace(bytes.TrimPrefix([]byte(s), markUTF8))
	if len(inner) > 0 && (inner[0] == '[' || inner[0] == '{') && json.Valid(inner) {
		return inner, true
	}
	return data, false
}

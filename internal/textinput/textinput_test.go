package textinput_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askbridge/askbridge/internal/textinput"
)

// utf16Text encodes text with a byte order mark.
func utf16Text(order binary.AppendByteOrder, text string) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

func TestJSONEncodings(t *testing.T) {
	t.Parallel()
	const object = `{"question":"Größe 😀?"}`
	for name, tt := range map[string]struct {
		in      []byte
		want    string
		wrapped bool
	}{
		"UTF-8":                          {[]byte(object), object, false},
		"UTF-8 with a mark":              {[]byte("\ufeff" + object), object, false},
		"a mark and space":               {[]byte("\ufeff\r\n " + object + "\r\n"), object, false},
		"little endian UTF-16":           {utf16Text(binary.LittleEndian, object), object, false},
		"big endian UTF-16":              {utf16Text(binary.BigEndian, object), object, false},
		"a string that holds an object":  {[]byte(`"{\"a\":1}"`), `{"a":1}`, true},
		"a string that holds a list":     {[]byte(` "[1, 2]" `), `[1, 2]`, true},
		"a string with a mark inside":    {[]byte("\"\ufeff{}\""), `{}`, true},
		"a string with an escaped mark":  {[]byte(`"\ufeff{}"`), `{}`, true},
		"a string that holds words":      {[]byte(`"hello"`), `"hello"`, false},
		"a string that holds a string":   {[]byte(`"\"x\""`), `"\"x\""`, false},
		"a string that holds half a one": {[]byte(`"{\"a\":"`), `"{\"a\":"`, false},
		"a string that does not end":     {[]byte(`"{}`), `"{}`, false},
		"nothing":                        {nil, "", false},
		"a mark alone":                   {[]byte("\ufeff"), "", false},
		"one byte":                       {[]byte("7"), "7", false},
		"not JSON":                       {[]byte("nonsense"), "nonsense", false},
	} {
		text, wrapped, err := textinput.JSON(tt.in)
		if err != nil || string(text) != tt.want || wrapped != tt.wrapped {
			t.Errorf("%s: %q, wrapped %v, error %v; want %q, %v", name, text, wrapped, err, tt.want, tt.wrapped)
		}
	}
}

func TestMalformedUTF16IsRefusedByName(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"an odd number of bytes":       "\xff\xfe{\x00}",
		"half a pair at the end":       "\xff\xfe\x3d\xd8",
		"half a pair before a letter":  "\xff\xfe\x3d\xd8a\x00",
		"the second half before any":   "\xff\xfe\x00\xdea\x00",
		"half a pair, big endian":      "\xfe\xff\xd8\x3d\x00a",
		"an odd one, with big endians": "\xfe\xff\x00",
	} {
		text, _, err := textinput.JSON([]byte(in))
		if err == nil || err.Error() != "the input begins with a byte order mark of UTF-16, but is not valid UTF-16; send UTF-8" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Decoding never invents a character, and a text without a mark is left alone.
func FuzzUTF8(f *testing.F) {
	f.Add([]byte("\ufeff{}"))
	f.Add([]byte("\xff\xfe{\x00}\x00"))
	f.Add([]byte("\xfe\xff\xd8\x3d\xde\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := textinput.UTF8(in)
		marked := bytes.HasPrefix(in, []byte("\ufeff")) || bytes.HasPrefix(in, []byte("\xff\xfe")) || bytes.HasPrefix(in, []byte("\xfe\xff"))
		switch {
		case err != nil && !marked, !marked && !bytes.Equal(text, in):
			t.Fatalf("%q: %q, %v", in, text, err)
		case err == nil && marked && in[0] >= 0xfe:
			if !utf8.Valid(text) || 2*utf8.RuneCount(text) > len(in) || bytes.Count(text, []byte("\ufffd")) > bytes.Count(in, []byte("\xfd")) {
				t.Fatalf("%q was decoded as %q", in, text)
			}
		}
	})
}

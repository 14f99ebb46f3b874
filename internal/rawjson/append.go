package rawjson

import (
	"strconv"
	"unicode/utf8"
)

// AppendName begins the next member of an object that dst ends in: it writes a comma if there is a
// member before it, and the name.
func AppendName(dst []byte, name string) []byte {
	return append(AppendText(AppendComma(dst), name), ':')
}

// AppendComma goes on with the object or list that dst ends in.
func AppendComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '{' || last == '[' {
		return dst
	}
	return append(dst, ',')
}

// AppendText writes a text as encoding/json does, without the escapes that only HTML needs.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	begin := 0
	for n := 0; n < len(text); {
		if itself[text[n]] {
			n++
			continue
		}
		escape, size := escaped(text[n:])
		if escape != "" {
			dst = append(append(dst, text[begin:n]...), escape...)
			begin = n + size
		}
		n += size
	}
	return append(append(dst, text[begin:]...), '"')
}

// itself says of each byte whether it is a whole letter that no text escapes.
var itself = func() (all [256]bool) {
	for c := range utf8.RuneSelf {
		all[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return all
}()

// escapes are those of the characters that control something.
var escapes = func() (all [' ']string) {
	for c := range all {
		all[c] = `\u00` + strconv.FormatInt(0x100+int64(c), 16)[1:]
	}
	all['\b'], all['\f'], all['\n'], all['\r'], all['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	return all
}()

// escaped returns what stands for the first letter of a text that is not itself one byte, empty for
// the letter itself, and the letter's length.
func escaped(text string) (escape string, size int) {
	switch c := text[0]; {
	case c < ' ':
		return escapes[c], 1
	case c == '"':
		return `\"`, 1
	case c == '\\':
		return `\\`, 1
	}
	switch r, size := utf8.DecodeRuneInString(text); {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`, 1
	case r == '\u2028': // Scripts take it for the end of a line.
		return `\u2028`, size
	case r == '\u2029':
		return `\u2029`, size
	default:
		return "", size
	}
}

package slack

import (
	"bytes"
	"encoding/hex"
)

// field returns the first value of a field in a posted form
// (https://url.spec.whatwg.org/#urlencoded-parsing), and whether it exists and is well-formed.
// A click consists almost entirely of one long value, which field decodes in one pass with one
// copy; [net/url.ParseQuery] needs two passes and two more copies.
func field(form []byte, name string) ([]byte, bool) {
	for pair := range bytes.SplitSeq(form, []byte("&")) {
		key, value, _ := bytes.Cut(pair, []byte("="))
		if key, ok := decoded(key); ok && string(key) == name {
			return decoded(value)
		}
	}
	return nil, false
}

// decoded decodes a name or a value in a form.
func decoded(spelled []byte) ([]byte, bool) {
	text := make([]byte, 0, len(spelled))
	for n := 0; n < len(spelled); n++ {
		switch ch := spelled[n]; ch {
		case '+':
			text = append(text, ' ')
		case '%':
			if n+2 >= len(spelled) {
				return nil, false
			}
			text = append(text, 0)
			if _, err := hex.Decode(text[len(text)-1:], spelled[n+1:n+3]); err != nil {
				return nil, false
			}
			n += 2
		case ';':
			return nil, false // Parsers disagree on whether it separates fields.
		default:
			text = append(text, ch)
		}
	}
	return text, true
}

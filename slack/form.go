package slack

import "bytes"

// field returns the first value of a field in a form as posted
// (https://url.spec.whatwg.org/#urlencoded-parsing), and whether it is there and spelled as
// it should be. A click is little but one long value, which this reads in one pass and one copy;
// [net/url.ParseQuery] makes two passes and the conversions before and behind it two more copies.
func field(form []byte, name string) ([]byte, bool) {
	for pair := range bytes.SplitSeq(form, []byte("&")) {
		key, value, _ := bytes.Cut(pair, []byte("="))
		if key, ok := decoded(key); ok && string(key) == name {
			return decoded(value)
		}
	}
	return nil, false
}

// decoded is the text that a name or a value in a form spells.
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
			high, low := hexDigit(spelled[n+1]), hexDigit(spelled[n+2])
			if high|low > 0xF {
				return nil, false
			}
			text = append(text, high<<4|low)
			n += 2
		case ';':
			return nil, false // To some it ends a value, to others it is part of one.
		default:
			text = append(text, ch)
		}
	}
	return text, true
}

// hexDigit is what a digit counts, 0xFF if it is none.
func hexDigit(ch byte) byte {
	switch {
	case '0' <= ch && ch <= '9':
		return ch - '0'
	case 'a' <= ch && ch <= 'f':
		return ch - 'a' + 10
	case 'A' <= ch && ch <= 'F':
		return ch - 'A' + 10
	}
	return 0xFF
}

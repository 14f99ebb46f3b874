package typed

import (
	"crypto/sha256"
	"strings"
)

// codeLength is the number of characters of a code: about a million codes, enough for the few open
// requests at one place.
const codeLength = 4

// codeLetters are the characters of codes. None look alike, and without vowels no code is a word.
const codeLetters = "23456789bcdfghjkmnpqrstvwxz"

// Code is the short code of a request, such as "k7qd", which its cards show. It identifies the request
// and proves nothing.
func Code(request string) string {
	sum := sha256.Sum256([]byte("code " + request))
	code := make([]byte, codeLength)
	for i := range code {
		code[i] = codeLetters[int(sum[i])%len(codeLetters)]
	}
	return string(code)
}

// CutCode removes one of these codes from the start of a text: "k7qd: yes" is "yes" for the request
// k7qd. Code is empty if there is none.
func CutCode(text string, codes ...string) (code, rest string) {
	first, rest, found := cutColon(text)
	if !found {
		return "", text
	}
	for _, code := range codes {
		if code != "" && fold(first) == code {
			return code, strings.TrimSpace(rest)
		}
	}
	return "", text
}

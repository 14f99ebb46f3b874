package typed

import (
	"crypto/sha256"
	"strings"
)

// codeLength is how many characters a code has: about a million of them, to tell
// apart the few requests that are open at one place.
const codeLength = 4

// codeLetters write codes: no two of them look alike, and there are no vowels, so
// that no code is a word.
const codeLetters = "23456789bcdfghjkmnpqrstvwxz"

// Code is the short code of a request, such as "k7qd". It is shown on cards and proves
// nothing: it says which request is meant.
func Code(request string) string {
	sum := sha256.Sum256([]byte("code " + request))
	code := make([]byte, codeLength)
	for i := range code {
		code[i] = codeLetters[int(sum[i])%len(codeLetters)]
	}
	return string(code)
}

// CutCode takes the code of one of these requests off the front of a text: "k7qd: yes"
// is "yes" to the request k7qd. Code is empty where none of theirs stands there.
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

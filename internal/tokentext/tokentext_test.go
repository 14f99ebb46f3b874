package tokentext

import (
	"regexp"
	"strings"
	"testing"
)

func TestTokenIsRecognized(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile("^" + Pattern + "$")
	seen := map[string]bool{}
	for range 1000 {
		text := New()
		if Check(text) != nil || !Is(text) || !pattern.MatchString(text) || seen[text] {
			t.Fatalf("%q is no token, or not the first one", text)
		}
		seen[text] = true
	}
}

// The format is for ever: what was made once has to pass.
func TestTokenFormatIsStable(t *testing.T) {
	t.Parallel()
	const text = "abk_0123456789ABCDEFGHIJKLMNOPQRSTUV"
	if got := text + checksum(text); got != "abk_0123456789ABCDEFGHIJKLMNOPQRSTUV"+"05HEP8" {
		t.Errorf("the token is written %s", got)
	}
}

func TestEveryWrongCharacterIsFound(t *testing.T) {
	t.Parallel()
	text := New()
	for at := len(Prefix); at < len(text); at++ {
		for _, c := range digits {
			if byte(c) != text[at] && Check(text[:at]+string(c)+text[at+1:]) == nil {
				t.Errorf("%q with %q at %d passes", text, c, at)
			}
		}
		if Check(text[:at]+text[at+1:]) == nil || Check(text[:at]) == nil {
			t.Errorf("%q without the character at %d, or cut off there, passes", text, at)
		}
	}
	for _, no := range []string{"", "abk_", "ABK" + text[3:], text + "0", " " + text, strings.Repeat("x", len(text)), text[:10] + "-" + text[11:]} {
		if Check(no) == nil {
			t.Errorf("%q passes", no)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(New())
	f.Add("abk_")
	f.Fuzz(func(t *testing.T, text string) {
		if Check(text) == nil && (!Is(text) || len(text) != 42) {
			t.Errorf("%q passes", text)
		}
	})
}

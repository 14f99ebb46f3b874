// Package tokentext defines the text form of askbridge tokens:
//
//	abk_ <32 characters, random> <6 characters, CRC-32 of all before them>
//
// The characters are base62, so that a double click selects the whole token and nothing needs escaping.
// The prefix lets secret scanners recognize tokens. The checksum finds truncated and mistyped tokens
// without a request. It gives no security: that comes from the 190 random bits.
package tokentext

import (
	"crypto/rand"
	"errors"
	"hash/crc32"
	"strings"
)

// Prefix begins each token.
const Prefix = "abk_"

// Pattern is a regular expression that finds tokens. [Check] confirms a match.
const Pattern = `abk_[0-9A-Za-z]{38}`

const (
	randoms   = 32
	checksums = 6
	digits    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ErrDamaged is the error for a token with an invalid checksum.
var ErrDamaged = errors.New("the token is damaged: its checksum does not fit, so characters are missing or wrong; copy it again")

// New generates a token.
func New() string {
	var b strings.Builder
	b.WriteString(Prefix)
	// A byte gives one digit. Bytes beyond the last full round are dropped, so that all digits are
	// equally likely.
	for some := make([]byte, randoms); b.Len() < len(Prefix)+randoms; {
		_, _ = rand.Read(some) // Never fails.
		for _, c := range some {
			if int(c) < 256/len(digits)*len(digits) && b.Len() < len(Prefix)+randoms {
				b.WriteByte(digits[int(c)%len(digits)])
			}
		}
	}
	return b.String() + checksum(b.String())
}

// Is reports whether a text has the prefix of a token.
func Is(text string) bool { return strings.HasPrefix(text, Prefix) }

// Check returns [ErrDamaged] for a text that is not a valid token.
func Check(text string) error {
	if len(text) != len(Prefix)+randoms+checksums || !Is(text) || strings.Trim(text[len(Prefix):], digits) != "" {
		return ErrDamaged
	}
	if body := text[:len(text)-checksums]; checksum(body) != text[len(body):] {
		return ErrDamaged
	}
	return nil
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	text := make([]byte, checksums)
	for n := range text {
		text[checksums-1-n] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}
	return string(text)
}

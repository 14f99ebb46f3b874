// Package tokentext is the written form of the tokens that askbridge makes:
//
//	abk_ <32 characters, random> <6 characters, CRC-32 of all before them>
//
// All are of base62, so that a double click takes the whole, and nothing of it has to
// be escaped anywhere. The prefix tells scanners of repositories and logs what they have
// found, and the checksum that it is no look-alike; it also finds a token that was cut off
// or mistyped without asking anybody. It is no protection: the 32 characters are, which
// hold 190 random bits.
package tokentext

import (
	"crypto/rand"
	"errors"
	"hash/crc32"
	"strings"
)

// Prefix begins every token.
const Prefix = "abk_"

// Pattern finds tokens in a text, as a regular expression. What it finds is one if
// [Check] agrees.
const Pattern = `abk_[0-9A-Za-z]{38}`

const (
	randoms   = 32
	checksums = 6
	digits    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ErrDamaged means that a text begins as a token does and is none.
var ErrDamaged = errors.New("the token is damaged: its checksum does not fit, so characters are missing or wrong; copy it again")

// New makes a token.
func New() string {
	var b strings.Builder
	b.WriteString(Prefix)
	// A byte stands for a digit; those beyond the last whole round are thrown away, so that no digit is likelier.
	for some := make([]byte, randoms); b.Len() < len(Prefix)+randoms; {
		_, _ = rand.Read(some) // It never fails.
		for _, c := range some {
			if int(c) < 256/len(digits)*len(digits) && b.Len() < len(Prefix)+randoms {
				b.WriteByte(digits[int(c)%len(digits)])
			}
		}
	}
	return b.String() + checksum(b.String())
}

// Is reports whether a text means to be a token of ours.
func Is(text string) bool { return strings.HasPrefix(text, Prefix) }

// Check returns [ErrDamaged] for a text that is no token as [New] makes them.
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

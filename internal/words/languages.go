package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Default is the language of whoever names none.
const Default = "en"

var tables = map[string]*Words{Default: &english, "de": &german, "es": &spanish}

// In returns the words of a language, as [Known] gives it. Any other is English.
func In(language string) *Words {
	if w, ok := tables[language]; ok {
		return w
	}
	if language == Pseudo {
		return pseudo()
	}
	return &english
}

// Languages are the languages that are spoken, by their ISO 639-1 codes.
func Languages() []string { return slices.Sorted(maps.Keys(tables)) }

// Known returns the language that a locale asks for, such as "de" for "de-AT" and "de_AT",
// or "" for one that is not spoken.
func Known(locale string) string {
	if locale == Pseudo {
		return Pseudo
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(locale), "_", "-"), "-")
	if _, ok := tables[code]; ok {
		return code
	}
	return ""
}

// Slot stands for something live in a text, the n-th from 0 of those that whoever laid it
// out has. No text of other people holds such a character: see [ask.Clean].
func Slot(n int) string { return string(rune(slotBase + n)) }

// slotBase is the first of the control characters that are slots, and slotLast the last.
const slotBase, slotLast = 0x01, 0x08

// Cut parts a text at its first slot. It reports false for a text without one.
func Cut(text string) (before string, slot int, after string, found bool) {
	i := strings.IndexFunc(text, func(r rune) bool { return r >= slotBase && r <= slotLast })
	if i < 0 {
		return text, 0, "", false
	}
	return text[:i], int(text[i]) - slotBase, text[i+1:], true
}

// Check returns an error that names the languages unless this is one, or empty.
func Check(language string) error {
	if _, ok := tables[language]; ok || language == "" {
		return nil
	}
	return fmt.Errorf("%q is no language of the cards: %s", language, strings.Join(Languages(), ", "))
}

// Reason words why a request ended, where the record gives a reason of its own and not
// somebody's words.
func (w *Words) Reason(reason string) string {
	var have, need int
	switch reason {
	case english.End.NobodyInTime:
		return w.End.NobodyInTime
	case english.End.Tie:
		return w.End.Tie
	}
	if n, err := fmt.Sscanf(reason, "quorum: %d of %d", &have, &need); n == 2 && err == nil && reason == english.End.Quorum(have, need) {
		return w.End.Quorum(have, need)
	}
	return reason
}

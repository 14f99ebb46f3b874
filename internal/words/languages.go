package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Default is the language if none is requested.
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

// Languages returns the supported languages as ISO 639-1 codes.
func Languages() []string { return slices.Sorted(maps.Keys(tables)) }

// Known returns the language that a locale asks for, such as "de" for "de-AT" and "de_AT",
// or "" if it is not supported.
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

// Slot returns a placeholder for the n-th value, from 0, that the layout inserts. Sanitized texts never contain such a
// character: see [ask.Clean].
func Slot(n int) string { return string(rune(slotBase + n)) }

// slotBase and slotLast are the first and the last control character used as a slot.
const slotBase, slotLast = 0x01, 0x08

// Cut splits a text at its first slot. It reports false if there is none.
func Cut(text string) (before string, slot int, after string, found bool) {
	i := strings.IndexFunc(text, func(r rune) bool { return r >= slotBase && r <= slotLast })
	if i < 0 {
		return text, 0, "", false
	}
	return text[:i], int(text[i]) - slotBase, text[i+1:], true
}

// Check returns an error that lists the languages, or nil if language is one of them or empty.
func Check(language string) error {
	if _, ok := tables[language]; ok || language == "" {
		return nil
	}
	return fmt.Errorf("%q is no language of the cards: %s", language, strings.Join(Languages(), ", "))
}

// The bridge's own reasons as requests store them and agents receive them. They do not change with the words on cards.
const (
	nobodyInTime = "nobody answered in time"
	tie          = "tie"
	quorum       = "quorum: %d of %d"
)

// Reason translates the bridge's own reasons for the end of a request and returns other reasons, which people typed,
// unchanged.
func (w *Words) Reason(reason string) string {
	switch reason {
	case nobodyInTime:
		return w.End.NobodyInTime
	case tie:
		return w.End.Tie
	}
	var have, need int
	if n, err := fmt.Sscanf(reason, quorum, &have, &need); n == 2 && err == nil && reason == say(quorum, have, need) {
		return w.End.Quorum(have, need)
	}
	return reason
}

package double

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/chatsim"
)

// Control is something a person can use.
type Control interface {
	fmt.Stringer
	// Named reports whether name is one of the control's ids.
	Named(name string) bool
	// Words returns the control's own visible text and the text above it.
	Words() (label, over string)
}

// Called reports whether people would call a control with this label by that name. A symbol or
// number before the words, as in "✓ Done" and "2. Berlin", and bidirectional isolates may be
// omitted.
func Called(label, name string) bool {
	sign, words, parted := strings.Cut(label, " ")
	if number, dotted := strings.CutSuffix(sign, "."); dotted {
		sign = strings.TrimLeft(number, "0123456789")
	}
	spoken := func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }
	return label == name || parted && strings.Trim(words, "\u2068\u2069") == name && !strings.ContainsFunc(sign, spoken)
}

// Seek finds the one matching control on the first face that has any. Each text in under must
// be above the control, its own text or its name. If several match, those count whose texts are
// whole lines.
func Seek[C Control](faces [][]C, under []string, fits func(C) bool) (C, error) {
	var there []string
	var none C
	for _, face := range faces {
		var found []C
		for _, c := range face {
			if fits(c) && isBelow(c, under, strings.Contains) {
				found = append(found, c)
			}
			there = append(there, c.String())
		}
		if len(found) > 1 {
			whole := func(over, text string) bool { return slices.Contains(strings.Split(over, "\n"), text) }
			if exact := slices.DeleteFunc(slices.Clone(found), func(c C) bool { return !isBelow(c, under, whole) }); len(exact) > 0 {
				found = exact
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return none, fmt.Errorf("%w: %v", chatsim.ErrAmbiguous, found)
		}
	}
	return none, fmt.Errorf("%w, there are: %s", chatsim.ErrNotThere, strings.Join(there, ", "))
}

// isBelow reports whether a control is below all of these texts.
func isBelow(c Control, under []string, holds func(over, text string) bool) bool {
	label, over := c.Words()
	return !slices.ContainsFunc(under, func(t string) bool { return !c.Named(t) && label != t && !holds(over, t) })
}

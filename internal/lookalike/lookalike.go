// Package lookalike compares texts by how they look. [Alike] is for names: texts that differ only in letter case, width,
// script or invisible characters are the same. [Look] is for labels shown next to each other, where case counts.
package lookalike

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// confusables maps characters to those they look like: the table of Unicode 17
// (https://www.unicode.org/Public/17.0.0/security/confusables.txt) without its comments, under the
// license in confusables.LICENSE.
//
//go:embed confusables.txt
var confusables string

var prototypes = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{}
	for line := range strings.Lines(confusables) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var to strings.Builder
		codes := strings.Fields(line)
		for _, code := range codes[1:] {
			to.WriteRune(runeOf(code))
		}
		all[runeOf(codes[0])] = to.String()
	}
	return all
})

func runeOf(code string) rune {
	n, err := strconv.ParseInt(code, 16, 32)
	if err != nil {
		panic("lookalike: the table of look-alikes is damaged: " + err.Error())
	}
	return rune(n)
}

// Shapes returns the skeletons of a text, as written and in one letter case. Texts with a common
// skeleton look alike apart from case, width or script. It returns nothing for an invisible text. See
// https://www.unicode.org/reports/tr39/#Confusable_Detection.
func Shapes(text string) []string {
	text = norm.NFKC.String(strings.ToValidUTF8(text, "\ufffd"))
	all := []string{skeleton(text), skeleton(cases.Fold().String(text))}
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

// Alike reports whether two texts look alike.
func Alike(a, b string) bool {
	shapes := Shapes(a)
	return slices.ContainsFunc(Shapes(b), func(s string) bool { return slices.Contains(shapes, s) })
}

// Look returns a skeleton that keeps letter case, superscripts and accents: texts with the same
// skeleton look alike in common fonts, such as "Deploy" with a Cyrillic "о", or "ls -l" and "ls -1".
// The caller removes invisible characters first; the tags of flag emoji count. See
// https://www.unicode.org/reports/tr39/#Confusable_Detection.
func Look(text string) string {
	return oneSpaced(prototype(width.Fold.String(text), func(r rune) bool { return ignorable(r) && !isTag(r) }))
}

// skeleton replaces characters by those they look like and removes invisible ones.
func skeleton(written string) string {
	return oneSpaced(cases.Fold().String(norm.NFD.String(prototype(written, ignorable))))
}

// prototype replaces characters by those they look like and removes those that drop selects.
func prototype(written string, drop func(rune) bool) string {
	var text strings.Builder
	for _, r := range norm.NFD.String(written) {
		if drop(r) {
			continue
		}
		if to, ok := prototypes()[r]; ok {
			text.WriteString(to)
		} else {
			text.WriteRune(r)
		}
	}
	return text.String()
}

// ignorable reports whether a character does not affect how a text looks.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isTag reports whether a character is part of the region in a flag emoji, such as the flag of
// Scotland. See https://www.unicode.org/reports/tr51/#valid-emoji-tag-sequences.
func isTag(r rune) bool { return r >= '\U000E0020' && r <= '\U000E007F' }

func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

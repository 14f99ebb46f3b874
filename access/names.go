package access

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// confusables says of characters which other ones they look like: the table of
// Unicode 17 (https://www.unicode.org/Public/17.0.0/security/confusables.txt)
// without its comments, under the licence in confusables.LICENSE.
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
		panic("access: the table of look-alikes is damaged: " + err.Error())
	}
	return rune(n)
}

// looks returns what a name looks like, as it is written and with its letters in
// one case: two names that share one of both cannot be told apart by a look, be
// it by case, width or script. It returns nothing for a name that cannot be seen.
// See https://www.unicode.org/reports/tr39/#Confusable_Detection.
func looks(name string) []string {
	name = norm.NFKC.String(strings.ToValidUTF8(name, "\ufffd"))
	all := []string{skeleton(name), skeleton(cases.Fold().String(name))}
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

// skeleton writes a name in the characters that it looks like. What is invisible
// is left out.
func skeleton(name string) string {
	var text strings.Builder
	for _, r := range norm.NFD.String(name) {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			continue
		}
		if to, ok := prototypes()[r]; ok {
			text.WriteString(to)
		} else {
			text.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFD.String(text.String()))), " ")
}

package typed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/askbridge/askbridge/ask"
)

// fold is a text as it is compared: what a reader sees of it, on one line, without
// case, as whichever keyboard would write it, and with each letter spelled in one way.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, norm.NFC.String(strings.Map(oneWidth, keyboards.Replace(ask.Line(text)))))
}

// plain is fold with "①" as "1" and "²" as "2": what people may mean by such a number
// (https://www.unicode.org/reports/tr15/#Canon_Compat_Equivalence).
func plain(text string) string { return fold(norm.NFKC.String(text)) }

// keyboards undoes what phones and word processors put in the place of what was typed: round
// quotation marks, long dashes, and one character for three dots.
var keyboards = strings.NewReplacer("‘", "'", "’", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "…", "...")

// oneWidth makes what keyboards of East Asia write as wide, or as narrow, as others write it:
// "２" is "2", and "ｶ" is "カ" (https://www.unicode.org/reports/tr11/).
func oneWidth(r rune) rune {
	if folded := width.LookupRune(r).Folded(); folded != 0 {
		return folded
	}
	return r
}

// cutColon parts a text at its first colon, of either width.
func cutColon(text string) (before, after string, found bool) {
	at := strings.IndexAny(text, ":：")
	if at < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[:at], text[at+size:], true
}

// cutNumber takes a number off the front of a line, as in "2: yes", "2. yes" and "2) yes", with
// whether there is a space between: without one a colon may belong to a time.
func cutNumber(line string) (n int, rest string, spaced, ok bool) {
	at := strings.IndexFunc(line, func(r rune) bool { return strings.ContainsRune(":.)", oneWidth(r)) })
	if at < 0 {
		return 0, "", false, false
	}
	mark, size := utf8.DecodeRuneInString(line[at:])
	rest = line[at+size:]
	next, _ := utf8.DecodeRuneInString(rest)
	spaced = unicode.IsSpace(next)
	if n, ok = ordinal(fold(line[:at])); !ok || !spaced && oneWidth(mark) != ':' {
		return 0, "", false, false
	}
	return n, strings.TrimSpace(rest), spaced, true
}

// named reports whether a label, folded, has that number in it, or that letter as its first or
// last word: whoever types it may mean the label as well as its place in the list.
func named(label, said string) bool {
	if _, number := ordinal(said); number {
		runs := strings.FieldsFunc(label, func(r rune) bool { return !unicode.IsDigit(r) })
		for _, run := range runs {
			if strings.TrimLeft(run, "0") == said {
				return true
			}
		}
		return false
	}
	words := strings.FieldsFunc(label, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	return len(words) > 0 && (words[0] == said || words[len(words)-1] == said)
}

package typed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/askbridge/askbridge/ask"
)

// fold normalizes a text for comparison: what a reader sees, on one line, without case, independent of
// the keyboard, and in one Unicode form.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, norm.NFC.String(strings.Map(oneWidth, keyboards.Replace(ask.Line(text)))))
}

// plain is fold that also maps "①" to "1" and "²" to "2", which may mean that number
// (https://www.unicode.org/reports/tr15/#Canon_Compat_Equivalence).
func plain(text string) string { return fold(norm.NFKC.String(text)) }

// keyboards reverts the replacements of phones and word processors: curly quotes, long dashes, and the
// ellipsis.
var keyboards = strings.NewReplacer("‘", "'", "’", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "…", "...")

// oneWidth maps full-width and half-width characters of East Asian keyboards to their usual form: "２"
// to "2", and "ｶ" to "カ" (https://www.unicode.org/reports/tr11/).
func oneWidth(r rune) rune {
	if folded := width.LookupRune(r).Folded(); folded != 0 {
		return folded
	}
	return r
}

// cutColon splits a text at its first colon of either width.
func cutColon(text string) (before, after string, found bool) {
	at := strings.IndexAny(text, ":：")
	if at < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[:at], text[at+size:], true
}

// cutNumber removes a number from the start of a line, as in "2: yes", "2. yes" and "2) yes". It
// reports whether a space follows: without one a colon may belong to a time.
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

// named reports whether a folded label contains that number, or has that letter as its first or last
// word. Someone who types it may mean the label or its position.
func named(label, text string) bool {
	if _, number := ordinal(text); number {
		runs := strings.FieldsFunc(label, func(r rune) bool { return !unicode.IsDigit(r) })
		for _, run := range runs {
			if strings.TrimLeft(run, "0") == text {
				return true
			}
		}
		return false
	}
	words := strings.FieldsFunc(label, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	return len(words) > 0 && (words[0] == text || words[len(words)-1] == text)
}

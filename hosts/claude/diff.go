package claude

import (
	"slices"
	"strings"
)

// around is how many unchanged lines stand around a change.
const around = 2

// Diff shows what changes between two texts, line by line; nothing when they are
// the same.
func Diff(before, after []byte) string {
	a, b := lines(before), lines(after)
	lines := compare(a, b)
	near := make([]bool, len(lines))
	for n, l := range lines {
		if l[0] != ' ' {
			for k := max(0, n-around); k < min(len(lines), n+around+1); k++ {
				near[k] = true
			}
		}
	}
	var out strings.Builder
	for n, l := range lines {
		switch {
		case near[n]:
			out.WriteString(l + "\n")
		case n > 0 && near[n-1]:
			out.WriteString(" …\n")
		}
	}
	return out.String()
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// compare returns every line of both with a sign in front, by the longest
// common subsequence.
func compare(a, b []string) []string {
	common := make([][]int, len(a)+1)
	for n := range common {
		common[n] = make([]int, len(b)+1)
	}
	for n, left := range slices.Backward(a) {
		for m, right := range slices.Backward(b) {
			if left == right {
				common[n][m] = common[n+1][m+1] + 1
				continue
			}
			common[n][m] = max(common[n+1][m], common[n][m+1])
		}
	}
	var out []string
	n, m := 0, 0
	for n < len(a) && m < len(b) {
		switch {
		case a[n] == b[m]:
			out = append(out, " "+a[n])
			n, m = n+1, m+1
		case common[n+1][m] >= common[n][m+1]:
			out = append(out, "-"+a[n])
			n++
		default:
			out = append(out, "+"+b[m])
			m++
		}
	}
	return slices.Concat(out, prefixed("-", a[n:]), prefixed("+", b[m:]))
}

func prefixed(sign string, lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, sign+l)
	}
	return out
}

// Package spelling suggests the intended word for a typo.
package spelling

import "strings"

// Nearest returns the word closest to a misspelled one, or nothing if none is close. The words are in
// lowercase.
func Nearest(word string, words []string) string {
	best, least := "", len(word)/3+1
	for _, known := range words {
		if n := distance(strings.ToLower(word), known); n <= least {
			best, least = known, n-1
		}
	}
	return best
}

// Slip is [Nearest] with at most one different letter in five, and at most two. Shorter words are
// similar to too many others.
func Slip(word string, words []string) string {
	near := Nearest(word, words)
	if distance(strings.ToLower(word), near) > min(2, len(word)/5) {
		return ""
	}
	return near
}

// distance is the edit distance of two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

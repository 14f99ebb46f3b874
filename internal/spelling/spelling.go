// Package spelling finds the word that was meant where somebody has mistyped one.
package spelling

import "strings"

// Nearest returns the word that is spelled nearly as this one, ours in small letters; nothing where none is near.
func Nearest(word string, words []string) string {
	best, least := "", len(word)/3+1
	for _, known := range words {
		if n := distance(strings.ToLower(word), known); n <= least {
			best, least = known, n-1
		}
	}
	return best
}

// Slip returns the word of which this one is a slip: as [Nearest], where no more than one letter in five differs, and two
// at most. Shorter words are near too many others to tell.
func Slip(word string, words []string) string {
	near := Nearest(word, words)
	if distance(strings.ToLower(word), near) > min(2, len(word)/5) {
		return ""
	}
	return near
}

// distance is the number of letters to change, add or take away between two words.
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

package words_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/askbridge/askbridge/internal/words"
)

// maxWords is the length of a line that people take in at once.
const maxWords = 12

// clauses match words that start a subordinate clause, by language. English "that" starts one only within a sentence,
// and a German pronoun only after a comma.
var clauses = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)\b(who|whom|whose|whoever|which|because|if|since|until|while|where|when|whether|although|unless)\b|[a-z,:] that\b`),
	"de": regexp.MustCompile(`(?i)\b(dass|weil|wenn|ob|obwohl|damit|sobald|solange|falls|während|bis|seit|wer)\b|, (der|die|das|den|dem|deren|dessen|was|wo|welche[rsmn]?) `),
	"es": regexp.MustCompile(`(?i)\b(que|porque|si|cuando|aunque|quien|quienes|donde|mientras|hasta|desde)\b`),
}

// prepositions are the texts in which since and until, or their translations, come before a time or a noun.
var prepositions = map[string]bool{
	"Vote.Hidden": true, "Schedule.Claim": true, "Schedule.Since": true, "End.UndoableUntil": true, "Voted.Changeable": true,
	"Closed.Late": true, "Closed.Expired": true,
}

// The bridge's own texts are easy to read in each language: short lines, one thought each.
func TestTextsAreShortAndSimple(t *testing.T) {
	t.Parallel()
	for _, language := range words.Languages() {
		if clauses[language] == nil {
			t.Fatalf("no list of the words that start a subordinate clause in %q", language)
		}
		texts(words.In(language), func(name, text string, _ []string) {
			for line := range strings.SplitSeq(text, "\n") {
				if n := wordsIn(line); n > maxWords {
					t.Errorf("%s: %s has a line of %d words, at most %d: %q", language, name, n, maxWords, line)
				}
			}
			if found := clauses[language].FindString(text); found != "" && !prepositions[name] {
				t.Errorf("%s: %s has a subordinate clause, after %q: %q", language, name, found, text)
			}
		})
	}
}

// wordsIn counts the words of a line. A parameter is one word.
func wordsIn(line string) int {
	n := 0
	for field := range strings.FieldsSeq(line) {
		if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsControl(r) }) {
			n++
		}
	}
	return n
}

package typed

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// words are the words with a meaning in one language. They match as complete texts.
type words struct {
	yes, no []string
	// skip skips an optional question, and other begins free text.
	skip, other []string
}

// tables are the words of each language by its ISO 639-1 code. The languages of cards have all of them;
// hints show the first of each.
var tables = map[string]words{
	DefaultLanguage: {yes: []string{"yes", "y"}, no: []string{"no", "n"}, skip: []string{"skip"}, other: []string{"other"}},
	"de": {
		yes: []string{"ja", "j"}, no: []string{"nein", "n"},
		skip: []string{"überspringen"}, other: []string{"andere", "anderes", "andere antwort"},
	},
	"es": {
		yes: []string{"sí", "si", "s"}, no: []string{"no", "n"},
		skip: []string{"omitir", "saltar"}, other: []string{"otra", "otro", "otra respuesta"},
	},
	"fr": {yes: []string{"oui", "o"}, no: []string{"non", "n"}},
	"pt": {yes: []string{"sim", "s"}, no: []string{"não", "nao", "n"}},
	"it": {yes: []string{"sì", "si", "s"}, no: []string{"no", "n"}},
	"ja": {yes: []string{"はい"}, no: []string{"いいえ"}},
	"zh": {yes: []string{"是", "是的"}, no: []string{"否", "不是"}},
	"ko": {yes: []string{"네", "예"}, no: []string{"아니요", "아니오"}},
}

// DefaultLanguage is the language whose words always count.
const DefaultLanguage = "en"

// SkipSign skips an optional question in every language, also one that is answered with free text,
// where any word may be the answer.
const SkipSign = "-"

// Skip returns the word that skips an optional question in a language.
func Skip(language string) string { return tell(language).skip[0] }

// Other returns the word that begins free text.
func Other(language string) string { return tell(language).other[0] }

// tell returns the words that hints show.
func tell(language string) words {
	if w := tables[language]; len(w.skip) > 0 {
		return w
	}
	return tables[DefaultLanguage]
}

// counts reports whether a text is one of these words in English or a language of the rule.
func (r Rule) counts(text string, which func(words) []string) bool {
	return slices.ContainsFunc(append([]string{DefaultLanguage}, r.Languages...), func(language string) bool {
		return slices.Contains(which(tables[language]), text)
	})
}

func yesWords(w words) []string   { return w.yes }
func noWords(w words) []string    { return w.no }
func skipWords(w words) []string  { return w.skip }
func otherWords(w words) []string { return w.other }

// sides returns which option of a question means yes and which no. It reports false unless there are
// exactly two options with such labels in any language.
func sides(q ask.Question) (yes, no int, ok bool) {
	if len(q.Options) != 2 || q.MultiSelect {
		return 0, 0, false
	}
	yes, no = -1, -1
	for i, o := range q.Options {
		for _, w := range tables {
			if slices.Contains(w.yes, fold(o.Label)) {
				yes = i
			}
			if slices.Contains(w.no, fold(o.Label)) {
				no = i
			}
		}
	}
	return yes, no, yes >= 0 && no >= 0 && yes != no
}

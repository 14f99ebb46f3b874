package typed

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// words are what means something in one language, as whole texts.
type words struct {
	yes, no []string
	// skip leaves an optional question out, and other begins text of one's own.
	skip, other []string
}

// tables are the words of every language that is known, by its ISO 639-1 code. Those that
// cards are in have all of them: the first of each is the one that people are told.
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

// DefaultLanguage is the one whose words count everywhere.
const DefaultLanguage = "en"

// SkipSign leaves an optional question out in every language, also one that is answered in
// words of one's own, where any word may be the answer.
const SkipSign = "-"

// Skip is what people can type in a language to leave an optional question out.
func Skip(language string) string { return tell(language).skip[0] }

// Other is what begins text of their own.
func Other(language string) string { return tell(language).other[0] }

// tell are the words that people are told of in a language.
func tell(language string) words {
	if w := tables[language]; len(w.skip) > 0 {
		return w
	}
	return tables[DefaultLanguage]
}

// counts reports whether a text is one of these words in a language that counts: English,
// or one that the rule names.
func (r Rule) counts(text string, which func(words) []string) bool {
	return slices.ContainsFunc(append([]string{DefaultLanguage}, r.Languages...), func(language string) bool {
		return slices.Contains(which(tables[language]), text)
	})
}

func yesWords(w words) []string   { return w.yes }
func noWords(w words) []string    { return w.no }
func skipWords(w words) []string  { return w.skip }
func otherWords(w words) []string { return w.other }

// sides tells which option of a question stands for yes and which for no. It reports
// false unless there are two options and their labels are such words, of whichever
// language.
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

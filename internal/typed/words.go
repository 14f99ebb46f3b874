package typed

import (
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// words are what stands for yes and for no in one language, as whole texts.
type words struct{ yes, no []string }

// tables are the words of every language that is known, by its ISO 639-1 code.
var tables = map[string]words{
	"en": {[]string{"yes", "y"}, []string{"no", "n"}},
	"de": {[]string{"ja", "j"}, []string{"nein", "n"}},
	"fr": {[]string{"oui", "o"}, []string{"non", "n"}},
	"es": {[]string{"sí", "si", "s"}, []string{"no", "n"}},
	"pt": {[]string{"sim", "s"}, []string{"não", "nao", "n"}},
	"it": {[]string{"sì", "si", "s"}, []string{"no", "n"}},
	"ja": {[]string{"はい"}, []string{"いいえ"}},
	"zh": {[]string{"是", "是的"}, []string{"否", "不是"}},
	"ko": {[]string{"네", "예"}, []string{"아니요", "아니오"}},
}

// DefaultLanguage is the language of a request that names none.
const DefaultLanguage = "en"

// Languages are the codes of the languages whose words for yes and no are known.
func Languages() []string { return slices.Sorted(maps.Keys(tables)) }

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

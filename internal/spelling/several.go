package spelling

import (
	"slices"
	"strings"
)

// severalNames are the names by which agent hosts and models call the flag for questions of which people may pick several
// options: multiSelect (Claude, Gemini, Qwen, VS Code, Spring AI), multi_select (Kimi), multiple (OpenCode) and
// allowMultiple (Cursor), and what models make of those. They are in small letters, without separators.
var severalNames = []string{
	"multiselect", "multiple", "allowmultiple", "multi", "multiselection", "multipleselect", "multipleselection", "selectmultiple",
	"allowmultiselect", "allowmultipleselection", "allowmultipleselections", "allowmultipleanswers", "ismultiselect", "ismultiple",
}

// Several reports whether a member's name is one of those of a flag that lets people pick several options. It ignores case
// and separators.
func Several(name string) bool { return slices.Contains(severalNames, fold(name)) }

// severalKinds are values of a member such as "type" that mean the same.
var severalKinds = []string{"multiselect", "multiple", "multi", "multichoice", "multiselection", "checkbox", "checkboxes"}

// SeveralKind reports whether a kind of question is one of which people may pick several options. It ignores case and
// separators. "multiple choice" is not such a kind: it commonly means that there are several options, of which people
// pick one.
func SeveralKind(kind string) bool { return slices.Contains(severalKinds, fold(kind)) }

// MultipleChoice reports whether a member's name, or a kind of question, is "multiple choice", which may mean one option
// or several.
func MultipleChoice(word string) bool {
	word = fold(word)
	return word == "multiplechoice" || word == "multiplechoices"
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(word string) string { return separators.Replace(strings.ToLower(word)) }

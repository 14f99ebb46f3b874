package dialect

import (
	"encoding/json"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/spelling"
)

// kindMembers are members whose value may say that people can pick several options, by hosts that have no such member.
var kindMembers = []string{"type", "kind", "mode", "questionType", "question_type", "inputType", "input_type", "selection", "selectionMode", "selection_mode", "selectionType", "selection_type"}

// several reads whether people may pick several options. A host that knows this by another name would ask for one, so the
// names of all hosts are read, and whatever may mean several and is not read is reported.
func (c *call) several(it *item, f fields, sub func(string) string) {
	var said string // The member that was read first.
	read := func(name string, is bool) {
		if said != "" && is != it.multi {
			c.badAt(sub(name), ask.ErrSyntax, "contradicts %s; send one of them", said)
			return
		}
		it.multi = is
		if said == "" {
			said = name
		}
	}
	own := it.shape.multi
	for _, name := range own {
		if v := f.take(name); !missing(v) {
			read(name, c.flag(sub(name), v))
		}
	}
	for _, name := range sortedKeys(f) {
		kind := ""
		if slices.Contains(kindMembers, name) {
			kind, _ = plainText(f[name])
		}
		flag := spelling.Several(name)
		unclear := spelling.MultipleChoice(name)
		if (flag || unclear) && missing(f[name]) {
			continue
		}
		is := spelling.SeveralKind(kind) || (flag || unclear) && c.flag(sub(name), f[name])
		unclear = unclear && is || spelling.MultipleChoice(kind) && said == ""
		switch {
		case len(own) == 0 && is:
			c.odd(sub(name), ask.ErrSyntax, "was ignored: people pick one option of this question")
		case len(own) > 0 && unclear:
			c.odd(sub(name), ask.ErrSyntax, "may mean one option or several, and was ignored; send %s to let people pick several", own[0])
		case len(own) > 0 && (flag || is):
			c.odd(sub(name), ask.ErrSyntax, "was read as %s", own[0])
			read(name, is)
		default:
			continue // It is listed with the members that mean nothing.
		}
		f.take(name)
	}
}

// severalKeywords reports a flag of a form's property that would let people pick several options elsewhere. In a JSON schema
// the type says so.
func (c *call) severalKeywords(at string, text json.RawMessage, p property) {
	keywords := members(text)
	for _, name := range sortedKeys(keywords) {
		if p.Type != "array" && spelling.Several(name) && string(keywords[name]) == "true" {
			c.odd(at+"."+name, ask.ErrSyntax, "is not a keyword of a JSON schema; it was ignored. Use the type array to let people pick several")
		}
	}
}

package question

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/internal/spelling"
)

// kindMembers are members whose value may ask for several options, in inputs for hosts without such a member.
var kindMembers = []string{"type", "kind", "mode", "questionType", "question_type", "inputType", "input_type", "selection", "selectionMode", "selection_mode", "selectionType", "selection_type"}

// several reads whether people may pick several options. Models mix up the names that hosts use for this, so the names of all
// hosts are read. A member that may mean several options but is not read is reported.
func (s *Set) several(it *Item, f js.Fields, sub func(string) string) {
	var first string // The member that was read first.
	read := func(name string, is bool) {
		if first != "" && is != it.Multi {
			s.Reject(sub(name), ask.ErrSyntax, "contradicts %s; send one of them", first)
			return
		}
		it.Multi = is
		if first == "" {
			first = name
		}
	}
	own := it.Shape.Multi
	for _, name := range own {
		if v := f.Take(name); !js.Missing(v) {
			read(name, s.Flag(sub(name), v))
		}
	}
	for _, name := range js.Keys(f) {
		kind := ""
		if slices.Contains(kindMembers, name) {
			kind, _ = js.StringOf(f[name])
		}
		flag := spelling.Several(name)
		unclear := spelling.MultipleChoice(name)
		if (flag || unclear) && js.Missing(f[name]) {
			continue
		}
		is := spelling.SeveralKind(kind) || (flag || unclear) && s.Flag(sub(name), f[name])
		unclear = unclear && is || spelling.MultipleChoice(kind) && first == ""
		switch {
		case len(own) == 0 && is:
			s.Tolerate(sub(name), ask.ErrSyntax, "was ignored: people pick one option of this question")
		case len(own) > 0 && unclear:
			s.Tolerate(sub(name), ask.ErrSyntax, "may mean one option or several, and was ignored; send %s to let people pick several", own[0])
		case len(own) > 0 && (flag || is):
			s.Tolerate(sub(name), ask.ErrSyntax, "was read as %s", own[0])
			read(name, is)
		default:
			continue // Rest reports it as unknown.
		}
		f.Take(name)
	}
}

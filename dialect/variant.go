package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Variants returns the names that [Options.Vary] knows, each a way in which a
// call may differ from what the host's documents say.
//
//	strict     refuse what is otherwise accepted with advice
//	released   follow the host's released code where it differs from its documents
//	partial    let people skip questions, where the host's form can leave them out
//	notes      let people write notes, where the host's form has a place for them
func Variants() []string { return []string{"strict", "released", "partial", "notes"} }

// Vary turns the named variants on. Its error is an [*ask.InvalidError] that names
// each name nobody knows, and then nothing is changed.
func (o *Options) Vary(names ...string) error {
	var wrong []ask.Problem
	for n, name := range names {
		if !slices.Contains(Variants(), name) {
			wrong = append(wrong, ask.Problem{
				Path: fmt.Sprintf("variant[%d]", n), Kind: ask.ErrSyntax,
				Detail: fmt.Sprintf("there is no variant %q; there are %s", brief(name), strings.Join(Variants(), ", ")),
			})
		}
	}
	if wrong != nil {
		return &ask.InvalidError{Problems: wrong}
	}
	o.Strict = o.Strict || slices.Contains(names, "strict")
	o.Released = o.Released || slices.Contains(names, "released")
	o.Partial = o.Partial || slices.Contains(names, "partial")
	o.Notes = o.Notes || slices.Contains(names, "notes")
	return nil
}

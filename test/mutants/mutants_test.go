package mutants

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/test/faults"
)

// root is where the module begins.
const root = "../.."

// rows is the package of the fault suite.
const rows = "test/faults"

// mutant is one way to break the program.
type mutant struct {
	name  string
	edits []edit
	// killers are the tests that notice. All of them have to.
	killers []killer
}

// edit replaces a text of a file, which has to be there exactly once.
type edit struct{ file, old, becomes string }

// sources are the edits as they are laid over the sources.
func (m mutant) sources() []faults.Edit {
	var all []faults.Edit
	for _, e := range m.edits {
		all = append(all, faults.Edit{File: e.file, Old: e.old, Becomes: e.becomes})
	}
	return all
}

// killer is a test that fails, and what it says then.
type killer struct {
	where string // a directory of the module
	test  string // its name, with those of its subtests
	says  string // part of what it prints
}

// TestEveryMutantFitsTheCode keeps the list in step with the code: whoever moves
// a line that a mutant changes learns of it here, and not in the long run.
func TestEveryMutantFitsTheCode(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if err := faults.Compile(faults.Edited(t, m.sources())); err != nil {
				t.Errorf("nothing is broken by what does not compile: %v", err)
			}
			for _, k := range m.killers {
				if _, err := os.Stat(filepath.Join(root, k.where)); err != nil {
					t.Error(err)
				}
			}
		})
		if names[m.name] || len(m.edits) == 0 || len(m.killers) == 0 {
			t.Errorf("%q is there twice, changes nothing or is held to nothing", m.name)
		}
		names[m.name] = true
	}
}

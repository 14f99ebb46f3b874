package mutants

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/test/faults"
)

// rows is the package of the fault suite.
const rows = "test/faults"

// TestEveryMutantFitsTheCode keeps the list in step with the code: every operator finds its place, and
// what it leaves compiles.
func TestEveryMutantFitsTheCode(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			files, err := m.sources()
			if err == nil {
				err = faults.Compile(files)
			}
			if err != nil {
				t.Error(err)
			}
			for _, k := range m.killers {
				if _, err := os.Stat(filepath.Join(root, k.where)); err != nil {
					t.Error(err)
				}
			}
		})
		if names[m.name] || len(m.changes) == 0 || len(m.killers) == 0 {
			t.Errorf("%q occurs twice, changes nothing or names no test", m.name)
		}
		names[m.name] = true
	}
}

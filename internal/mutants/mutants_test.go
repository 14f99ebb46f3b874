package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is where the module begins.
const root = "../.."

// rows is the package of the fault suite. Its tests run the program as it is
// built for them, so they are compiled once, and only the program is mutated.
const rows = "internal/faults"

// mutant is one way to break the program.
type mutant struct {
	name  string
	edits []edit
	// killers are the tests that notice. All of them have to.
	killers []killer
}

// edit replaces a text of a file, which has to be there exactly once.
type edit struct{ file, old, becomes string }

// killer is a test that fails, and what it says then.
type killer struct {
	where string // a directory of the module
	test  string // its name, with those of its subtests
	says  string // part of what it prints
}

// apply returns what the file contains with the edit.
func (e edit) apply(t *testing.T, content string) string {
	t.Helper()
	if n := strings.Count(content, e.old); n != 1 {
		t.Fatalf("%s has this %d times, want once:\n%s", e.file, n, e.old)
	}
	if e.becomes == e.old {
		t.Fatalf("%s stays as it is", e.file)
	}
	return strings.Replace(content, e.old, e.becomes, 1)
}

// mutated is what each file contains that the mutant changes.
func (m mutant) mutated(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, e := range m.edits {
		if _, known := files[e.file]; !known {
			data, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				t.Fatal(err)
			}
			files[e.file] = string(data)
		}
		files[e.file] = e.apply(t, files[e.file])
	}
	return files
}

// TestEveryMutantFitsTheCode keeps the list in step with the code: whoever moves
// a line that a mutant changes learns of it here, and not in the long run.
func TestEveryMutantFitsTheCode(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m.mutated(t)
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

package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/test/doctortest"
)

// With max_lag an unwritable copy makes the bridge refuse requests minutes after its start, which doctor
// once did not find.
func TestUnwritableAuditCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		state doctor.State
		text  string
	}{
		"there.jsonl":    {doctor.OK, "can be written"},
		"new.jsonl":      {doctor.OK, "can be created"},
		"no/such/folder": {doctor.Broken, "cannot create a file in"},
		"":               {doctor.Broken, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := doctortest.Calm(t)
			cfg.Audit.File = filepath.Join(dir, name)
			doctortest.Finds(t, doctortest.Examine(t, cfg), "audit/file", want.state, want.text)
		})
	}
}

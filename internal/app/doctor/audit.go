package doctor

import (
	"errors"
	"os"

	"github.com/askbridge/askbridge/internal/app/config"
)

// examineAudit looks whether the copy of the audit trail in a file can be written, and writes
// nothing there.
func examineAudit(r *Report, cfg config.Audit) {
	const id = "audit/file"
	if cfg.File == "" {
		return
	}
	probe, err := os.OpenFile(cfg.File, os.O_APPEND|os.O_WRONLY, 0)
	switch {
	case err == nil:
		_ = probe.Close() // Nothing was written.
		r.OK(id, "%s can be written", cfg.File)
	case errors.Is(err, os.ErrNotExist):
		examineFolder(r, id, cfg.File)
	default:
		r.Add(id, Broken, "Let the user that runs askbridge write the file.", "cannot write %s: %v", cfg.File, bare(err))
	}
}

package doctor

import (
	"errors"
	"os"

	"github.com/askbridge/askbridge/internal/app/config"
)

// examineAudit checks whether the audit trail's file can be written, without writing.
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

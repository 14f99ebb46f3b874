package state

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Retention of files that are never removed explicitly: a day longer than the request's
// deadline, or than the longest possible one.
const (
	FilesLife   = 24 * time.Hour
	LongestLife = ask.MaxExpiresIn + FilesLife
)

// ErrAltered means that a stored text differs from the submitted one.
var ErrAltered = errors.New("bridge: a stored file is not the one that was handed in")

// Files keeps the files of requests until they are uploaded.
type Files struct {
	Store storage.Files
	Log   *slog.Logger
}

// Keep stores the files of a request that is about to be stored.
func (fs *Files) Keep(ctx context.Context, r *record.Record, req *ask.Request) error {
	life := LongestLife
	if req.ExpiresIn > 0 {
		life = req.ExpiresIn + FilesLife
	}
	for n, f := range req.Files {
		if err := fs.Store.Keep(ctx, r.Tenant, r.ID, r.Files[n].SHA256, f.Text, life); err != nil {
			return fmt.Errorf("bridge: submit: keep a file: %w", err)
		}
	}
	return nil
}

// Read returns the files of a request and verifies their digests.
func (fs *Files) Read(ctx context.Context, r *record.Record) ([]ask.File, error) {
	all := make([]ask.File, len(r.Files))
	for n, a := range r.Files {
		text, err := fs.Store.Read(ctx, r.Tenant, r.ID, a.SHA256, a.Bytes)
		if err != nil {
			return nil, fmt.Errorf("bridge: read a file: %w", err)
		}
		all[n] = ask.File{Name: a.Name, Text: text, Unshown: a.Unshown}
		if all[n].Attachment() != a {
			return nil, ErrAltered
		}
	}
	return all, nil
}

// Forget removes the files of an ended request. If it fails, they expire.
func (fs *Files) Forget(ctx context.Context, r *record.Record) {
	if fs.Store == nil {
		return
	}
	if err := fs.Store.Forget(ctx, r.Tenant, r.ID, ""); err != nil {
		fs.Log.Warn("files of an ended request not removed yet", "request_id", r.ID, "error", err)
	}
}

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

// How long texts are kept if nobody comes to forget them when the request ends: a while
// longer than its deadline, or than the latest there can be.
const (
	FilesLife   = 24 * time.Hour
	LongestLife = ask.MaxExpiresIn + FilesLife
)

// errAltered means that a text is not the one that was handed in.
var ErrAltered = errors.New("bridge: a stored file is not the one that was handed in")

// files keeps what is uploaded below cards until it is.
type Files struct {
	Store storage.Files
	Log   *slog.Logger
}

// keep keeps the files of a request that is about to be stored.
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

// read returns the files of a request, each of them as it was handed in.
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

// forget removes the texts of a request that has ended. What is left behind by a fault goes
// when its time is over.
func (fs *Files) Forget(ctx context.Context, r *record.Record) {
	if fs.Store == nil {
		return
	}
	if err := fs.Store.Forget(ctx, r.Tenant, r.ID, ""); err != nil {
		fs.Log.Warn("files of an ended request not removed yet", "request_id", r.ID, "error", err)
	}
}

package app

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/store/file"
)

// backup returns the function that copies the store while it is in use, one copy at a time; nil unless the store is a file
// and the configuration names one for the copy.
func (a *App) backup() func(ctx context.Context, by string) (*client.Backup, error) {
	f, isFile := a.stored.(*file.Store)
	if !isFile || a.cfg.Store.Backup == "" {
		return nil
	}
	var copying sync.Mutex
	return func(ctx context.Context, by string) (*client.Backup, error) {
		copying.Lock()
		defer copying.Unlock()
		path, err := filepath.Abs(a.cfg.Store.Backup)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		size, err := f.Copy(ctx, path)
		if err != nil {
			a.log.Error("store not copied", "by", by, "error", err)
			return nil, err
		}
		a.log.Info("store copied", "by", by, "file", path, "bytes", size, "took", time.Since(start).Round(time.Millisecond))
		return &client.Backup{File: path, Size: size}, nil
	}
}

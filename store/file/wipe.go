package file

import (
	"errors"
	"fmt"
	"os"
)

// wipeShare is how many pages one call of [Store.Wipe] looks at: 32 MiB of most files.
const wipeShare = 8192

// Wipe writes zeros over the free ones among a share of the pages of the file, from one on:
// what was deleted or written anew stands there until something else does. It returns where to
// go on, zero at the end. The store may be in use; it stands still for the time of a share.
func (f *Store) Wipe(from int) (next int, err error) {
	to, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return from, fmt.Errorf("store: wipe: %w", err)
	}
	next, err = f.wipe(to, from)
	if err = errors.Join(closed(err), to.Sync(), to.Close()); err != nil {
		return from, fmt.Errorf("store: wipe %s: %w", f.path, err)
	}
	return next, nil
}

func (f *Store) wipe(to *os.File, from int) (next int, err error) {
	tx, err := f.db.Begin(true)
	if err != nil {
		return from, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }() // It has written nothing.
	// Whoever reads may do so in pages that have become free since. Whoever reads later does not.
	f.reading.Lock()
	defer f.reading.Unlock()
	zeros := make([]byte, f.db.Info().PageSize)
	for n := from; n < from+wipeShare; n++ {
		page, err := tx.Page(n)
		if err != nil || page == nil {
			return 0, err
		}
		if page.Type != "free" {
			continue
		}
		if _, err := to.WriteAt(zeros, int64(n)*int64(len(zeros))); err != nil {
			return from, err
		}
	}
	return from + wipeShare, nil
}

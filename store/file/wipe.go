package file

import (
	"errors"
	"fmt"
	"os"
)

// wipeShare is the number of pages per call of [Store.Wipe]: usually 32 MiB.
const wipeShare = 8192

// Wipe overwrites the free pages among the next pages of the file with zeros, since they may contain deleted
// data. It returns the next page, zero at the end. The store may be in use; writes block during the call.
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
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	// Running read transactions may still use pages that are free now. Later ones do not.
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

package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// A failing disk damages pages, and so does a copy made while the file is in use.
func TestDamagedPageIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, want := filled(t, filepath.Join(dir, "whole.db"), 60)
	page := os.Getpagesize()
	reported := 0
	for at := 2 * page; at < len(data); at += page {
		path := filepath.Join(dir, fmt.Sprintf("damaged%d.db", at/page)) // A file that failed to open stays locked until the process exits.
		bad := append([]byte(nil), data...)
		clear(bad[at : at+page])
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, err := range uses(t, path, want) {
			if err == nil {
				continue
			}
			reported++
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "restore it from a backup") {
				t.Errorf("page %d: %v, want an error that names the file and what to do", at/page, err)
			}
		}
	}
	if reported < 10 {
		t.Errorf("%d errors reported, want at least 10", reported)
	}
}

// uses opens a file and calls every method of it once.
func uses(t *testing.T, path string, records map[string]record.Record) (all []error) {
	t.Helper()
	defer func() {
		if wrong := recover(); wrong != nil {
			all = append(all, fmt.Errorf("it panics: %v", wrong))
		}
	}()
	f, err := Open(path, nil)
	if err != nil {
		return []error{err}
	}
	defer f.Close()
	f.db.NoSync = true
	do := func(_ any, err error) { all = append(all, err) }
	do(f.Scan(t.Context(), storage.Scan{Limit: len(records)}))
	do(f.Scan(t.Context(), storage.Scan{Limit: len(records), Tenant: new("")}))
	do(f.Due(t.Context(), 10))
	do(f.Claim(t.Context(), 1, 10))
	for id := range records {
		do(f.Load(t.Context(), id))
		do(f.Change(t.Context(), id, fixture.Finish))
	}
	return all
}

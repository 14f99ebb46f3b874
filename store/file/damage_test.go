package file

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// holds fails unless the file opens with exactly these records.
func holds(t *testing.T, what, path string, want map[string]record.Record) {
	t.Helper()
	f, err := Open(path, nil)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer f.Close()
	found, err := f.Scan(t.Context(), storage.Scan{Limit: 10 * len(want)})
	if err != nil || len(found) != len(want) {
		t.Errorf("%s: %d records, %v; want %d", what, len(found), err, len(want))
	}
	for _, r := range found {
		fixture.Equal(t, what+" "+r.ID, r, want[r.ID])
	}
}

// filled creates a file with some records and returns its bytes.
func filled(t *testing.T, path string, n int) ([]byte, map[string]record.Record) {
	t.Helper()
	f := openFile(t, path)
	f.db.NoSync = true
	want := map[string]record.Record{}
	for i := range n {
		id := fmt.Sprintf("a%03d", i)
		fixture.Must(t)(f.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour))
		want[id] = fixture.Must(t)(f.Change(t.Context(), id, fixture.Bump))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return contents(t, path), want
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFileTruncatedIsRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, want := filled(t, filepath.Join(dir, "whole.db"), 20)
	path := filepath.Join(dir, "cut.db")
	cuts := []int{0, 1, 15, 16, 79, 80, 4095, 4096, 4097, 4096 + 79, 4096 + 80, 8191, 8192, len(data) - 1, len(data)}
	for at := 512; at < len(data); at += 1024 {
		cuts = append(cuts, at, at+rand.IntN(1024))
	}
	slices.Sort(cuts)
	opened, refused := 0, 0
	for _, at := range slices.Compact(cuts) {
		if err := os.WriteFile(path, data[:min(at, len(data))], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, nil)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "restore it from a backup") {
				t.Errorf("cut at %d: %v, want an error that names the file and what to do", at, err)
			}
			continue
		}
		opened++
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		holds(t, fmt.Sprintf("cut at %d of %d", at, len(data)), path, want)
	}
	if opened == 0 || refused < 10 {
		t.Errorf("%d truncated files opened, %d were rejected", opened, refused)
	}
}

func TestFileOfOtherProgramIsRejected(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	for name, data := range map[string][]byte{"zeroes": make([]byte, 1<<15), "text": bytes.Repeat([]byte("listen: :8080\n"), 4000)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, nil); err == nil || !strings.Contains(err.Error(), "not made by askbridge") {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
}

// A commit writes its pages, syncs, and then writes the meta page that refers to them.
// A power cut in between leaves any subset of the new pages.
func TestFilePowerCutLeavesTheCommitBeforeOrAfter(t *testing.T) {
	t.Parallel()
	const page = 4096
	dir := t.TempDir()
	path := filepath.Join(dir, "askbridge.db")
	_, want := filled(t, path, 30)
	f := openFile(t, path)
	before := contents(t, path)
	pageSize := f.db.Info().PageSize
	if pageSize != page {
		t.Fatalf("pages of %d bytes, the test expects %d", pageSize, page)
	}
	next := fixture.Must(t)(f.Change(t.Context(), "a007", func(r *record.Record, now time.Time) error {
		r.Context = strings.Repeat("a long story ", 1000)
		return fixture.Bump(r, now)
	}))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	after := contents(t, path)
	both := maps.Clone(want)
	both["a007"] = next
	cut := filepath.Join(dir, "cut.db")
	try := func(what string, data []byte, want map[string]record.Record) {
		t.Helper()
		if err := os.WriteFile(cut, data, 0o600); err != nil {
			t.Fatal(err)
		}
		holds(t, what, cut, want)
	}
	grown := append(slices.Clone(before), make([]byte, max(0, len(after)-len(before)))...)
	for round := range 40 {
		disk := slices.Clone(grown)
		for at := 2 * page; at+page <= len(after); at += page {
			if rand.IntN(2) == 0 {
				copy(disk[at:at+page], after[at:])
			}
		}
		try(fmt.Sprint("some pages of the commit, round ", round), disk, want)
	}
	try("all pages of the commit", append(slices.Clone(before[:2*page]), after[2*page:]...), want)
	for _, torn := range []int{1, 20, 40, 60, 70} {
		disk := append(slices.Clone(before[:2*page]), after[2*page:]...)
		for _, turn := range []int{0, page} {
			if !bytes.Equal(before[turn:turn+page], after[turn:turn+page]) {
				copy(disk[turn:turn+torn], after[turn:])
			}
		}
		try(fmt.Sprintf("the last page torn at %d", torn), disk, want)
	}
	try("the whole commit", after, both)
}

func TestFileIsCompactedWhenMostlyEmpty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	now, advance := fixture.Moved()
	f := openFileAt(t, path, now)
	f.db.NoSync = true
	for i := range 1400 {
		id := fmt.Sprintf("a%04d", i)
		fixture.Must(t)(f.Create(t.Context(), fixture.Plain(id), func(r *record.Record, now time.Time) error {
			r.Context = strings.Repeat("x", 3000)
			return fixture.Finish(r, now)
		}))
	}
	advance(2 * store.DefaultRetention)
	kept := fixture.Must(t)(f.Create(t.Context(), fixture.Plain("b1"), fixture.DueInAnHour)) // All others have expired.
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	big := size(t, path)
	if err := os.WriteFile(path+".compact", []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, "compacted", path, map[string]record.Record{"b1": kept})
	if small := size(t, path); big < compactAbove || small > big/20 {
		t.Errorf("%d bytes before and %d after, want a small file", big, small)
	}
	if _, err := os.Stat(path + ".compact"); !os.IsNotExist(err) {
		t.Errorf("the copy still exists: %v", err)
	}

	// A file that cannot be replaced stays in use.
	f = openFile(t, path)
	if err := os.MkdirAll(filepath.Join(path+".compact", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := compact(path, f.db, 0)
	if err != nil || db != f.db {
		t.Errorf("compact with no room: another file, %v; want the old one", err)
	}
	fixture.Must(t)(f.Change(t.Context(), "b1", fixture.Bump))
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

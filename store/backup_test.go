package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

func TestRestoreIntoAnotherStore(t *testing.T) {
	t.Parallel()
	from := memory.New()
	want := inhabited(t, from)
	key := keyvalue.Key{Kind: "token", ID: "t1"}
	if _, err := from.KeyValue().Put(t.Context(), key, []byte("hash\xff"), &keyvalue.PutOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	if n, err := store.Backup(t.Context(), from, &kept, nil); err != nil || n != (store.Counts{Records: len(want), Values: 1}) {
		t.Fatalf("%+v, %v", n, err)
	}
	to, err := file.Open(filepath.Join(t.TempDir(), "askbridge.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()

	// The restore is interrupted and started again.
	half := kept.Bytes()[:kept.Len()/2]
	first, err := store.Restore(t.Context(), bytes.NewReader(half), to, nil)
	if err == nil || !strings.Contains(err.Error(), "was cut off") || first.Records == 0 {
		t.Errorf("restore of half a backup: %+v, %v", first, err)
	}
	second, err := store.Restore(t.Context(), bytes.NewReader(kept.Bytes()), to, nil)
	if err != nil || first.Records+second.Records != len(want) || second.Values != 1 {
		t.Errorf("%+v and then %+v of %d, %v", first, second, len(want), err)
	}
	sameRecords(t, to, want)
	e, err := to.KeyValue().Get(t.Context(), key)
	if left := time.Until(e.Expires); err != nil || string(e.Value) != "hash\xff" || left > time.Hour || left < 50*time.Minute {
		t.Errorf("the value is %q for %v, %v", e.Value, left, err)
	}
	if n, err := store.Restore(t.Context(), strings.NewReader(`{"slack":{}}`), to, nil); err == nil || n.Records > 0 {
		t.Errorf("restore of something else: %+v, %v", n, err)
	}
}

func TestRequestEndingDuringBackupIsRestoredAsEnded(t *testing.T) {
	t.Parallel()
	from := memory.New()
	fixture.Must(t)(from.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	var before, after bytes.Buffer
	if _, err := store.Backup(t.Context(), from, &before, nil); err != nil {
		t.Fatal(err)
	}
	fixture.Must(t)(from.Change(t.Context(), "a1", fixture.Finish))
	if _, err := store.Backup(t.Context(), from, &after, nil); err != nil {
		t.Fatal(err)
	}
	open, _, _ := strings.Cut(before.String(), "\n")
	ended, _, _ := strings.Cut(after.String(), "\n")
	to := memory.New()
	for range 2 {
		if _, err := store.Restore(t.Context(), strings.NewReader(open+"\n"+ended+"\n"+`{"end":{"records":2,"values":0}}`), to, nil); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := to.Load(t.Context(), "a1"); err != nil || r.Outcome.State == ask.Open {
		t.Errorf("request is %s, %v", r.Outcome.State, err)
	}
	if n, err := to.Scan(t.Context(), storage.Scan{Limit: 1}); err != nil || len(n) > 0 {
		t.Errorf("request is listed as open: %v, %v", n, err)
	}
}

// pressed is a store in which a person answers after the first page of open requests was read.
type pressed struct {
	*memory.Store

	press func()
}

func (s *pressed) Scan(ctx context.Context, q storage.Scan) ([]record.Record, error) {
	found, err := s.Store.Scan(ctx, q)
	if s.press != nil {
		s.press()
		s.press = nil
	}
	return found, err
}

func TestBackupIncludesRequestsThatMoved(t *testing.T) {
	t.Parallel()
	from := &pressed{Store: memory.New()}
	due := func(in time.Duration) record.Transition {
		return func(r *record.Record, now time.Time) error {
			r.Due = now.Add(in)
			return nil
		}
	}
	const page = 200
	for n := range page {
		fixture.Must(t)(from.Create(t.Context(), fixture.Plain(fmt.Sprintf("a%03d", n)), due(time.Hour)))
	}
	fixture.Must(t)(from.Create(t.Context(), fixture.Plain("b1"), due(2*time.Hour)))
	// A person decides, and can undo it for ten seconds.
	from.press = func() { fixture.Must(t)(from.Change(t.Context(), "b1", due(10*time.Second))) }
	var kept bytes.Buffer
	if n, err := store.Backup(t.Context(), from, &kept, nil); err != nil || n.Records != page+1 {
		t.Errorf("%+v, %v", n, err)
	}
	to := memory.New()
	if n, err := store.Restore(t.Context(), &kept, to, nil); err != nil || n.Records != page+1 {
		t.Errorf("restored %+v, %v", n, err)
	}
}

func TestCheckBackupDetectsChangedByte(t *testing.T) {
	t.Parallel()
	from := memory.New()
	inhabited(t, from)
	var kept bytes.Buffer
	if _, err := store.Backup(t.Context(), from, &kept, nil); err != nil {
		t.Fatal(err)
	}
	if err := store.CheckBackup(bytes.NewReader(kept.Bytes())); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	word := []byte("Postgres")
	if !bytes.Contains(kept.Bytes(), word) {
		t.Fatal("no record has the word to change")
	}
	changed := bytes.Replace(kept.Bytes(), word, []byte("Postgras"), 1)
	if err := store.CheckBackup(bytes.NewReader(changed)); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("check with one byte changed: %v", err)
	}
	if _, err := store.Restore(t.Context(), bytes.NewReader(changed), memory.New(), nil); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("restore with one byte changed: %v", err)
	}
	second := bytes.IndexByte(kept.Bytes(), '\n') + 1
	broken := bytes.Clone(kept.Bytes())
	broken[second] = '-'
	if err := store.CheckBackup(bytes.NewReader(broken)); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "line 2 ") {
		t.Errorf("check with an invalid second line: %v", err)
	}
	before := kept.String()[:strings.LastIndex(kept.String(), `,"sha256"`)] + "}}\n"
	if err := store.CheckBackup(strings.NewReader(before)); err != nil {
		t.Errorf("check of a backup without a hash: %v", err)
	}
}

// full is a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestBackupToFullDiskFails(t *testing.T) {
	t.Parallel()
	from := memory.New()
	fixture.Must(t)(from.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	if n, err := store.Backup(t.Context(), from, full{}, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestExpiredValueIsNotRestored(t *testing.T) {
	t.Parallel()
	const over = `{"value":"token//t1","bytes":"aGFzaA==","expires":"2020-01-01T00:00:00Z"}` + "\n"
	if n, err := store.Restore(t.Context(), strings.NewReader(over+`{"end":{"records":0,"values":1}}`), memory.New(), nil); err != nil || n.Values != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	if _, err := store.Restore(t.Context(), strings.NewReader(over+`{"end":{"records":0,"values":2}}`), memory.New(), nil); err == nil {
		t.Error("a backup that lacks one value passes the check")
	}
}

// lonely is a store without replicas that copied its writes.
type lonely struct{ *memory.Store }

func (s lonely) Create(ctx context.Context, r record.Record, f record.Transition) (record.Record, error) {
	r, err := s.Store.Create(ctx, r, f)
	if err == nil {
		err = storage.ErrNotReplicated
	}
	return r, err
}

func TestCopyReportsMissingReplicas(t *testing.T) {
	t.Parallel()
	from := memory.New()
	for _, id := range []string{"a1", "a2"} {
		fixture.Must(t)(from.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour))
	}
	if n, err := store.Migrate(t.Context(), from, lonely{memory.New()}, nil); n != 2 || !errors.Is(err, storage.ErrNotReplicated) {
		t.Errorf("migrated %d, %v", n, err)
	}
	var kept bytes.Buffer
	if _, err := store.Backup(t.Context(), from, &kept, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Restore(t.Context(), &kept, lonely{memory.New()}, nil); n.Records != 2 || !errors.Is(err, storage.ErrNotReplicated) {
		t.Errorf("restored %+v, %v", n, err)
	}
}

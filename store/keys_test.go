package store_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/store/seal"
)

func ring(t *testing.T, lines ...string) *seal.Ring {
	t.Helper()
	if len(lines) == 0 {
		return nil
	}
	r, err := seal.Parse(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fileAt opens a file store with keys, like the program.
func fileAt(t *testing.T, path string, lines ...string) (*file.Store, error) {
	t.Helper()
	o := &file.Options{}
	if len(lines) > 0 {
		o.Keys = seal.New(ring(t, lines...))
	}
	f, err := file.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.UseKeys(t.Context(), f, o.Keys.Ring()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func openWith(t *testing.T, path string, lines ...string) *file.Store {
	t.Helper()
	f, err := fileAt(t, path, lines...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var aToken = keyvalue.Key{Kind: "token", Tenant: "ops", ID: "t1"}

func fill(t *testing.T, s store.Both) map[string]record.Record {
	t.Helper()
	want := inhabited(t, s)
	if _, err := s.KeyValue().Put(t.Context(), aToken, []byte("hash"), &keyvalue.PutOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	return want
}

func closed(t *testing.T, s storage.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestChangeKey moves a store from plain text to one key, to another, and back, with one
// interruption. The data stays the same, and a missing key is an error.
func TestChangeKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	one, two := seal.NewKey(), seal.NewKey()
	f := openWith(t, path)
	want := fill(t, f)
	closed(t, f)
	refused := func(why string, lines ...string) {
		t.Helper()
		_, err := fileAt(t, path, lines...)
		if !errors.As(err, new(*seal.KeyError)) || !strings.Contains(err.Error(), why) {
			t.Errorf("open: %v; want %q", err, why)
		}
	}
	same := func(f *file.Store) {
		t.Helper()
		sameRecords(t, f, want)
		e, err := f.KeyValue().Get(t.Context(), aToken)
		if left := time.Until(e.Expires); err != nil || string(e.Value) != "hash" || left > time.Hour || left < 50*time.Minute {
			t.Errorf("the value is %q for %v, %v", e.Value, left, err)
		}
	}
	names := func(lines ...string) string { return strings.Join(ring(t, lines...).IDs(), ", ") }

	refused(fmt.Sprintf(`%d requests are in clear, and the line "plain" is not among the keys (%s)`, len(want), names(one)), one)
	f = openWith(t, path, one, seal.Plain)
	same(f)
	// The reseal is interrupted and run again.
	ctx, cancel := context.WithCancel(t.Context())
	half, err := store.Reseal(ctx, f, func(n store.Resealed) {
		if n.Written == len(want)/2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || half.Written != len(want)/2 {
		t.Fatalf("interrupted: %+v, %v", half, err)
	}
	same(f)
	closed(t, f)
	refused("in clear", one)
	refused(fmt.Sprintf("%d requests are sealed with key %s, and no key is given", half.Written, names(one)))
	f = openWith(t, path, one, seal.Plain)
	n, err := store.Reseal(t.Context(), f, nil)
	if err != nil || n.Written != len(want)-half.Written+1 || n.Total != len(want) {
		t.Fatalf("%+v, %v", n, err)
	}
	same(f)
	closed(t, f)

	refused(fmt.Sprintf("%d requests are sealed with key %s, which is not among the 1 given (%s)", len(want), names(one), names(two)), two)
	f = openWith(t, path, two, one)
	if n, err := store.Reseal(t.Context(), f, nil); err != nil || n.Written != len(want)+1 {
		t.Fatalf("%+v, %v", n, err)
	}
	closed(t, f)
	refused("sealed with key "+names(two), one, seal.Plain)
	f = openWith(t, path, two)
	same(f)
	closed(t, f)

	f = openWith(t, path, seal.Plain, two)
	if n, err := store.Reseal(t.Context(), f, nil); err != nil || n.Written != len(want)+1 {
		t.Fatalf("%+v, %v", n, err)
	}
	closed(t, f)
	f = openWith(t, path)
	same(f)
	closed(t, f)
}

// TestMissingKeyLosesNothing covers a store with outdated keys, such as a replica that has not
// reloaded them.
func TestMissingKeyLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	key := seal.NewKey()
	f := openWith(t, path, key)
	want := fill(t, f)
	f.Keys().Set(ring(t, seal.NewKey()))
	var id string
	for id = range want {
	}
	is := func(what string, err error) {
		t.Helper()
		if !errors.As(err, new(*seal.KeyError)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := f.Load(t.Context(), id)
	is("load", err)
	_, err = f.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour)
	is("create", err)
	_, err = f.Change(t.Context(), id, fixture.Bump)
	is("change", err)
	_, err = f.Scan(t.Context(), storage.Scan{Limit: 99})
	is("scan", err)
	_, err = f.KeyValue().Get(t.Context(), aToken)
	is("get", err)
	_, err = f.KeyValue().Put(t.Context(), aToken, []byte("other"), &keyvalue.PutOptions{If: keyvalue.Absent})
	is("put", err)
	is("delete", f.KeyValue().Delete(t.Context(), aToken, ""))
	is("reseal", f.Reseal(t.Context(), id))
	f.Keys().Set(ring(t, key))
	sameRecords(t, f, want)
	closed(t, f)
}

// TestBackupIsSealedLikeItsStore restores a sealed backup, which needs its key.
func TestBackupIsSealedLikeItsStore(t *testing.T) {
	t.Parallel()
	dir, key := t.TempDir(), seal.NewKey()
	from := openWith(t, filepath.Join(dir, "from.db"), key)
	defer closed(t, from)
	want := fill(t, from)
	var kept bytes.Buffer
	if n, err := store.Backup(t.Context(), from, &kept, nil); err != nil || n != (store.Counts{Records: len(want), Values: 1}) {
		t.Fatalf("%+v, %v", n, err)
	}
	for _, text := range []string{"Which database?", "Deploying", "deploy-bot", base64.StdEncoding.EncodeToString([]byte("hash"))} {
		if strings.Contains(kept.String(), text) {
			t.Errorf("backup contains %q", text)
		}
	}
	to := openWith(t, filepath.Join(dir, "to.db"), seal.NewKey())
	defer closed(t, to)
	if n, err := store.Restore(t.Context(), bytes.NewReader(kept.Bytes()), to, nil); !errors.As(err, new(*seal.KeyError)) || n != (store.Counts{}) {
		t.Errorf("restored without its key: %+v, %v", n, err)
	}
	if n, err := store.Restore(t.Context(), bytes.NewReader(kept.Bytes()), memory.New(), nil); !errors.As(err, new(*seal.KeyError)) || n != (store.Counts{}) {
		t.Errorf("restored without any key: %+v, %v", n, err)
	}
	other := seal.NewKey()
	both := openWith(t, filepath.Join(dir, "both.db"), other, key)
	defer closed(t, both)
	if n, err := store.Restore(t.Context(), bytes.NewReader(kept.Bytes()), both, nil); err != nil || n.Values != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	// The records are sealed with the key of the new store.
	both.Keys().Set(ring(t, other))
	sameRecords(t, both, want)
}

// TestResealDetectsOtherWriters reseals while another writer uses the old key.
func TestResealDetectsOtherWriters(t *testing.T) {
	t.Parallel()
	before, after := seal.NewKey(), seal.NewKey()
	f := openWith(t, filepath.Join(t.TempDir(), "askbridge.db"), before)
	defer closed(t, f)
	fixture.Must(t)(f.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	next := ring(t, after, before)
	if err := store.UseKeys(t.Context(), f, next); err != nil {
		t.Fatal(err)
	}
	f.Keys().Set(next)
	late := 0
	_, err := store.Reseal(t.Context(), f, func(n store.Resealed) {
		if late++; n.Values == 1 {
			f.Keys().Set(ring(t, before, after))
			fixture.Must(t)(f.Change(t.Context(), "a1", fixture.Bump))
			f.Keys().Set(next)
		}
	})
	if !errors.Is(err, store.ErrOtherKeys) {
		t.Errorf("after %d passes: %v", late, err)
	}
	if err := store.CheckKeys(t.Context(), f, ring(t, after)); err == nil {
		t.Error("the old key can be removed while a writer uses it")
	}
	if _, err := store.Reseal(t.Context(), f, nil); err != nil {
		t.Error(err)
	}
	if err := store.CheckKeys(t.Context(), f, ring(t, after)); err != nil {
		t.Error(err)
	}
}

// A replica that had not reloaded its keys wrote nothing during a reseal, which reported success.
// After the old key was removed, the next records of that replica could not be opened.
func TestIdleReplicaKeepsOldKeyInUse(t *testing.T) {
	t.Parallel()
	before, after := seal.NewKey(), seal.NewKey()
	f := openWith(t, filepath.Join(t.TempDir(), "askbridge.db"), before)
	defer closed(t, f)
	idle := store.NewWriter(f)
	beat := func() {
		t.Helper()
		if err := idle.Say(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	beat()
	old, next := f.Keys().Ring(), ring(t, after, before)
	if err := store.UseKeys(t.Context(), f, next); err != nil {
		t.Fatal(err)
	}
	reseal := func() error {
		f.Keys().Set(next)
		_, err := store.Reseal(t.Context(), f, nil)
		return err
	}
	if err := reseal(); !errors.Is(err, store.ErrOtherKeys) || !strings.Contains(err.Error(), old.First()) {
		t.Errorf("reseal with an idle replica on the old key: %v", err)
	}
	if err := store.CheckKeys(t.Context(), f, ring(t, after)); err == nil {
		t.Error("the old key can be removed")
	}
	beat() // The replica has reloaded its keys.
	if err := reseal(); err != nil {
		t.Error(err)
	}
	if err := store.CheckKeys(t.Context(), f, ring(t, after)); err != nil {
		t.Error(err)
	}

	f.Keys().Set(old)
	beat()
	if err := store.CheckKeys(t.Context(), f, ring(t, after)); err == nil {
		t.Error("the old key can be removed although it is in use again")
	}
	if err := idle.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	if err := reseal(); err != nil {
		t.Errorf("after the writer left: %v", err)
	}
	var copied bytes.Buffer
	beat()
	if n, err := store.Backup(t.Context(), f, &copied, nil); err != nil || n.Values != 0 {
		t.Errorf("the backup has %d writer values: %v", n.Values, err)
	}
}

// between is a store that runs a function once, after its first page was read.
type between struct {
	store.Both

	others func()
}

// betweenValues is its key-value store.
type betweenValues struct {
	keyvalue.Store

	of *between
}

func (b *between) KeyValue() keyvalue.Store { return betweenValues{b.Both.KeyValue(), b} }

func (v betweenValues) List(ctx context.Context, r keyvalue.Range) ([]keyvalue.Entry, error) {
	found, err := v.Store.List(ctx, r)
	b := v.of
	if others := b.others; others != nil {
		b.others = nil
		others()
	}
	return found, err
}

// When two replicas started on an empty store at the same time, one took the marker of the other
// for plain text and failed.
func TestTwoBridgesStartOnEmptyStore(t *testing.T) {
	t.Parallel()
	f, err := file.Open(filepath.Join(t.TempDir(), "askbridge.db"), &file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	keys := ring(t, seal.NewKey())
	s := &between{Both: f, others: func() {
		if err := store.UseKeys(t.Context(), f, keys); err != nil {
			t.Error(err)
		}
	}}
	if err := store.UseKeys(t.Context(), s, keys); err != nil {
		t.Error(err)
	}
}

// TestEraseResumesAfterInterruption erases the texts of all ended requests.
func TestEraseResumesAfterInterruption(t *testing.T) {
	t.Parallel()
	f := openWith(t, filepath.Join(t.TempDir(), "askbridge.db"), seal.NewKey())
	defer closed(t, f)
	const ended, open, share = 230, 3, 100
	for n := range ended + open {
		id := fmt.Sprintf("a%03d", n)
		fixture.Must(t)(f.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour))
		if n < ended {
			fixture.Must(t)(f.Change(t.Context(), id, fixture.Finish))
		}
	}
	all := store.Erasure{Before: time.Now().Add(time.Minute)}
	dry := all
	dry.DryRun = true
	if n, _, err := store.Erase(t.Context(), f, dry, store.Place{}); err != nil || n != (store.Erased{Requests: share, Erased: share, Open: open}) {
		t.Errorf("dry run: %+v, %v", n, err)
	}
	past := store.Erasure{Before: time.Now().Add(-time.Hour)}
	if n, next, err := store.Erase(t.Context(), f, past, store.Place{}); err != nil || n != (store.Erased{Open: open}) || next != (store.Place{}) {
		t.Errorf("requests that ended an hour ago: %+v, %+v, %v", n, next, err)
	}
	n, half, err := store.Erase(t.Context(), f, all, store.Place{})
	if err != nil || n != (store.Erased{Requests: share, Erased: share, Open: open}) || half == (store.Place{}) {
		t.Errorf("interrupted: %+v, %+v, %v", n, half, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, next, err := store.Erase(gone, f, all, half); !errors.Is(err, context.Canceled) || next != half {
		t.Errorf("interrupted at once: %+v, %v", next, err)
	}
	rest := 0
	for next := half; next != (store.Place{}); {
		if n, next, err = store.Erase(t.Context(), f, all, next); err != nil || n.Open != 0 {
			t.Fatalf("again: %+v, %v", n, err)
		}
		rest += n.Erased
	}
	if rest != ended-share {
		t.Errorf("again: %d, want %d", rest, ended-share)
	}
	if n, _, err := store.Erase(t.Context(), f, all, store.Place{}); err != nil || n.Erased != 0 || n.Requests != share {
		t.Errorf("restarted: %+v, %v", n, err)
	}
	for n := range ended + open {
		r := fixture.Must(t)(f.Load(t.Context(), fmt.Sprintf("a%03d", n)))
		if erased := r.Context == "[erased]"; erased != (n < ended) {
			t.Errorf("%s has context %q", r.ID, r.Context)
		}
	}
	if _, _, err := store.Erase(t.Context(), f, store.Erasure{}, store.Place{}); !errors.Is(err, store.ErrErasure) {
		t.Errorf("missing request: %v", err)
	}
	if _, _, err := store.Erase(t.Context(), f, store.Erasure{Request: "a232"}, store.Place{}); err == nil || !strings.Contains(err.Error(), "still open") {
		t.Errorf("open request: %v", err)
	}
}

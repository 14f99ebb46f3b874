package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/storetest"
)

func TestKeyValue(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValue(t, func(t *testing.T) *storetest.Backend {
		now, advance := fixture.Moved()
		return &storetest.Backend{Store: openFileAt(t, filepath.Join(t.TempDir(), "askbridge.db"), now).KeyValue(), Advance: advance}
	})
}

func TestKeyValueAgainstModel(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	storetest.TestKeyValueAgainstModel(t, func(t *testing.T) *storetest.Backend {
		n++
		now, advance := fixture.Moved()
		f := openFileAt(t, filepath.Join(dir, fmt.Sprint(n)), now)
		f.db.NoSync = true
		return &storetest.Backend{Store: f.KeyValue(), Advance: advance}
	})
}

func token(id string) keyvalue.Key { return keyvalue.Key{Kind: "token", Tenant: "ops", ID: id} }

func TestValuesSurviveReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	now, advance := fixture.Moved()
	f := openFileAt(t, path, now)
	kept, err := f.KeyValue().Put(t.Context(), token("kept"), []byte("hash"), nil)
	if err == nil {
		_, err = f.KeyValue().Put(t.Context(), token("short"), nil, &keyvalue.PutOptions{TTL: time.Minute})
	}
	if err := errors.Join(err, f.KeyValue().Delete(t.Context(), token("kept"), kept.Version)); err != nil {
		t.Fatal(err)
	}
	again, err := f.KeyValue().Put(t.Context(), token("kept"), []byte("hash"), nil)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	advance(time.Minute)
	f = openFileAt(t, path, now)
	found, err := f.KeyValue().List(t.Context(), keyvalue.Range{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "what is there", found, []keyvalue.Entry{again})
	last, err := f.KeyValue().Put(t.Context(), token("kept"), nil, nil)
	if err != nil || last.Version == kept.Version || last.Version == again.Version {
		t.Errorf("version %q is used twice, %v", last.Version, err)
	}
}

// TestOpenFileWithoutValues covers a file of the previous version, and the previous version with a
// file of this one, which has unknown buckets.
func TestOpenFileWithoutValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	f := openFile(t, path)
	fixture.Must(t)(f.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	err := f.db.Update(func(tx *bolt.Tx) error {
		return errors.Join(tx.DeleteBucket(valueBucket), tx.DeleteBucket(expiryBucket))
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	f = openFile(t, path)
	if _, err := f.KeyValue().Put(t.Context(), token("t1"), nil, nil); err != nil {
		t.Error(err)
	}
	fixture.Must(t)(f.Load(t.Context(), "a1"))
}

func TestCompactKeepsValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := openFile(t, filepath.Join(dir, "askbridge.db"))
	before, err := f.KeyValue().Put(t.Context(), token("t1"), []byte("hash"), &keyvalue.PutOptions{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(copyInto(filepath.Join(dir, "copy.db"), f.db)); err != nil {
		t.Fatal(err)
	}
	c := openFile(t, filepath.Join(dir, "copy.db"))
	got, err := c.KeyValue().Get(t.Context(), token("t1"))
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "after", got, before)
	if next, err := c.KeyValue().Put(t.Context(), token("t2"), nil, nil); err != nil || next.Version == before.Version {
		t.Errorf("version %q is used twice, %v", next.Version, err)
	}
}

// TestFileHelperKeepsValues is the second process of the test below. It does nothing by itself.
func TestFileHelperKeepsValues(t *testing.T) {
	path := os.Getenv("ASKBRIDGE_TEST_VALUES")
	if path == "" {
		return
	}
	s := openFile(t, path).KeyValue()
	for n := 0; ; n++ {
		id := fmt.Sprintf("t%06d", n)
		e, err := s.Put(t.Context(), token(id), []byte(id), &keyvalue.PutOptions{TTL: time.Hour, If: keyvalue.Absent})
		if err == nil && n%2 == 1 {
			err = s.Delete(t.Context(), e.Key, e.Version)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("stored", id)
	}
}

func TestValuesSurviveAKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	stored, _, kill := process(t, "TestFileHelperKeepsValues", "ASKBRIDGE_TEST_VALUES="+path)
	var last string
	for range 26 {
		last = stored()
	}
	kill()
	f, err := Open(path, &Options{Wait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := range 26 {
		id := fmt.Sprintf("t%06d", n)
		e, err := f.KeyValue().Get(t.Context(), token(id))
		if there := n%2 == 0; there && (err != nil || string(e.Value) != id) || !there && !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s up to %s: %+v, %v", id, last, e, err)
		}
	}
}

func BenchmarkValues(b *testing.B) {
	storetest.BenchmarkKeyValue(b, openFile(b, filepath.Join(b.TempDir(), "askbridge.db")).KeyValue())
}

package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const racers = 8

// race runs do at the same time on several handles of the store.
func (b *Backend) race(t *testing.T, do func(n int, s keyvalue.Store)) {
	t.Helper()
	handles := make([]keyvalue.Store, racers)
	for n := range handles {
		if handles[n] = b.Store; b.Another != nil && n%2 == 1 {
			handles[n] = b.Another(t)
		}
	}
	var all sync.WaitGroup
	for n, s := range handles {
		all.Go(func() { do(n, s) })
	}
	all.Wait()
}

func oneMakes(t *testing.T, b *Backend) {
	t.Helper()
	for round := range 10 {
		k := token(fmt.Sprint("t", round))
		var won atomic.Int64
		var winner atomic.Pointer[keyvalue.Entry]
		b.race(t, func(n int, s keyvalue.Store) {
			e, err := s.Put(t.Context(), k, []byte(fmt.Sprint("racer ", n)), &keyvalue.PutOptions{If: keyvalue.Absent, TTL: time.Hour})
			switch {
			case err == nil:
				won.Add(1)
				winner.Store(&e)
			case !errors.Is(err, keyvalue.ErrConflict):
				t.Error(err)
			case e.Version == "":
				t.Error("a conflict with nothing")
			}
		})
		if n := won.Load(); n != 1 {
			t.Fatalf("%d have made it", n)
		}
		has(t, b.Store, k, *winner.Load())
	}
}

func counters(t *testing.T, b *Backend) {
	t.Helper()
	const steps = 20
	b.race(t, func(_ int, s keyvalue.Store) {
		for range steps {
			_, err := keyvalue.Update(t.Context(), s, token("t1"), func(old keyvalue.Entry) ([]byte, time.Duration, error) {
				n, _ := strconv.Atoi(string(old.Value)) // Nothing counts as zero.
				return strconv.AppendInt(nil, int64(n)+1, 10), 0, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	if got := string(must(b.Store.Get(t.Context(), token("t1"))).Value); got != strconv.Itoa(racers*steps) {
		t.Errorf("counted %s, want %d: a step was lost or done twice", got, racers*steps)
	}
	refuses := errors.New("no")
	_, err := keyvalue.Update(t.Context(), b.Store, token("t1"), func(keyvalue.Entry) ([]byte, time.Duration, error) { return nil, 0, refuses })
	if !errors.Is(err, refuses) {
		t.Errorf("%v, want what the change said", err)
	}
}

func oneDeletes(t *testing.T, b *Backend) {
	t.Helper()
	for round := range 10 {
		e := put(t, b.Store, token("t1"), "use me once", nil)
		version := []string{"", e.Version}[round%2]
		var won atomic.Int64
		b.race(t, func(_ int, s keyvalue.Store) {
			switch err := s.Delete(t.Context(), e.Key, version); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, storage.ErrNotFound):
				t.Error(err)
			}
		})
		if n := won.Load(); n != 1 {
			t.Errorf("%d have deleted it", n)
		}
	}
}

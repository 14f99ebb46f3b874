package memory

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

func TestNumberNeverDecreases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New().KeyValue()
		numbers := keyvalue.Numbers{Store: s}
		is := func(content string, want int) {
			t.Helper()
			if got, err := numbers.Number(t.Context(), content); err != nil || got != want {
				t.Errorf("the number of %s is %d, %v, want %d", content, got, err, want)
			}
		}
		is("a", 0)
		var all sync.WaitGroup
		for _, number := range []int{2, 7, 1, 5} {
			all.Go(func() {
				if err := numbers.Note(t.Context(), "a", number, time.Hour); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		is("a", 7)
		is("b", 0)
		// The number is stored, although too few replicas copied it.
		if err := (keyvalue.Numbers{Store: thin{s}}).Note(t.Context(), "b", 3, time.Hour); err != nil {
			t.Error(err)
		}
		is("b", 3)
		time.Sleep(time.Hour)
		is("a", 0)
		if _, err := s.Put(t.Context(), keyvalue.Key{Kind: "number", ID: "c"}, []byte("many"), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := numbers.Number(t.Context(), "c"); err == nil {
			t.Error("Number accepted an invalid value")
		}
		if err := numbers.Note(t.Context(), "c", 1, time.Hour); err == nil {
			t.Error("Number overwrote an invalid value")
		}
	})
}

// thin is a store whose writes reach too few replicas.
type thin struct{ keyvalue.Store }

func (s thin) Put(ctx context.Context, k keyvalue.Key, v []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	e, err := s.Store.Put(ctx, k, v, o)
	return e, errors.Join(err, storage.ErrNotReplicated)
}

package memory

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/storetest"
)

func keyValues(*testing.T) *storetest.Backend {
	now, advance := fixture.Moved()
	return &storetest.Backend{Store: NewAt(now).KeyValue(), Advance: advance}
}

func TestKeyValue(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValue(t, keyValues)
}

func TestKeyValueAgainstModel(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValueAgainstModel(t, keyValues)
}

func TestValuesExpireInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New().KeyValue()
		k := keyvalue.Key{Kind: "grant", Tenant: "ops", ID: "deploy"}
		if _, err := s.Put(t.Context(), k, nil, &keyvalue.PutOptions{TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - time.Microsecond)
		if _, err := s.Get(t.Context(), k); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Microsecond)
		if _, err := s.Get(t.Context(), k); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("after it expired: %v", err)
		}
	})
}

func TestExpiredValuesAreRemoved(t *testing.T) {
	t.Parallel()
	now, advance := fixture.Moved()
	m := NewAt(now)
	for _, id := range []string{"1", "2", "3"} {
		if _, err := m.KeyValue().Put(t.Context(), keyvalue.Key{Kind: "state", ID: id}, nil, &keyvalue.PutOptions{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		advance(time.Hour)
	}
	if len(m.data) != 1 || len(m.names) != 1 || len(m.expiries) != 1 {
		t.Errorf("%d values, %d names and %d expiries, want one of each", len(m.data), len(m.names), len(m.expiries))
	}
}

func TestClosedStoreRejectsValues(t *testing.T) {
	t.Parallel()
	m := New()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.KeyValue().Get(t.Context(), keyvalue.Key{Kind: "token", ID: "t1"}); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("get: %v", err)
	}
}

func BenchmarkValues(b *testing.B) { storetest.BenchmarkKeyValue(b, New().KeyValue()) }

package file

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/seal"
	"github.com/askbridge/askbridge/store/storetest"
)

func keys(t testing.TB) *seal.Keys {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return seal.New(ring)
}

func openSealed(t testing.TB, now func() time.Time) *Store {
	t.Helper()
	f, err := openAt(filepath.Join(t.TempDir(), "askbridge.db"), &Options{Keys: keys(t)}, now)
	if err != nil {
		t.Fatal(err)
	}
	f.db.NoSync = true
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestSealedFile holds a store with keys to the contract of all stores.
func TestSealedFile(t *testing.T) {
	t.Parallel()
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		now, advance := fixture.Moved()
		f := openSealed(t, now)
		form := codec.Form{Keys: f.Keys()}
		return &bridgetest.Backend{
			Store: f, Advance: advance, Retention: store.DefaultRetention,
			Amend: func(id string, edit func([]byte) []byte) {
				f.amend(t, id, func(data []byte) []byte { return amendSealed(t, form, id, data, edit) })
			},
		}
	})
}

// amendSealed edits the decrypted record, like a newer build with the key.
func amendSealed(t testing.TB, f codec.Form, id string, data []byte, edit func([]byte) []byte) []byte {
	t.Helper()
	var outer struct {
		Tenant string `json:"te"`
		Key    string `json:"ky"`
		Sealed []byte `json:"sl"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		t.Fatal(err)
	}
	inner, err := f.Keys.Ring().Open(outer.Key, outer.Sealed, seal.What{Kind: "record", Place: f.Place, ID: id, Beside: outer.Tenant})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := f.SealRecord(&buf, id, outer.Tenant, edit(inner)); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestSealedValues(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValue(t, func(t *testing.T) *storetest.Backend {
		now, advance := fixture.Moved()
		return &storetest.Backend{Store: openSealed(t, now).KeyValue(), Advance: advance}
	})
}

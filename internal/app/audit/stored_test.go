package audit

import (
	"slices"
	"testing"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// The exporter stores its progress, which is not part of the trail and not signed.
var bookkeeping = []string{kindHead, kindSent, kindLease}

func TestVerifyFindsAnyChangedStoredByte(t *testing.T) {
	t.Parallel()
	d, _ := trailOf(t, 2)
	d.ask("shop", "other")
	d.vacate()
	d.turn(d.exporter())
	kv, checked := d.store.KeyValue(), 0
	for e, err := range keyvalue.All(t.Context(), kv, keyvalue.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(bookkeeping, e.Key.Kind) {
			continue
		}
		put := func(value []byte) {
			t.Helper()
			if _, err := kv.Put(t.Context(), e.Key, value, nil); err != nil {
				t.Fatal(err)
			}
		}
		for at := range e.Value {
			changed := slices.Clone(e.Value)
			changed[at] ^= []byte{0x01, 0x20, 0x80}[at%3]
			put(changed)
			p, err := d.log.Page(t.Context(), nil, "", true)
			if err != nil || p.Next != "" {
				t.Fatalf("%s: byte %d: trail needs more than one page: %v", e.Key, at, err)
			}
			if len(d.verify(p.Trail).Problems) == 0 {
				t.Fatalf("%s: change of byte %d from %q is not detected", e.Key, at, e.Value[at])
			}
		}
		put(e.Value)
		checked++
	}
	if checked != 5 { // Three batches, two of them with texts.
		t.Errorf("%d values were checked", checked)
	}
}

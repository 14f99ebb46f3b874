package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// goesOn writes n more batches, each with one request of the tenant.
func (d *desk) goesOn(tenant string, batches int) {
	d.t.Helper()
	_ = d.log.kv.Delete(d.t.Context(), keyvalue.Key{Kind: kindLease, ID: "exporter"}, "") // The previous exporter is gone.
	x := d.exporter()
	for range batches {
		d.acts++
		d.ask(tenant, fmt.Sprint("p", d.acts))
		d.turn(x)
	}
}

// twin returns a copy of the trail in a new store.
func (d *desk) twin() *desk {
	d.t.Helper()
	s := memory.New()
	if _, err := store.MigrateValues(d.t.Context(), d.store.KeyValue(), s.KeyValue(), nil); err != nil {
		d.t.Fatal(err)
	}
	key, _ := ParseKey(strings.Repeat("0", 64))
	return &desk{t: d.t, store: s, records: s, log: NewLog(s.KeyValue(), key, 0), acts: d.acts}
}

// loses deletes a batch of the tenant, as when it expires.
func (d *desk) loses(tenant string, first int64) {
	d.t.Helper()
	if err := d.store.KeyValue().Delete(d.t.Context(), batchKey(tenant, first), ""); err != nil {
		d.t.Fatal(err)
	}
}

func TestJoins(t *testing.T) {
	t.Parallel()
	const ops = `the chain of tenant "ops" `
	for _, tc := range []struct {
		name string
		// there creates the store into which the trail is restored.
		there func(coming *desk) *desk
		want  string
	}{
		{"into an empty store", func(d *desk) *desk { return newDesk(d.t) }, ""},
		{"into one that has it", func(d *desk) *desk { return d.twin() }, ""},
		{"into one that had it and went on", func(d *desk) *desk {
			there := d.twin()
			there.goesOn("ops", 2)
			return there
		}, ""},
		{"into one that had it, when it went on itself", func(d *desk) *desk {
			there := d.twin()
			d.goesOn("ops", 2)
			return there
		}, ""},
		{"when both have gone on", func(d *desk) *desk {
			there := d.twin()
			there.goesOn("ops", 1)
			d.goesOn("ops", 2)
			return there
		}, ops + "differs from line 3 on"},
		{"into one that has begun its own", func(d *desk) *desk {
			there := newDesk(d.t)
			there.goesOn("ops", 1)
			return there
		}, ops + "differs from line 1 on"},
		{"into one whose own is older than what it keeps", func(d *desk) *desk {
			there := newDesk(d.t)
			there.goesOn("ops", 3)
			there.loses("ops", 1)
			there.loses("ops", 2)
			return there
		}, ops + "has no line in common"},
		{"into one with a trail of another tenant", func(d *desk) *desk {
			there := newDesk(d.t)
			there.goesOn("shop", 1)
			return there
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			coming := newDesk(t)
			coming.goesOn("ops", 2)
			there := tc.there(coming)
			err := there.log.Joins(t.Context(), coming.log.Batches(t.Context()))
			if tc.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.want != "" && (!errors.Is(err, ErrOtherTrail) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestJoinsUnreadableTrail(t *testing.T) {
	t.Parallel()
	broken := errors.New("sealed with another key")
	err := newDesk(t).log.Joins(t.Context(), func(yield func(keyvalue.Entry, error) bool) { yield(keyvalue.Entry{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

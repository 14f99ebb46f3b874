package audit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// countingStore counts the entries that are read.
type countingStore struct {
	keyvalue.Store

	read int
}

func (c *countingStore) List(ctx context.Context, r keyvalue.Range) ([]keyvalue.Entry, error) {
	found, err := c.Store.List(ctx, r)
	c.read += len(found)
	return found, err
}

func TestSince(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const batches = 500
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, tenant := range []string{"ops", "shop"} {
		chain := &stored{Head: Head{Tenant: tenant}}
		for n := range batches {
			var batch []*draft
			for i := range n%3 + 1 {
				batch = append(batch, &draft{line: Line{Tenant: tenant, Kind: "asked", Request: fmt.Sprintf("p%d.%d", n, i), At: start.Add(time.Duration(n) * time.Hour)}})
			}
			d.write(chain, batch...)
		}
	}
	for name, tt := range map[string]struct {
		tenant string
		since  time.Time
		batch  int // The first one that must be included.
	}{
		"all":               {"ops", start.Add(-time.Hour), 0},
		"from the first":    {"ops", start, 0},
		"in the middle":     {"shop", start.Add(250 * time.Hour), 250},
		"between batches":   {"ops", start.Add(250*time.Hour + time.Minute), 251},
		"the last":          {"ops", start.Add((batches - 1) * time.Hour), batches - 1},
		"after the last":    {"ops", start.Add(batches * time.Hour), batches},
		"an unknown tenant": {"nobody", start, batches},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counting := &countingStore{Store: d.store.KeyValue()}
			want := 0
			for n := tt.batch; n < batches; n++ {
				want += n%3 + 1
			}
			got, older := 0, 0
			for l, err := range NewLog(counting, nil, 0).Since(t.Context(), &tt.tenant, tt.since) {
				switch {
				case err != nil:
					t.Fatal(err)
				case l.Tenant != tt.tenant:
					t.Fatalf("a line of %q", l.Tenant)
				case l.At.Before(tt.since):
					older++
				default:
					got++
				}
			}
			if got != want || older > 3 {
				t.Errorf("%d lines, want %d; and %d older ones", got, want, older)
			}
			if most := batches - tt.batch + 20; counting.read > most {
				t.Errorf("it reads %d entries for %d batches, at most %d", counting.read, batches-tt.batch, most)
			}
		})
	}
}

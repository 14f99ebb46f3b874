package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// crowded is a store that gets a new record during each scan.
type crowded struct {
	bridge.Store

	ask func()
}

func (s crowded) Scan(ctx context.Context, q bridge.Scan) ([]bridge.Record, error) {
	time.Sleep(time.Second)
	s.ask()
	return s.Store.Scan(ctx, q)
}

func TestEventsDuringScanDoNotPreventSettling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, asked := newDesk(t), 0
		ask := func() {
			asked++
			d.ask("ops", fmt.Sprint("p", asked))
		}
		x := NewExporter(d.log, crowded{d.store, ask}, Options{})
		const pause = leaseTime / 2 // A longer pause would lose the lease.
		for range 6 * rescan / pause {
			if err := x.turn(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
		}
		if lately := time.Now().Add(-3 * rescan); !x.heads["ops"].Safe.After(lately) {
			t.Errorf("settled until %s, and it is %s", x.heads["ops"].Safe, time.Now())
		}
		if len(x.done) == 0 || len(x.done) >= asked/2 {
			t.Errorf("%d of %d requests are cached", len(x.done), asked)
		}
		x.release(t.Context())
		d.turn(d.exporter())
		if r := d.verify(d.export(false)); r.Lines != asked || len(r.Problems) > 0 {
			t.Errorf("of %d requests, the trail has %+v", asked, r)
		}
	})
}

// An older build accepted any tenant name.
func TestInvalidTenantDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]string{"control characters": "a\nb", "too long": strings.Repeat("x", keyvalue.MaxTenant+1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.ask(tenant, "p0")
			d.ask("ops", "p1")
			failed := 0
			x := NewExporter(d.log, d.store, Options{Failed: func(string, error) { failed++ }})
			d.turn(x)
			d.ask(tenant, "p2")
			d.ask("ops", "p3")
			d.turn(x)
			if got := kinds(d.export(true)); got != "asked asked" || failed != 1 {
				t.Errorf("trail has %q, and %d failures were reported", got, failed)
			}
		})
	}
}

// A full disk of a copy once also raised the alert for a trail that cannot be written.
func TestFailedCopyIsNotATrailFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.ask("ops", "p1")
		counted := map[string]int{}
		x := NewExporter(d.log, d.store, Options{Devices: []Device{&tried{fail: 2}}, Failed: func(to string, _ error) { counted[to]++ }})
		ctx, stop := context.WithTimeout(t.Context(), 10*tick+tick/2)
		defer stop()
		x.Run(ctx)
		if counted["tried"] != 2 || counted[trail] != 0 || x.Lag() != 0 {
			t.Errorf("failures are counted as %v, and the trail is behind by %s", counted, x.Lag())
		}
	})
}

// away is a device that fails a few times for batches with a certain word.
type away struct {
	name, of string
	tries    int
}

func (d *away) Name() string { return d.name }

func (d *away) Write(_ context.Context, batch []byte) error {
	if !bytes.Contains(batch, []byte(d.of)) {
		return nil
	}
	if d.tries--; d.tries >= 0 {
		return errors.New("out of order")
	}
	return nil
}

// A full disk was never logged if a receiver failed at the same time.
func TestLogNamesEachFailedCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.ask("ops", "p1")
		logs := &logbuffer.Buffer{}
		x := NewExporter(d.log, d.store, Options{
			Devices: []Device{&away{"receiver", "asked", 6}, &away{"disk", "started", 9}}, Logger: slog.New(slog.NewTextHandler(logs, nil)),
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			x.Run(ctx)
		}()
		time.Sleep(3 * tick)
		if err := d.log.Note(ctx, Line{Kind: "started"}); err != nil {
			t.Error(err)
		}
		time.Sleep(20 * tick)
		stop()
		<-done
		log := logs.String()
		for phrase, want := range map[string]int{"trail is behind": 2, " to receiver: ": 1, " to disk: ": 1, "up to date again": 1} {
			if got := strings.Count(log, phrase); got != want {
				t.Errorf("%q is logged %d times, want %d:\n%s", phrase, got, want, log)
			}
		}
	})
}

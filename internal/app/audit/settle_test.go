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

// crowded are records of which there is a new one, some time after somebody has begun to look
// at all of them.
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
		const pause = leaseTime / 2 // Else somebody else could take its place.
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
			t.Errorf("%d of %d requests are remembered", len(x.done), asked)
		}
		x.release(t.Context())
		d.turn(d.exporter())
		if r := d.verify(d.export(false)); r.Lines != asked || len(r.Problems) > 0 {
			t.Errorf("of %d requests, the trail has %+v", asked, r)
		}
	})
}

// An older build took any name of a tenant.
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
				t.Errorf("the trail has %q, and somebody was told %d times", got, failed)
			}
		})
	}
}

// An alert said that the trail could not be written, beside the one that was right: the disk of a copy was full.
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

// away is a device that a batch with a word in it does not reach a few times.
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

// A disk that was full while a receiver was away stood in no line of the log, nor did it once the
// receiver was back.
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
		told := logs.String()
		for says, want := range map[string]int{"trail is behind": 2, " to receiver: ": 1, " to disk: ": 1, "up to date again": 1} {
			if got := strings.Count(told, says); got != want {
				t.Errorf("%q is told %d times, want %d:\n%s", says, got, want, told)
			}
		}
	})
}

package audit

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// piped returns an exporter that copies to a pipe without a reader.
func piped(d *desk) (x *Exporter, reader *io.PipeReader, failed *int) {
	reader, writer := io.Pipe()
	d.t.Cleanup(func() { _ = reader.Close() })
	failed = new(int)
	return NewExporter(d.log, d.store, Options{
		Devices: []Device{&Stream{Label: "stdout", To: writer}},
		Failed:  func(string, error) { *failed++ },
	}), reader, failed
}

func TestStuckCopyDoesNotBlockTheTrail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		x, reader, failed := piped(d)
		d.ask("ops", "p1")
		if err := x.turn(t.Context()); err == nil || *failed != 1 {
			t.Errorf("the stuck copy is not reported: %v, %d failures", err, *failed)
		}
		time.Sleep(tick)
		d.ask("shop", "p2")
		x.all = true
		began := time.Now()
		if err := x.turn(t.Context()); err == nil || *failed != 2 || time.Since(began) > tick {
			t.Errorf("next pass: %v, %d failures, after %s", err, *failed, time.Since(began))
		}
		if trail := d.export(false); !bytes.Contains(trail, []byte(`"request":"p2"`)) || x.Lag() == 0 {
			t.Errorf("behind for %s: %s", x.Lag(), trail)
		}
		var got bytes.Buffer
		go func() { _, _ = io.Copy(&got, reader) }()
		synctest.Wait()
		d.turn(x)
		synctest.Wait()
		if lines := got.String(); x.Lag() != 0 || !strings.Contains(lines, `"request":"p1"`) || !strings.Contains(lines, `"request":"p2"`) {
			t.Errorf("behind for %s once it is read: %s", x.Lag(), lines)
		}
	})
}

func TestExporterEndsWithStuckCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		x, _, _ := piped(d)
		d.ask("ops", "p1")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			x.Run(ctx)
		}()
		time.Sleep(tick)
		cancel()
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the exporter did not stop")
		}
	})
}

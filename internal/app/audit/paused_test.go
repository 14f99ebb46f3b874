package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// pausing stops an exporter before one of its store calls, like a stopped process, and lets
// other calls fail.
type pausing struct {
	at, steps     int
	paused, going chan struct{}
	// fails lists the calls that fail. If lost is set, the store executes such a call and only
	// its reply is lost.
	fails []int
	lost  bool
}

// call executes f as one store call.
func (p *pausing) call(f func() error) error {
	if p.steps++; p.steps == p.at {
		p.paused <- struct{}{}
		<-p.going
	}
	if !slices.Contains(p.fails, p.steps) {
		return f()
	}
	if p.lost {
		_ = f() // The reply is lost.
	}
	return bridge.ErrUnavailable
}

// run runs f until it returns or pauses, and reports whether it returned.
func (p *pausing) run(f func()) (goOn func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	select {
	case <-over:
		return func() {}
	case <-p.paused:
		return func() {
			close(p.going)
			<-over
		}
	}
}

func pauseAt(step int) *pausing {
	return &pausing{at: step, paused: make(chan struct{}), going: make(chan struct{})}
}

// These are the records and the values of a store for a paused exporter.
type (
	slowRecords struct {
		bridge.Store

		p **pausing
	}
	slowValues struct {
		keyvalue.Store

		p **pausing
	}
)

func (s slowRecords) Load(ctx context.Context, id string) (r bridge.Record, err error) {
	err = (*s.p).call(func() (err error) { r, err = s.Store.Load(ctx, id); return err })
	return r, err
}

func (s slowRecords) Due(ctx context.Context, limit int) (b bridge.Batch, err error) {
	err = (*s.p).call(func() (err error) { b, err = s.Store.Due(ctx, limit); return err })
	return b, err
}

func (s slowRecords) Scan(ctx context.Context, q bridge.Scan) (all []bridge.Record, err error) {
	err = (*s.p).call(func() (err error) { all, err = s.Store.Scan(ctx, q); return err })
	return all, err
}

func (s slowValues) Get(ctx context.Context, k keyvalue.Key) (e keyvalue.Entry, err error) {
	err = (*s.p).call(func() (err error) { e, err = s.Store.Get(ctx, k); return err })
	return e, err
}

func (s slowValues) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (e keyvalue.Entry, err error) {
	err = (*s.p).call(func() (err error) { e, err = s.Store.Put(ctx, k, value, o); return err })
	return e, err
}

func (s slowValues) Delete(ctx context.Context, k keyvalue.Key, version string) error {
	return (*s.p).call(func() error { return s.Store.Delete(ctx, k, version) })
}

func (s slowValues) List(ctx context.Context, r keyvalue.Range) (all []keyvalue.Entry, err error) {
	err = (*s.p).call(func() (err error) { all, err = s.Store.List(ctx, r); return err })
	return all, err
}

// replica is an exporter whose passes can be paused.
type replica struct {
	*Exporter

	p *pausing
}

func (d *desk) replica(devices ...Device) *replica {
	r := &replica{p: pauseAt(0)}
	l := NewLog(slowValues{d.log.kv, &r.p}, d.log.key, 0)
	r.Exporter = NewExporter(l, slowRecords{d.store, &r.p}, Options{Devices: devices})
	return r
}

// turnTo runs a pass up to a step.
func (r *replica) turnTo(ctx context.Context, step int) (goOn func()) {
	r.p = pauseAt(step)
	return r.p.run(func() { _ = r.turn(ctx) }) // The replica with the lease does the refused work.
}

// vacate ends the exporter's lease.
func (d *desk) vacate() {
	d.t.Helper()
	_ = d.log.kv.Delete(d.t.Context(), keyvalue.Key{Kind: kindLease, ID: "exporter"}, "") // It may be free already.
}

// beginnings are the states in which an exporter is interrupted.
var beginnings = map[string]func(*desk, *replica){
	"the chain has not begun": func(d *desk, _ *replica) { d.ask("ops", "p1") },
	"the chain has begun": func(d *desk, x *replica) {
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		d.ask("ops", "p3")
		x.heard(bridge.Notification{ID: "p3", Version: 1})
	},
	"another tenant asks": func(d *desk, x *replica) {
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		d.ask("shop", "p3")
		x.heard(bridge.Notification{ID: "p3", Version: 1})
	},
	"something was noted": func(d *desk, x *replica) {
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		d.noted("first")
	},
	"the moment before which all have lines moves": func(d *desk, x *replica) {
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		x.mark.at = x.mark.at.Add(-time.Hour)
		x.heads["ops"].Safe = time.Time{}
		x.heard(bridge.Notification{})
	},
}

// One exporter is paused at any step. Another one takes over and is paused at any step. Then the
// first one resumes and believes that it still holds the lease, and so does the second. In all
// cases every event has exactly one line.
func TestPausedExporterWritesNoLineTwice(t *testing.T) {
	t.Parallel()
	for name, begin := range beginnings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := 1
			for ; ; first++ {
				second := 1
				for ; pausedTwice(t, begin, first, second); second++ {
				}
				if second == 1 {
					break // The first one finished.
				}
			}
			if first < 5 {
				t.Errorf("an exporter makes only %d store calls", first)
			}
		})
	}
}

// pausedTwice runs one case and reports whether both were paused.
func pausedTwice(t *testing.T, begin func(*desk, *replica), first, second int) bool {
	t.Helper()
	d := newDesk(t)
	device := &tried{}
	x, y := d.replica(device), d.replica(device)
	begin(d, x)
	xGoes := x.turnTo(t.Context(), first)
	if x.p.steps < first {
		return false
	}
	d.vacate()
	d.answer("p1", "U1", "next week")
	d.ask("ops", "p2")
	d.noted("second")
	yGoes := y.turnTo(t.Context(), second)
	stopped := y.p.steps >= second
	xGoes()
	yGoes()
	d.answer("p2", "U2", "never")
	d.noted("third")
	d.vacate()
	for _, r := range []*replica{x, y, x, d.replica(device)} {
		d.vacate()
		r.p, r.renewed = pauseAt(0), time.Time{}
		if err := r.turn(t.Context()); err != nil {
			t.Errorf("paused at %d and %d: %v", first, second, err)
		}
	}
	d.whole(fmt.Sprintf("paused at %d and %d", first, second), device)
	return stopped
}

// Any two store calls of an exporter fail, or succeed with a lost reply. The exporter continues
// pass by pass.
func TestFailingStoreCausesNoDuplicateLines(t *testing.T) {
	t.Parallel()
	for name, begin := range beginnings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := 1
			for more := true; more; first++ {
				more = false
				for second := first; failsTwice(t, begin, &pausing{fails: []int{first, second}, lost: (first+second)%2 == 0}); second++ {
					more = true
				}
			}
			if first < 7 {
				t.Errorf("an exporter makes only %d store calls", first-2)
			}
		})
	}
}

// The head of a chain is written once after several batches.
func TestSeveralBatchesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	begin := func(d *desk, x *replica) {
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		for _, id := range []string{"p3", "p4"} {
			d.askOf("ops", id, ask.PolicyOf(strings.Repeat("U", maxBatch*2/3)))
			x.heard(bridge.Notification{ID: id, Version: 1})
		}
	}
	paused, failed := 1, 1
	for ; pausedTwice(t, begin, paused, 1+paused%8); paused++ {
	}
	for ; failsTwice(t, begin, &pausing{fails: []int{failed, failed}, lost: failed%2 == 0}); failed++ {
	}
	if paused < 10 || failed < 10 {
		t.Errorf("an exporter makes only %d store calls, or %d", paused, failed)
	}
}

// failsTwice runs one case and reports whether both calls failed.
func failsTwice(t *testing.T, begin func(*desk, *replica), p *pausing) bool {
	t.Helper()
	d := newDesk(t)
	device := &tried{}
	x := d.replica(device)
	begin(d, x)
	d.answer("p1", "U1", "next week")
	d.ask("ops", "p2")
	x.p, x.renewed = p, time.Time{}
	x.heard(bridge.Notification{})
	going := func() error {
		if x.version == "" {
			d.vacate() // A lease with a lost reply has expired.
		}
		return x.turn(t.Context())
	}
	for going() != nil && p.steps < 1000 {
	}
	failed := p.steps
	d.noted("last")
	x.p = pauseAt(0)
	what := fmt.Sprintf("failing at %v", p.fails)
	if err := going(); err != nil {
		t.Errorf("%s: exporter does not recover: %v", what, err)
	}
	d.whole(what, device)
	return failed >= p.fails[1]
}

// whole fails the test unless every event has one line in the trail and in the copy.
func (d *desk) whole(what string, device *tried) {
	t := d.t
	t.Helper()
	trail := d.export(true)
	times := map[string]int{}
	for l := range linesIn(trail) {
		times[strings.TrimSpace(fmt.Sprint(l.Request, " ", l.Seq, " ", l.Kind, l.Detail))]++
	}
	for line, n := range times {
		if n != 1 {
			t.Errorf("%s: %d lines of %q", what, n, line)
		}
	}
	for _, id := range []string{"p1", "p2"} {
		r, err := d.store.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Trail.Events {
			if n := strings.Count(string(trail), fmt.Sprintf(`"request":%q,"seq":%d,`, id, e.Seq)); n != 1 {
				t.Errorf("%s: %d lines of %s, event %d", what, n, id, e.Seq)
			}
		}
	}
	if r := d.verify(trail); len(r.Problems) > 0 {
		t.Errorf("%s: trail is invalid: %q", what, r.Problems)
	}
	if r := d.verify(device.got.Bytes()); len(r.Problems) > 0 {
		t.Errorf("%s: copy is invalid: %q", what, r.Problems)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// A batch that is written after its neighbors expired is detached: no head returns to it, and
// the chain continues without it.
func TestExporterPausedBeyondRetentionForksNoChain(t *testing.T) {
	t.Parallel()
	step, named := 1, false
	for ; ; step++ {
		d := newDesk(t)
		x, y := d.replica(), d.replica()
		d.ask("ops", "p1")
		d.turn(x.Exporter)
		d.noted("first")
		d.ask("ops", "p2")
		x.heard(bridge.Notification{ID: "p2", Version: 1})
		goOn := x.turnTo(t.Context(), step)
		if x.p.steps < step {
			break
		}
		d.vacate()
		d.answer("p1", "U1", "next week")
		_ = y.turn(t.Context()) // It may find and adopt a batch of x.
		d.turn(y.Exporter)
		before := d.expire(1 << 62)
		goOn()
		after := d.expire(0)
		for tenant, h := range before {
			if got := after[tenant]; got.N < h.N || got.N == h.N && got.Hash != h.Hash {
				t.Errorf("paused at %d: the head of %q was %+v, and is %+v", step, tenant, h, got)
			}
		}
		d.vacate()
		d.ask("ops", "p3")
		d.noted("second")
		z := d.replica()
		_ = z.turn(t.Context())
		d.turn(z.Exporter)
		named = named || len(d.verify(d.export(true)).Problems) > 0
		end := d.expire(before["ops"].N)
		if end["ops"].N <= before["ops"].N {
			t.Errorf("paused at %d: chain does not continue after %d", step, before["ops"].N)
		}
		if r := d.verify(d.export(true)); len(r.Problems) > 0 {
			t.Errorf("paused at %d: trail is invalid: %q", step, r.Problems)
		}
	}
	if step < 5 || !named {
		t.Errorf("an exporter makes only %d store calls, or no note reports the detached batch", step)
	}
}

// expire deletes batches up to a line number and returns the heads.
func (d *desk) expire(until int64) map[string]Head {
	d.t.Helper()
	heads, err := d.log.Heads(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	all := map[string]Head{}
	for _, h := range heads {
		all[h.Tenant] = h
		for e, err := range d.log.all(d.t.Context(), keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}) {
			if err == nil && e.Key.ID <= batchKey("", until).ID {
				err = d.log.kv.Delete(d.t.Context(), e.Key, e.Version)
			}
			if err != nil {
				d.t.Fatal(err)
			}
		}
	}
	return all
}

func (d *desk) noted(detail string) {
	d.t.Helper()
	if err := d.log.Note(d.t.Context(), Line{Kind: "token_create", By: "ops", Detail: detail}); err != nil {
		d.t.Fatal(err)
	}
}

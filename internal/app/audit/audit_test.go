package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// desk is a store with records and their audit trail.
type desk struct {
	t       *testing.T
	store   *memory.Store
	records bridge.Store // Receives the writes of requests.
	log     *Log
	key     string
	acts    int64
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	s := memory.New()
	private, public := NewKey()
	key, err := ParseKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, store: s, records: s, log: NewLog(s.KeyValue(), key, 0), key: public}
}

func (d *desk) exporter(devices ...Device) *Exporter {
	return NewExporter(d.log, d.store, Options{Devices: devices})
}

// write adds a batch to a chain without an exporter.
func (d *desk) write(chain *stored, batch ...*draft) {
	d.t.Helper()
	if _, err := d.log.put(d.t.Context(), chain, batch); err != nil {
		d.t.Fatal(err)
	}
	if err := d.log.save(d.t.Context(), chain); err != nil {
		d.t.Fatal(err)
	}
}

// turn runs one pass of an exporter.
func (d *desk) turn(x *Exporter) {
	d.t.Helper()
	x.mu.Lock()
	x.all = true
	x.mu.Unlock()
	if err := x.turn(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// ask stores a request of a tenant.
func (d *desk) ask(tenant, id string) {
	d.t.Helper()
	d.askOf(tenant, id, ask.PolicyOf(ask.Anyone))
}

func (d *desk) askOf(tenant, id string, policy ask.Policy) {
	d.t.Helper()
	r := bridge.Record{
		ID: id, Tenant: tenant, Agent: "deploy-bot", Fingerprint: "f1", Policy: policy, Outcome: ask.Outcome{State: ask.Open},
		Questions: []ask.Question{{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}}},
		Copies:    []bridge.Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: record.Posted, Ref: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m"}}},
	}
	begin := func(r *bridge.Record, now time.Time) error {
		r.Begin(time.Hour, now)
		return nil
	}
	if _, err := d.records.Create(d.t.Context(), r, record.Audited(begin, true)); err != nil {
		d.t.Fatal(err)
	}
}

// answer types an answer as a person.
func (d *desk) answer(id, person, text string) {
	d.t.Helper()
	d.acts++
	a := record.Act{
		ID: fmt.Sprint("act", d.acts), Order: d.acts, Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m"},
		By:     ask.Responder{Person: ask.Person{Platform: "slack", ID: person, Name: "Dana " + person}, Membership: ask.Member},
		Action: ask.Action{Kind: ask.Type, Question: 0, Option: -1, Texts: map[int]string{0: text}},
	}
	judge := func(r *bridge.Record, now time.Time) error {
		_, err := r.Judge(a, record.DraftMode{}, now)
		return err
	}
	if _, err := d.records.Change(d.t.Context(), id, record.Audited(judge, true)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) export(texts bool) []byte {
	d.t.Helper()
	var out []byte
	for cursor := ""; ; {
		p, err := d.log.Page(d.t.Context(), nil, cursor, texts)
		if err != nil {
			d.t.Fatal(err)
		}
		if out, cursor = append(out, p.Trail...), p.Next; cursor == "" {
			return out
		}
	}
}

func (d *desk) verify(trail []byte, known ...Head) Report {
	d.t.Helper()
	report, err := Verify(bytes.NewReader(trail), d.key, known)
	if err != nil {
		d.t.Fatal(err)
	}
	return report
}

// kinds returns the kinds of the events in a trail.
func kinds(trail []byte) string {
	var all []string
	for l := range linesIn(trail) {
		all = append(all, l.Kind)
	}
	return strings.Join(all, " ")
}

func TestEachEventHasOneLine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	d.ask("ops", "p1")
	d.turn(x)
	d.answer("p1", "U1", "next week")
	d.ask("shop", "p2")
	if err := d.log.Note(t.Context(), Line{Kind: "token_create", By: "ops", Detail: "deploy-bot"}); err != nil {
		t.Fatal(err)
	}
	d.turn(x)
	d.turn(x)
	d.turn(d.exporter()) // Another replica, which cannot get the lease.
	trail := d.export(true)
	if got := kinds(trail); got != "token_create asked answered asked" {
		t.Errorf("the trail has %q", got)
	}
	r := d.verify(trail)
	if len(r.Problems) > 0 || r.Lines != 4 || r.Texts != 1 || len(r.Heads) != 3 {
		t.Errorf("trail is invalid: %+v", r)
	}
	if heads, err := d.log.Heads(t.Context()); err != nil || len(heads) != 3 || heads[1].N != 2 {
		t.Errorf("the heads are %+v, %v", heads, err)
	}
}

// counted counts loads of single records.
type counted struct {
	bridge.Store

	loads int
}

func (s *counted) Load(ctx context.Context, id string) (bridge.Record, error) {
	s.loads++
	return s.Store.Load(ctx, id)
}

func TestExporterLearnsOfChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	read := &counted{Store: d.store}
	x := NewExporter(d.log, read, Options{})
	d.turn(x)
	here := *d
	ours := x.Store()
	step := func(what, want string, loads int) {
		t.Helper()
		if err := x.turn(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := kinds(d.export(false)); got != want || read.loads != loads {
			t.Errorf("after %s the trail has %q, with %d records read; want %q with %d", what, got, read.loads, want, loads)
		}
	}
	here.records = ours
	here.ask("ops", "p1")
	x.heard(bridge.Notification{ID: "p1", Version: 1})
	step("what was written here", "asked", 0)
	here.answer("p1", "U1", "next week")
	step("a change of it", "asked answered", 0)
	here.ask("ops", "p2")
	d.answer("p2", "U1", "never") // On another replica,
	x.heard(bridge.Notification{ID: "p2", Version: 2})
	step("an answer of another person", "asked answered asked answered", 1)
	d.ask("ops", "p3")
	x.heard(bridge.Notification{ID: "p3"})
	step("a change of an unknown version", "asked answered asked answered asked", 2)
	here.ask("ops", "p4")
	d.answer("p4", "U1", "never") // The broken subscription does not report it.
	x.heard(bridge.Notification{})
	step("a gap", "asked answered asked answered asked asked answered", 2)
	step("nothing", "asked answered asked answered asked asked answered", 2)
}

func TestEventsKeepOrderWhenClockGoesBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	d.turn(x)
	at := time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC)
	event := func(request, kind string, seq int64, second int) *draft {
		return &draft{line: Line{Tenant: "ops", Request: request, Kind: kind, Seq: seq, At: at.Add(time.Duration(second) * time.Second)}}
	}
	if err := x.write(t.Context(), []*draft{event("p1", "asked", 1, 2), event("p1", "posted", 2, 1), event("p2", "asked", 1, 0)}); err != nil {
		t.Fatal(err)
	}
	trail := d.export(true)
	if got := kinds(trail); got != "asked asked posted" {
		t.Errorf("the trail has %q", got)
	}
	if r := d.verify(trail); len(r.Problems) > 0 {
		t.Errorf("trail is invalid: %q", r.Problems)
	}
}

func TestTakeoverAfterCrash(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	d.ask("ops", "p1")
	d.turn(x)
	d.answer("p1", "U1", "next week")
	// The exporter crashes between the batch and the head.
	h := *x.heads["ops"]
	d.turn(x)
	if _, err := d.log.kv.Put(t.Context(), headKey("ops"), marshal(h), nil); err != nil {
		t.Fatal(err)
	}
	x.release(t.Context())
	y := d.exporter()
	d.turn(y)
	d.ask("ops", "p2")
	d.turn(y)
	if got, r := kinds(d.export(false)), d.verify(d.export(false)); got != "asked answered asked" || len(r.Problems) > 0 {
		t.Errorf("the trail has %q, %+v", got, r)
	}
}

func TestTwoExportersDoNotForkTheChain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x, y := d.exporter(), d.exporter()
	d.ask("ops", "p1")
	d.turn(x)
	x.release(t.Context())
	d.turn(y)
	d.answer("p1", "U1", "next week")
	// Both believe that they hold the lease.
	x.version, x.renewed = "old", time.Now()
	x.dirty["p1"], y.dirty["p1"] = &change{heard: 2}, &change{heard: 2}
	first, second := y.turn(t.Context()), x.turn(t.Context())
	if first != nil || !errors.Is(second, keyvalue.ErrConflict) {
		t.Errorf("first error %v, second %v; want a conflict", first, second)
	}
	if got, r := kinds(d.export(true)), d.verify(d.export(true)); got != "asked answered" || len(r.Problems) > 0 {
		t.Errorf("the trail has %q, %+v", got, r)
	}
}

func TestScanSettlesOldEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	d.ask("ops", "p1")
	d.turn(x)
	// Scans an hour ago, and half an hour ago.
	x.mark.at = x.mark.at.Add(-time.Hour)
	x.heads["ops"].Safe = time.Time{}
	d.turn(x)
	d.answer("p1", "U1", "next week")
	x.release(t.Context())
	y := d.exporter()
	d.turn(y)
	if y.heads["ops"].Safe.IsZero() {
		t.Error("nothing is settled, so every start would read the whole trail")
	}
	if got := kinds(d.export(false)); got != "asked answered" {
		t.Errorf("the trail has %q", got)
	}
}

// late is a store whose clock went back by an hour.
type late struct{ bridge.Store }

func (s late) Due(ctx context.Context, limit int) (bridge.Batch, error) {
	b, err := s.Store.Due(ctx, limit)
	b.Now = b.Now.Add(-time.Hour)
	return b, err
}

func TestClockGoingBackSettlesNothingNewer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := NewExporter(d.log, late{d.store}, Options{})
	for range 3 {
		d.ask("ops", fmt.Sprint("p", d.acts))
		d.turn(x)
		x.mark.at = x.mark.at.Add(-2 * margin)
		d.acts++
	}
	x.release(t.Context())
	d.turn(d.exporter())
	if got := kinds(d.export(false)); got != "asked asked asked" {
		t.Errorf("the trail has %q", got)
	}
}

func TestErase(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	for n, who := range []string{"U1", "U2", "U1"} {
		id := fmt.Sprint("p", n)
		d.ask("ops", id)
		d.answer(id, who, "secret of "+who)
	}
	d.turn(x)
	before := d.export(false)
	for range 2 { // Erasing is idempotent.
		if _, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops", Person: "slack:U1", By: "ops"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	d.turn(x)
	trail := d.export(true)
	if bytes.Contains(trail, []byte("secret of U1")) || bytes.Contains(trail, []byte("Dana U1")) || !bytes.Contains(trail, []byte("secret of U2")) {
		t.Errorf("after the erasure the trail is\n%s", trail)
	}
	if r := d.verify(trail); len(r.Problems) > 0 || !strings.HasSuffix(kinds(trail), "erased erased") {
		t.Errorf("chain is invalid: %+v, %s", r, kinds(trail))
	}
	if !bytes.HasPrefix(d.export(false), before) || bytes.Contains(before, []byte("secret")) {
		t.Error("the chain contains texts, or was changed")
	}
	if _, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops"}, ""); !errors.Is(err, ErrErasure) {
		t.Error("an erasure without a person erased a whole tenant")
	}
}

func TestEraseBefore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	d.ask("ops", "p1")
	d.answer("p1", "U1", "secret of then")
	before := time.Now()
	d.ask("ops", "p2")
	d.answer("p2", "U1", "secret of now")
	d.turn(x)
	if n, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops", Person: "slack:U1", By: "ops", Before: before}, ""); err != nil || n != 1 {
		t.Errorf("%d lines, %v", n, err)
	}
	d.turn(x)
	trail := d.export(true)
	if bytes.Contains(trail, []byte("secret of then")) || !bytes.Contains(trail, []byte("secret of now")) || !bytes.Contains(trail, []byte("of what was before "+before.UTC().Format(time.RFC3339))) {
		t.Errorf("after the erasure the trail is\n%s", trail)
	}
	if r := d.verify(trail); len(r.Problems) > 0 {
		t.Errorf("chain is invalid: %+v", r)
	}
}

// An oversized event must not keep other events out of the trail.
func TestLongEventsAreTruncated(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	var many []string
	for n := range 5000 {
		many = append(many, fmt.Sprintf("slack:U%09d", n))
	}
	long := bridge.Record{
		ID: "p1", Tenant: "ops", Agent: "deploy-bot", Fingerprint: "f1", Policy: ask.PolicyOf(many...), Outcome: ask.Outcome{State: ask.Open},
		Questions: []ask.Question{{Text: "Deploy?"}},
	}
	if _, err := d.records.Create(t.Context(), long, record.Audited(func(r *record.Record, now time.Time) error {
		r.Begin(time.Hour, now)
		return nil
	}, true)); err != nil {
		t.Fatal(err)
	}
	// Ten questions, each with long labels and words.
	if _, err := d.records.Change(t.Context(), "p1", record.Audited(func(r *record.Record, now time.Time) error {
		r.Outcome = ask.Outcome{State: ask.Answered, By: ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}, At: now}
		for n := range 10 {
			r.Outcome.Answers = append(r.Outcome.Answers, ask.Answer{
				Index: n, Selected: []string{strings.Repeat("配", 1000), strings.Repeat("置", 1000), "OK"}, Other: strings.Repeat("語", ask.MaxTyped), Notes: strings.Repeat("\n\"", ask.MaxTyped/2),
			})
		}
		r.EndedAt, r.Due = now, time.Time{}
		return nil
	}, true)); err != nil {
		t.Fatal(err)
	}
	d.ask("shop", "p2")
	for _, detail := range []string{strings.Repeat("x", 60_000), strings.Repeat("\x01", 10_000)} {
		if err := d.log.Note(t.Context(), Line{Kind: "token_create", By: "ops", Detail: detail}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops\n", Person: "slack:U1"}, ""); !errors.Is(err, keyvalue.ErrInvalid) {
		t.Errorf("an invalid tenant: %v", err)
	}
	d.turn(x)
	trail := d.export(true)
	if r := d.verify(trail); len(r.Problems) > 0 || r.Lines != 5 {
		t.Errorf("the trail has %d lines: %v", r.Lines, r.Problems)
	}
	if !bytes.Contains(trail, []byte(`"OK"`)) || !bytes.Contains(trail, []byte("…")) {
		t.Error("truncation is not marked, or a short text was truncated")
	}
}

// tried is a device that fails a given number of times.
type tried struct {
	got  bytes.Buffer
	fail int
}

func (d *tried) Name() string { return "tried" }

func (d *tried) Write(_ context.Context, batch []byte) error {
	if d.fail--; d.fail >= 0 {
		return errors.New("out of order")
	}
	d.got.Write(batch)
	return nil
}

func TestDeviceGetsAllBatchesInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	device := &tried{fail: 1}
	x := d.exporter(device)
	d.ask("ops", "p1")
	if err := x.turn(t.Context()); err == nil || x.Lag() == 0 {
		t.Error("a failing device is not reported")
	}
	other := d.exporter()
	if err := other.turn(t.Context()); err != nil || other.Lag() == 0 {
		t.Errorf("another replica does not report the failure: %v", err)
	}
	d.answer("p1", "U1", "next week")
	d.turn(x)
	d.turn(x)
	if got := device.got.Bytes(); !bytes.Equal(got, d.export(false)) || x.Lag() != 0 {
		t.Errorf("the device has\n%s", got)
	}
	if err := other.turn(t.Context()); err != nil || other.Lag() != 0 {
		t.Errorf("another replica still reports the failure: %v", err)
	}
	// A copy can hold a batch twice.
	if r := d.verify(append(device.got.Bytes(), device.got.Bytes()...)); len(r.Problems) > 0 {
		t.Errorf("a repeated batch is a problem: %v", r.Problems)
	}
}

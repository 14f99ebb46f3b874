package audit

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// The store fails at any step while an exporter writes the text of a person. After it recovers, the
// texts of another person are erased first, which adds a line, and then those of the first.
func TestEraseAfterStoreFailures(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]Erasure{
		"of a person":              {Tenant: "ops", Person: "slack:U1", By: "ops"},
		"of a request":             {Tenant: "ops", Request: "p1", By: "ops"},
		"of a person in a request": {Tenant: "ops", Person: "slack:U1", Request: "p1", By: "ops"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := 1
			for ; troubled(t, e, step); step++ {
			}
			if step < 5 {
				t.Errorf("an exporter makes only %d store calls", step)
			}
		})
	}
}

// troubled runs one case and reports whether the store failed.
func troubled(t *testing.T, e Erasure, step int) bool {
	t.Helper()
	d := newDesk(t)
	x := d.replica()
	d.ask("ops", "p0")
	d.turn(x.Exporter)
	for n, person := range []string{"U1", "U2"} {
		id := fmt.Sprint("p", n+1)
		d.ask("ops", id)
		d.answer(id, person, "secret of "+person)
	}
	x.all, x.p = true, &pausing{fails: []int{step}}
	_ = x.turn(t.Context()) // The store fails in this pass.
	trouble := x.p.steps >= step
	x.p = pauseAt(0)
	if _, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops", Person: "slack:U9", By: "ops"}, ""); err != nil {
		t.Fatal(err)
	}
	d.turn(x.Exporter)
	if _, _, err := d.log.Erase(t.Context(), e, ""); err != nil {
		t.Fatal(err)
	}
	d.turn(x.Exporter)
	if all := d.texts(); bytes.Contains(all, []byte("secret of U1")) || bytes.Contains(all, []byte("Dana U1")) {
		t.Errorf("step %d failed: the store still has\n%s", step, all)
	}
	if trail := d.export(true); !bytes.Contains(trail, []byte("secret of U2")) || len(d.verify(trail).Problems) > 0 {
		t.Errorf("step %d failed: %v\n%s", step, d.verify(trail).Problems, trail)
	}
	return trouble
}

// Everyone on Discord shares one draft: one person types, another adds a note, and a third submits. A
// poll ends at its deadline, without a person.
func TestEraseEachAuthor(t *testing.T) {
	t.Parallel()
	person := func(id string) ask.Person { return ask.Person{Platform: "discord", ID: id, Name: "Name of " + id} }
	for name, by := range map[string]ask.Person{"a third person submits": person("U3"), "the deadline ends it": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			x := d.exporter()
			d.ask("ops", "p1")
			d.turn(x)
			if _, err := d.records.Change(t.Context(), "p1", record.Audited(func(r *bridge.Record, now time.Time) error {
				r.Outcome = ask.Outcome{State: ask.Answered, By: by, At: now, Answers: []ask.Answer{
					{Index: 0, Selected: []string{"Deploy"}, Other: "secret of U1", By: person("U1"), Notes: "secret of U2", NotesBy: person("U2")},
				}, Skipped: []ask.Unanswered{{Index: 1, By: person("U3"), Notes: "secret of U1 too", NotesBy: person("U1")}}}
				if by != (ask.Person{}) {
					r.Outcome.Answers = append(r.Outcome.Answers, ask.Answer{Index: 2, Other: "secret of U3", By: by})
				}
				r.EndedAt, r.Due = now, time.Time{}
				return nil
			}, true)); err != nil {
				t.Fatal(err)
			}
			d.turn(x)
			whole := d.export(true)
			for _, gone := range []string{"U1", "U2", "U3"} {
				if by == (ask.Person{}) && gone == "U3" {
					continue
				}
				if !bytes.Contains(d.export(true), []byte("secret of "+gone)) {
					t.Errorf("the text of %s is missing before the erasure:\n%s", gone, whole)
				}
				if _, _, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops", Person: "discord:" + gone, By: "ops"}, ""); err != nil {
					t.Fatal(err)
				}
				d.turn(x)
				trail := d.export(true)
				if bytes.Contains(trail, []byte("secret of "+gone)) || bytes.Contains(trail, []byte("Name of "+gone)) || len(d.verify(trail).Problems) > 0 {
					t.Errorf("after the erasure of %s: %v\n%s", gone, d.verify(trail).Problems, trail)
				}
			}
		})
	}
}

// texts returns all texts in the store, with and without a line in the trail.
func (d *desk) texts() []byte {
	d.t.Helper()
	var all []byte
	for e, err := range d.log.all(d.t.Context(), keyvalue.Range{Kind: kindText, Tenant: "ops"}) {
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, e.Value...)
	}
	return all
}

// The texts of people who answered just before their erasure were once written to the trail after it.
func TestEraseEventsWithoutLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		e Erasure
		// replaced lets another exporter take over after the line of the erasure.
		replaced bool
		gone     bool
	}{
		"of a person":                 {e: Erasure{Person: "slack:U1"}, gone: true},
		"of a request":                {e: Erasure{Request: "p1"}, gone: true},
		"of a person before a moment": {e: Erasure{Person: "slack:U1", Before: time.Now().Add(time.Hour)}, gone: true},
		"of what was before that":     {e: Erasure{Person: "slack:U1", Before: time.Now().Add(-time.Hour)}},
		"of another person":           {e: Erasure{Person: "slack:U2"}},
		"by the next exporter":        {e: Erasure{Person: "slack:U1"}, replaced: true, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			x := d.exporter()
			d.ask("ops", "p1")
			d.turn(x)
			d.answer("p1", "U1", "secret of U1")
			tt.e.Tenant, tt.e.By = "ops", "operator"
			if _, _, err := d.log.Erase(t.Context(), tt.e, ""); err != nil {
				t.Fatal(err)
			}
			if tt.replaced {
				if err := x.notes(t.Context()); err != nil {
					t.Fatal(err)
				}
				x.release(t.Context())
				x = d.exporter()
			}
			d.turn(x)
			d.ask("ops", "p2")
			d.answer("p2", "U1", "secret of later")
			d.turn(x)
			trail := d.export(true)
			if bytes.Contains(trail, []byte("secret of U1")) == tt.gone || !bytes.Contains(trail, []byte("secret of later")) || len(d.verify(trail).Problems) > 0 {
				t.Errorf("the trail has %v\n%s", d.verify(trail).Problems, trail)
			}
		})
	}
}

package audit

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// An exporter loses its store anywhere while it writes what a person wrote. When that is back somebody
// else's words are erased first, which has a line of its own, and then the person's.
func TestWhatAPersonWroteIsErasedWhereverAnExporterHadTrouble(t *testing.T) {
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
				t.Errorf("an exporter asks the store for %d things only", step)
			}
		})
	}
}

// troubled plays one case, and reports whether there was trouble.
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
	_ = x.turn(t.Context()) // That is the trouble.
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

// texts are all that the store keeps of what people wrote, whether a line is of it or not.
func (d *desk) texts() []byte {
	d.t.Helper()
	var all []byte
	err := d.log.each(d.t.Context(), keyvalue.Range{Kind: kindText, Tenant: "ops"}, func(e keyvalue.Entry) error {
		all = append(all, e.Value...)
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

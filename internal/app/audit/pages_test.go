package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	for n := range 100 {
		id := fmt.Sprint("p", n)
		d.ask([]string{"ops", "shop"}[n%2], id)
		d.answer(id, "U1", strings.Repeat("long ", 3000))
	}
	d.turn(x)
	first, err := d.log.Page(t.Context(), nil, "", true)
	if err != nil || first.Next == "" {
		t.Fatalf("export is a single page, or %v", err)
	}
	if r := d.verify(d.export(true)); len(r.Problems) > 0 || r.Lines != 200 || r.Texts != 100 {
		t.Errorf("the pages together are %+v", r)
	}
	for _, cursor := range []string{"x", "token//a", "audit-text/ops/1"} {
		if _, err := d.log.Page(t.Context(), nil, cursor, false); !errors.Is(err, ErrCursor) {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
	gone, cursor := 0, ""
	for shares := 1; ; shares++ {
		n, next, err := d.log.Erase(t.Context(), Erasure{Tenant: "ops", Person: "slack:U1"}, cursor)
		if err != nil {
			t.Fatal(err)
		}
		if gone, cursor = gone+n, next; cursor == "" {
			break
		}
	}
	if gone != 50 {
		t.Errorf("%d lines have lost their text, want 50", gone)
	}
}

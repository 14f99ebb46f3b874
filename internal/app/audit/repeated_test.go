package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trails returns the trail of two tenants in the three forms that can be verified.
func trails(t *testing.T) (*desk, map[string][]byte) {
	t.Helper()
	d := newDesk(t)
	copied := File{filepath.Join(t.TempDir(), "trail.jsonl")}
	x := d.exporter(copied)
	for n, tenant := range []string{"dev", "ops", "dev"} {
		id := fmt.Sprint("p", n)
		d.ask(tenant, id)
		d.answer(id, "U1", "next week")
		d.turn(x)
	}
	d.ask("dev", "single") // A batch of one line.
	d.turn(x)
	file, err := os.ReadFile(copied.Path)
	if err != nil {
		t.Fatal(err)
	}
	return d, map[string][]byte{"export": d.export(false), "export with texts": d.export(true), "copy": file}
}

// batchesIn splits a trail after each signed head.
func batchesIn(trail []byte) (all [][]byte) {
	var batch []byte
	for line := range bytes.Lines(trail) {
		if batch = append(batch, line...); bytes.HasPrefix(line, []byte(headed)) {
			all, batch = append(all, batch), nil
		}
	}
	return all
}

func TestVerifyCountsARepeatedBatchOnce(t *testing.T) {
	t.Parallel()
	d, forms := trails(t)
	for form, trail := range forms {
		batches := batchesIn(trail)
		once := d.verify(trail)
		if len(batches) != 4 || len(once.Problems) > 0 || once.Lines != 7 {
			t.Fatalf("%s: %d batches, %+v", form, len(batches), once)
		}
		check := func(name string, all [][]byte, note string) {
			t.Helper()
			r := d.verify(bytes.Join(all, nil))
			if len(r.Problems) > 0 || r.Lines != once.Lines || r.Texts != once.Texts || !slices.EqualFunc(r.Heads, once.Heads, func(a, b Head) bool { return a.N == b.N }) {
				t.Errorf("%s, %s: %+v, want the counts of %+v", form, name, r, once)
			}
			if !slices.Contains(r.Notes, note) {
				t.Errorf("%s, %s: notes %q, want %q", form, name, r.Notes, note)
			}
		}
		for n, batch := range batches {
			for at := n + 1; at <= len(batches); at++ {
				check(fmt.Sprintf("batch %d again at %d", n, at), slices.Insert(slices.Clone(batches), at, batch), "repeated batches: 1; each counted once")
			}
		}
		check("all of it twice", slices.Concat(batches, batches), "repeated batches: 4; each counted once")
		check("all of it three times", slices.Concat(batches, batches, batches), "repeated batches: 8; each counted once")
	}
	// The repetition has no texts, as when a copy follows an export.
	if r := d.verify(slices.Concat(forms["export with texts"], forms["copy"])); len(r.Problems) > 0 || r.Lines != 7 || r.Texts != 3 {
		t.Errorf("an export and the copy: %+v", r)
	}
	if r := d.verify(slices.Concat(forms["copy"], forms["export with texts"])); len(r.Problems) > 0 || r.Lines != 7 || r.Texts != 3 {
		t.Errorf("the copy and an export: %+v", r)
	}
}

func TestVerifyReportsInsertedLine(t *testing.T) {
	t.Parallel()
	d, forms := trails(t)
	for form, trail := range forms {
		lines := bytes.SplitAfter(trail, []byte("\n"))
		lines = lines[:len(lines)-1]
		for n, line := range lines {
			for at := n + 1; at <= len(lines); at++ {
				r := d.verify(bytes.Join(slices.Insert(slices.Clone(lines), at, line), nil))
				if found := strings.Join(r.Problems, "\n"); !strings.Contains(found, fmt.Sprintf("line %d: ", at+1)) || !strings.Contains(found, "inserted") {
					t.Errorf("%s: line %d again as line %d: problems %q, notes %q\n%s", form, n+1, at+1, r.Problems, r.Notes, line)
				}
			}
		}
	}
}

func TestVerifyReportsNestedBatch(t *testing.T) {
	t.Parallel()
	d, forms := trails(t)
	dev := batchesIn(forms["export"])[:3]
	inner, head, _ := bytes.Cut(dev[1], []byte("\n"))
	split := slices.Concat(dev[0], inner, []byte("\n"), dev[0], head, dev[2])
	if r := d.verify(split); !strings.Contains(strings.Join(r.Problems, "\n"), "it was inserted") {
		t.Errorf("problems %q, notes %q", r.Problems, r.Notes)
	}
}

func TestVerifyReportsIncompleteRepeatedBatch(t *testing.T) {
	t.Parallel()
	d, forms := trails(t)
	trail := forms["export"]
	first, _, _ := bytes.Cut(trail, []byte("\n"))
	if r := d.verify(slices.Concat(trail, first, []byte("\n"))); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], `line 1 of "dev" repeated: it was inserted`) {
		t.Errorf("problems %q", r.Problems)
	}
}

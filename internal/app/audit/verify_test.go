package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// busy returns a trail with several batches.
func busy(t *testing.T) (*desk, []byte) {
	t.Helper()
	return trailOf(t, 3)
}

func trailOf(t *testing.T, batches int) (*desk, []byte) {
	t.Helper()
	d := newDesk(t)
	x := d.exporter()
	for n := range batches {
		id := fmt.Sprint("p", n)
		d.ask("ops", id)
		d.answer(id, "U1", "next week <&> ü")
		d.turn(x)
	}
	return d, d.export(true)
}

func TestVerifyFindsAnyChangedByte(t *testing.T) {
	t.Parallel()
	d, trail := trailOf(t, 2)
	if r := d.verify(trail); len(r.Problems) > 0 || r.Lines != 4 || r.Texts != 2 {
		t.Fatalf("unchanged trail: %+v", r)
	}
	for at := range trail {
		other := slices.Clone(trail)
		other[at] ^= []byte{0x01, 0x20, 0x80}[at%3]
		if r := d.verify(other); len(r.Problems) == 0 {
			t.Fatalf("byte %d was %q and is %q in %q: change is not detected", at, trail[at], other[at], other[max(0, at-40):min(len(other), at+40)])
		}
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	d, trail := busy(t)
	lines := bytes.SplitAfter(trail, []byte("\n"))
	lines = lines[:len(lines)-1]
	kept, err := d.log.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	index := func(part string) int {
		return slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(part)) })
	}
	put := func(at int, line string) [][]byte { return slices.Insert(slices.Clone(lines), at, []byte(line+"\n")) }
	said := index(texted)
	other, _ := busy(t)
	foreign := other.export(false)
	lastHead := len(lines) - 1
	for !bytes.HasPrefix(lines[lastHead-1], []byte(headed)) {
		lastHead--
	}
	for name, tt := range map[string]struct {
		trail [][]byte
		want  string
	}{
		"a line was taken out":                          {slices.Delete(slices.Clone(lines), 1, 2), "were removed"},
		"a text was taken out":                          {slices.Delete(slices.Clone(lines), index(texted), index(texted)+1), "is missing without an erasure"},
		"a text was added for a person without one":     {put(1, `{"text":{"n":1,"by":"slack:U9","name":"Kim","said":["go on"],"salt":""}}`), "inserted"},
		"a second text was added for a person":          {put(said+1, strings.Replace(string(bytes.TrimSpace(lines[said])), "next", "last", 1)), "inserted"},
		"two lines changed places":                      {slices.Concat([][]byte{lines[1], lines[0]}, lines[2:]), "lines were inserted or reordered"},
		"a head was taken out":                          {lines[:len(lines)-1], "are not signed"},
		"the last batch was cut off":                    {lines[:lastHead], "lines were cut off"},
		"half a line":                                   {append(slices.Clone(lines[:3]), lines[3][:20]), "truncated"},
		"all heads were taken out":                      {slices.DeleteFunc(slices.Clone(lines), func(l []byte) bool { return bytes.HasPrefix(l, []byte(headed)) }), "has no signed head"},
		"a line was changed, and all hashes recomputed": {forged(lines, `"agent":"`, `"agent":"not-`), "differs from the signed one"},
		"another trail":                                 {[][]byte{foreign}, "signed with a different key"},
		"nothing is left":                               {nil, "lines were cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := d.verify(bytes.Join(tt.trail, nil), kept...)
			if !strings.Contains(strings.Join(r.Problems, "\n"), tt.want) {
				t.Errorf("found %q, want one about %q", r.Problems, tt.want)
			}
		})
	}
	t.Run("texts after an erasure", func(t *testing.T) {
		t.Parallel()
		if r := d.verify(d.export(false), kept...); len(r.Problems) > 0 || !slices.Equal(r.Notes, []string{"this copy holds no texts"}) {
			t.Errorf("found %q, notes %q", r.Problems, r.Notes)
		}
	})
	t.Run("expired lines", func(t *testing.T) {
		t.Parallel()
		first := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte(headed)) }) + 1
		if r := d.verify(bytes.Join(lines[first:], nil), kept...); len(r.Problems) > 0 || len(r.Notes) == 0 {
			t.Errorf("found %q, notes %q", r.Problems, r.Notes)
		}
	})
}

// forged returns a trail whose first line was changed, and all hashes recomputed, without the key.
func forged(lines [][]byte, old, instead string) [][]byte {
	made, sums := slices.Clone(lines), []string{}
	for n, l := range lines {
		if bytes.HasPrefix(l, []byte(headed)) || bytes.HasPrefix(l, []byte(texted)) {
			continue
		}
		body, sum, _ := strings.Cut(string(l), hashed)
		if len(sums) == 0 {
			body = strings.Replace(body, old, instead, 1)
		}
		body = strings.NewReplacer(sums...).Replace(body)
		anew := hash([]byte(body + "}"))
		sums = append(sums, sum[:len(anew)], anew)
		made[n] = []byte(body + hashed + anew + sum[len(anew):])
	}
	return made
}

// A repeated batch belongs to its own tenant, even after lines of another tenant.
func TestVerifyAcceptsRepeatedTenants(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	x := d.exporter()
	for n, tenant := range []string{"dev", "dev", "ops"} {
		id := fmt.Sprint("p", n)
		d.ask(tenant, id)
		d.answer(id, "U1", "next week")
		d.turn(x)
	}
	trail := d.export(true)
	if r := d.verify(slices.Concat(trail, trail)); len(r.Problems) > 0 || r.Texts != 3 {
		t.Errorf("of %d texts: %q", r.Texts, r.Problems)
	}
}

// A tenant is idle for longer than the retention time, and a head of its chain was saved elsewhere.
func TestVerifyAcceptsExpiredChain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	chains, began := map[string]*stored{}, time.Now().UTC()
	asked := func(tenant string, day int) {
		t.Helper()
		if chains[tenant] == nil {
			chains[tenant] = &stored{Head: Head{Tenant: tenant}}
		}
		d.write(chains[tenant], &draft{line: Line{Tenant: tenant, Kind: "started", At: began.AddDate(0, 0, day)}})
	}
	gone := func(tenant string) {
		t.Helper()
		if err := d.log.kv.Delete(t.Context(), batchKey(tenant, 1), ""); err != nil {
			t.Fatal(err)
		}
	}
	asked("quiet", 0)
	asked("ops", -1)
	old, err := d.log.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked("ops", 6)
	gone("quiet")
	if r := d.verify(d.export(true), old...); !strings.Contains(strings.Join(r.Problems, " "), `"quiet" goes to line 1 and ends at line 0`) {
		t.Errorf("newer lines are missing: found %q, notes %q", r.Problems, r.Notes)
	}
	gone("ops")
	if r := d.verify(d.export(true), old...); len(r.Problems) > 0 || !strings.Contains(strings.Join(r.Notes, " "), `the trail of "quiet" went to line 1`) {
		t.Errorf("only expired lines are missing: found %q, notes %q", r.Problems, r.Notes)
	}
	if r := d.verify(nil, old...); len(r.Problems) == 0 {
		t.Errorf("empty trail: notes %q", r.Notes)
	}
}

func TestVerifyFindsMissingEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(&stored{Head: Head{Tenant: "ops"}}, &draft{line: Line{Tenant: "ops", Request: "p1", Seq: 1, Kind: "asked"}}, &draft{line: Line{Tenant: "ops", Request: "p1", Seq: 70, Kind: "answered"}})
	if r := d.verify(d.export(true)); len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "the events from 2 on are missing") {
		t.Errorf("found %q", r.Problems)
	}
}

func TestVerifyAcceptsLaterStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(&stored{Head: Head{Tenant: "ops"}}, &draft{line: Line{Tenant: "ops", Request: "p1", Seq: 1, Kind: "asked"}}, &draft{line: Line{At: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), Tenant: "ops", Request: "p1", Seq: 2, Kind: "answered"}})
	_, later, _ := bytes.Cut(d.export(true), []byte("\n"))
	if r := d.verify(later); len(r.Problems) > 0 || !slices.Equal(r.Notes, []string{`the trail of "ops" begins with line 2 of 2026-11-02T09:00:00Z; earlier lines are not in this copy`}) {
		t.Errorf("found %q, notes %q", r.Problems, r.Notes)
	}
}

func TestVerifyWithoutKey(t *testing.T) {
	t.Parallel()
	_, trail := busy(t)
	r, err := Verify(bytes.NewReader(trail), "", nil)
	if err != nil || len(r.Problems) > 0 || !strings.Contains(strings.Join(r.Notes, " "), "no key was given") {
		t.Errorf("found %q, notes %q, %v", r.Problems, r.Notes, err)
	}
}

func TestParseKeyRejects(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "abc", strings.Repeat("0", 62), strings.Repeat("z", 64)} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%q was accepted as a key", text)
		}
	}
}

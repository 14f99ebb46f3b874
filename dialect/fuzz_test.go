package dialect_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/test/golden"
)

// FuzzDecode decodes any input with every dialect, and answers every accepted request.
func FuzzDecode(f *testing.F) {
	all := dialect.All()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		c := golden.Archive(f, path)
		for i, d := range all {
			if spoken(path) == d.Name {
				in := c.Get("input.json")
				f.Add(byte(i), []byte(in))
				f.Add(byte(i), []byte(c.Get("bad.json")))
				f.Add(byte(i), []byte("\ufeff"+in))
				f.Add(byte(i), []byte("\xff\xfe"+strings.Join(strings.Split(in, ""), "\x00")+"\x00"))
				if wrapped, err := json.Marshal(in); err == nil {
					f.Add(byte(i), wrapped)
				}
				for _, flag := range []string{`"multiple":true,`, `"multiSelect":false,"allow_multiple":true,`, `"type":"checkbox",`, `"multiple-choice":"yes",`} {
					f.Add(byte(i), []byte(strings.Replace(in, `"question":`, flag+`"question":`, 1)))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, in []byte) {
		checkDialect(t, all[int(which)%len(all)], in)
	})
}

// failer is implemented by all kinds of tests.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkDialect checks the invariants of decoding: a decoded call can be asked and answered, no
// other outcome looks like an answer, and JSON results are valid.
func checkDialect(t failer, d dialect.Dialect, in []byte) {
	t.Helper()
	before := bytes.Clone(in)
	call, err := d.Decode(in, nil)
	if err != nil {
		if r := d.Refuse(in, err); r.ContentType == "application/json" && len(r.Body) > 0 && !json.Valid(r.Body) {
			t.Fatalf("%s: the refusal is invalid JSON: %s", d.Name, r.Body)
		}
		d.Encode(in, picked, nil)
		return
	}
	if err := call.Request.Validate(call.Request.Rules); err != nil {
		t.Fatalf("%s: accepted request is invalid: %v", d.Name, err)
	}
	if op := call.Request.Operation; call.Permission == op.IsZero() || call.Permission && op.Key() == "" {
		t.Fatalf("%s: permission: %t, for %+v", d.Name, call.Permission, op)
	}
	seen := map[string]string{}
	for _, o := range outcomes(call.Request.Questions) {
		r := d.Encode(in, o.out, nil)
		// Dismissing the card is the same as pressing Ignore in LangGraph's inbox.
		ignored := d.Name == "langgraph" && o.out.State == ask.Cancelled && o.out.By.ID != ""
		if r.ContentType == "application/json" && len(r.Body) > 0 && !json.Valid(r.Body) {
			t.Fatalf("%s: invalid JSON for %s: %s", d.Name, o.name, r.Body)
		}
		if r.Pending != (o.out.State == ask.Open) {
			t.Fatalf("%s: pending: %v for %s", d.Name, r.Pending, o.name)
		}
		switch o.name {
		case "answered", "typed", "typed-with-picks":
			// A permission can also be answered with no, and other outcomes look like that.
			if !gaveUp(r) && (!call.Permission || o.name == "answered") {
				seen[string(r.Body)] = o.name
			}
		case "partly-answered":
		default:
			if as, same := seen[string(r.Body)]; same && !ignored {
				t.Fatalf("%s: %s looks like %s: %s", d.Name, o.name, as, r.Body)
			}
		}
	}
	if !bytes.Equal(before, in) {
		t.Fatalf("%s changed its input", d.Name)
	}
}

// gaveUp reports whether the host's format could not express the answer, such as text
// instead of a number, so that the form was cancelled.
func gaveUp(r dialect.Result) bool {
	return r.IsError || strings.Contains(strings.Join(r.Warnings, "\n"), "only learns that")
}

func TestArchivesSatisfyDecodeInvariants(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		c := golden.Archive(t, "testdata/"+d.Name+".txtar")
		checkDialect(t, d, []byte(c.Get("input.json")))
	}
}

// TestMutatedInputSatisfiesDecodeInvariants replaces one value of a valid input with
// something that a model might send.
func TestMutatedInputSatisfiesDecodeInvariants(t *testing.T) {
	t.Parallel()
	odd := []string{
		`null`, `""`, `" "`, `"x"`, `0`, `2.5`, `-1e400`, `true`, `"true"`, `[]`, `{}`, `[null]`, `[[]]`, `[{}]`, `["A","A"]`, `["A","B"]`,
		`["A","B","Other"]`, `{"questions":[]}`, `{"questions":"[]"}`, `"[\"A\",\"B\"]"`, `"{}"`, `"\ud800"`, `"\u202e\u200b"`, `[1,2,3,4,5,6]`,
	}
	for _, d := range dialect.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			in := golden.Archive(t, "testdata/"+d.Name+".txtar").Get("input.json")
			rapid.Check(t, func(t *rapid.T) {
				var root any
				if err := json.Unmarshal([]byte(in), &root); err != nil {
					t.Fatal(err)
				}
				value := json.RawMessage(rapid.SampledFrom(odd).Draw(t, "value"))
				changed, err := json.Marshal(planted(t, root, value))
				if err != nil {
					t.Fatal(err)
				}
				checkDialect(t, d, changed)
			})
		})
	}
}

// planted replaces one node of a decoded input with value.
func planted(t *rapid.T, node any, value json.RawMessage) any {
	if rapid.IntRange(0, 4).Draw(t, "here") == 0 {
		return value
	}
	switch n := node.(type) {
	case map[string]any:
		if len(n) > 0 {
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(n))).Draw(t, "member")
			n[key] = planted(t, n[key], value)
		}
		return n
	case []any:
		if len(n) > 0 {
			i := rapid.IntRange(0, len(n)-1).Draw(t, "entry")
			n[i] = planted(t, n[i], value)
		}
		return n
	case string:
		var list []any
		if json.Unmarshal([]byte(n), &list) == nil {
			inner, err := json.Marshal(planted(t, list, value))
			if err != nil {
				t.Fatal(err)
			}
			return string(inner)
		}
	}
	return value
}

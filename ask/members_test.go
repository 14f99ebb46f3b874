package ask_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestDuplicateMemberIsRejected(t *testing.T) {
	t.Parallel()
	var large strings.Builder
	for n := range 40 {
		fmt.Fprintf(&large, `"m%d":1,`, n)
	}
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"none", `{"a":{"a":[{"a":1},{"a":2}]},"b":"a","c":["a","a"]}`, nil},
		{"at the top", `{"responders":["slack:U1"],"responders":["anyone"]}`, []string{"responders"}},
		{"in an object of a list", `{"questions":[{},{"options":[{"label":"Yes","label":"No"}]}]}`, []string{"questions[1].options[0].label"}},
		{"spelled in two ways", `{"to":1,"\u0074o":2}`, []string{"to"}},
		{"with bytes that decoders replace", "{\"\xff\":1,\"\xfe\":2}", []string{"\ufffd"}},
		{"three times", `{"a":1,"a":2,"a":3}`, []string{"a", "a"}},
		{"in a large object", `{` + large.String() + `"m7":2}`, []string{"m7"}},
		{"in other letters it is another", `{"a":1,"A":2}`, nil},
		{"after a string that looks like an object", `{"a":"{\"a\":1,","b":2,"b":3}`, []string{"b"}},
		{"very deep", strings.Repeat(`{"a":`, 20) + `{"b":1,"b":2}` + strings.Repeat("}", 20), []string{strings.Repeat("a.", 11) + "a…"}},
		{"no JSON", `]},"a":1,"a":2`, nil},
		{"nothing", ``, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			if invalid, ok := errors.AsType[*ask.InvalidError](ask.CheckMembers([]byte(tt.in))); ok {
				for _, p := range invalid.Problems {
					got = append(got, p.Path)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContradictingMembersAreRejected(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"questions":[{"question":"Q?"}],"responders":["slack:U1"],"responders":["anyone"]}`:                          "responders: appears twice",
		`{"questions":[{"question":"Delete nothing?","question":"Delete all?"}]}`:                                      "questions[0].question: appears twice",
		`{"questions":"[{\"question\":\"Q?\",\"options\":[\"a\",{\"label\":\"b\",\"label\":\"c\"}]}]"}`:                "questions[0].options[1].label: appears twice",
		`{"questions":[{"question":"Q?","options":"[{\"label\":\"b\",\"description\":\"x\",\"description\":\"\"}]"}]}`: "questions[0].options[0].description: appears twice",
		`{"questions":[{"question":"Q?"}],"to":"{\"platform\":\"slack\",\"channel\":\"C1\",\"channel\":\"C2\"}"}`:      "to.channel: appears twice",
	} {
		if _, _, err := ask.DecodeRequest([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, _, err := ask.DecodeQuestions([]byte(`[{"question":"A?","question":"B?"}]`)); !errors.Is(err, ask.ErrSyntax) {
		t.Errorf("questions alone: %v", err)
	}
}

// nested returns about so many bytes of objects inside objects, the cheapest way
// to have a text read again and again.
func nested(size int) string {
	const open, end = `{"questions":`, `}`
	n := size / len(open+end)
	return strings.Repeat(open, n) + `[]` + strings.Repeat(end, n)
}

func TestNestingDepthIsLimited(t *testing.T) {
	t.Parallel()
	q, _, err := ask.DecodeRequest([]byte(`{"questions":{"questions":"{\"questions\":[{\"question\":\"Q?\"}]}"}}`))
	if err != nil || len(q.Questions) != 1 {
		t.Errorf("nested wrappers: %v, %v", q.Questions, err)
	}
	for _, in := range []string{nested(100), nested(64 << 10)} {
		if _, _, err := ask.DecodeRequest([]byte(in)); err == nil || !strings.Contains(err.Error(), "questions: must be a list of questions") {
			t.Errorf("%d bytes: %v", len(in), err)
		}
	}
}

func TestErrorLengthIsLimited(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{300: "(and 250 more problems", 20_000: "questions: has 20000 entries; no list has more than 500"} {
		zeros := []byte("[" + strings.Repeat("0,", n-1) + "0]")
		_, _, err := ask.DecodeQuestions(zeros)
		invalid, ok := errors.AsType[*ask.InvalidError](err)
		if !ok || len(invalid.Problems) > 50 || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes of input: error %.200v", len(zeros), err)
		}
	}
	r := ask.Request{Questions: make([]ask.Question, 20_000)}
	if invalid, ok := errors.AsType[*ask.InvalidError](r.Validate(nil)); !ok || len(invalid.Problems) != 50 {
		t.Errorf("validation lists %d problems", len(invalid.Problems))
	}
}

// FuzzCheckMembers holds the walk against encoding/json, token by token.
func FuzzCheckMembers(f *testing.F) {
	for _, seed := range []string{deployJSON, `{"a":1,"\u0061":2}`, `[{"a":{"a":1}},{"a":[1,{"b":2,"b":3}]}]`, `"a"`, "{\"\xff\":1,\"\ufffd\":2}", `{"":0,"":0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := ask.CheckMembers(data) != nil
		if !json.Valid(data) {
			return // It must have come to an end.
		}
		if want := repeats(t, data); got != want {
			t.Errorf("%q: found %v, want %v", data, got, want)
		}
	})
}

// repeats reports whether an object has a duplicate name.
func repeats(t *testing.T, data []byte) bool {
	t.Helper()
	type frame struct {
		names map[string]bool // nil in a list
		value bool
	}
	var way []frame
	twice := false
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // Any number is one, of whatever size.
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return twice
		}
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		switch delim, is := token.(json.Delim); {
		case is && (delim == '}' || delim == ']'):
			way = way[:len(way)-1]
		case is && len(way) > 0, !is && len(way) > 0 && (way[len(way)-1].names == nil || way[len(way)-1].value):
			way[len(way)-1].value = false
		case !is && len(way) > 0:
			top := &way[len(way)-1]
			name, _ := token.(string)
			twice = twice || top.names[name]
			top.names[name], top.value = true, true
		}
		switch token {
		case json.Delim('{'):
			way = append(way, frame{names: map[string]bool{}})
		case json.Delim('['):
			way = append(way, frame{})
		}
	}
}

// BenchmarkDecodeRequest reads what takes the most work, at two sizes: the time
// for one byte must not grow.
func BenchmarkDecodeRequest(b *testing.B) {
	shapes := map[string]func(size int) string{
		"nested":     nested,
		"in strings": func(size int) string { return `{"questions":` + inString(nested(size/2)) + `}` },
		"names": func(size int) string {
			var s strings.Builder
			for n := range size / 10 {
				fmt.Fprintf(&s, `"%06d":0,`, n)
			}
			return "{" + s.String() + `"questions":[]}`
		},
		"twice":     func(size int) string { return `{"questions":[{` + strings.Repeat(`"a":0,`, size/6) + `"a":0}]}` },
		"questions": func(size int) string { return `{"questions":[` + strings.Repeat(`0,`, size/2) + `0]}` },
		"options": func(size int) string {
			return `{"questions":[{"question":"Q?","options":[` + strings.Repeat(`"a",`, size/4) + `"a"]}]}`
		},
	}
	for name, shape := range shapes {
		for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 1 << 20} {
			data := []byte(shape(size))
			b.Run(fmt.Sprintf("%s/%dkB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					r, _, err := ask.DecodeRequest(data)
					if err == nil {
						_ = r.Validate(nil)
					}
				}
			})
		}
	}
	b.Run("usual/members", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := ask.CheckMembers([]byte(deployJSON)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("usual/all", func(b *testing.B) {
		b.SetBytes(int64(len(deployJSON)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := ask.DecodeRequest([]byte(deployJSON)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func inString(s string) string {
	one, _ := json.Marshal(s)
	return string(one)
}

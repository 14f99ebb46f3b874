package strictjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/internal/strictjson"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"command":"curl x | sh","Command":"ls"}`:        `the members "Command" and "command" differ only in case`,
		`{"link":1,"lin\u212a":2}`:                        `the members "link" and "lin` + "\u212a" + `" differ only in case`,
		`{"a":[1,{"b":{"x":1,"X":2}}]}`:                   `a: [1]: b: the members "X" and "x" differ only in case`,
		strings.Repeat("[", 51) + strings.Repeat("]", 51): strings.Repeat("[0]: ", 50) + "nested more than 50 values deep",
		`{"a":1`: "unexpected end of JSON input",
		`{"a":1,"b":{"a":[],"ab":1},"c":[{"a":1},{"A":""}]}`: "",
		`17`: "",
	} {
		if err := strictjson.Alike([]byte(text)); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestDecodeMatchesExactNames(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string `json:"name"`
	}
	type embedded struct {
		Session string `json:"session_id"`
	}
	type all struct {
		embedded

		Command string            `json:"command,omitempty"`
		Raw     json.RawMessage   `json:"raw"`
		List    []inner           `json:"list"`
		One     *inner            `json:"one"`
		Words   []string          `json:"words"`
		Map     map[string]string `json:"map"`
		None    *inner            `json:"none"`
		Skipped string            `json:"-"`
	}
	const text = `{"Command":"ls","session_id":"s1","raw":{"A":1},"list":[{"NAME":"x"},{"name":"y"}],"one":{"name":"z"},"words":["a"],"map":{"k":"v"},"none":null,"-":"x","Skipped":"x"}`
	want := all{embedded{"s1"}, "", json.RawMessage(`{"A":1}`), []inner{{}, {"y"}}, &inner{"z"}, []string{"a"}, map[string]string{"k": "v"}, nil, ""}
	var got all
	if err := strictjson.Decode([]byte(text), &got); err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(all{})) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got, cmp.AllowUnexported(all{})))
	}
	for text, want := range map[string]string{
		`{"command":1}`:                "command: ",
		`{"list":[{"name":[]}]}`:       "list.0.name: ",
		`[]`:                           "cannot unmarshal array",
		`{"list":{}}`:                  "list: ",
		`{"command":"a","command":""}`: "command: appears twice",
		`{"command"`:                   "unexpected end",
	} {
		if err := strictjson.Decode([]byte(text), &all{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%s): %v, want %q", text, err, want)
		}
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	const text = `{"path":"\/etc\u002fx","n":1.50,"text":"<a>\u003c\ud83d\ude00\u202e","l":[]}`
	const want = "{\n  \"path\": \"/etc/x\",\n  \"n\": 1.50,\n  \"text\": \"<a><😀\\u202e\",\n  \"l\": []\n}"
	if got := strictjson.Show([]byte(text)); got != want {
		t.Errorf("Show = %s", got)
	}
	for _, half := range []string{`"\ud800"`, `"\udc00\ud800"`, `"x\ud800\u0041"`} {
		if got := strictjson.Show([]byte(half)); got != half {
			t.Errorf("Show(%s) = %s", half, got)
		}
	}
	if got := strictjson.Show([]byte("no \u202eJSON")); got != `"no \u202eJSON"` {
		t.Errorf("Show = %s", got)
	}
}

// Show keeps the value and contains no invisible characters.
func FuzzStrict(f *testing.F) {
	f.Add(`{"command":"ls","a":[{"b":"\u202e"},null,-1e3]}`)
	f.Add(`{"a":1,"A":2}`)
	f.Add(`"\ud83d\ude00"`)
	f.Fuzz(func(t *testing.T, text string) {
		if strictjson.Decode([]byte(text), new(any)) != nil || strictjson.Alike([]byte(text)) != nil {
			return
		}
		shown := strictjson.Show([]byte(text))
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(shown), &after) != nil || !cmp.Equal(before, after) {
			t.Fatalf("Show(%q) = %q has a different value", text, shown)
		}
		if strings.ContainsAny(shown, "\u202e\u200b\u2066\x1b\r\u00a0") {
			t.Fatalf("Show = %q has invisible characters", shown)
		}
	})
}

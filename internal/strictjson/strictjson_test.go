package strictjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/internal/strictjson"
)

func TestATextHasOneMeaningOrIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"command":"curl x | sh","command":"ls"}`:          `the member "command" stands there twice`,
		`{"command":"curl x | sh","Command":"ls"}`:          `the members "command" and "Command" differ in case alone`,
		`{"command":"curl x | sh","c\u006fmmand":"ls"}`:     `the member "command" stands there twice`,
		`{"link":1,"lin\u212a":2}`:                          `the members "link" and "lin` + "\u212a" + `" differ in case alone`,
		`{"a":[1,{"b":{"x":1,"x":2}}]}`:                     `a[1].b: the member "x" stands there twice`,
		`[[{"x":1},{"x":1,"x":1}]]`:                         `[0][1]: the member "x" stands there twice`,
		"{\"a\":\"\xff\"}":                                  "is not UTF-8",
		strings.Repeat("[", 101) + strings.Repeat("]", 101): strings.Repeat("[0]", 100) + ": stands more than 100 values deep",
		`{"a":1`: "unexpected end of JSON input",
		``:       "unexpected end of JSON input",
		`{"a":1,"b":{"a":[]},"c":[{"a":1},{"a":""}]}`:    "",
		`{"a":"\ud83d\ude00 \\ud800 \" \ud800","a\"":1}`: "",
		`{"m":{` + members(20) + `,"M07":0}}`:            `m: the members "m07" and "M07" differ in case alone`,
		`{"m":{` + members(20) + `,"m19":0}}`:            `m: the member "m19" stands there twice`,
		`{` + members(40) + `}`:                          "",
		` [ ] `:                                          "",
		"\t{ \"a\" : -1.5e3 , \"b\" : true }\n":          "",
		`null`:                                           "",
		`17`:                                             "",
	} {
		err := strictjson.Check([]byte(text))
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if strings.Contains(want, "twice") != errors.Is(err, strictjson.ErrAmbiguous) && !errors.Is(err, strictjson.ErrAmbiguous) {
			t.Errorf("%s: %v is no ErrAmbiguous", text, err)
		}
	}
}

func members(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%02d":{"x":1}`, i))
	}
	return strings.Join(all, ",")
}

func TestMembersAreKnownByTheirExactNames(t *testing.T) {
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
	for text, says := range map[string]string{
		`{"command":1}`:                "command: ",
		`{"list":[{"name":[]}]}`:       "list: name: ",
		`[]`:                           "cannot unmarshal array",
		`{"list":{}}`:                  "list: ",
		`{"command":"a","command":""}`: "stands there twice",
	} {
		if err := strictjson.Decode([]byte(text), &all{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNothingHidesInWhatIsShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm -rf build":                          "",
		"go test ./... &&\n\tgo vet ./...\n\n":  "",
		"echo „Grüße“ 日本語 ⚠\ufe0f":              "",
		"rm\ufe0f -r":                           `"rm\ufe0f -r"`,
		"ls \u202egpj.exe":                      `"ls \u202egpj.exe"`,
		"ls\u200b -l":                           `"ls\u200b -l"`,
		"ls\u00a0-l":                            `"ls\u00a0-l"`,
		"ls \U000e0041":                         `"ls \udb40\udc41"`,
		"ls\r rm":                               `"ls\u000d rm"`,
		"ls\x1b[2K \"x\" \\":                    `"ls\u001b[2K \"x\" \\"`,
		"ls\u3164":                              `"ls\u3164"`,
		"ls\u2800":                              `"ls\u2800"`,
		"ls\n\n\n\n; rm":                        `"ls\n\n\n\n; rm"`,
		"ls\n  \n\t\n \n; rm":                   `"ls\n  \n\t\n \n; rm"`,
		"ls" + strings.Repeat(" ", 41) + "; rm": `"ls` + strings.Repeat(" ", 40) + `\u0020; rm"`,
		"ls" + strings.Repeat("\t", 6) + "; rm": `"ls\t\t\t\t\t\t; rm"`,
	} {
		if strictjson.Plain(text) != (want == "") {
			t.Errorf("%q: plain is %t", text, want != "")
		}
		if got := strictjson.Quote(text); want != "" && got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := strictjson.Reveal("1. ⚠\ufe0f Move\u202e\n\n\n\n\t2. \U000e0041"); got != "1. ⚠\ufe0f Move\\u202e\n\n\n\n\t2. \\udb40\\udc41" {
		t.Errorf("revealed as %q", got)
	}
	const text = `{"path":"\/etc\u002fx","n":1.50,"text":"<a>\u003c\ud83d\ude00\u202e","l":[]}`
	const want = "{\n  \"path\": \"/etc/x\",\n  \"n\": 1.50,\n  \"text\": \"<a><😀\\u202e\",\n  \"l\": []\n}"
	if got := strictjson.Show([]byte(text)); got != want {
		t.Errorf("shown as %s", got)
	}
	for _, half := range []string{`"\ud800"`, `"\udc00\ud800"`, `"x\ud800\u0041"`} {
		if got := strictjson.Show([]byte(half)); got != half {
			t.Errorf("%s is shown as %s", half, got)
		}
	}
	if got := strictjson.Show([]byte("no \u202eJSON")); got != `"no \u202eJSON"` {
		t.Errorf("shown as %s", got)
	}
}

// What passes has the same meaning for encoding/json, whatever is shown means the
// same, and nothing in it is hidden.
func FuzzStrict(f *testing.F) {
	f.Add(`{"command":"ls","a":[{"b":"\u202e"},null,-1e3]}`)
	f.Add(`{"a":1,"A":2}`)
	f.Add(`"\ud83d\ude00"`)
	f.Fuzz(func(t *testing.T, text string) {
		if strictjson.Check([]byte(text)) != nil {
			return
		}
		shown := strictjson.Show([]byte(text))
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(shown), &after) != nil || !cmp.Equal(before, after) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		if strings.ContainsAny(shown, "\u202e\u200b\u2066\x1b\r\u00a0") {
			t.Fatalf("something hides in %q", shown)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 14, 1 << 18} {
		text := []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat(`{"name":"x","v":[1,2]},`, n/24), ",") + `]}`)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := strictjson.Check(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package rawjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/askbridge/askbridge/internal/rawjson"
)

func FuzzTextsAreWrittenAsTheStandardLibraryWritesThem(f *testing.F) {
	for _, text := range []string{"", "plain", `"quoted" \ <&>`, "ü\u2028\u2029\U0001F44D", "\xff cut \xe2\x82", "\x00\b\f\n\r\t\x1f\x7f", "\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
		if got := rawjson.AppendText(nil, text); string(got)+"\n" != want.String() {
			t.Errorf("%q is written as %s, want %s", text, got, want.Bytes())
		}
	})
}

func TestMembersAndItemsAreSeparated(t *testing.T) {
	t.Parallel()
	object := rawjson.AppendName([]byte("{"), "a")
	object = append(rawjson.AppendName(append(object, "[1]"...), "b"), '[')
	object = append(rawjson.AppendComma(object), '2')
	object = append(rawjson.AppendComma(object), "3]}"...)
	if want := `{"a":[1],"b":[2,3]}`; string(object) != want {
		t.Errorf("written as %s, want %s", object, want)
	}
}

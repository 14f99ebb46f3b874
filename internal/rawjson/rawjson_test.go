package rawjson_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/askbridge/askbridge/internal/rawjson"
)

var texts = []string{
	`{}`, `[]`, ` { } `, "\t[\n]\r\n", `null`, `"a"`, `17`, ``,
	`{"a":1}`, `{"a":1,"b":[2,{"c":"]}"}],"d":{"e":"\"}"}}`, `[1,"two",[3],{"four":4},null,true,-1.5e3]`,
	` { "a" : 1 , "b" : [ 2 , 3 ] , "c" : "x" } `, `[ 1 , [ 2 ] , " , " ]`,
	`{"a":1,"a":2}`, `{"\u0061b":"\\"}`, `{"":""}`, "{\"\xff\":1}", `{"a":"\\\""}`, `[[[]],{}]`,
}

// judge compares with what encoding/json makes of the text.
func judge(t *testing.T, text []byte) {
	t.Helper()
	if !json.Valid(text) {
		return
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(text, &members) // Anything but an object has no members.
	got := maps.Collect(rawjson.Members(text))
	if len(got)+len(members) > 0 && !reflect.DeepEqual(got, members) {
		t.Errorf("members of %s\ngot  %q\nwant %q", text, got, members)
	}
	var items, parts []json.RawMessage
	_ = json.Unmarshal(text, &items)
	for item := range rawjson.Items(text) {
		parts = append(parts, item)
	}
	if len(parts)+len(items) > 0 && !reflect.DeepEqual(parts, items) {
		t.Errorf("items of %s\ngot  %q\nwant %q", text, parts, items)
	}
}

func TestATextIsTakenApartAsADecoderDoes(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		judge(t, []byte(text))
	}
}

func TestWhoeverHasSeenEnoughIsToldNoMore(t *testing.T) {
	t.Parallel()
	var names []string
	for name := range rawjson.Members([]byte(`{"a":1,"b":2,"c":3}`)) {
		if names = append(names, name); len(names) == 2 {
			break
		}
	}
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("told of %q", names)
	}
	told := 0
	for range rawjson.Items([]byte(`[1,2,3]`)) {
		if told++; told == 2 {
			break
		}
	}
	if told != 2 {
		t.Errorf("told of %d items", told)
	}
}

func FuzzATextIsTakenApartAsADecoderDoes(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { judge(t, text) })
}

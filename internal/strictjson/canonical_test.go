package strictjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/internal/strictjson"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` { "b" : [ 1 , "\u0041\/" , { } ] , "a" : null } `: `{"a":null,"b":[1,"A/",{}]}`,
		`[1.0,1,1e0,-0,-1e400]`:                             `[1.0,1,1e0,-0,-1e400]`,
		`{"\u0062":1,"a":"<\u003c😀\ud83d\ude00"}`:           `{"a":"\u003c\u003c😀😀","b":1}`,
		`["\ud800","\udc00",{"\ud800":1}]`:                  `["\ud800","\udc00",{"\ud800":1}]`,
		`[]`:                                                `[]`,
		`"x"`:                                               `"x"`,
		`true`:                                              `true`,
	} {
		if got, err := strictjson.Canonical([]byte(text)); err != nil || string(got) != want {
			t.Errorf("Canonical(%s) = %s, %v, want %s", text, got, err, want)
		}
	}
	for _, broken := range []string{``, `{`, `[1`, `{"a":`, `{"a"`, `"x`} {
		if got, err := strictjson.Canonical([]byte(broken)); err == nil {
			t.Errorf("Canonical(%s) = %s, want an error", broken, got)
		}
	}
}

func TestCanonicalKeepsValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.OneOf(rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny()))).Draw(t, "value")
		data, err := json.MarshalIndent(value, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got, err := strictjson.Canonical(data)
		again, err2 := strictjson.Canonical(got)
		if err != nil || err2 != nil || !bytes.Equal(got, again) {
			t.Fatalf("Canonical(%s) = %s, %v; applied twice: %s, %v", data, got, err, again, err2)
		}
		var before, after any
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(got, &after) != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("Canonical(%s) = %s has a different value", data, got)
		}
	})
}

func TestAdd(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{"a": 1}`:        `{"home":"/home/\"x","a": 1}`,
		" \n{ \"a\":1}\n": "{\"home\":\"/home/\\\"x\", \"a\":1}\n",
		`{"home":"/y"}`:   `{"home":"/y"}`,
		`{"home":null}`:   `{"home":null}`,
		`{}`:              `{}`,
		`[1]`:             `[1]`,
		`{"a":`:           `{"a":`,
	} {
		if got := string(strictjson.Add([]byte(object), "home", `/home/"x`)); got != want {
			t.Errorf("Add(%s) = %s, want %s", object, got, want)
		}
	}
	if got := string(strictjson.Add([]byte(`{"a":1}`), "home", "")); got != `{"a":1}` {
		t.Errorf("Add of an empty text = %s", got)
	}
}

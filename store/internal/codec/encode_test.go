package codec

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// emptied sets some of the fields that can be reached from v to zero, and leaves lists without
// items, or out.
func emptied(v reflect.Value, random *rand.Rand) {
	if random.IntN(3) == 0 {
		v.SetZero()
		return
	}
	if v.Type() == reflect.TypeFor[ask.Policy]() {
		return // It holds what only package ask can set.
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				emptied(field, random)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			emptied(v.Elem(), random)
		}
	case reflect.Slice:
		if v.SetLen(random.IntN(v.Len() + 1)); v.Len() > 0 {
			emptied(v.Index(0), random)
		}
	}
}

// The members are those of [stored], in their order, and what is zero is left out as its tags say.
func TestARecordIsWrittenAsTheStandardLibraryWouldWriteIt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		var r bridge.Record
		fields := 0
		fill(reflect.ValueOf(&r).Elem(), &fields)
		if n > 0 {
			emptied(reflect.ValueOf(&r).Elem(), random)
		}
		data, err := Encode(&Entry{Rec: r})
		if err != nil {
			t.Fatal(err)
		}
		s, err := read(data)
		if err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(data, '\n'), want.Bytes()) {
			t.Fatalf("written as\n%s\nwant\n%s", data, want.Bytes())
		}
	}
}

func TestAMomentThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	r := bridge.Record{Outcome: ask.Outcome{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if data, err := Encode(&Entry{Rec: r}); err == nil {
		t.Errorf("written as %s", data)
	}
}

package ask_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestOutcomeCloneIsDeep(t *testing.T) {
	t.Parallel()
	var o, want ask.Outcome
	overwrite(t, reflect.ValueOf(&o).Elem(), "was")
	overwrite(t, reflect.ValueOf(&want).Elem(), "was")
	got := o.Clone()
	overwrite(t, reflect.ValueOf(&o).Elem(), "is")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changing the original changed the clone: %s", diff)
	}
	if empty := (ask.Outcome{}).Clone(); !reflect.DeepEqual(empty, ask.Outcome{}) {
		t.Errorf("clone of the zero outcome: %+v", empty)
	}
}

// overwrite writes into all that a value holds, however deep, and makes what it lacks.
func overwrite(t *testing.T, v reflect.Value, text string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, f := range v.Fields() {
			overwrite(t, f, text)
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		overwrite(t, v.Index(0), text)
	case reflect.String:
		v.SetString(text)
	case reflect.Bool, reflect.Int:
	default:
		t.Fatalf("unhandled type %s in Outcome; extend this test", v.Type())
	}
}

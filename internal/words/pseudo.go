package words

import (
	"reflect"
	"sync"
)

// Pseudo is a pseudo-locale for tests: every text of the catalog is in brackets, and parameters are outside of them, as
// in "⟦Chosen by ⟧Ana⟦⟧". A letter outside the brackets that is not a parameter does not come from the catalog.
const Pseudo = "en-XA"

// The brackets of [Pseudo].
const (
	Opening = "⟦"
	Closing = "⟧"
)

var pseudo = sync.OnceValue(func() *Words {
	w := english
	bracket(reflect.ValueOf(&w).Elem())
	w.Language = Pseudo
	return &w
})

// bracket puts brackets around every text in v.
func bracket(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Opening + v.String() + Closing)
	case reflect.Func:
		plain := reflect.ValueOf(v.Interface())
		v.Set(reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
			for i, arg := range args {
				if arg.Kind() == reflect.String {
					args[i] = reflect.ValueOf(Closing + arg.String() + Opening)
				}
			}
			return []reflect.Value{reflect.ValueOf(Opening + plain.Call(args)[0].String() + Closing)}
		}))
	case reflect.Struct:
		for _, field := range v.Fields() {
			bracket(field)
		}
	}
}

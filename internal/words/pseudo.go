package words

import (
	"reflect"
	"sync"
)

// Pseudo is the language in which every text of the catalogue stands in brackets, with what
// it was given outside of them: "⟦Chosen by ⟧Ana⟦⟧". A letter of ours outside the brackets
// comes from no catalogue. The code is the one that others use for such a language.
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

// bracket replaces every text below v by one in brackets.
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

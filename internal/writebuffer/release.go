package writebuffer

import (
	"net/http"
	"reflect"
	"runtime"
)

// size is that of the buffers, and of a page where they can be given back.
const size = 4096

// Release gives the memory of w's buffer back to the system and reports whether it did: not where something is in it, where w
// is no stream of HTTP/2, or looks otherwise than this package knows it, and not on systems with other pages. Nobody else
// may touch w meanwhile; afterwards it can be used as before.
func Release(w http.ResponseWriter) bool {
	buffer := of(w)
	done := buffer != 0 && buffer%size == 0 && release(buffer)
	runtime.KeepAlive(w)
	return done
}

// of returns where the empty buffer of a stream is, or 0. It goes by the names in
// https://go.googlesource.com/go/+/refs/tags/go1.26.0/src/net/http/h2_bundle.go, and a test tells when they change.
func of(w http.ResponseWriter) uintptr {
	v := reflect.ValueOf(w)
	for _, name := range []string{"rws", "bw"} {
		if v = field(v, name); v.Kind() != reflect.Pointer {
			return 0
		}
	}
	held, buffer := field(v, "n"), field(v, "buf")
	if held.Kind() != reflect.Int || held.Int() != 0 || buffer.Kind() != reflect.Slice || buffer.Len() != size || buffer.Type().Elem().Kind() != reflect.Uint8 {
		return 0
	}
	return buffer.Pointer()
}

// field returns a field of what v points to; the zero value where there is none.
func field(v reflect.Value, name string) reflect.Value {
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.Elem().FieldByName(name)
}

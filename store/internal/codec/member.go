package codec

import (
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// jsonOptions select the rules of encoding/json, except that HTML characters are not escaped and
// that values are not scanned a second time for better errors.
var jsonOptions = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsonv1.ReportErrorsWithLegacySemantics(false))

// member is one member of the stored form of a struct, which its functions get as a pointer. It is the only place that
// names the field, so that writing and reading cannot differ.
type member struct {
	name string
	// empty reports whether the member is left out; nil for one that is always written.
	empty func(any) bool
	write func(*jsontext.Encoder, any) error
	read  func(*jsontext.Decoder, any) error
}

// always returns the member as one that is also written when it is empty.
func (m member) always() member {
	m.empty = nil
	return m
}

// The constructors of members are generic so that a table names typed fields. Everything else works on pointers in an
// interface: an instance for each struct and field type would make the program half a megabyte larger. A member of another
// struct panics when it is used first, in every test of the format.

// field returns a member that encoding/json writes and reads. At returns a pointer to the field. The member is left out
// when it is zero or has no elements.
func field[T any](name string, at func(*T) any) member {
	return fieldOf(name, func(v any) any { return at(v.(*T)) }, at(new(T)))
}

func fieldOf(name string, at func(any) any, sample any) member {
	return member{
		name: name, empty: isEmpty(at, sample),
		write: func(e *jsontext.Encoder, v any) error { return json.MarshalEncode(e, at(v)) },
		read:  func(d *jsontext.Decoder, v any) error { return json.UnmarshalDecode(d, at(v)) },
	}
}

// isEmpty implements omitempty, and omitzero for types with a method IsZero. Sample has the type that at returns.
func isEmpty(at func(any) any, sample any) func(any) bool {
	if _, ok := sample.(interface{ IsZero() bool }); ok {
		return func(v any) bool { return at(v).(interface{ IsZero() bool }).IsZero() }
	}
	switch reflect.TypeOf(sample).Elem().Kind() {
	case reflect.Slice, reflect.Map:
		return func(v any) bool { return reflect.ValueOf(at(v)).Elem().Len() == 0 }
	}
	return func(v any) bool { return reflect.ValueOf(at(v)).Elem().IsZero() }
}

// moment returns a member in microseconds since 1970. It is left out when it is the zero time.
func moment[T any](name string, at func(*T) *time.Time) member {
	return momentOf(name, func(v any) *time.Time { return at(v.(*T)) })
}

func momentOf(name string, at func(any) *time.Time) member {
	return member{
		name: name, empty: func(v any) bool { return MicrosOf(*at(v)) == 0 },
		write: func(e *jsontext.Encoder, v any) error {
			return e.WriteToken(jsontext.Int(int64(MicrosOf(*at(v)))))
		},
		read: func(d *jsontext.Decoder, v any) error {
			var m Micros
			err := json.UnmarshalDecode(d, &m)
			*at(v) = m.Time()
			return err
		},
	}
}

// part returns a member that is an object. It is left out when it is zero.
func part[T any, V comparable](name string, at func(*T) *V, of object) member {
	return member{
		name: name, empty: func(v any) bool { return *at(v.(*T)) == *new(V) },
		write: func(e *jsontext.Encoder, v any) error { return of.write(e, at(v.(*T))) },
		read:  func(d *jsontext.Decoder, v any) error { return of.read(d, at(v.(*T))) },
	}
}

// optional returns a member that is an object or, if it is nil, left out.
func optional[T, V any](name string, at func(*T) **V, of object) member {
	return member{
		name: name, empty: func(v any) bool { return *at(v.(*T)) == nil },
		write: func(e *jsontext.Encoder, v any) error { return of.write(e, *at(v.(*T))) },
		read: func(d *jsontext.Decoder, v any) error {
			if d.PeekKind() == jsontext.KindNull {
				return d.SkipValue()
			}
			it := new(V)
			*at(v.(*T)) = it
			return of.read(d, it)
		},
	}
}

// list returns a member that is a list of objects. It is left out when it is empty.
func list[T, V any, S ~[]V](name string, at func(*T) *S, of object) member {
	return member{
		name: name, empty: func(v any) bool { return len(*at(v.(*T))) == 0 },
		write: func(e *jsontext.Encoder, v any) error {
			all := *at(v.(*T))
			if all == nil {
				return e.WriteToken(jsontext.Null)
			}
			if err := e.WriteToken(jsontext.BeginArray); err != nil {
				return err
			}
			for n := range all {
				if err := of.write(e, &all[n]); err != nil {
					return err
				}
			}
			return e.WriteToken(jsontext.EndArray)
		},
		read: func(d *jsontext.Decoder, v any) error {
			if d.PeekKind() == jsontext.KindNull {
				return d.SkipValue()
			}
			if err := open(d, jsontext.KindBeginArray); err != nil {
				return err
			}
			all := S{}
			for d.PeekKind() != jsontext.KindEndArray {
				var one V
				if err := of.read(d, &one); err != nil {
					return err
				}
				all = append(all, one)
			}
			*at(v.(*T)) = all
			_, err := d.ReadToken()
			return err
		},
	}
}

// object is the stored form of a struct.
type object struct {
	members []member
	byName  map[string]*member
}

func objectOf(members ...member) object {
	o := object{members: members, byName: map[string]*member{}}
	for n := range members {
		o.byName[members[n].name] = &members[n]
	}
	return o
}

func (o *object) write(e *jsontext.Encoder, v any) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if err := o.writeMembers(e, v); err != nil {
		return err
	}
	return e.WriteToken(jsontext.EndObject)
}

func (o *object) writeMembers(e *jsontext.Encoder, v any) error {
	for n := range o.members {
		m := &o.members[n]
		if m.empty != nil && m.empty(v) {
			continue
		}
		if err := e.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := m.write(e, v); err != nil {
			return err
		}
	}
	return nil
}

func (o *object) read(d *jsontext.Decoder, v any) error {
	return o.readWith(d, v, func(string) error { return d.SkipValue() })
}

// readWith reads an object and calls other for the value of each unknown member.
func (o *object) readWith(d *jsontext.Decoder, v any, other func(name string) error) error {
	if err := open(d, jsontext.KindBeginObject); err != nil {
		return err
	}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		m := o.byName[string(name[1:len(name)-1])] // A name is seldom escaped.
		if m == nil {
			var text string
			if err := json.Unmarshal(name, &text, jsonOptions); err != nil {
				return err
			}
			if m = o.byName[text]; m == nil {
				if err := other(text); err != nil {
					return err
				}
				continue
			}
		}
		if err := m.read(d, v); err != nil {
			return fmt.Errorf("%q: %w", m.name, err)
		}
	}
	_, err := d.ReadToken()
	return err
}

// open reads the beginning of an object or a list.
func open(d *jsontext.Decoder, want jsontext.Kind) error {
	t, err := d.ReadToken()
	if err == nil && t.Kind() != want {
		err = fmt.Errorf("unexpected JSON %v, want %v", t.Kind(), want)
	}
	return err
}

package codec

import (
	"bytes"

	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Form is how a store writes what it keeps: in clear, which is the zero value, or sealed.
//
// A sealed record is a record of which only this can be seen, the rest of it being one
// member:
//
//	{"f":5,"te":tenant,"ky":key,"sl":record}
//
// A sealed value is a mark that no other value has, the name of the key, and the value. What
// is empty stays empty.
type Form struct {
	Keys *seal.Keys
	// Place tells this store from others with the same keys.
	Place string
}

func (f Form) record(id, tenant string) seal.What {
	return seal.What{Kind: "record", Place: f.Place, ID: id, Beside: tenant}
}

func (f Form) value(k keyvalue.Key) seal.What {
	return seal.What{Kind: "value", Place: f.Place, ID: k.String()}
}

// First names the key that seals.
func (f Form) First() string { return f.Keys.Ring().First() }

// Encode returns the stored form of e.
func (f Form) Encode(e *Entry) ([]byte, error) {
	var buf bytes.Buffer
	err := f.EncodeTo(&buf, e)
	return buf.Bytes(), err
}

// EncodeTo appends the stored form of e.
func (f Form) EncodeTo(buf *bytes.Buffer, e *Entry) error {
	if f.First() == seal.Plain {
		return EncodeTo(buf, e)
	}
	data, err := Encode(e)
	if err != nil {
		return err
	}
	return f.SealRecord(buf, e.Rec.ID, e.Rec.Tenant, data)
}

// SealRecord appends the stored form of what [Encode] has returned for a record.
func (f Form) SealRecord(buf *bytes.Buffer, id, tenant string, data []byte) error {
	ring := f.Keys.Ring()
	closed, err := ring.Seal(make([]byte, 0, len(data)+seal.Overhead), data, f.record(id, tenant))
	if err != nil {
		return err
	}
	return writeTo(buf, func(o *object) {
		o.Number("f", sealed)
		o.SomeText("te", tenant)
		o.Text("ky", ring.First())
		o.Any("sl", closed)
	})
}

// Decode reads the stored form of the record with the id. It fails with a [*seal.KeyError]
// without the key that it takes.
func (f Form) Decode(id string, data []byte) (*Entry, error) {
	s, err := read(data)
	if err != nil {
		return nil, err
	}
	ring := f.Keys.Ring()
	if s.Sealed == nil {
		if err := ring.Check(seal.Plain); err != nil {
			return nil, err
		}
		return entryOf(id, &s, data), nil
	}
	if data, err = ring.Open(s.Key, s.Sealed, f.record(id, s.Tenant)); err != nil {
		return nil, err
	}
	if s, err = read(data); err != nil {
		return nil, err
	}
	return entryOf(id, &s, data), nil
}

// KeyOf names the key that has sealed a stored record; [seal.Plain] for one in clear.
func KeyOf(data []byte) (string, error) {
	s, err := read(data)
	if err != nil || s.Sealed == nil {
		return seal.Plain, err
	}
	return s.Key, nil
}

// EncodeValue returns the stored form of an entry.
func (f Form) EncodeValue(e keyvalue.Entry) ([]byte, error) {
	value, err := f.SealValue(e.Key, e.Value)
	e.Value = value
	return EncodeValue(e), err
}

// SealValue returns a value as it is stored behind its version and expiry.
func (f Form) SealValue(k keyvalue.Key, value []byte) ([]byte, error) {
	ring := f.Keys.Ring()
	key := ring.First()
	if key == seal.Plain || len(value) == 0 {
		return value, nil
	}
	return ring.Seal([]byte(keyvalue.SealedMark+key+" "), value, f.value(k))
}

// DecodeValue reads the stored form of the entry under a key.
func (f Form) DecodeValue(k keyvalue.Key, data []byte) (keyvalue.Entry, error) {
	e, err := DecodeValue(k, data)
	if err == nil {
		e.Value, err = f.OpenValue(k, e.Value)
	}
	return e, err
}

// OpenValue is the reverse of [Form.SealValue].
func (f Form) OpenValue(k keyvalue.Key, stored []byte) ([]byte, error) {
	ring := f.Keys.Ring()
	key, body := sealedValue(stored)
	if key != seal.Plain {
		return ring.Open(key, body, f.value(k))
	}
	if len(stored) == 0 {
		return stored, nil
	}
	return stored, ring.Check(seal.Plain)
}

// KeyOfValue names the key that has sealed a stored value, as [KeyOf] does; what is empty
// stands in every form.
func (f Form) KeyOfValue(stored []byte) string {
	if len(stored) == 0 {
		return f.First()
	}
	key, _ := sealedValue(stored)
	return key
}

func sealedValue(stored []byte) (key string, body []byte) {
	rest, is := bytes.CutPrefix(stored, []byte(keyvalue.SealedMark))
	if !is {
		return seal.Plain, stored
	}
	name, body, _ := bytes.Cut(rest, []byte(" "))
	return string(name), body
}

package codec

import (
	"bytes"

	"github.com/go-json-experiment/json"

	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Form encodes and decodes records and values, unencrypted (the zero value) or sealed.
//
// A sealed record shows only its tenant and the name of its key:
//
//	{"f":5,"te":tenant,"ky":key,"sl":record}
//
// A sealed value is [keyvalue.SealedMark], the name of the key, and the encrypted value. An empty
// value stays empty.
type Form struct {
	Keys *seal.Keys
	// Place distinguishes this store from others with the same keys.
	Place string
}

func (f Form) record(id, tenant string) seal.What {
	return seal.What{Kind: "record", Place: f.Place, ID: id, Beside: tenant}
}

func (f Form) value(k keyvalue.Key) seal.What {
	return seal.What{Kind: "value", Place: f.Place, ID: k.String()}
}

// First returns the name of the key that seals.
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

// SealRecord appends the stored form of a record that [Encode] returned as data.
func (f Form) SealRecord(buf *bytes.Buffer, id, tenant string, data []byte) error {
	ring := f.Keys.Ring()
	closed, err := ring.Seal(make([]byte, 0, len(data)+seal.Overhead), data, f.record(id, tenant))
	if err != nil {
		return err
	}
	h := head{Format: sealed, Tenant: tenant, Key: ring.First(), Sealed: closed}
	return json.MarshalWrite(buf, &h, jsonOptions)
}

// Decode reads the stored form of a record. It fails with a [*seal.KeyError] if the key of the record
// is missing.
func (f Form) Decode(id string, data []byte) (*Entry, error) {
	r, err := read(id, data)
	if err != nil {
		return nil, err
	}
	ring := f.Keys.Ring()
	if r.Sealed == nil {
		err = ring.Check(seal.Plain)
	} else if data, err = ring.Open(r.Key, r.Sealed, f.record(id, r.Rec.Tenant)); err == nil {
		r, err = read(id, data)
	}
	if err != nil {
		return nil, err
	}
	return r.Entry, nil
}

// KeyOf returns the name of the key that sealed a stored record, and [seal.Plain] for an unencrypted
// one.
func KeyOf(data []byte) (string, error) {
	var h head
	if err := json.Unmarshal(data, &h, jsonOptions); err != nil || h.Sealed == nil {
		return seal.Plain, err
	}
	return h.Key, nil
}

// EncodeValue returns the stored form of an entry.
func (f Form) EncodeValue(e keyvalue.Entry) ([]byte, error) {
	value, err := f.SealValue(e.Key, e.Value)
	e.Value = value
	return EncodeValue(e), err
}

// SealValue returns the stored form of a value, without its version and expiry.
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

// OpenValue reverses [Form.SealValue].
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

// KeyOfValue returns the name of the key that sealed a stored value, as [KeyOf] does. An empty value
// is the same under every key.
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

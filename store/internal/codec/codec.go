package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// The versions of the record format. Older builds keep members that they do not know, so a new member
// alone needs no new version. A new version stops older builds from changing records that they would
// get wrong, and only records that need it are written in it.
const (
	// layeredPolicy: responders in several lists, all of which must allow a person. Older builds
	// know one list and would let more people answer.
	layeredPolicy = 2
	// voted: several people decide. Older builds would end the request with the first answer.
	voted = 3
	// led: notifications, schedule, undo, audit trail, permissions, links, message replies,
	// revisions and questions to the agent. Older builds would ignore them.
	led = 4
	// partial: optional questions and notes. Older builds would require every answer and lose
	// notes.
	partial = led
	// deliberate: a choice counts only once it is submitted. Older builds would count one tap.
	deliberate = 5
	// passable: people can hand the request over. Older builds would still let the previous
	// people answer, and not the new ones.
	passable = deliberate
	// sealed: everything except the tenant is encrypted. Older builds would read an empty record.
	sealed = deliberate
	// filed: no one can answer before the files are below the card. Older builds would let people
	// approve what they have not seen.
	filed = deliberate
	// enclosed: the card shows the beginning of a file with a remark. Older builds would show it as
	// the whole file.
	enclosed = 6
	// refiled: the agent revised a file. Older builds would take the file of the previous revision
	// for the current one.
	refiled = 7
	// risky: people confirm what they choose. Older builds would count one tap.
	risky = 8
	// newest is the newest version that this build reads.
	newest = risky
)

// formatOf returns the oldest version that can hold the record; zero is the first.
func formatOf(r *record.Record) int {
	switch {
	case r.Risk != "":
		return risky
	case r.Revised > 0 && slices.ContainsFunc(r.Files, ask.Attachment.OfContext):
		return refiled
	case slices.ContainsFunc(r.Files, func(f ask.Attachment) bool { return f.Unshown > 0 }):
		return enclosed
	case slices.ContainsFunc(r.Questions, func(q ask.Question) bool { return q.Confirm }):
		return deliberate
	case r.Schedule != nil && !r.Schedule.PassTo.IsZero():
		return passable
	case len(r.Files) > 0:
		return filed
	case r.Schedule != nil, r.Trail != nil:
		return led
	case r.Audience != nil, r.Hold != 0:
		return led
	case len(r.Links) > 0:
		return led
	case r.Replies.On():
		return led
	case r.Permit != nil, r.Revised != 0, r.AskBack.On(), r.Receipt != nil:
		return led
	case ask.Partial(r.Questions):
		return partial
	case r.Voting != nil:
		return voted
	case r.Policy.Layered():
		return layeredPolicy
	}
	return 0
}

// Entry is one version of a record, with the members that a newer build wrote and this one does not
// know. It is immutable once made, so it is passed by pointer.
type Entry struct {
	Rec   record.Record
	Extra map[string]json.RawMessage
	// Write identifies the write that made this version. Only Redis needs it, and stores it next to
	// the record.
	Write string
}

// Token identifies this version of the record. A number alone would not: after a failover that lost
// a write, two versions can have the same number.
func (e *Entry) Token() string {
	version := strconv.FormatInt(e.Rec.Version, 10)
	if e.Write == "" {
		return version
	}
	return version + "." + e.Write
}

// Encode returns the stored form of e.
func Encode(e *Entry) ([]byte, error) {
	var buf bytes.Buffer
	err := EncodeTo(&buf, e)
	return buf.Bytes(), err
}

// EncodeTo appends the stored form of e.
func EncodeTo(buf *bytes.Buffer, e *Entry) error {
	if err := jsonv2.MarshalWrite(buf, e, jsonOptions); err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	return nil
}

// MarshalJSONTo implements [jsonv2.MarshalerTo].
func (e *Entry) MarshalJSONTo(to *jsontext.Encoder) error {
	if err := to.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if format := formatOf(&e.Rec); format != 0 {
		if err := errors.Join(to.WriteToken(jsontext.String("f")), to.WriteToken(jsontext.Int(int64(format)))); err != nil {
			return err
		}
	}
	if err := storedRecord.writeMembers(to, &e.Rec); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		if err := errors.Join(to.WriteToken(jsontext.String(name)), to.WriteValue(jsontext.Value(e.Extra[name]))); err != nil {
			return err
		}
	}
	return to.WriteToken(jsontext.EndObject)
}

// head is the visible part of a sealed record, and describes the form of any stored record.
type head struct {
	// Format is left out when it is the first.
	Format int    `json:"f,omitempty"`
	Tenant string `json:"te,omitempty"`
	// Key names the key that has sealed the record; see [Form].
	Key    string `json:"ky,omitempty"`
	Sealed []byte `json:"sl,omitempty"`
}

// Decode reads the stored form of an unencrypted record.
func Decode(id string, data []byte) (*Entry, error) { return Form{}.Decode(id, data) }

// reading is a stored record as it is read. Of a sealed one it has the head and the tenant.
type reading struct {
	*Entry
	head
}

func read(id string, data []byte) (*reading, error) {
	r := &reading{Entry: &Entry{Rec: record.Record{ID: id}}}
	err := jsonv2.Unmarshal(data, r, jsonOptions)
	if r.Format > newest {
		return nil, fmt.Errorf("%w: it has format %d, this one reads up to %d", storage.ErrTooNew, r.Format, newest)
	}
	if err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	return r, nil
}

// UnmarshalJSONFrom implements [jsonv2.UnmarshalerFrom].
func (r *reading) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return storedRecord.readWith(d, &r.Rec, func(name string) error {
		switch name {
		case "f":
			return jsonv2.UnmarshalDecode(d, &r.Format)
		case "ky":
			return jsonv2.UnmarshalDecode(d, &r.Key)
		case "sl":
			return jsonv2.UnmarshalDecode(d, &r.Sealed)
		case "id": // Never written.
			return d.SkipValue()
		}
		value, err := d.ReadValue()
		if r.Extra == nil {
			r.Extra = map[string]json.RawMessage{}
		}
		r.Extra[name] = bytes.Clone(value)
		return err
	})
}

// TenantOf returns the tenant of a stored record, empty if it cannot be read.
func TenantOf(data []byte) string {
	var h head
	_ = json.Unmarshal(data, &h) // Loading the record reports the error.
	return h.Tenant
}

// First applies f to a copy of r and returns it as version 1.
func First(r *record.Record, f record.Transition, now time.Time) (*Entry, error) {
	e := &Entry{Rec: r.Clone()}
	if e.Rec.Created.IsZero() {
		e.Rec.Created = now
	}
	return e, e.become(r.ID, 1, f, now)
}

// Apply applies f to a copy of e and returns it as the next version.
func (e *Entry) Apply(f record.Transition, now time.Time) (*Entry, error) {
	next := &Entry{Rec: e.Rec.Clone(), Extra: e.Extra}
	return next, next.become(e.Rec.ID, e.Rec.Version+1, f, now)
}

// become applies f to the record and makes it a version. Its times get the precision and the zone
// that they will have when they are read back.
func (e *Entry) become(id string, version int64, f record.Transition, now time.Time) error {
	r := &e.Rec
	if err := f(r, now); err != nil {
		return err
	}
	r.ID, r.Version, r.Changed = id, version, now
	for _, t := range []*time.Time{&r.Created, &r.Changed, &r.Deadline, &r.Due, &r.DeliveryDue, &r.EndedAt, &r.HandedAt} {
		*t = MicrosOf(*t).Time()
	}
	return nil
}

// Micros is a time in microseconds since 1970, the unit of Redis TIME; zero is none. The scores of
// sorted sets are exact until the year 2255, and for [record.Forever].
type Micros int64

// MicrosOf converts a time to its stored form.
func MicrosOf(t time.Time) Micros {
	if t.IsZero() {
		return 0
	}
	return Micros(t.UnixMicro())
}

// Time returns the time in UTC.
func (m Micros) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// Until returns the duration from now to m, at least zero and at most the longest duration.
func (m Micros) Until(now Micros) time.Duration {
	const most = Micros(math.MaxInt64 / time.Microsecond)
	return time.Duration(min(max(m-now, 0), most)) * time.Microsecond
}

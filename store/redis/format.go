package redis

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// format encodes records as they are stored.
type format struct {
	form codec.Form
	// retention is how long Redis keeps an ended record.
	retention time.Duration
}

// pack returns the stored value of e, which swap.lua documents, and its expiry in milliseconds. The expiry
// is zero while the record is open or a delivery is due.
func (f format) pack(e *codec.Entry) (value string, expires int64, err error) {
	delivery := 0
	switch {
	case !e.Rec.DeliveryDue.IsZero():
		delivery = 1
	case !e.Rec.EndedAt.IsZero():
		expires = e.Rec.EndedAt.Add(f.retention).UnixMilli()
	}
	buf := packing.Get().(*bytes.Buffer)
	defer packing.Put(buf)
	buf.Reset()
	_, _ = fmt.Fprintf(buf, "%s %d %d ", e.Token(), delivery, expires) // A buffer takes everything.
	if err := f.form.EncodeTo(buf, e); err != nil {
		return "", 0, err
	}
	return buf.String(), expires, nil
}

// packing is a pool of buffers for encoding values.
var packing = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// unpack decodes a stored value.
func (f format) unpack(id, value string) (*codec.Entry, error) {
	words := strings.SplitN(value, " ", 4)
	if len(words) < 4 {
		return nil, errors.New("decode record: it has no token")
	}
	e, err := f.form.Decode(id, []byte(words[3]))
	if err != nil {
		return nil, err
	}
	_, e.Write, _ = strings.Cut(words[0], ".")
	return e, nil
}

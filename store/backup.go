package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Counts is how much was copied.
type Counts struct {
	Records int `json:"records"`
	Values  int `json:"values"`
}

// Both is a store of records with the small values beside them.
type Both interface {
	bridge.Store
	KeyValue() keyvalue.Store
}

// saved is one line of a backup: a record, a value, or the end.
type saved struct {
	Record string          `json:"record,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`

	Value   string    `json:"value,omitempty"`
	Bytes   []byte    `json:"bytes,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	End *Counts `json:"end,omitempty"`
}

// Backup writes every record and every value of a store as JSON lines, whatever store it
// is, and ends with how many there are, so that a copy that was cut off is known. It is
// sealed with the keys of the store; without any it holds questions and answers in clear, and
// hashes of tokens. The store may be in use meanwhile: each record is as it stood at some
// moment of the backup. Progress, which may be nil, is told now and then.
func Backup(ctx context.Context, from Both, to io.Writer, progress func(Counts)) (Counts, error) {
	form := formOf(from)
	out := bufio.NewWriter(to)
	b := backup{from: from, form: form, lines: json.NewEncoder(out), progress: progress, written: map[string]bool{}}
	b.lines.SetEscapeHTML(false)
	err := b.all(ctx)
	if err == nil {
		err = b.lines.Encode(saved{End: &b.n})
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return b.n, fmt.Errorf("store: backup: %w", err)
	}
	return b.n, nil
}

// backup is one that is being written.
type backup struct {
	from     Both
	form     codec.Form
	lines    *json.Encoder
	progress func(Counts)
	n        Counts
	written  map[string]bool // The records, by id.
}

func (b *backup) all(ctx context.Context) error {
	if err := b.records(ctx, false); err != nil {
		return err
	}
	if err := b.missed(ctx); err != nil {
		return err
	}
	if err := b.records(ctx, true); err != nil {
		return err
	}
	return b.values(ctx)
}

// records writes all that are open, or have ended.
func (b *backup) records(ctx context.Context, ended bool) error {
	for r, err := range (bridge.Scan{Ended: ended, Limit: migratePage}).All(ctx, b.from) {
		if err == nil {
			err = b.record(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missed writes those open ones that became due sooner while they were read page by page,
// since somebody has pressed perhaps: they stand before the page that was read then.
func (b *backup) missed(ctx context.Context) error {
	ids, err := listed(ctx, b.from, false)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if b.written[id] {
			continue
		}
		r, err := b.from.Load(ctx, id)
		switch {
		case errors.Is(err, bridge.ErrNotFound), errors.Is(err, bridge.ErrGone):
			continue // It was taken away meanwhile.
		case err != nil:
			return err
		}
		if err := b.record(&r); err != nil {
			return err
		}
	}
	return nil
}

func (b *backup) record(r *bridge.Record) error {
	data, err := b.form.Encode(&codec.Entry{Rec: *r})
	if err == nil {
		err = b.lines.Encode(saved{Record: r.ID, Data: data})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.ID, err)
	}
	b.written[r.ID] = true
	b.n.Records++
	tellCounts(b.progress, b.n)
	return nil
}

func (b *backup) values(ctx context.Context) error {
	for e, err := range keyvalue.All(ctx, b.from.KeyValue(), keyvalue.Range{}) {
		if err == nil && isMark(e.Key) {
			continue
		}
		if err == nil {
			err = b.value(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *backup) value(e keyvalue.Entry) error {
	value, err := b.form.SealValue(e.Key, e.Value)
	if err == nil {
		err = b.lines.Encode(saved{Value: e.Key.String(), Bytes: value, Expires: e.Expires})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	b.n.Values++
	tellCounts(b.progress, b.n)
	return nil
}

// Restore puts what [Backup] has written into a store, and returns how much of it was not
// there yet. What the store has already is left alone, so running it again goes on where an
// error has ended it. It fails for a backup without its end, after everything before that.
// No bridge may use the store meanwhile.
//
// When the store asks for replicas and something was not acknowledged, all is stored all
// the same and the error matches [bridge.ErrNotReplicated].
func Restore(ctx context.Context, from io.Reader, to Both, progress func(Counts)) (n Counts, err error) {
	var read Counts
	var alone error
	form := formOf(to)
	seen := map[string]bool{}
	for lines := json.NewDecoder(from); ; {
		var s saved
		switch err := lines.Decode(&s); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return n, fmt.Errorf("store: restore: the backup was cut off after %d records and %d values", read.Records, read.Values)
		case err != nil:
			return n, fmt.Errorf("store: restore: this is no backup, after %d records and %d values: %w", read.Records, read.Values, err)
		}
		switch {
		case s.End != nil && *s.End != read:
			return n, fmt.Errorf("store: restore: the backup says that it has %d records and %d values, and has %d and %d", s.End.Records, s.End.Values, read.Records, read.Values)
		case s.End != nil:
			return n, alone
		case s.Record != "":
			read.Records++
			err = restoreRecord(ctx, to, form, s, seen[s.Record], &n)
			seen[s.Record] = true
		default:
			read.Values++
			err = restoreValue(ctx, to.KeyValue(), form, s, &n)
		}
		if errors.Is(err, bridge.ErrNotReplicated) {
			alone, err = err, nil
		}
		if err != nil {
			return n, fmt.Errorf("store: restore %s%s: %w", s.Record, s.Value, err)
		}
		tellCounts(progress, n)
	}
}

// SavedValues are the values of a kind that a backup holds, opened with the keys of the store
// into which they are to come. They end where the backup was cut off or is none, which
// [Restore] says.
func SavedValues(from io.Reader, to Both, kind string) iter.Seq2[keyvalue.Entry, error] {
	form := formOf(to)
	return func(yield func(keyvalue.Entry, error) bool) {
		for lines := json.NewDecoder(from); ; {
			var s saved
			if lines.Decode(&s) != nil || s.End != nil {
				return
			}
			key, err := keyvalue.ParseKey(s.Value)
			if err != nil || key.Kind != kind {
				continue
			}
			value, err := form.OpenValue(key, s.Bytes)
			if err != nil {
				err = fmt.Errorf("store: restore %s: %w", key, err)
			}
			if !yield(keyvalue.Entry{Key: key, Value: value, Expires: s.Expires}, err) {
				return
			}
		}
	}
}

// restoreRecord stores a record. One that comes again has ended while the backup was made,
// after it was read as open.
func restoreRecord(ctx context.Context, to bridge.Store, form codec.Form, s saved, again bool, n *Counts) error {
	e, err := form.Decode(s.Record, s.Data)
	if err != nil {
		return err
	}
	if again {
		_, err = to.Change(ctx, s.Record, func(r *bridge.Record, _ time.Time) error {
			if !r.Open() {
				return bridge.ErrUnchanged
			}
			*r = e.Rec
			return nil
		})
		if errors.Is(err, bridge.ErrUnchanged) {
			return nil
		}
		return err
	}
	if err = admit(ctx, to, e.Rec); errors.Is(err, bridge.ErrExists) {
		return nil
	}
	if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
		n.Records++
	}
	return err
}

func restoreValue(ctx context.Context, to keyvalue.Store, form codec.Form, s saved, n *Counts) error {
	key, err := keyvalue.ParseKey(s.Value)
	if err != nil || isMark(key) {
		return err
	}
	value, err := form.OpenValue(key, s.Bytes)
	if err != nil {
		return err
	}
	o := &keyvalue.PutOptions{If: keyvalue.Absent}
	if !s.Expires.IsZero() {
		if o.TTL = time.Until(s.Expires); o.TTL < time.Millisecond {
			return nil // It is over.
		}
	}
	if _, err = to.Put(ctx, key, value, o); errors.Is(err, keyvalue.ErrConflict) {
		return nil
	}
	if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
		n.Values++
	}
	return err
}

func tellCounts(progress func(Counts), n Counts) {
	if progress != nil {
		progress(n)
	}
}

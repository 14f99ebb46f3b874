package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Counts are the numbers of copied records and values.
type Counts struct {
	Records int `json:"records"`
	Values  int `json:"values"`
}

// Both is a store of records with a key-value store.
type Both interface {
	storage.Store
	KeyValue() keyvalue.Store
}

// Backup writes all records and values of any store as JSON lines, followed by their numbers and a hash, so
// that truncated and changed backups are detected. It is sealed with the keys of the store; without
// keys it contains questions, answers and hashes of tokens unencrypted. The store may be in use: each record
// is consistent, but they may be from different times. progress may be nil.
func Backup(ctx context.Context, from Both, to io.Writer, progress func(Counts)) (Counts, error) {
	form := formOf(from)
	out, sum := bufio.NewWriter(to), sha256.New()
	b := backup{from: from, form: form, lines: json.NewEncoder(io.MultiWriter(out, sum)), progress: progress, written: map[string]bool{}}
	b.lines.SetEscapeHTML(false)
	err := b.all(ctx)
	if err == nil {
		err = b.lines.Encode(saved{End: &end{b.n, hex.EncodeToString(sum.Sum(nil))}})
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return b.n, fmt.Errorf("store: backup: %w", err)
	}
	return b.n, nil
}

// backup is a backup being written.
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

// records writes the open or the ended records.
func (b *backup) records(ctx context.Context, ended bool) error {
	for r, err := range (storage.Scan{Ended: ended, Limit: migratePage}).All(ctx, b.from) {
		if err == nil {
			err = b.record(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missed writes open records that moved to an earlier page while the pages were read, because they became
// due sooner, for example after a click.
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
		case errors.Is(err, storage.ErrNotFound), errors.Is(err, ask.ErrGone):
			continue // It was removed in the meantime.
		case err != nil:
			return err
		}
		if err := b.record(&r); err != nil {
			return err
		}
	}
	return nil
}

func (b *backup) record(r *record.Record) error {
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

func tellCounts(progress func(Counts), n Counts) {
	if progress != nil {
		progress(n)
	}
}

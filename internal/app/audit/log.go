package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Log is the stored trail: batches of lines with their heads, texts, the end of each chain, and
// notes that have no line yet.
type Log struct {
	kv   keyvalue.Store
	key  ed25519.PrivateKey
	keep time.Duration // How long batches and texts are kept; zero is forever.
}

// NewLog returns the trail in a store. Without a key it is read-only.
func NewLog(kv keyvalue.Store, key ed25519.PrivateKey, keep time.Duration) *Log {
	return &Log{kv, key, keep}
}

const (
	kindBatch, kindText, kindHead = "audit", "audit-text", "audit-head"
	kindNote, kindSent, kindLease = "audit-note", "audit-sent", "audit-holder"

	// maxBatch is the maximum size of the lines, or the texts, of a batch, with room for the head.
	maxBatch = keyvalue.MaxValue - 4<<10
	// page is how many values or records are read at once.
	page = 40
	// share is how many events are written at once.
	share = 500
	// maxNoted is the maximum length of a part of a note.
	maxNoted = 2 << 10
)

// stored is the end of a tenant's chain and the point up to which it is complete.
type stored struct {
	Head

	// Batch is the number of the first line of the last batch.
	Batch int64 `json:"batch"`
	// Safe is a time of the store: all events until then have a line, and only batches up to
	// SafeN contain them.
	Safe  time.Time `json:"safe,omitzero"`
	SafeN int64     `json:"safe_n,omitempty"`
}

func batchKey(tenant string, n int64) keyvalue.Key {
	return keyvalue.Key{Kind: kindBatch, Tenant: tenant, ID: fmt.Sprintf("%016x", n)}
}

// textKey is the key of the texts of a batch whose last line has a hash.
func textKey(batch keyvalue.Key, hash string) keyvalue.Key {
	batch.Kind, batch.ID = kindText, batch.ID+"-"+hash[:16]
	return batch
}

// headPrefix begins the IDs of heads. They have no tenant, so that one range lists them all.
const headPrefix = "of "

func headKey(tenant string) keyvalue.Key {
	return keyvalue.Key{Kind: kindHead, ID: headPrefix + tenant}
}

// written ignores that a write has not reached enough replicas yet.
func written(err error) error {
	if errors.Is(err, bridge.ErrNotReplicated) {
		return nil
	}
	return err
}

// found ignores that there is no value.
func found(err error) error {
	if errors.Is(err, bridge.ErrNotFound) {
		return nil
	}
	return err
}

func (l *Log) all(ctx context.Context, r keyvalue.Range) iter.Seq2[keyvalue.Entry, error] {
	r.Limit = page
	return keyvalue.All(ctx, l.kv, r)
}

// heads returns the ends of all chains.
func (l *Log) heads(ctx context.Context) (all []stored, err error) {
	for e, err := range l.all(ctx, keyvalue.Range{Kind: kindHead, Prefix: headPrefix}) {
		if err != nil {
			return nil, err
		}
		var h stored
		if err := json.Unmarshal(e.Value, &h); err != nil {
			return nil, fmt.Errorf("audit: read head %q: %w", e.Key.ID, err)
		}
		all = append(all, h)
	}
	return all, nil
}

// Heads returns the head of each chain.
func (l *Log) Heads(ctx context.Context) (heads []Head, err error) {
	all, err := l.heads(ctx)
	for _, h := range all {
		if h.N > 0 {
			heads = append(heads, h.Head)
		}
	}
	return heads, err
}

// put appends a batch of as many events as fit, moves h to its end, and returns their number. The
// caller saves h. It returns [keyvalue.ErrConflict] if another exporter has written that batch.
func (l *Log) put(ctx context.Context, h *stored, all []*draft) (n int, err error) {
	var lines, texts []byte
	next := *h
	for ; n < len(all); n++ {
		line, text, sum := all[n].place(next.N+1, next.Hash)
		if n > 0 && max(len(lines)+len(line), len(texts)+len(text)) > maxBatch {
			break
		}
		lines, texts = append(lines, line...), append(texts, text...)
		next.N, next.Hash = next.N+1, sum
	}
	next.At, next.Batch = all[n-1].line.At, h.N+1
	key := batchKey(h.Tenant, next.Batch)
	if len(texts) > 0 {
		// First, so that no line lacks its text, and under a key that no other batch has.
		if _, err := l.kv.Put(ctx, textKey(key, next.Hash), texts, &keyvalue.PutOptions{TTL: l.keep}); written(err) != nil {
			return n, err
		}
	}
	_, err = l.kv.Put(ctx, key, append(lines, next.sign(l.key)...), &keyvalue.PutOptions{TTL: l.keep, If: keyvalue.Absent})
	if written(err) != nil {
		return n, err
	}
	*h = next
	return n, nil
}

// save stores the end of a chain. It returns [keyvalue.ErrConflict] if the chain has grown beyond it.
func (l *Log) save(ctx context.Context, h *stored) error {
	_, err := keyvalue.Update(ctx, l.kv, headKey(h.Tenant), func(old keyvalue.Entry) ([]byte, time.Duration, error) {
		var was stored
		if json.Unmarshal(old.Value, &was) == nil && was.N > h.N {
			return nil, 0, keyvalue.ErrConflict
		}
		return marshal(h), 0, nil
	})
	return written(err)
}

// follow moves h behind batches that were written without saving the end of the chain.
func (l *Log) follow(ctx context.Context, h *stored) error {
	for {
		e, err := l.kv.Get(ctx, batchKey(h.Tenant, h.N+1))
		if errors.Is(err, bridge.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		end, err := headOf(e.Value)
		if err != nil {
			return err
		}
		h.Head, h.Batch = end, h.N+1
		if err := l.save(ctx, h); err != nil {
			return err
		}
	}
}

// Note stores an event that belongs to no request, such as a new token. It is durable when Note
// returns, and the exporter adds its line. A tenant that cannot have a chain is a [keyvalue.ErrInvalid].
func (l *Log) Note(ctx context.Context, n Line) error {
	if err := batchKey(n.Tenant, 0).Validate(); err != nil {
		return err
	}
	n.Request, n.By, n.Detail = cutTo(n.Request, maxNoted), cutTo(n.By, maxNoted), cutTo(n.Detail, maxNoted)
	now := time.Now().UTC()
	if n.At.IsZero() {
		n.At = now
	}
	n.Act = fmt.Sprintf("%016x-%s", now.UnixMicro(), rand.Text()[:10])
	_, err := l.kv.Put(ctx, keyvalue.Key{Kind: kindNote, ID: n.Act}, marshal(n), &keyvalue.PutOptions{If: keyvalue.Absent})
	return written(err)
}

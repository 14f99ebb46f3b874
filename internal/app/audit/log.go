package audit

import (
	"bytes"
	"cmp"
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

// Log is the trail as it stands in a store: batches of lines, each with its head; their
// texts; how far each chain goes; and what was noted and has no line yet.
type Log struct {
	kv  keyvalue.Store
	key ed25519.PrivateKey
	// keep is how long lines, their signed heads and texts stay; zero is forever.
	keep time.Duration
}

// NewLog returns the trail of a store. Without a key it can be read and not be written.
func NewLog(kv keyvalue.Store, key ed25519.PrivateKey, keep time.Duration) *Log {
	return &Log{kv, key, keep}
}

const (
	kindBatch, kindText, kindHead = "audit", "audit-text", "audit-head"
	kindNote, kindSent            = "audit-note", "audit-sent"
	kindHolder, kindBehind        = "audit-holder", "audit-behind"

	// kindErased is the line that tells of an erasure.
	kindErased = "erased"

	// maxBatch is how many bytes of lines, or of texts, stand under one key at most, with room
	// for the head. The more there are, the fewer signatures and round trips there are.
	maxBatch = keyvalue.MaxValue - 4<<10
	// page is how many values, or records, are read at once.
	page = 40
	// maxNoted is how much is kept of what was noted, which anybody may have sent.
	maxNoted = 2 << 10
)

// stored is how far the chain of a tenant goes, and since when all events have a line.
type stored struct {
	Head

	// Batch is the number of the first line of the last batch.
	Batch int64 `json:"batch"`
	// Safe is a moment of the store: what happened until then stands before SafeN.
	Safe  time.Time `json:"safe,omitzero"`
	SafeN int64     `json:"safe_n,omitempty"`

	version string
}

func batchKey(tenant string, n int64) keyvalue.Key {
	return keyvalue.Key{Kind: kindBatch, Tenant: tenant, ID: fmt.Sprintf("%016x", n)}
}

// The tenants are found by their heads, which belong to nobody.
const headPrefix = "of "

func headKey(tenant string) keyvalue.Key {
	return keyvalue.Key{Kind: kindHead, ID: headPrefix + tenant}
}

func readStored(e keyvalue.Entry) (stored, error) {
	h := stored{version: e.Version}
	if err := json.Unmarshal(e.Value, &h); err != nil {
		return h, fmt.Errorf("audit: the head %q cannot be read: %w", e.Key.ID, err)
	}
	return h, nil
}

// all are the values of a kind and tenant, in the order of their ids.
func (l *Log) all(ctx context.Context, r keyvalue.Range) iter.Seq2[keyvalue.Entry, error] {
	r.Limit = page
	return keyvalue.All(ctx, l.kv, r)
}

// heads are those of all tenants.
func (l *Log) heads(ctx context.Context) (all []stored, err error) {
	for e, err := range l.all(ctx, keyvalue.Range{Kind: kindHead, Prefix: headPrefix}) {
		var h stored
		if err == nil {
			h, err = readStored(e)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// Heads says how far the chain of each tenant goes.
func (l *Log) Heads(ctx context.Context) ([]Head, error) {
	all, err := l.heads(ctx)
	var shown []Head
	for _, h := range all {
		shown = append(shown, h.Head)
	}
	return shown, err
}

// room is where batches are put together. It is as large as they are, and one after the other is.
type room struct{ lines, texts bytes.Buffer }

// put writes the next batch of a chain, of as many events as go into one, and moves h to its
// end, which is to be saved behind the last of several batches. It returns how many, and
// [keyvalue.ErrConflict] when somebody else has written that batch; the head goes to the end
// of that one then.
func (l *Log) put(ctx context.Context, h *stored, batch []*draft, r *room) (n int, err error) {
	lines, texts := &r.lines, &r.texts
	lines.Reset()
	texts.Reset()
	lines.Grow(min(len(batch)*roomForLine, keyvalue.MaxValue))
	next := *h
	for ; n < len(batch); n++ {
		ended, said := lines.Len(), texts.Len()
		sum := batch[n].place(lines, texts, next.N+1, next.Hash)
		if n > 0 && max(lines.Len(), texts.Len()) > maxBatch {
			lines.Truncate(ended)
			texts.Truncate(said)
			break
		}
		next.N, next.Hash = next.N+1, sum
	}
	next.At, next.Batch = batch[n-1].line.At, h.N+1
	lines.Write(next.sign(l.key))
	lines.WriteByte('\n')
	key := batchKey(h.Tenant, next.Batch)
	if texts.Len() > 0 {
		// First, so that no line waits for a text, and under a name that no other batch has.
		if _, err := l.kv.Put(ctx, textKey(key, next.Hash), texts.Bytes(), &keyvalue.PutOptions{TTL: l.keep}); err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
			return n, err
		}
	}
	e, err := l.kv.Put(ctx, key, lines.Bytes(), &keyvalue.PutOptions{TTL: l.keep, If: keyvalue.Absent})
	switch {
	case errors.Is(err, keyvalue.ErrConflict):
		return n, errors.Join(err, l.follow(ctx, h, e.Value))
	case err != nil && !errors.Is(err, bridge.ErrNotReplicated):
		return n, err
	}
	*h = next
	return n, nil
}

// textKey is where the texts of a batch stand whose last line has a hash.
func textKey(batch keyvalue.Key, hash string) keyvalue.Key {
	batch.Kind, batch.ID = kindText, batch.ID+"-"+hash[:16]
	return batch
}

// follow moves a head to the end of a batch that somebody else has written.
func (l *Log) follow(ctx context.Context, h *stored, batch []byte) error {
	end, err := headOf(batch)
	if err != nil {
		return err
	}
	h.Head, h.Batch = end, h.N+1
	return l.save(ctx, h)
}

// headOf returns the head at the end of a batch. It does not verify the signature.
func headOf(batch []byte) (Head, error) {
	var end struct {
		Head Head `json:"head"`
	}
	lines := bytes.Split(bytes.TrimSpace(batch), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &end); err != nil || end.Head.N == 0 || len(end.Head.Hash) != hashLen {
		return Head{}, errors.New("audit: a batch of the store has no head")
	}
	return end.Head, nil
}

// save writes a head, unless somebody else's goes as far.
func (l *Log) save(ctx context.Context, h *stored) error {
	e, err := l.kv.Put(ctx, headKey(h.Tenant), marshal(h), &keyvalue.PutOptions{If: cmp.Or(h.version, keyvalue.Absent)})
	if errors.Is(err, keyvalue.ErrConflict) {
		e, err = keyvalue.Update(ctx, l.kv, headKey(h.Tenant), func(old keyvalue.Entry) ([]byte, time.Duration, error) {
			if was, err := readStored(old); err == nil && was.N > h.N {
				return nil, 0, keyvalue.ErrConflict
			}
			return marshal(h), 0, nil
		})
	}
	if errors.Is(err, bridge.ErrNotReplicated) {
		err = nil
	}
	h.version = e.Version
	return err
}

// Note keeps what is to have a line in a chain and belongs to no request: what was done
// with tokens and the configuration. It is safe when Note returns nil. A tenant that no
// chain can be of is a [keyvalue.ErrInvalid]; its line could never be written.
func (l *Log) Note(ctx context.Context, n Line) error {
	if err := batchKey(n.Tenant, 0).Validate(); err != nil {
		return err
	}
	n.Request, n.By, n.Detail = cutTo(n.Request, maxNoted), cutTo(n.By, maxNoted), cutTo(n.Detail, maxNoted)
	now := time.Now().UTC()
	if n.At.IsZero() {
		n.At = now
	}
	id := fmt.Sprintf("%016x-%s", now.UnixMicro(), rand.Text()[:10])
	n.Act = id
	_, err := l.kv.Put(ctx, keyvalue.Key{Kind: kindNote, ID: id}, marshal(n), &keyvalue.PutOptions{If: keyvalue.Absent})
	if errors.Is(err, bridge.ErrNotReplicated) {
		return nil
	}
	return err
}

// Page is a share of the trail.
type Page struct {
	// Trail are lines, each with its text if that is wanted, and the signed heads between
	// them: batch by batch, and tenant by tenant.
	Trail []byte
	// Next goes on where it ends; empty at the end.
	Next string
}

// maxPage is how much one page holds at least, where there is more to come.
const maxPage = 256 << 10

// ErrCursor means a cursor that was not in a page.
var ErrCursor = errors.New("audit: that cursor is of no page of the trail")

// Page returns a share of the trail: of one tenant, or of all if it is nil.
func (l *Log) Page(ctx context.Context, tenant *string, cursor string, texts bool) (Page, error) {
	var after keyvalue.Key
	if cursor != "" {
		var err error
		if after, err = keyvalue.ParseKey(cursor); err != nil || after.Kind != kindBatch {
			return Page{}, ErrCursor
		}
	}
	heads, err := l.heads(ctx)
	if err != nil {
		return Page{}, err
	}
	var p Page
	for _, h := range heads {
		if tenant != nil && *tenant != h.Tenant || cursor != "" && h.Tenant < after.Tenant {
			continue
		}
		r := keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}
		if cursor != "" && h.Tenant == after.Tenant {
			r.After = after
		}
		for e, err := range l.all(ctx, r) {
			if err == nil && len(p.Trail) >= maxPage {
				return p, nil
			}
			var batch []byte
			if err == nil {
				batch, err = l.batch(ctx, e, texts)
			}
			if err != nil {
				return Page{}, err
			}
			p.Trail, p.Next = append(p.Trail, batch...), e.Key.String()
		}
	}
	p.Next = ""
	return p, nil
}

// batch returns a batch with its texts. If its head cannot be read it has none: the reader verifies
// the trail and learns why.
func (l *Log) batch(ctx context.Context, e keyvalue.Entry, texts bool) ([]byte, error) {
	if !texts {
		return e.Value, nil
	}
	end, err := headOf(e.Value)
	if err != nil {
		return e.Value, nil //nolint:nilerr // See above.
	}
	t, err := l.kv.Get(ctx, textKey(e.Key, end.Hash))
	if err != nil && !errors.Is(err, bridge.ErrNotFound) {
		return nil, err
	}
	byLine := textsOf(t.Value)
	var all []byte
	for line := range bytes.Lines(e.Value) {
		all = append(append(all, line...), byLine[numberOf(line)]...)
	}
	return all, nil
}

// numberOf is the number of a line, zero for a head.
func numberOf(line []byte) int64 {
	var l struct {
		N int64 `json:"n"`
	}
	_ = json.Unmarshal(line, &l) // A head has none.
	return l.N
}

// textsOf are texts by the lines that they belong to.
func textsOf(data []byte) map[int64][]byte {
	all := map[int64][]byte{}
	for text := range bytes.Lines(data) {
		var t struct {
			Text Text `json:"text"`
		}
		if json.Unmarshal(text, &t) == nil {
			all[t.Text.N] = text
		}
	}
	return all
}

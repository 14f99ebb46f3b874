package audit

import (
	"context"
	"iter"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// Since returns the lines of one tenant, or of all tenants if tenant is nil, from the batch that contains the
// time since: some of the first lines can be older. Each chain is in order. An error of the store is the last
// item.
func (l *Log) Since(ctx context.Context, tenant *string, since time.Time) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		heads, err := l.heads(ctx)
		if err != nil {
			yield(Line{}, err)
			return
		}
		for _, h := range heads {
			if h.N == 0 || h.At.Before(since) || tenant != nil && *tenant != h.Tenant {
				continue
			}
			after, err := l.before(ctx, &h, since)
			if err != nil {
				yield(Line{}, err)
				return
			}
			for e, err := range l.all(ctx, keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant, After: after}) {
				if err != nil {
					yield(Line{}, err)
					return
				}
				for line := range linesIn(e.Value) {
					if !yield(line, nil) {
						return
					}
				}
			}
		}
	}
}

// before returns the key of a batch of a chain that ended before a time, as late as it can be found, or the zero
// key. The numbers of batches are not known, so it searches among the numbers of lines, with about twenty reads
// for a million lines.
func (l *Log) before(ctx context.Context, h *stored, since time.Time) (after keyvalue.Key, err error) {
	for low, high := int64(0), h.N; low < high; {
		middle := low + (high-low)/2
		next, err := l.kv.List(ctx, keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant, After: batchKey(h.Tenant, middle), Limit: 1})
		if err != nil {
			return keyvalue.Key{}, err
		}
		if len(next) == 0 {
			high = middle
			continue
		}
		end, err := headOf(next[0].Value)
		if err != nil || !end.At.Before(since) {
			high = middle // An unreadable batch is not skipped, in case it has newer lines.
			continue
		}
		after, low = next[0].Key, end.N
	}
	return after, nil
}

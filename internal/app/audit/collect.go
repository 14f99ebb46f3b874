package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// mark is the end of the chains at a time of the store, before all records were read.
type mark struct {
	at      time.Time
	batches map[string]int64
}

// export writes the lines of new events. After an error the next export reads back what was written.
func (x *Exporter) export(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			x.heads = nil
		}
	}()
	if x.heads == nil {
		if err := x.resume(ctx); err != nil {
			return err
		}
	}
	if err := x.notes(ctx); err != nil {
		return err
	}
	dirty, all := x.take()
	if all || time.Since(x.scanned) >= rescan {
		return x.scan(ctx)
	}
	return x.exportAll(ctx, x.changes(ctx, dirty))
}

// resume reads the ends of the chains and which recent events have a line. A scan follows.
func (x *Exporter) resume(ctx context.Context) error {
	heads, err := x.log.heads(ctx)
	if err != nil {
		return err
	}
	x.heads, x.done, x.sent, x.erased = map[string]*stored{}, map[string]done{}, map[string]int64{}, nil
	x.scanned, x.mark = time.Time{}, mark{}
	for n := range heads {
		h := &heads[n]
		x.heads[h.Tenant] = h
		if err := x.log.follow(ctx, h); err != nil {
			return err
		}
		r := keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}
		if h.SafeN > 0 {
			r.After = batchKey(h.Tenant, h.SafeN)
		}
		for e, err := range x.log.all(ctx, r) {
			if err != nil {
				return err
			}
			for l := range linesIn(e.Value) {
				x.exported(&l)
			}
		}
	}
	return nil
}

// exported notes that an event has a line.
func (x *Exporter) exported(l *Line) {
	key := l.Request
	if l.Seq == 0 { // A note, also if it names a request.
		key = l.Act
		if l.Kind == kindErased {
			x.erased = append(x.erased, l)
		}
	}
	was, known := x.done[key]
	if !known {
		key = strings.Clone(key) // Not the batch that contains it.
	}
	x.done[key] = done{max(was.seq, l.Seq), max(was.at, l.At.UnixMicro())}
}

// fresh reports whether an event has no line yet.
func (x *Exporter) fresh(d *draft) bool {
	if last, known := x.done[d.line.Request]; known {
		return d.line.Seq > last.seq
	}
	h := x.heads[d.line.Tenant]
	return h == nil || h.Safe.IsZero() || d.line.At.After(h.Safe)
}

// changes returns the events of changed records. It reads a record only if another replica changed it last.
func (x *Exporter) changes(ctx context.Context, dirty map[string]*change) iter.Seq2[[]*draft, error] {
	return func(yield func([]*draft, error) bool) {
		for id, c := range dirty {
			var err error
			if c.wrote < c.heard {
				var r bridge.Record
				r, err = x.records.Load(ctx, id)
				c.drafts, err = draftsOf(&r, 0), found(err)
			}
			if !yield(c.drafts, err) {
				return
			}
		}
	}
}

// events returns the events of all records of an index.
func (x *Exporter) events(ctx context.Context, s bridge.Scan) iter.Seq2[[]*draft, error] {
	return func(yield func([]*draft, error) bool) {
		for r, err := range s.All(ctx, x.records) {
			var all []*draft
			if err == nil {
				all = draftsOf(r, 0)
			}
			if !yield(all, err) {
				return
			}
		}
	}
}

// exportAll writes the new events of records.
func (x *Exporter) exportAll(ctx context.Context, records iter.Seq2[[]*draft, error]) error {
	var batch []*draft
	n := 0
	for events, err := range records {
		if err != nil {
			return fmt.Errorf("audit: read records: %w", err)
		}
		for _, d := range events {
			if !x.fresh(d) {
				continue
			}
			if x.o.Permalink != nil {
				d.link(func(to ask.Place, ref record.MessageRef) string { return x.o.Permalink(ctx, to, ref) })
			}
			batch = append(batch, d)
		}
		if n++; n%page == 0 {
			if leading, err := x.lease(ctx); err != nil || !leading {
				return errors.Join(err, errors.New("audit: another replica has taken over"))
			}
		}
		if len(batch) >= share {
			if err := x.write(ctx, batch); err != nil {
				return err
			}
			batch = nil
		}
	}
	return x.write(ctx, batch)
}

// scan exports the events of all records and advances the time before which all have lines.
func (x *Exporter) scan(ctx context.Context) error {
	due, err := x.records.Due(ctx, 1)
	if err != nil {
		return fmt.Errorf("audit: read the store's time: %w", err)
	}
	began, ahead := mark{at: due.Now, batches: map[string]int64{}}, false
	for _, last := range x.done {
		ahead = ahead || last.at > began.at.UnixMicro()
	}
	var safe time.Time
	for tenant, h := range x.heads {
		began.batches[tenant] = h.Batch
		if safe.IsZero() || h.Safe.Before(safe) {
			safe = h.Safe
		}
	}
	ended := bridge.Scan{Ended: true, Limit: page}
	if !safe.IsZero() {
		ended.From = safe.Add(-margin)
	}
	for _, s := range []bridge.Scan{{Limit: page}, ended} {
		if err := x.exportAll(ctx, x.events(ctx, s)); err != nil {
			return err
		}
	}
	x.scanned = time.Now()
	return x.settle(ctx, began, ahead)
}

// settle moves the safe time to the start of an earlier scan that is older than the clock's
// margin. Batches written before a mark must not contain later events, so a mark does not count
// if lines are ahead of its time.
func (x *Exporter) settle(ctx context.Context, began mark, ahead bool) error {
	last := x.mark
	if last.at.After(began.at.Add(-margin)) {
		return nil
	}
	if !ahead {
		x.mark = began
	}
	if last.at.IsZero() {
		return nil
	}
	for tenant, h := range x.heads {
		h.Safe, h.SafeN = last.at, last.batches[tenant]
		if err := x.log.save(ctx, h); err != nil {
			return err
		}
	}
	x.erased = slices.DeleteFunc(x.erased, func(e *Line) bool { return e.At.Before(last.at) })
	maps.DeleteFunc(x.done, func(_ string, d done) bool { return d.at <= last.at.UnixMicro() })
	return nil
}

// write appends events to the chains in the order of their times. The events of a request are
// consecutive and keep their order even if the store's clock went back.
func (x *Exporter) write(ctx context.Context, all []*draft) error {
	var last *draft
	for _, d := range all {
		if slices.ContainsFunc(x.erased, d.erasedBy) {
			d.text.Name, d.text.Said = "", nil
		}
		d.at = d.line.At
		if last != nil && d.line.Seq > 0 && d.line.Request == last.line.Request && last.at.After(d.at) {
			d.at = last.at
		}
		last = d
	}
	slices.SortStableFunc(all, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(a.line.Tenant, b.line.Tenant), a.at.Compare(b.at))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].line.Tenant == all[0].line.Tenant {
			n++
		}
		if err := x.writeChain(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// writeChain appends the events of one tenant in as few batches as possible, then saves the end of
// the chain. If this replica stops in between, resume finds the batches.
func (x *Exporter) writeChain(ctx context.Context, all []*draft) error {
	tenant := all[0].line.Tenant
	if err := batchKey(tenant, 0).Validate(); err != nil {
		// Older versions accepted any tenant. One that cannot have a chain must not block the others.
		if !x.barred[tenant] {
			x.barred[tenant] = true
			x.o.Failed(trail, err)
			x.o.Logger.ErrorContext(ctx, "invalid tenant, its events are not in the audit trail", "tenant", cutTo(tenant, keyvalue.MaxTenant), "error", err)
		}
		return nil
	}
	h := x.heads[tenant]
	if h == nil {
		// Another exporter may have begun the chain since the heads were read, with lines of
		// the same events. Then this is a conflict.
		h = &stored{Head: Head{Tenant: tenant}}
		if _, err := x.log.kv.Put(ctx, headKey(tenant), marshal(h), &keyvalue.PutOptions{If: keyvalue.Absent}); written(err) != nil {
			return fmt.Errorf("audit: begin the chain of %q: %w", tenant, err)
		}
		x.heads[tenant] = h
	}
	for rest := all; len(rest) > 0; {
		n, err := x.log.put(ctx, h, rest)
		if err != nil {
			return fmt.Errorf("audit: write %d lines of %q: %w", n, tenant, err)
		}
		rest = rest[n:]
		x.o.Wrote(trail, n)
	}
	if err := x.log.save(ctx, h); err != nil {
		return fmt.Errorf("audit: save the head of %q: %w", tenant, err)
	}
	for _, d := range all {
		x.exported(&d.line)
	}
	return nil
}

// notes writes the lines of notes and deletes the notes.
func (x *Exporter) notes(ctx context.Context) error {
	var batch []*draft
	var keys []keyvalue.Key
	for e, err := range x.log.all(ctx, keyvalue.Range{Kind: kindNote}) {
		if err != nil {
			return err
		}
		d := &draft{}
		if err := json.Unmarshal(e.Value, &d.line); err != nil {
			return fmt.Errorf("audit: read note %s: %w", e.Key.ID, err)
		}
		if _, known := x.done[d.line.Act]; !known {
			batch = append(batch, d)
		}
		keys = append(keys, e.Key)
	}
	if err := x.write(ctx, batch); err != nil {
		return err
	}
	for _, key := range keys {
		if err := x.log.kv.Delete(ctx, key, ""); written(found(err)) != nil {
			return err
		}
	}
	return nil
}

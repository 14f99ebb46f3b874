package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// resume reads what has been exported: how far the chains go, and which events stand in
// them that happened lately.
func (x *Exporter) resume(ctx context.Context) error {
	heads, err := x.log.heads(ctx)
	if err != nil {
		return err
	}
	x.heads, x.done, x.noted = map[string]*stored{}, map[string]done{}, map[string]bool{}
	x.erased = nil
	x.sent, x.scanned, x.mark = map[string]int64{}, time.Time{}, mark{}
	for n := range heads {
		h := &heads[n]
		x.heads[h.Tenant] = h
		// A batch may stand behind the head, of somebody who died between the two.
		for {
			e, err := x.log.kv.Get(ctx, batchKey(h.Tenant, h.N+1))
			if errors.Is(err, bridge.ErrNotFound) {
				break
			}
			if err != nil {
				return err
			}
			if err := x.log.follow(ctx, h, e.Value); err != nil {
				return err
			}
		}
		if err := x.recall(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// recall takes note of the events in the last batches of a chain.
func (x *Exporter) recall(ctx context.Context, h *stored) error {
	r := keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}
	if h.SafeN > 0 {
		r.After = batchKey(h.Tenant, h.SafeN)
	}
	for e, err := range x.log.all(ctx, r) {
		if err != nil {
			return err
		}
		x.recallBatch(e.Value)
	}
	return nil
}

func (x *Exporter) recallBatch(batch []byte) {
	for line := range splitLines(batch) {
		var l Line
		switch err := json.Unmarshal(line, &l); {
		case err != nil || l.N == 0:
		case l.Seq == 0:
			x.noted[l.Act] = true
			x.heed(&l)
		default:
			x.written(l.Request, l.Seq, l.At)
		}
	}
}

func (x *Exporter) written(request string, seq int64, at time.Time) {
	was, known := x.done[request]
	if !known {
		request = strings.Clone(request) // What it is a part of is not kept for its sake.
	}
	x.done[request] = done{max(was.seq, seq), max(was.at, at.UnixMicro())}
}

// fresh leaves of the drafts of one record those of events that have no line yet.
func (x *Exporter) fresh(all []*draft) []*draft {
	if len(all) == 0 {
		return nil
	}
	of := &all[0].line
	last, known := x.done[of.Request]
	h := x.heads[of.Tenant]
	return slices.DeleteFunc(all, func(d *draft) bool {
		if known {
			return d.line.Seq <= last.seq
		}
		return h != nil && !h.Safe.IsZero() && !d.line.At.After(h.Safe)
	})
}

// changed exports the events of records that have changed. One of which nobody tells of a
// newer version than was written here is not read again.
func (x *Exporter) changed(ctx context.Context, changes map[string]*change) error {
	var batch []*draft
	for id, c := range changes {
		if c.wrote < c.heard {
			r, err := x.records.Load(ctx, id)
			if errors.Is(err, bridge.ErrNotFound) {
				continue
			}
			if err != nil {
				return fmt.Errorf("audit: read %s: %w", id, err)
			}
			c.drafts = draftsOf(nil, &r, 0)
		}
		if batch = append(batch, x.fresh(c.drafts)...); len(batch) < share {
			continue
		}
		if err := x.write(ctx, batch); err != nil {
			return err
		}
		batch = nil
	}
	return x.write(ctx, batch)
}

// scan exports the events of all records, and moves the moment before which all have
// lines.
func (x *Exporter) scan(ctx context.Context) error {
	due, err := x.records.Due(ctx, 1)
	if err != nil {
		return fmt.Errorf("audit: the store's time: %w", err)
	}
	// Batches that were written until now are to hold nothing newer: a moment of which they do
	// is passed over. What happens during the scan stands behind them.
	began := mark{at: due.Now, batches: map[string]int64{}}
	for _, last := range x.done {
		began.passed = began.passed || last.at > began.at.UnixMicro()
	}
	var safe time.Time
	for tenant, h := range x.heads {
		began.batches[tenant] = h.Batch
		if safe.IsZero() || h.Safe.Before(safe) {
			safe = h.Safe
		}
	}
	for _, ended := range []bool{false, true} {
		s := bridge.Scan{Ended: ended, Limit: page}
		if ended && !safe.IsZero() {
			s.From = safe.Add(-margin)
		}
		var batch []*draft
		n := 0
		for r, err := range s.All(ctx, x.records) {
			if err != nil {
				return fmt.Errorf("audit: read records: %w", err)
			}
			batch = append(batch, x.fresh(draftsOf(nil, r, 0))...)
			if n++; n%page > 0 {
				continue
			}
			if err := x.write(ctx, batch); err != nil {
				return err
			}
			batch = nil
			if mine, err := x.place(ctx); err != nil || !mine {
				return errors.Join(err, errors.New("audit: another replica has taken over"))
			}
		}
		if err := x.write(ctx, batch); err != nil {
			return err
		}
	}
	x.scanned = time.Now()
	return x.settle(ctx, began)
}

// settle moves the moment before which every event has a line: to when the scan before
// this one began, as long as that is long enough ago for a clock that went back.
func (x *Exporter) settle(ctx context.Context, began mark) error {
	last := x.mark
	if last.at.After(began.at.Add(-margin)) {
		return nil
	}
	if !began.passed {
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

// write gives events their lines, tenant by tenant, in the order of their moments. No event
// comes before an earlier one of its request, whatever the store's clock said; those of one
// request come one after the other.
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

// writeChain writes the events of one tenant, in as few batches as they go into, and how far
// its chain goes then: who dies before that leaves batches behind the head, which resume finds.
func (x *Exporter) writeChain(ctx context.Context, all []*draft) error {
	tenant := all[0].line.Tenant
	if err := batchKey(tenant, 0).Validate(); err != nil {
		x.bar(tenant, err)
		return nil
	}
	h := x.heads[tenant]
	if h == nil {
		// Its chain had not begun when all of them were read. If it has since, somebody else
		// writes it, who may have lines for the same events.
		h = &stored{Head: Head{Tenant: tenant}}
		x.heads[tenant] = h
	}
	for written := 0; written < len(all); {
		n, err := x.log.put(ctx, h, all[written:], &x.room)
		if err != nil {
			return fmt.Errorf("audit: write %d lines of %q: %w", n, tenant, err)
		}
		written += n
		if x.o.Wrote != nil {
			x.o.Wrote(trail, n)
		}
	}
	if err := x.log.save(ctx, h); err != nil {
		return fmt.Errorf("audit: write the head of %q: %w", tenant, err)
	}
	for _, d := range all {
		if d.line.Seq > 0 {
			x.written(d.line.Request, d.line.Seq, d.line.At)
		}
	}
	return nil
}

// bar leaves a tenant out that no chain can have, as an older build may have stored it: it
// must not keep the others out of the trail.
func (x *Exporter) bar(tenant string, err error) {
	if x.barred[tenant] {
		return
	}
	x.barred[tenant] = true
	x.failed(trail, err)
	x.o.Logger.Error("what happens for a tenant is not in the audit trail", "tenant", cutTo(tenant, keyvalue.MaxTenant), "error", err)
}

// notes gives lines to what was noted, and forgets the notes.
func (x *Exporter) notes(ctx context.Context) error {
	var batch []*draft
	var keys []keyvalue.Key
	for e, err := range x.log.all(ctx, keyvalue.Range{Kind: kindNote}) {
		if err != nil {
			return err
		}
		var l Line
		if err := json.Unmarshal(e.Value, &l); err != nil {
			return fmt.Errorf("audit: the note %s cannot be read: %w", e.Key.ID, err)
		}
		if !x.noted[l.Act] {
			batch = append(batch, &draft{line: l})
		}
		x.heed(&l)
		keys = append(keys, e.Key)
	}
	if err := x.write(ctx, batch); err != nil {
		x.heads = nil
		return err
	}
	for _, d := range batch {
		x.noted[d.line.Act] = true
	}
	for _, key := range keys {
		if err := x.log.kv.Delete(ctx, key, ""); err != nil && !errors.Is(err, bridge.ErrNotFound) && !errors.Is(err, bridge.ErrNotReplicated) {
			return err
		}
	}
	clear(x.noted)
	return nil
}

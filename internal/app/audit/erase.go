package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// Erasure selects texts to erase: those of a request, of a person ("slack:U0000001"), or of a
// person in one request.
type Erasure struct {
	Tenant, Request, Person string
	// By requests the erasure.
	By string
	// Before limits the erasure to earlier events; zero is no limit.
	Before time.Time
}

var (
	// ErrErasure is the error of an erasure that selects nothing.
	ErrErasure = errors.New("audit: name a request, a person, or both")
	// ErrErasureCursor is the error of a cursor that is not from the same erasure by the same caller within a day.
	ErrErasureCursor = errors.New("audit: cursor of another erasure, or older than a day; start again without it")

	errUnchanged = errors.New("audit: nothing to erase")
)

// eraseShare is how many batches one call of Erase processes.
const eraseShare = 50

// Erase deletes names and typed texts from a part of a tenant's trail. It returns how many lines
// lost their text, and the cursor for the next call; empty at the end. The first call notes the
// erasure, which becomes a line, before it deletes anything. A cursor without such a note is an
// [ErrErasureCursor]. An erasure can be repeated from the start.
func (l *Log) Erase(ctx context.Context, e Erasure, cursor string) (n int, next string, err error) {
	if e.Request == "" && e.Person == "" {
		return 0, "", ErrErasure
	}
	r := keyvalue.Range{Kind: kindText, Tenant: e.Tenant, Limit: eraseShare}
	ticket, place, continued := strings.Cut(cursor, "/")
	if continued {
		r.After, err = keyvalue.ParseKey(place)
	}
	of := []string{e.Tenant, e.Request, e.Person, e.detail()}
	switch {
	case cursor == "":
		if err := l.Note(ctx, Line{Tenant: e.Tenant, Kind: kindErased, Request: e.Request, By: e.Person, Detail: e.detail()}); err != nil {
			return 0, "", fmt.Errorf("audit: note the erasure: %w", err)
		}
		ticket = l.Ticket(of...)
	case !continued || err != nil || r.After.Kind != kindText || r.After.Tenant != e.Tenant || !l.Noted(ticket, of...):
		return 0, "", ErrErasureCursor
	}
	all, err := l.kv.List(ctx, r)
	for _, texts := range all {
		erased, err := l.eraseBatch(ctx, texts.Key, e)
		if n += erased; err != nil {
			return n, next, fmt.Errorf("audit: erase: %w", err)
		}
		next = ticket + "/" + texts.Key.String()
	}
	if len(all) < eraseShare {
		next = ""
	}
	return n, next, err
}

const detailBefore = ", of what was before "

// detail is the detail of the erasure's line. It is part of the stored form.
func (e *Erasure) detail() string {
	detail := "asked for by " + e.By
	if !e.Before.IsZero() {
		detail += detailBefore + e.Before.UTC().Format(time.RFC3339)
	}
	return detail
}

// erases reports whether the erasure that a line records covers the text of another line.
func (l *Line) erases(other *Line) bool {
	return (l.Request == "" || l.Request == other.Request) && (l.By == "" || l.By == other.By)
}

// erasedBy reports whether an erasure covers an event that happened before it and has no line yet.
func (d *draft) erasedBy(e *Line) bool {
	until := e.At
	if n := strings.LastIndex(e.Detail, detailBefore); n >= 0 {
		if before, err := time.Parse(time.RFC3339, e.Detail[n+len(detailBefore):]); err == nil && before.Before(until) {
			until = before
		}
	}
	return d.line.Seq > 0 && d.line.Tenant == e.Tenant && e.erases(&d.line) && d.line.At.Before(until)
}

// eraseBatch deletes the selected texts of a batch. Texts without their batch, left by an exporter
// that stopped or lost a race before it wrote the lines, are deleted if another batch is there.
func (l *Log) eraseBatch(ctx context.Context, texts keyvalue.Key, e Erasure) (erased int, err error) {
	batch := texts
	batch.Kind = kindBatch
	batch.ID, _, _ = strings.Cut(batch.ID, "-")
	b, err := l.kv.Get(ctx, batch)
	if err != nil {
		return 0, found(err) // The lines may be about to be written.
	}
	if end, err := headOf(b.Value); err == nil && textKey(batch, end.Hash) != texts {
		return 0, written(found(l.kv.Delete(ctx, texts, "")))
	}
	selected, by := map[int64]bool{}, Line{Request: e.Request, By: e.Person}
	for line := range linesIn(b.Value) {
		selected[line.N] = by.erases(&line) && (e.Before.IsZero() || line.At.Before(e.Before))
	}
	_, err = keyvalue.Update(ctx, l.kv, texts, func(old keyvalue.Entry) ([]byte, time.Duration, error) {
		var kept bytes.Buffer
		erased = 0
		for text := range bytes.Lines(old.Value) {
			if n, ok := textNumber(text); ok && selected[n] {
				erased++
				continue
			}
			kept.Write(text)
		}
		if erased == 0 {
			return nil, 0, errUnchanged
		}
		var left time.Duration
		if !old.Expires.IsZero() {
			left = max(time.Until(old.Expires), time.Millisecond)
		}
		return kept.Bytes(), left, nil
	})
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return erased, written(err)
}

package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Erasure is whose texts to erase: of one request, of one person ("slack:U0000001"), or of
// one person in one request. By is who asks for it.
type Erasure struct {
	Tenant, Request, Person, By string
	// Before leaves alone what happened at this moment or later; zero is all.
	Before time.Time
}

// errNothing ends an update that changes nothing.
var errNothing = errors.New("nothing to erase")

// eraseShare is how many batches one call of Erase looks at.
const eraseShare = 50

// Erase takes what people wrote, and the names they went by, out of a share of the trail of
// a tenant. It returns how many lines have lost their text, and where to go on; at the end
// that is empty. That it was asked for is noted before anything is erased, and becomes a
// line of its own; the chain holds as before. It can be repeated from the beginning. A
// cursor proves that there is such a note, or it is [ErrErasureCursor].
func (l *Log) Erase(ctx context.Context, e Erasure, cursor string) (n int, next string, err error) {
	if e.Request == "" && e.Person == "" {
		return 0, "", ErrErasure
	}
	r := keyvalue.Range{Kind: kindText, Tenant: e.Tenant, Limit: eraseShare}
	ticket, place, goesOn := strings.Cut(cursor, "/")
	if goesOn {
		r.After, err = keyvalue.ParseKey(place)
	}
	switch {
	case cursor == "":
		if err := l.Note(ctx, Line{Tenant: e.Tenant, Kind: kindErased, Request: e.Request, By: e.Person, Detail: e.detail()}); err != nil {
			return 0, "", fmt.Errorf("audit: note the erasure: %w", err)
		}
		ticket = l.Ticket(e.asked()...)
	case !goesOn || err != nil || r.After.Kind != kindText || r.After.Tenant != e.Tenant || !l.Noted(ticket, e.asked()...):
		return 0, "", ErrErasureCursor
	}
	all, err := l.kv.List(ctx, r)
	for _, texts := range all {
		gone, failed := l.erase(ctx, texts, e)
		if n += gone; failed != nil {
			return n, next, fmt.Errorf("audit: erase: %w", failed)
		}
		next = ticket + "/" + texts.Key.String()
	}
	if len(all) < eraseShare {
		next = ""
	}
	return n, next, err
}

// asked is what an erasure is of, and who asks for it.
func (e *Erasure) asked() []string { return []string{e.Tenant, e.Request, e.Person, e.detail()} }

// detail says who asks for an erasure, and how far it goes.
func (e *Erasure) detail() string {
	if e.Before.IsZero() {
		return "asked for by " + e.By
	}
	return "asked for by " + e.By + ofBefore + e.Before.UTC().Format(time.RFC3339)
}

const ofBefore = ", of what was before "

// heed takes note of an erasure, if that is what a line tells of.
func (x *Exporter) heed(l *Line) {
	if l.Kind == kindErased && l.Seq == 0 {
		x.erased = append(x.erased, l)
	}
}

// erasedBy reports whether the text of an event that has no line yet is to go: it was there when
// a line tells that it was erased.
func (d *draft) erasedBy(e *Line) bool {
	until := e.At
	if n := strings.LastIndex(e.Detail, ofBefore); n >= 0 {
		if before, err := time.Parse(time.RFC3339, e.Detail[n+len(ofBefore):]); err == nil && before.Before(until) {
			until = before
		}
	}
	return d.line.Seq > 0 && d.line.Tenant == e.Tenant && d.line.erasedBy(e) && d.line.At.Before(until)
}

// ErrErasureCursor means a cursor that no share of the same erasure has returned, on the word
// of the same caller, within the last day.
var ErrErasureCursor = errors.New("audit: that cursor is of another erasure, or older than a day; begin again without one")

// ErrErasure means an erasure that names nobody.
var ErrErasure = errors.New("audit: say whose texts to erase: a request, a person, or both")

// erase takes out of the texts of a batch what an erasure is of.
func (l *Log) erase(ctx context.Context, texts keyvalue.Entry, e Erasure) (gone int, err error) {
	batch := texts.Key
	batch.Kind = kindBatch
	batch.ID, _, _ = strings.Cut(batch.ID, "-")
	found, lost, err := l.linesOf(ctx, batch, texts.Key, e)
	if lost {
		err = l.kv.Delete(ctx, texts.Key, "")
	}
	switch {
	case errors.Is(err, bridge.ErrNotFound), errors.Is(err, bridge.ErrNotReplicated):
		return 0, nil
	case err != nil || len(found) == 0:
		return 0, err
	}
	_, err = keyvalue.Update(ctx, l.kv, texts.Key, func(old keyvalue.Entry) ([]byte, time.Duration, error) {
		var kept bytes.Buffer
		gone = 0
		for text := range bytes.Lines(old.Value) {
			var t struct {
				Text Text `json:"text"`
			}
			if err := json.Unmarshal(text, &t); err == nil && found[t.Text.N] {
				gone++
				continue
			}
			kept.Write(text)
		}
		var left time.Duration
		if !old.Expires.IsZero() {
			left = max(time.Until(old.Expires), time.Millisecond)
		}
		if gone == 0 {
			return nil, 0, errNothing
		}
		return kept.Bytes(), left, nil
	})
	switch {
	case errors.Is(err, errNothing):
		return 0, nil
	case errors.Is(err, bridge.ErrNotReplicated):
		return gone, nil
	}
	return gone, err
}

// linesOf are the numbers of the lines of a batch that an erasure is of. Texts are lost where
// another batch has their place: whoever wrote them died before their lines stood, or was not
// the one, and nobody is told of them.
func (l *Log) linesOf(ctx context.Context, batch, texts keyvalue.Key, e Erasure) (found map[int64]bool, lost bool, err error) {
	b, err := l.kv.Get(ctx, batch)
	if errors.Is(err, bridge.ErrNotFound) {
		return nil, false, nil // Their lines are about to be written, or their place is about to be taken.
	}
	if err != nil {
		return nil, false, err
	}
	if end, err := headOf(b.Value); err == nil && textKey(batch, end.Hash) != texts {
		return nil, true, nil
	}
	found = map[int64]bool{}
	for data := range bytes.Lines(b.Value) {
		var line Line
		if json.Unmarshal(data, &line) == nil && line.N > 0 && line.erasedBy(&Line{Request: e.Request, By: e.Person}) && (e.Before.IsZero() || line.At.Before(e.Before)) {
			found[line.N] = true
		}
	}
	return found, false, nil
}

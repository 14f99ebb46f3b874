package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// Page is a part of the trail.
type Page struct {
	// Trail has lines, each followed by its text if requested, and heads: batch by batch, tenant by tenant.
	Trail []byte
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// maxPage is the size after which a page ends.
const maxPage = 256 << 10

// ErrCursor is the error of an invalid page cursor.
var ErrCursor = errors.New("audit: invalid cursor")

// Page returns a part of the trail of one tenant, or of all tenants if tenant is nil.
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
			batch := e.Value
			if err == nil && texts {
				batch, err = l.withTexts(ctx, e)
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

// withTexts returns a batch with each text behind its line. An unreadable batch has no texts; [Verify] reports it.
func (l *Log) withTexts(ctx context.Context, e keyvalue.Entry) ([]byte, error) {
	end, err := headOf(e.Value)
	if err != nil {
		return e.Value, nil //nolint:nilerr // See above.
	}
	stored, err := l.kv.Get(ctx, textKey(e.Key, end.Hash))
	if found(err) != nil {
		return nil, err
	}
	texts := map[int64][]byte{}
	for data := range bytes.Lines(stored.Value) {
		if n, ok := textNumber(data); ok {
			texts[n] = data
		}
	}
	var all []byte
	for data := range bytes.Lines(e.Value) {
		all = append(all, data...)
		for l := range linesIn(data) {
			all = append(all, texts[l.N]...)
		}
	}
	return all, nil
}

// textNumber returns the number of the line that a stored text belongs to.
func textNumber(data []byte) (int64, bool) {
	var t struct {
		Text Text `json:"text"`
	}
	err := json.Unmarshal(data, &t)
	return t.Text.N, err == nil
}

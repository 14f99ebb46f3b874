package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// AuditQuery selects what [Client.Audit] returns.
type AuditQuery struct {
	// Tenant selects one chain; nil is all of them.
	Tenant *string
	// Texts includes typed texts and display names.
	Texts bool
	// Cursor is [AuditPage.Next] of the page before.
	Cursor string
}

// AuditPage is a page of the audit trail.
type AuditPage struct {
	Trail string `json:"trail" doc:"JSON lines: events, what people wrote, and signed heads, in the order of the chain; askbridge audit verify checks them byte for byte"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one"`
	Key   string `json:"key" doc:"The public key of the signed heads, for askbridge audit verify --key. Keep it elsewhere too." example:"3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"`
}

// AuditErase selects the texts to erase from the audit trail.
type AuditErase struct {
	Tenant  string `json:"tenant" maxLength:"128" doc:"Whose requests they are"`
	Request string `json:"request,omitempty" maxLength:"128" doc:"The request; absent for all"`
	Person  string `json:"person,omitempty" maxLength:"256" doc:"Who wrote it; absent for everyone" example:"slack:U0000001"`
	Cursor  string `json:"cursor,omitempty" doc:"The next of the call before"`
}

// AuditErased is the result of an erasure.
type AuditErased struct {
	Lines int    `json:"lines" doc:"How many events have lost their text"`
	Next  string `json:"next,omitempty" doc:"There is more to look at: call again with this cursor"`
}

// Audit returns one page of the audit trail. The client's token must have the scope
// "admin"; a bridge that keeps no trail gives a [*Problem] that matches [ask.ErrNotFound].
func (c *Client) Audit(ctx context.Context, q AuditQuery) (*AuditPage, error) {
	query := url.Values{}
	if q.Tenant != nil {
		query.Set("tenant", *q.Tenant)
	}
	if q.Texts {
		query.Set("texts", "true")
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	return send[AuditPage](ctx, c, call{method: http.MethodGet, path: "/v1/audit", query: query, tries: c.opts.Tries})
}

// EraseAudit erases texts from a part of the audit trail; call it again with the cursor until
// there is none. The chain remains valid and records the erasure.
func (c *Client) EraseAudit(ctx context.Context, e AuditErase) (*AuditErased, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("client: encode erasure: %w", err)
	}
	return send[AuditErased](ctx, c, call{method: http.MethodPost, path: "/v1/audit/erase", body: body, tries: c.opts.Tries})
}

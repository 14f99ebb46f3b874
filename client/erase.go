package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Erase is what to erase of requests that have ended, and whose texts. Person, Request and
// EndedBefore narrow each other down; one of them has to be there.
type Erase struct {
	Person      string    `json:"person,omitempty" maxLength:"256" doc:"Who wrote it; absent for everyone, including the agent" example:"slack:U0000001"`
	Request     string    `json:"request,omitempty" maxLength:"128" doc:"The request; absent for all"`
	EndedBefore time.Time `json:"ended_before,omitzero" doc:"Only of requests that ended before this moment"`
	DryRun      bool      `json:"dry_run,omitempty" doc:"Changes nothing, and counts all the same"`
	Cursor      string    `json:"cursor,omitempty" doc:"The next of the call before"`
}

// Erased is what a share of an erasure has come to.
type Erased struct {
	Requests int    `json:"requests" doc:"How many requests that have ended were looked at"`
	Erased   int    `json:"erased" doc:"How many of them have lost texts, or would"`
	Open     int    `json:"open,omitempty" doc:"How many requests are open and are left alone; the first call counts them"`
	Lines    int    `json:"lines,omitempty" doc:"How many events of the audit trail have lost their text"`
	Next     string `json:"next,omitempty" doc:"There is more to look at: call again with this cursor"`
}

// Erase erases what people wrote from a share of what the bridge has stored: from requests
// that have ended, and then from the audit trail. Call it again with the cursor until there is
// none. The client's token must have the scope "admin". A request that is still open gives a
// [*Problem] that matches [ask.ErrConflict].
func (c *Client) Erase(ctx context.Context, e Erase) (*Erased, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("client: encode erasure: %w", err)
	}
	return send[Erased](ctx, c, call{method: http.MethodPost, path: "/v1/erase", body: body, tries: c.opts.Tries})
}

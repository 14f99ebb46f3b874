package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// History is what was done to a request.
type History struct {
	Events []HistoryEvent `json:"events" doc:"Oldest first"`
	Before int64          `json:"before,omitempty" doc:"How many earlier events are only in the audit trail"`
}

// HistoryEvent is one event of a request. The request itself has the final choices and texts.
type HistoryEvent struct {
	Seq     int64        `json:"seq" doc:"Counts the events of the request, from 1"`
	At      time.Time    `json:"at" doc:"By the store's clock"`
	Kind    string       `json:"kind" doc:"What was done; for the end of the request, its state" example:"refused"`
	By      *ask.Person  `json:"by,omitempty" doc:"Who did it, as authenticated by the platform; absent for an agent and for time"`
	Act     string       `json:"act,omitempty" doc:"Names the interaction, for logs"`
	Detail  string       `json:"detail,omitempty" doc:"In the program's words: a place, a step, a verdict" example:"forbidden"`
	Choices []ask.Choice `json:"choices,omitempty" doc:"What they chose"`
	Text    string       `json:"text,omitempty" doc:"What they wrote"`
}

// History returns what was done to a request, from its record: the last 64 events, which
// is all of them for nearly every request. The client's token must have the scope "admin"; a
// bridge that keeps no audit trail gives a [*Problem] that matches [ask.ErrNotFound].
func (c *Client) History(ctx context.Context, id string) (*History, error) {
	return send[History](ctx, c, call{method: http.MethodGet, path: "/v1/requests/" + url.PathEscape(id) + "/history", tries: c.opts.Tries})
}

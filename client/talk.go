package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/askbridge/askbridge/ask"
)

// Revision is the body of a revision, which replaces questions or context.
type Revision struct {
	// Of is the replaced revision; nil means the current one.
	Of        *int          `json:"revision,omitempty" minimum:"0" doc:"The revision that this one replaces, 0 for the original: 409 if it is not the current one. Absent: the current one."`
	Questions []NewQuestion `json:"questions,omitzero" nullable:"false" minItems:"1" maxItems:"10" doc:"All questions that are asked from now on. Absent: as they are."`
	Context   *string       `json:"context,omitempty" doc:"The text above them from now on; may be empty. Absent: as it is."`
}

// ReplyBody is the body of an agent's reply to a person.
type ReplyBody struct {
	To   int    `json:"to,omitempty" minimum:"0" doc:"The number of what the person asked. Absent: the only one that waits for a reply."`
	Text string `json:"text" maxLength:"2000" doc:"The reply, which everyone sees who sees the card"`
}

// TakenBody is the body of an acknowledgement. It may be absent.
type TakenBody struct {
	Instead string `json:"instead,omitempty" maxLength:"1000" doc:"What the agent used instead of the answer. Absent: it used the answer." example:"answered in the terminal: Wait"`
}

// Revise replaces the questions or the context of an open request. It is idempotent. The error
// for a request that has ended, or that was revised since v.Of, is a [*Problem] that matches
// [ask.ErrConflict].
func (c *Client) Revise(ctx context.Context, id string, v ask.Revision) (*Request, error) {
	sent := Revision{Of: v.Of, Context: v.Context}
	if v.Questions != nil {
		sent.Questions = make([]NewQuestion, len(v.Questions))
	}
	for n, q := range v.Questions {
		sent.Questions[n] = NewQuestion(q)
	}
	return c.say(ctx, http.MethodPatch, id, "", sent)
}

// Reply sends the agent's reply to a person's question: the number of [ask.AskedBack], or zero
// for the only one without a reply. It is idempotent.
func (c *Client) Reply(ctx context.Context, id string, number int, text string) (*Request, error) {
	return c.say(ctx, http.MethodPost, id, "/reply", ReplyBody{To: number, Text: text})
}

// Taken acknowledges the answer, for a request with receipts. [Client.Wait], [Client.Get] and
// webhooks acknowledge it automatically.
func (c *Client) Taken(ctx context.Context, id string) (*Request, error) {
	return c.say(ctx, http.MethodPost, id, "/taken", nil)
}

// Overruled reports that the agent used something other than the answer: its host asked
// elsewhere too, and used that answer. The card shows it. It is idempotent.
func (c *Client) Overruled(ctx context.Context, id, instead string) (*Request, error) {
	return c.say(ctx, http.MethodPost, id, "/taken", TakenBody{Instead: instead})
}

func (c *Client) say(ctx context.Context, method, id, what string, body any) (*Request, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("client: encode: %w", err)
		}
	}
	return send[Request](ctx, c, call{method: method, path: "/v1/requests/" + url.PathEscape(id) + what, body: data, tries: c.opts.Tries})
}

// Hear is [Client.Wait] that also returns when a person asks the agent something, with a number
// above heard and without a reply.
func (c *Client) Hear(ctx context.Context, id string, heard int) (*Request, error) {
	return c.waitFor(ctx, id, func(*Request) int { return heard }, func(r *Request) bool { return r.Waiting(heard) != nil })
}

// Waiting returns the first question of a person without a reply and with a number above
// heard, or nil.
func (r *Request) Waiting(heard int) *ask.AskedBack {
	for n := range r.AskedBack {
		if asked := &r.AskedBack[n]; !r.Ended() && asked.Reply == "" && asked.Number > heard {
			return asked
		}
	}
	return nil
}

// heardOf is above every number, so that a wait ignores questions of people.
func heardOf(r *Request) int {
	if r == nil {
		return 0
	}
	return len(r.AskedBack)
}

// heardIn returns the query of a wait.
func heardIn(poll url.Values, heard int) url.Values {
	query := url.Values{"wait": poll["wait"]}
	if heard > 0 {
		query.Set("heard", strconv.Itoa(heard))
	}
	return query
}

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

// Revision is the body of a revision: what takes the place of what a request asks.
type Revision struct {
	// Of is nil for whichever revision there is.
	Of        *int          `json:"revision,omitempty" minimum:"0" doc:"The revision that this one takes the place of, 0 for what was asked first: 409 where there is another. Absent: the one there is."`
	Questions []NewQuestion `json:"questions,omitzero" nullable:"false" minItems:"1" maxItems:"10" doc:"All questions that are asked from now on. Absent: as they are."`
	Context   *string       `json:"context,omitempty" doc:"What stands above them from now on; empty for nothing. Absent: as it is."`
}

// ReplyBody is the body of an agent's reply to a person.
type ReplyBody struct {
	To   int    `json:"to,omitempty" minimum:"0" doc:"The number of what the person asked. Absent: the only one that waits for a reply."`
	Text string `json:"text" maxLength:"2000" doc:"The reply, which everybody sees who sees the card"`
}

// TakenBody is the body that says what the agent went by. It may be left out.
type TakenBody struct {
	Instead string `json:"instead,omitempty" maxLength:"1000" doc:"What the agent went by in place of what people answered. Absent: it went by their answer." example:"answered in the terminal: Wait"`
}

// Revise puts something else in the place of what an open request asks. It is safe to
// repeat. A request that has ended, or that was revised by somebody else since v.Of, gives a
// [*Problem] that matches [ask.ErrConflict].
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

// Reply gives the agent's reply to what a person asked: the number of [ask.AskedBack], or
// zero for the only one that waits for a reply. It is safe to repeat.
func (c *Client) Reply(ctx context.Context, id string, number int, text string) (*Request, error) {
	return c.say(ctx, http.MethodPost, id, "/reply", ReplyBody{To: number, Text: text})
}

// Taken says that the agent has the answer, for a request with receipts. Who got it from
// [Client.Wait], [Client.Get] or a webhook has said so already.
func (c *Client) Taken(ctx context.Context, id string) (*Request, error) {
	return c.say(ctx, http.MethodPost, id, "/taken", nil)
}

// Overruled says that the agent went by something else than what people answered: its host
// asked elsewhere too, and took what was said there. The card says so. It is safe to repeat.
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

// Hear is [Client.Wait] that also returns when a person has asked the agent something that
// has no reply, unless its number is one up to heard.
func (c *Client) Hear(ctx context.Context, id string, heard int) (*Request, error) {
	return c.waitFor(ctx, id, func(*Request) int { return heard }, func(r *Request) bool { return r.Waiting(heard) != nil })
}

// Waiting returns the first thing that a person has asked and that has no reply, with a
// number above heard; nil when there is none.
func (r *Request) Waiting(heard int) *ask.AskedBack {
	for n := range r.AskedBack {
		if asked := &r.AskedBack[n]; !r.Ended() && asked.Reply == "" && asked.Number > heard {
			return asked
		}
	}
	return nil
}

// heardOf has a wait go on whatever people ask.
func heardOf(r *Request) int {
	if r == nil {
		return 0
	}
	return len(r.AskedBack)
}

// heardIn is the query of a wait.
func heardIn(poll url.Values, heard int) url.Values {
	query := url.Values{"wait": poll["wait"]}
	if heard > 0 {
		query.Set("heard", strconv.Itoa(heard))
	}
	return query
}

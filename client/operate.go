package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// AnswerBody is what somebody decides over the API in place of pressing on a card. It
// holds one of answers, reply, dismiss, undo, claim and pass_to.
type AnswerBody struct {
	Answers []GivenAnswer `json:"answers,omitempty" nullable:"false" maxItems:"10" doc:"One for each question; an optional one may be left out"`
	Reply   string        `json:"reply,omitempty" maxLength:"4000" doc:"Words for the agent in place of answers; ends the request as cancelled"`
	Dismiss bool          `json:"dismiss,omitempty" doc:"Ends the request as cancelled, without a word"`
	Undo    bool          `json:"undo,omitempty" doc:"Takes back what this token's holder decided, while that can be done"`
	Claim   bool          `json:"claim,omitempty" doc:"Says that this token's holder is on it, where the request has claim_for; it answers nothing"`
	PassTo  string        `json:"pass_to,omitempty" doc:"Passes the request on to this person, where it has pass_on: they may answer then in place of this token's holder" example:"slack:U0000001"`
	// Revision is the revision that the person has read. It may be nil for a request that was never revised.
	Revision *int `json:"revision,omitempty" minimum:"0" doc:"Which revision of the request this answers, 0 for the first: another one is refused. Answers, reply and dismiss of a revised request need it."`
}

// GivenAnswer is an answer to one question.
type GivenAnswer struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected,omitempty" nullable:"false" doc:"Labels of options, exactly as the request has them; one unless several may be chosen"`
	Other    string   `json:"other,omitempty" maxLength:"4000" doc:"An answer in own words: in place of labels, or beside them where several may be chosen"`
	// Skip leaves an optional question unanswered.
	Skip  bool   `json:"skip,omitempty" doc:"Leaves an optional question unanswered, in place of labels and own words"`
	Notes string `json:"notes,omitempty" maxLength:"4000" doc:"A note beside the answer, where the question takes one"`
}

// Answer decides an open request in the place of a press on its card. The client's
// token must have the scope "answer", and its holder be one of those who may answer. A
// request that has ended gives a [*Problem] that matches [ask.ErrConflict]. So does one at another revision than
// given.Revision, and one that was revised where that is nil; [Problem.Request] then has the request as it stands.
func (c *Client) Answer(ctx context.Context, id string, given AnswerBody) (*Request, error) {
	body, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("client: encode answer: %w", err)
	}
	return send[Request](ctx, c, call{
		method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/answer", body: body, key: rand.Text(), tries: c.opts.Tries,
	})
}

// Resend tries again now what was given up or put off of a request's cards and
// webhook. One that wants nothing is returned as it is.
func (c *Client) Resend(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/resend", tries: c.opts.Tries})
}

// Reloaded is what a reload has taken over.
type Reloaded struct {
	Changed []string `json:"changed" nullable:"false" doc:"The settings that have changed; empty when none has" example:"agents"`
}

// Reload has the bridge read its configuration again. The client's token must have the
// scope "admin". It returns the settings that have changed, or a [*Problem] that
// matches [ask.ErrInvalid] when the bridge goes on with what it had.
func (c *Client) Reload(ctx context.Context) (*Reloaded, error) {
	return send[Reloaded](ctx, c, call{method: http.MethodPost, path: "/v1/reload", wait: reloadTime, tries: c.opts.Tries})
}

// reloadTime is how long a bridge may wait for the command that prints the keys of its store.
const reloadTime = 30 * time.Second

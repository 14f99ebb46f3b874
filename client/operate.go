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

// AnswerBody is a person's action over the API instead of on a card. It has one of answers,
// reply, dismiss, undo, claim and pass_to.
type AnswerBody struct {
	Answers []GivenAnswer `json:"answers,omitempty" nullable:"false" maxItems:"10" doc:"One for each question; an optional one may be left out"`
	Reply   string        `json:"reply,omitempty" maxLength:"4000" doc:"Words for the agent in place of answers; ends the request as cancelled"`
	Dismiss bool          `json:"dismiss,omitempty" doc:"Ends the request as cancelled, without a word"`
	Undo    bool          `json:"undo,omitempty" doc:"Takes back what this token's holder decided, while that can be done"`
	Claim   bool          `json:"claim,omitempty" doc:"Claims the request for the token's holder, if it has claim_for; this is not an answer"`
	PassTo  string        `json:"pass_to,omitempty" doc:"Passes the request on to this person, if it has pass_on: they may answer then instead of this token's holder" example:"slack:U0000001"`
	// Revision is the revision that the person has read. It may be nil for a request without revisions.
	Revision *int `json:"revision,omitempty" minimum:"0" doc:"Which revision of the request this answers, 0 for the first: another one is refused. Answers, reply and dismiss of a revised request need it."`
}

// GivenAnswer is an answer to one question.
type GivenAnswer struct {
	Index    int      `json:"index" minimum:"0" doc:"The question's position in the request, from 0"`
	Selected []string `json:"selected,omitempty" nullable:"false" doc:"Labels of options, exactly as the request has them; one unless several may be chosen"`
	Other    string   `json:"other,omitempty" maxLength:"4000" doc:"A typed answer: instead of labels, or in addition to them on a multi-select question"`
	// Skip leaves an optional question unanswered.
	Skip  bool   `json:"skip,omitempty" doc:"Leaves an optional question unanswered, in place of labels and own words"`
	Notes string `json:"notes,omitempty" maxLength:"4000" doc:"A note in addition to the answer, if the question takes one"`
}

// Answer answers an open request instead of a press on its card. The client's token must have
// the scope "answer", and its holder must be allowed to answer. The error for a request that
// has ended is a [*Problem] that matches [ask.ErrConflict]. So is the error for another revision
// than given.Revision, or for a revised request if that is nil; [Problem.Request] then has the
// current request.
func (c *Client) Answer(ctx context.Context, id string, given AnswerBody) (*Request, error) {
	body, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("client: encode answer: %w", err)
	}
	return send[Request](ctx, c, call{
		method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/answer", body: body, key: rand.Text(), tries: c.opts.Tries,
	})
}

// Resend retries abandoned and delayed deliveries of a request's cards and webhook. A
// request without any is returned unchanged.
func (c *Client) Resend(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/resend", tries: c.opts.Tries})
}

// Reloaded is the result of a reload.
type Reloaded struct {
	Changed []string `json:"changed" nullable:"false" doc:"The settings that have changed; empty when none has" example:"agents"`
}

// Backup is a copy of the bridge's store.
type Backup struct {
	File string `json:"file" doc:"The file on the machine of the bridge" example:"/var/lib/askbridge/askbridge-backup.db"`
	Size int64  `json:"size" doc:"Its size in bytes" example:"65536"`
}

// Backup makes the bridge copy its store into the file that its configuration names, without stopping. The client's token must
// have the scope "admin".
func (c *Client) Backup(ctx context.Context) (*Backup, error) {
	return send[Backup](ctx, c, call{method: http.MethodPost, path: "/v1/backup", wait: backupTime, tries: 1})
}

// backupTime includes the copying of a large store.
const backupTime = 10 * time.Minute

// Reload makes the bridge reload its configuration. The client's token must have the
// scope "admin". It returns the changed settings, or a [*Problem] that matches
// [ask.ErrInvalid] if the bridge keeps its configuration.
func (c *Client) Reload(ctx context.Context) (*Reloaded, error) {
	return send[Reloaded](ctx, c, call{method: http.MethodPost, path: "/v1/reload", wait: reloadTime, tries: c.opts.Tries})
}

// reloadTime includes the time of the command that prints the store's keys.
const reloadTime = 30 * time.Second

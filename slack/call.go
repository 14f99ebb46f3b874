package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

const (
	// callTimeout limits one call of the Web API.
	callTimeout = 5 * time.Second
	// maxReply limits the size of a response that is decoded here.
	maxReply = 8 << 20
)

var (
	errCallTimeout = errors.New("slack: no reply in time")
	errUnreadable  = errors.New("slack: the reply is not what slack sends")
)

// call identifies one method and its rate limit. Slack limits posting per channel and the other
// methods per workspace (https://docs.slack.dev/apis/web-api/rate-limits), so waiting on one
// limit must not delay the others.
type call struct {
	op   string
	lane string
	// once means that the call is not idempotent.
	once bool
}

// do makes one call, with a timeout, not before the rate limit allows it, and without retries.
// Its errors are of type [*platform.Error].
func (c *Connector) do(ctx context.Context, k call, f func(context.Context) error) error {
	if err := c.gate.check(k, time.Now()); err != nil {
		return err
	}
	e := c.attempt(ctx, k, f)
	if e == nil {
		c.gate.rest.Accepted()
		return nil
	}
	c.gate.failed(k, e, time.Now())
	return e
}

// attempt is do without checking the rate limit and the token; a reply URL, for example, needs
// no token.
func (c *Connector) attempt(ctx context.Context, k call, f func(context.Context) error) *platform.Error {
	if err := ctx.Err(); err != nil {
		return classify(k.op, k.once, err, false)
	}
	started := time.Now()
	sent, err := connector.Try(ctx, callTimeout, errCallTimeout, f)
	if err == nil {
		return nil
	}
	e := classify(k.op, k.once, err, sent)
	connector.Report(c.log, e, time.Since(started))
	return e
}

// gate is the rate-limit state of the connection.
type gate struct {
	rest ratelimit.Rest[platform.Error] // after Slack rejected the token

	mu    sync.Mutex
	until map[call]time.Time
}

func (g *gate) check(k call, now time.Time) error {
	if refusal := g.rest.Blocked(now); refusal != nil {
		e := *refusal
		e.Op = k.op
		return &e
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if wait := g.until[k].Sub(now); wait > 0 {
		return &platform.Error{
			Platform: Name, Op: k.op, Kind: platform.RateLimited, Code: "ratelimited", RetryAfter: wait,
			Err: errors.New("slack: not sent, slack asked to wait"),
		}
	}
	return nil
}

func (g *gate) failed(k call, e *platform.Error, now time.Time) {
	switch {
	case e.Kind == platform.RateLimited:
		g.mu.Lock()
		defer g.mu.Unlock()
		for lane, until := range g.until {
			if !until.After(now) {
				delete(g.until, lane)
			}
		}
		if g.until == nil {
			g.until = map[call]time.Time{}
		}
		g.until[k] = now.Add(e.RetryAfter)
	case e.Kind == platform.Misconfigured && dead[e.Code]:
		g.rest.Refused(e, now)
	}
}

// standing returns nil unless the token was rejected.
func (g *gate) standing() error {
	if refusal := g.rest.Refusal(); refusal != nil {
		return refusal
	}
	return nil
}

// form posts a form to a method and decodes the response into out. It is used where slack-go
// decodes responses too strictly: one unusual message must not hide the others.
func (c *Connector) form(ctx context.Context, method string, values url.Values, out any) error {
	body, err := c.method(ctx, method, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	var reply slackapi.SlackResponse
	if err := json.Unmarshal(body, &reply); err != nil || (!reply.Ok && reply.Error == "") {
		return fmt.Errorf("%w: %s", errUnreadable, method)
	}
	if err := reply.Err(); err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%w: %s: %w", errUnreadable, method, err)
	}
	return nil
}

// method posts to a Web API method with the bot token.
func (c *Connector) method(ctx context.Context, name, contentType string, body io.Reader) ([]byte, error) {
	return c.post(ctx, c.cfg.APIURL+name, "Bearer "+c.cfg.BotToken, contentType, body)
}

// post sends a body and returns the body of a successful response. authorization is "" for a
// reply URL.
func (c *Connector) post(ctx context.Context, address, authorization, contentType string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return nil, plain(err)
	}
	req.Header.Set("Content-Type", contentType)
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := c.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // Everything needed has been read.
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = 0 // classify uses its default then.
		}
		return nil, &slackapi.RateLimitedError{RetryAfter: time.Duration(seconds) * time.Second}
	}
	if resp.StatusCode != http.StatusOK {
		return nil, slackapi.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, fmt.Errorf("slack: read reply: %w", err)
	}
	return reply, nil
}

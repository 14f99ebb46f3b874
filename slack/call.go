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

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

const (
	// callTimeout bounds one call of the Web API.
	callTimeout = 5 * time.Second
	// restAfterRefusal is how long no call is made after Slack said that the
	// token is no good: at most four tries a minute, however many cards wait.
	restAfterRefusal = 15 * time.Second
	// maxReply bounds what is read of a reply that we decode ourselves.
	maxReply = 8 << 20
)

var (
	errCallTimeout = errors.New("slack: no reply in time")
	errUnreadable  = errors.New("slack: the reply is not what slack sends")
)

// call is one method in one lane. Slack limits posting per channel and the
// other methods per workspace (https://docs.slack.dev/apis/web-api/rate-limits),
// so what one lane has to wait for does not hold up another.
type call struct {
	op   string
	lane string
	// once says that doing it twice does two things.
	once bool
}

// do makes one call: not before its time, not for ever, and never again on its
// own. Its errors are of type [*bridge.PlatformError].
func (c *Connector) do(ctx context.Context, k call, f func(context.Context) error) error {
	if err := c.gate.check(k, time.Now()); err != nil {
		return err
	}
	e := c.attempt(ctx, k, f)
	if e == nil {
		c.gate.passed()
		return nil
	}
	c.gate.failed(k, e, time.Now())
	return e
}

// attempt is do without regard for what Slack asked earlier; a reply URL, for
// one, needs no token.
func (c *Connector) attempt(ctx context.Context, k call, f func(context.Context) error) *bridge.PlatformError {
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

// gate remembers what Slack asked for.
type gate struct {
	mu    sync.Mutex
	until map[call]time.Time
	// refusal is the last word about our token, and nil while it is good.
	refusal *bridge.PlatformError
	closed  time.Time // no call before
}

func (g *gate) check(k call, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal != nil && now.Before(g.closed) {
		e := *g.refusal
		e.Op = k.op
		return &e
	}
	if wait := g.until[k].Sub(now); wait > 0 {
		return &bridge.PlatformError{
			Platform: Name, Op: k.op, Kind: bridge.RateLimited, Code: "ratelimited", RetryAfter: wait,
			Err: errors.New("slack: not asked, since slack said to wait"),
		}
	}
	return nil
}

func (g *gate) failed(k call, e *bridge.PlatformError, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case e.Kind == bridge.RateLimited:
		for lane, until := range g.until {
			if !until.After(now) {
				delete(g.until, lane)
			}
		}
		if g.until == nil {
			g.until = map[call]time.Time{}
		}
		g.until[k] = now.Add(e.RetryAfter)
	case e.Kind == bridge.Misconfigured && dead[e.Code]:
		g.refusal, g.closed = e, now.Add(restAfterRefusal)
	}
}

func (g *gate) passed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refusal = nil
}

// standing is nil while the token is good, as far as we know.
func (g *gate) standing() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal == nil {
		return nil
	}
	return g.refusal
}

// form posts a form to a method and decodes the reply into out, for methods
// whose replies slack-go decodes more strictly than we need: one odd message of
// somebody else's must not hide ours.
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

// method is post to one of the Web API's methods, with our token.
func (c *Connector) method(ctx context.Context, name, contentType string, body io.Reader) ([]byte, error) {
	return c.post(ctx, c.cfg.APIURL+name, "Bearer "+c.cfg.BotToken, contentType, body)
}

// post sends a body and returns the reply of a call that succeeded. A reply URL takes no
// authorization and gets "".
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
	defer func() { _ = resp.Body.Close() }() // Everything wanted has been read.
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = 0 // classify has its own idea then.
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

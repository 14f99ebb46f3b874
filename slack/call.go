package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	op    string
	place string
	// once means that the call is not idempotent.
	once bool
}

// webAPI makes the calls of Slack's Web API with the bot token and within its rate limits.
type webAPI struct {
	url string
	// installation is the one that the token belongs to; "" for the only one.
	installation string
	client       *http.Client
	log          *slog.Logger
	limiter      limiter
	held         atomic.Pointer[credential]
	tokens       *tokens // nil for the configured token
	// granted are the bot's scopes, as the last reply listed them.
	granted atomic.Pointer[[]string]
}

// do makes one call, with a timeout, not before the rate limit allows it, and without retries.
// Its errors are of type [*platform.Error].
func (a *webAPI) do(ctx context.Context, k call, f func(context.Context) error) error {
	if err := a.limiter.check(k, time.Now()); err != nil {
		return err
	}
	if a.tokens != nil {
		if err := a.tokens.renew(ctx, k.op); err != nil {
			return err
		}
	}
	token := a.held.Load().token
	e := a.attempt(ctx, k, f)
	if e != nil && a.tokens != nil && dead[e.Code] && a.tokens.replaced(ctx, token, e.Code) {
		e = a.attempt(ctx, k, f)
	}
	if e == nil {
		a.limiter.rest.Accepted()
		return nil
	}
	a.limiter.failed(k, e, time.Now())
	return e
}

// attempt is do without checking the rate limit and the token; a reply URL, for example, needs
// no token.
func (a *webAPI) attempt(ctx context.Context, k call, f func(context.Context) error) *platform.Error {
	if err := ctx.Err(); err != nil {
		return classify(k.op, k.once, err, false)
	}
	started := time.Now()
	sent, err := connector.Try(ctx, callTimeout, errCallTimeout, f)
	if err == nil {
		return nil
	}
	e := classify(k.op, k.once, err, sent)
	connector.Report(a.log, e, time.Since(started))
	return e
}

// limiter is the rate-limit state of the connection.
type limiter struct {
	rest ratelimit.Rest[platform.Error] // after Slack rejected the token

	mu    sync.Mutex
	until map[call]time.Time
}

func (l *limiter) check(k call, now time.Time) error {
	if refusal := l.rest.Blocked(now); refusal != nil {
		e := *refusal
		e.Op = k.op
		return &e
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.until[k].Sub(now); wait > 0 {
		return &platform.Error{
			Platform: Name, Op: k.op, Kind: platform.RateLimited, Code: "ratelimited", RetryAfter: wait,
			Err: errors.New("slack: not sent, slack asked to wait"),
		}
	}
	return nil
}

func (l *limiter) failed(k call, e *platform.Error, now time.Time) {
	switch {
	case e.Kind == platform.RateLimited:
		l.mu.Lock()
		defer l.mu.Unlock()
		for other, until := range l.until {
			if !until.After(now) {
				delete(l.until, other)
			}
		}
		if l.until == nil {
			l.until = map[call]time.Time{}
		}
		l.until[k] = now.Add(e.RetryAfter)
	case e.Kind == platform.Misconfigured && dead[e.Code]:
		l.rest.Refused(e, now)
	}
}

// tokenError returns nil unless the token was rejected.
func (l *limiter) tokenError() error {
	if refusal := l.rest.Refusal(); refusal != nil {
		return refusal
	}
	return nil
}

// form posts a form to a method and decodes the response into out. It is used where slack-go
// decodes responses too strictly: one unusual message must not hide the others.
func (a *webAPI) form(ctx context.Context, method string, values url.Values, out any) error {
	body, err := a.method(ctx, method, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
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
func (a *webAPI) method(ctx context.Context, name, contentType string, body io.Reader) ([]byte, error) {
	return a.post(ctx, a.url+name, "Bearer "+a.held.Load().token, contentType, body)
}

// post sends a body and returns the body of a successful response. authorization is "" for a
// reply URL.
func (a *webAPI) post(ctx context.Context, address, authorization, contentType string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return nil, plain(err)
	}
	req.Header.Set("Content-Type", contentType)
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // Everything needed has been read.
	if scopes := scopesOf(resp.Header); scopes != nil {
		a.granted.Store(scopes)
	}
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

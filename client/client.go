package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/internal/proof"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/internal/wait"
)

// DefaultPoll is how long one call of [Client.Wait] waits. It suits proxies and
// laptops that sleep.
const DefaultPoll = 25 * time.Second

// maxReply limits the size of a response; a page of the largest requests is
// smaller.
const maxReply = 64 << 20

// Client calls a bridge over HTTP. It is safe for concurrent use. Errors of the
// bridge are of type [*Problem].
type Client struct {
	base   *url.URL
	opts   Options
	sealer *sealer // nil if the token is sent unsealed
}

// Options are the settings of a client. Nil and zero values mean the
// defaults.
type Options struct {
	// Token is the agent's token. [New] rejects an askbridge token with a wrong checksum,
	// which was truncated or mistyped.
	Token string
	// Sealed encrypts the token, so that only a bridge that knows it can read it, and
	// requires such a bridge to prove every reply. Another program at the address
	// learns nothing and decides nothing: a call that gets only unproved replies fails
	// with [ErrUnproved], and one that is refused at once with [ErrUnknownToken]. The
	// clocks of both machines may differ by five minutes.
	Sealed bool
	// HTTP makes the calls; nil means a new client. It must not have a timeout below
	// Poll. It follows redirects only if it has a CheckRedirect, and none with a sealed
	// token.
	HTTP *http.Client
	// Poll is how long one call of [Client.Wait] waits; zero means
	// [DefaultPoll].
	Poll time.Duration
	// Tries is the number of attempts of a call other than a wait when the bridge is
	// unavailable or asks to retry; zero means 5. A wait continues until its context
	// ends.
	Tries int
	// Logger gets one warning if questions and answers, and an unsealed token, would be
	// sent unencrypted to another machine; nil discards it.
	Logger *slog.Logger
	// Away is how long a call retries when the bridge is unavailable or asks to retry;
	// zero means for all its attempts, and for a wait until its context ends.
	Away time.Duration
}

// New returns a client for the bridge at an address such as
// "http://127.0.0.1:8080".
func New(address string, opts *Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("client: %q is not an address such as http://127.0.0.1:8080", address)
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("client: the address must not hold credentials or parameters")
	}
	c := &Client{base: base}
	if opts != nil {
		c.opts = *opts
	}
	if tokentext.Is(c.opts.Token) {
		if err := tokentext.Check(c.opts.Token); err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
	}
	if c.opts.HTTP == nil {
		c.opts.HTTP = &http.Client{}
	}
	if c.opts.Poll <= 0 {
		c.opts.Poll = DefaultPoll
	}
	if c.opts.Tries <= 0 {
		c.opts.Tries = defaultTries
	}
	if c.sealer = newSealer(&c.opts); c.sealer != nil || c.opts.HTTP.CheckRedirect == nil {
		staying := *c.opts.HTTP
		staying.CheckRedirect = stay
		c.opts.HTTP = &staying
	}
	if base.Scheme == "http" && c.opts.Token != "" && c.opts.Logger != nil && !loopback.Is(base.Host) {
		c.warnClear()
	}
	return c, nil
}

// warnClear warns about plain HTTP to another machine.
func (c *Client) warnClear() {
	if c.sealer != nil {
		c.opts.Logger.Warn("questions and answers travel in clear, for everybody on the way to read; give an address that begins with https", "host", c.base.Host)
		return
	}
	c.opts.Logger.Warn("the token travels in clear, so that everybody on the way can use it; give an address that begins with https", "host", c.base.Host)
}

// stay follows no redirects: a bridge sends none, and [http.Client] would send the token to
// every port of the host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Proves reports whether the client authenticates the bridge; see [Options.Sealed].
func (c *Client) Proves() bool { return c.sealer != nil }

// Ask submits a request and waits until it has ended.
func (c *Client) Ask(ctx context.Context, r ask.Request) (*Request, error) {
	made, err := c.Submit(ctx, r)
	if err != nil || made.Ended() {
		return made, err
	}
	return c.Wait(ctx, made.ID)
}

// Submit submits a request. Without a key and a tool-call ID it uses a random key, so
// that a call whose reply was lost can be repeated without asking twice.
func (c *Client) Submit(ctx context.Context, r ask.Request) (*Request, error) {
	if r.Key == "" && r.ToolCallID == "" {
		r.Key = rand.Text()
	}
	body, err := json.Marshal(newRequestOf(r))
	if err != nil {
		return nil, fmt.Errorf("client: encode request: %w", err)
	}
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests", body: body, trace: traceOf(r.TraceParent, r.TraceState), tries: c.opts.Tries})
}

// Get returns a request.
func (c *Client) Get(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodGet, path: "/v1/requests/" + url.PathEscape(id), tries: c.opts.Tries})
}

// Wait returns a request when it has ended. It waits in short calls and survives
// restarts of the bridge; it ends early only when ctx ends, or with a permanent error
// such as 404. Then it returns the last state of the request, or nil, and the error.
func (c *Client) Wait(ctx context.Context, id string) (*Request, error) {
	return c.waitFor(ctx, id, heardOf, func(*Request) bool { return false })
}

// waitFor waits for the end, or until enough. heard is the number up to which questions of
// people are known.
func (c *Client) waitFor(ctx context.Context, id string, heard func(*Request) int, enough func(*Request) bool) (*Request, error) {
	var last *Request
	poll := call{
		method: http.MethodGet, path: "/v1/requests/" + url.PathEscape(id),
		query: url.Values{"wait": {c.opts.Poll.String()}}, wait: c.opts.Poll,
	}
	for {
		poll.query = heardIn(poll.query, heard(last))
		began := time.Now()
		r, err := send[Request](ctx, c, poll)
		if err != nil {
			return last, err
		}
		if last = r; r.Ended() || enough(r) {
			return r, nil
		}
		if time.Since(began) < time.Second {
			// Do not busy-loop on a bridge that shuts down or does not wait.
			if err := wait.For(ctx, time.Second); err != nil {
				return last, err
			}
		}
	}
}

// Cancel cancels a request. One that has ended is returned unchanged.
func (c *Client) Cancel(ctx context.Context, id, reason string) (*Request, error) {
	body, err := json.Marshal(CancelBody{Reason: reason})
	if err != nil {
		return nil, fmt.Errorf("client: encode cancellation: %w", err)
	}
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/cancel", body: body, tries: c.opts.Tries})
}

// Replay retries the webhook of an ended request, if it was abandoned.
func (c *Client) Replay(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/replay", tries: c.opts.Tries})
}

// ListQuery selects what [Client.List] returns.
type ListQuery struct {
	// State is a state, or "ended" for all but open; empty means open.
	State ask.State
	// Webhook selects requests by the state of their webhook, such as [Dead]; an
	// empty State then means ended.
	Webhook WebhookState
	// Since excludes requests that ended before; it may be zero. It applies only to
	// requests that have ended.
	Since time.Time
	// Mine selects the open requests that wait for the person who holds the token, which must have the scope
	// "answer": they may answer, and have not voted.
	Mine bool
	// Limit is the maximum size of a page; zero leaves it to the bridge.
	Limit int
	// Cursor is [Page.Next] of the previous page.
	Cursor string
}

// List returns one page of requests.
func (c *Client) List(ctx context.Context, q ListQuery) (*Page, error) {
	query := url.Values{}
	if q.State != "" {
		query.Set("state", string(q.State))
	}
	if q.Webhook != "" {
		query.Set("webhook", string(q.Webhook))
	}
	if !q.Since.IsZero() {
		query.Set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	if q.Mine {
		query.Set("mine", "true")
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	return send[Page](ctx, c, call{method: http.MethodGet, path: "/v1/requests", query: query, tries: c.opts.Tries})
}

func newRequestOf(r ask.Request) NewRequest {
	s := NewRequest{
		Questions: make([]NewQuestion, len(r.Questions)),
		To:        r.To, Route: r.Route, Origin: r.Origin, Responders: r.Responders, Notify: r.Notify,
		IdempotencyKey: r.Key, ToolCallID: r.ToolCallID, Session: r.Session, Supersedes: r.Supersedes,
		Agent: r.Agent, Context: r.Context, Language: r.Language, Links: r.Links, Source: r.Source, Files: r.Files, Webhook: r.Webhook, Same: r.Same,
	}
	for n, q := range r.Questions {
		s.Questions[n] = NewQuestion(q)
	}
	if v := r.Voting; !v.IsZero() {
		s.Policy = new(NewPolicy(v))
	}
	if p := r.Replies; !p.IsZero() {
		s.Replies = new(NewReplies(p))
	}
	if r.Hold > 0 {
		s.Hold = r.Hold.String()
	}
	if r.Within != 0 {
		s.Within = r.Within.String()
	}
	s.Risk, s.AskBack, s.Deaf, s.Receipts = r.Risk, r.AskBack, r.Deaf, r.Receipts
	if !r.Schedule.IsZero() {
		s.Schedule = NewScheduleOf(r.Schedule)
	}
	switch {
	case r.ExpiresIn == ask.Never:
		s.ExpiresIn = "never"
	case r.ExpiresIn != 0:
		s.ExpiresIn = r.ExpiresIn.String()
	}
	return s
}

// NewScheduleOf converts a schedule to its JSON form.
func NewScheduleOf(s ask.Schedule) *NewSchedule {
	made := &NewSchedule{}
	if !s.Hours.IsZero() {
		made.Hours = new(NewHours(s.Hours))
	}
	if s.ClaimFor > 0 {
		made.ClaimFor = s.ClaimFor.String()
	}
	made.PassOn = s.PassOn
	for _, step := range s.Steps {
		made.Steps = append(made.Steps, NewStep{After: step.After.String(), Do: step.Do, Responders: step.Responders, To: step.To, Notify: step.Notify})
	}
	return made
}

// once makes one attempt at a call, and decodes the reply into v.
func (c *Client) once(ctx context.Context, what call, v any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, what.wait+callTime, errors.New("client: the bridge did not answer in time"))
	defer cancel()
	address := c.base.String() + what.path
	if len(what.query) > 0 {
		address += "?" + what.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, what.method, address, bytes.NewReader(what.body))
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if what.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if what.key != "" {
		req.Header.Set("Idempotency-Key", what.key)
	}
	what.trace.set(req.Header)
	proved := func(proof.Reply) bool { return true }
	switch {
	case c.sealer != nil:
		var header string
		header, proved = c.sealer.seal(&what)
		req.Header.Set("Authorization", header)
	case c.opts.Token != "":
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	resp, err := c.opts.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return fmt.Errorf("client: read reply: %w", err)
	}
	if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) {
		return unproved(resp.StatusCode)
	}
	if resp.StatusCode/100 != 2 {
		return problemFrom(resp, data)
	}
	if own, ok := v.(interface {
		read(h http.Header, body []byte) error
	}); ok {
		return own.read(resp.Header, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", errNotBridge, err)
	}
	if named, ok := v.(interface{ ids() []string }); ok {
		return checkIDs(named.ids()...)
	}
	return nil
}

// maxErrorText is the number of characters kept of a proxy's error text.
const maxErrorText = 200

// problemFrom parses a problem body, or makes one for the response of a proxy, with its
// plain text.
func problemFrom(resp *http.Response, data []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(data, p) != nil || p.Title == "" {
		p = &Problem{Title: http.StatusText(resp.StatusCode)}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "?")), " ")
			p.Detail = string([]rune(text)[:min(len([]rune(text)), maxErrorText)])
		}
	}
	if checkIDs(p.RequestID) != nil {
		p.RequestID = ""
	}
	p.Status = resp.StatusCode
	p.retryAfter = max(0, retryAfter(resp.Header))
	return p
}

// retryAfter parses Retry-After, which is in seconds or a date, or returns zero.
// https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}

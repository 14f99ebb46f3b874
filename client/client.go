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

// DefaultPoll is how long one call of [Client.Wait] waits: short enough for
// proxies and laptops that sleep.
const DefaultPoll = 25 * time.Second

// maxReply is the most of a response that is read; a page of the largest
// requests stays below it.
const maxReply = 64 << 20

// Client talks to a bridge over HTTP. All methods may be called from any
// goroutine. Errors of the bridge are of type [*Problem].
type Client struct {
	base   *url.URL
	opts   Options
	sealer *sealer // nil where the token is sent as it is
}

// Options are the settings of a client. Nil and zero values mean the
// defaults.
type Options struct {
	// Token is the agent's token. One that askbridge has made and whose checksum does
	// not fit, since it was cut off or mistyped, is refused by [New].
	Token string
	// Sealed keeps the token from being sent: it goes sealed, so that only a
	// bridge that knows it can read it, and every reply has to be proved by such a
	// bridge. Whoever else holds the address learns nothing and decides nothing;
	// a call that only gets such replies fails with [ErrUnproved], and one that is
	// refused so at once with [ErrUnknownToken]. The clocks of both machines may be
	// five minutes apart.
	Sealed bool
	// HTTP makes the calls; nil means a client of its own. It must not have a
	// timeout below Poll. It follows redirects only if it has a CheckRedirect, and none
	// with a sealed token.
	HTTP *http.Client
	// Poll is how long one call of [Client.Wait] waits; zero means
	// [DefaultPoll].
	Poll time.Duration
	// Tries is how often a call other than a wait is tried when the bridge
	// cannot be reached or asks to come back; zero means 5. A wait goes on until
	// its context ends.
	Tries int
	// Logger is told once if questions and answers would travel in clear to another
	// machine, and the token with them unless it is sealed; nil discards it.
	Logger *slog.Logger
	// Away is how long a call bears a bridge that does not answer, or that asks to
	// come back later; zero means for all its tries, a wait until its context ends.
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

// warnClear says that a bridge on another machine is called over plain http.
func (c *Client) warnClear() {
	if c.sealer != nil {
		c.opts.Logger.Warn("questions and answers travel in clear, for everybody on the way to read; give an address that begins with https", "host", c.base.Host)
		return
	}
	c.opts.Logger.Warn("the token travels in clear, so that everybody on the way can use it; give an address that begins with https", "host", c.base.Host)
}

// stay follows no redirect: a bridge sends none, and [http.Client] sends the token along to every
// port of the host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Proves reports whether the client knows the bridge from anybody else; see
// [Options.Sealed].
func (c *Client) Proves() bool { return c.sealer != nil }

// Ask hands a request in and waits until it has ended.
func (c *Client) Ask(ctx context.Context, r ask.Request) (*Request, error) {
	made, err := c.Submit(ctx, r)
	if err != nil || made.Ended() {
		return made, err
	}
	return c.Wait(ctx, made.ID)
}

// Submit hands a request in. One without a key or tool-call ID gets a random
// key, so that a call whose reply was lost can be repeated without asking
// twice.
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

// Get returns how a request stands.
func (c *Client) Get(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodGet, path: "/v1/requests/" + url.PathEscape(id), tries: c.opts.Tries})
}

// Wait returns a request once it has ended. It waits in short calls and lasts
// through restarts of the bridge; only the end of ctx, or an answer that will
// not change such as 404, ends it early. Then it returns the request as it was
// last seen, nil when it never was, and the error.
func (c *Client) Wait(ctx context.Context, id string) (*Request, error) {
	return c.waitFor(ctx, id, heardOf, func(*Request) bool { return false })
}

// waitFor waits for the end, or until enough. Heard tells up to which number what people
// ask is no news.
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
			// A bridge that shuts down, or caps waits at nothing, must not be
			// hammered.
			if err := wait.For(ctx, time.Second); err != nil {
				return last, err
			}
		}
	}
}

// Cancel withdraws a request. One that has ended is returned as it is.
func (c *Client) Cancel(ctx context.Context, id, reason string) (*Request, error) {
	body, err := json.Marshal(CancelBody{Reason: reason})
	if err != nil {
		return nil, fmt.Errorf("client: encode cancellation: %w", err)
	}
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/cancel", body: body, tries: c.opts.Tries})
}

// Replay calls the webhook of an ended request again, if it was given up.
func (c *Client) Replay(ctx context.Context, id string) (*Request, error) {
	return send[Request](ctx, c, call{method: http.MethodPost, path: "/v1/requests/" + url.PathEscape(id) + "/replay", tries: c.opts.Tries})
}

// ListQuery selects what [Client.List] returns.
type ListQuery struct {
	// State is a state, or "ended" for all but open; empty means open.
	State ask.State
	// Webhook selects requests whose webhook stands so, such as [Dead];
	// State then means ended when it is empty.
	Webhook WebhookState
	// Since leaves out what has ended before; the zero time leaves out nothing. It is of
	// requests that have ended, and not of [ask.Open] ones.
	Since time.Time
	// Limit is the most requests of one page; zero leaves it to the bridge.
	Limit int
	// Cursor is [Page.Next] of the page before.
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
		To:        r.To, Route: r.Route, Responders: r.Responders, Notify: r.Notify,
		IdempotencyKey: r.Key, ToolCallID: r.ToolCallID, Session: r.Session, Supersedes: r.Supersedes,
		Agent: r.Agent, Context: r.Context, Language: r.Language, Links: r.Links, Files: r.Files, Webhook: r.Webhook, Same: r.Same,
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
	s.AskBack, s.Deaf, s.Receipts = r.AskBack, r.Deaf, r.Receipts
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

// NewScheduleOf returns a schedule as it should be written.
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

// once makes one attempt at a call.
func once[T any](ctx context.Context, c *Client, what call) (*T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, what.wait+callTime, errors.New("client: the bridge did not answer in time"))
	defer cancel()
	address := c.base.String() + what.path
	if len(what.query) > 0 {
		address += "?" + what.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, what.method, address, bytes.NewReader(what.body))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
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
		return nil, fmt.Errorf("client: %w", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, fmt.Errorf("client: read reply: %w", err)
	}
	if !proved(proof.Reply{Status: resp.StatusCode, Header: resp.Header, Body: data}) {
		return nil, unproved(resp.StatusCode)
	}
	if resp.StatusCode/100 != 2 {
		return nil, problemFrom(resp, data)
	}
	var v T
	if own, ok := any(&v).(interface {
		read(h http.Header, body []byte) error
	}); ok {
		return &v, own.read(resp.Header, data)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotBridge, err)
	}
	if named, ok := any(&v).(interface{ ids() []string }); ok {
		return &v, checkIDs(named.ids()...)
	}
	return &v, nil
}

// maxSaid is how many characters are kept of what something on the way says.
const maxSaid = 200

// problemFrom reads a problem body, or makes one up for a reply that comes from
// something else on the way, with what that says if it is plain text.
func problemFrom(resp *http.Response, data []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(data, p) != nil || p.Title == "" {
		p = &Problem{Title: http.StatusText(resp.StatusCode)}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			said := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "?")), " ")
			p.Detail = string([]rune(said)[:min(len([]rune(said)), maxSaid)])
		}
	}
	if checkIDs(p.RequestID) != nil {
		p.RequestID = ""
	}
	p.Status = resp.StatusCode
	p.retryAfter = max(0, retryAfter(resp.Header))
	return p
}

// retryAfter reads Retry-After, which holds seconds or a date; zero where it holds neither.
// https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
func retryAfter(h http.Header) time.Duration {
	said := h.Get("Retry-After")
	if n, err := strconv.Atoi(said); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(said); err == nil {
		return time.Until(at)
	}
	return 0
}

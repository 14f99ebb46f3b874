package hook

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/door/httpapi"
)

const (
	// callTime bounds a call of the host, and silence a stream on which nothing
	// comes: OpenCode sends a heartbeat every ten seconds.
	callTime = 20 * time.Second
	silence  = time.Minute
	// replyTries is how often an answer is brought to a host that is away.
	replyTries = 8
	// maxEvent is the longest line of the stream; other events hold whole
	// messages.
	maxEvent = 16 << 20
)

// OpenCodeOptions are the settings of [OpenCode]. To, Route, Responders, Agent
// and Deny of Options hold here too; Wait and Defer mean nothing.
type OpenCodeOptions struct {
	Options
	// Username and Password are those of OPENCODE_SERVER_PASSWORD; without a
	// password none is sent.
	Username, Password string
	// Directory is the project, where the server has several.
	Directory string
	// HTTP makes the calls; nil means a client of its own. It must not have a
	// timeout.
	HTTP *http.Client
	// Logger says what happens; nil discards.
	Logger *slog.Logger
}

// OpenCode answers the questions of an OpenCode server from chat. It listens to
// the server's events, asks over the bridge, and posts the reply or the
// rejection. Whoever is first counts: what is answered on OpenCode's own screen
// is closed in chat.
//
// Nothing is kept here: started again it finds what is still pending, and what
// has been answered in chat meanwhile.
type OpenCode struct {
	bridge *httpapi.Client
	base   *url.URL
	opts   OpenCodeOptions
	log    *slog.Logger

	all  sync.WaitGroup
	mu   sync.Mutex
	open map[string]context.CancelCauseFunc // by the host's id of the question
}

// NewOpenCode returns the client of the server at an address such as
// "http://127.0.0.1:4096".
func NewOpenCode(bridge *httpapi.Client, address string, opts *OpenCodeOptions) (*OpenCode, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" || base.User != nil {
		return nil, errors.New("hook: give OpenCode's address without credentials, such as http://127.0.0.1:4096")
	}
	o := &OpenCode{bridge: bridge, base: base, log: slog.New(slog.DiscardHandler), open: map[string]context.CancelCauseFunc{}}
	if opts != nil {
		o.opts = *opts
	}
	if o.opts.HTTP == nil {
		o.opts.HTTP = &http.Client{}
	}
	if o.opts.Logger != nil {
		o.log = o.opts.Logger
	}
	if o.opts.Username == "" {
		o.opts.Username = "opencode"
	}
	return o, nil
}

// errElsewhere is why a question is not waited for any more.
var errElsewhere = errors.New("it was answered in OpenCode")

// Run answers questions until ctx ends. It lasts through restarts of the server
// and of the bridge. Questions that are open then stay so, in chat too.
func (o *OpenCode) Run(ctx context.Context) {
	defer o.all.Wait()
	for rest := time.Second; ctx.Err() == nil; rest = min(2*rest, 30*time.Second) {
		began := time.Now()
		err := o.follow(ctx, ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			rest = time.Second
		}
		o.log.Warn("opencode is away", "error", err, "retry_in", rest)
		if pause(ctx, rest) != nil {
			return
		}
	}
}

// follow reads the stream of events until it breaks. What is asked meanwhile
// lives on in life: the stream may break while people think.
func (o *OpenCode) follow(ctx, life context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(silence, func() { cancel(errors.New("hook: opencode says nothing")) })
	defer quiet.Stop()
	resp, err := o.call(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// What was asked before the stream began is pending; what is not pending any
	// more has been dealt with.
	if err := o.catchUp(ctx, life); err != nil {
		return err
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		quiet.Reset(silence)
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		var e struct {
			Type       string          `json:"type"`
			Properties json.RawMessage `json:"properties"`
		}
		if !ok || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		switch e.Type {
		case "question.asked":
			o.begin(life, e.Properties)
		case "question.replied", "question.rejected":
			var about struct {
				ID string `json:"requestID"`
			}
			if json.Unmarshal(e.Properties, &about) == nil {
				o.drop(about.ID)
			}
		}
	}
	return errors.Join(context.Cause(ctx), lines.Err(), io.ErrUnexpectedEOF)
}

// catchUp begins what is pending and drops what is not.
func (o *OpenCode) catchUp(ctx, life context.Context) error {
	limited, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	resp, err := o.call(limited, http.MethodGet, "/question", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var pending []json.RawMessage
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxEvent)).Decode(&pending); err != nil {
		return fmt.Errorf("hook: read opencode's questions: %w", err)
	}
	there := map[string]bool{}
	for _, p := range pending {
		there[o.begin(life, p)] = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, drop := range o.open {
		if !there[id] {
			drop(errElsewhere)
		}
	}
	return nil
}

// begin asks a question unless that is being done, and returns its id.
func (o *OpenCode) begin(ctx context.Context, question json.RawMessage) string {
	var q struct {
		ID      string `json:"id"`
		Session string `json:"sessionID"`
	}
	if json.Unmarshal(question, &q) != nil || q.ID == "" {
		o.log.Warn("opencode asked something without an id")
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[q.ID] != nil {
		return q.ID
	}
	ctx, drop := context.WithCancelCause(ctx)
	o.open[q.ID] = drop
	o.all.Go(func() {
		if err := o.answer(ctx, q.ID, q.Session, question); err != nil {
			o.log.Warn("opencode's question was not answered", "question", q.ID, "error", err)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.open, q.ID)
		drop(nil)
	})
	return q.ID
}

// drop ends the wait for a question that somebody else has dealt with.
func (o *OpenCode) drop(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if drop := o.open[id]; drop != nil {
		drop(errElsewhere)
	}
}

// answer asks in chat and tells the host.
func (o *OpenCode) answer(ctx context.Context, id, session string, question []byte) error {
	t := httpapi.ToolCall{
		Dialect: "opencode", Input: question, To: o.opts.To, Route: o.opts.Route, Responders: o.opts.Responders,
		Agent: o.opts.Agent, Session: session, Key: "opencode/" + id,
	}
	patient, done := linger(ctx)
	defer done()
	r, err := o.bridge.SubmitTool(patient, t)
	if err == nil && r.State == ask.Open {
		open := r.RequestID
		if r, err = o.bridge.WaitTool(ctx, open, t.Dialect, question); err != nil && errors.Is(context.Cause(ctx), errElsewhere) {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
			defer cancel()
			_, err := o.bridge.Cancel(last, open, errElsewhere.Error())
			return err
		}
	}
	switch {
	case errors.Is(context.Cause(ctx), errElsewhere), errors.Is(context.Cause(ctx), context.Canceled):
		return nil // It stays open, or is closed by the deadline.
	case err != nil:
		return err
	case r.State == ask.Expired && !o.opts.Deny:
		return ErrTime // It stays pending on the host's own screen.
	case r.State == ask.Failed || r.State == httpapi.StateRefused:
		return fmt.Errorf("hook: the question could not be asked in chat: %s", cut(string(r.Body)))
	}
	return o.reply(ctx, r)
}

func cut(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}

// reply posts a result where it says. A host that is away is waited for; one
// that does not know the question any more needs no answer.
func (o *OpenCode) reply(ctx context.Context, r *httpapi.ToolResult) error {
	method, path, ok := strings.Cut(r.Send, " ")
	if !ok {
		return fmt.Errorf("hook: the bridge does not say where to reply: %q", r.Send)
	}
	rest := time.Second
	for n := 1; ; n++ {
		limited, cancel := context.WithTimeout(ctx, callTime)
		resp, err := o.call(limited, method, path, r.Body)
		if err == nil {
			resp.Body.Close()
		}
		cancel()
		var refused *hostError
		known := err == nil || errors.As(err, &refused) && refused.status == http.StatusNotFound
		if known || errors.Is(context.Cause(ctx), errElsewhere) {
			return nil // The host says so of our own replies too.
		}
		if n == replyTries || errors.As(err, &refused) && refused.status < http.StatusInternalServerError {
			return err
		}
		if pause(ctx, rest) != nil {
			return err
		}
		rest = min(2*rest, 30*time.Second)
	}
}

// hostError is a reply of the host that says no.
type hostError struct {
	what   string
	status int
}

func (e *hostError) Error() string {
	return fmt.Sprintf("hook: opencode: %s: status %d", e.what, e.status)
}

// call makes a call of the host. The caller closes the body.
func (o *OpenCode) call(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	address := o.base.String() + path
	if o.opts.Directory != "" {
		address += "?directory=" + url.QueryEscape(o.opts.Directory)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("hook: opencode: %w", err)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.opts.Password != "" {
		req.SetBasicAuth(o.opts.Username, o.opts.Password)
	}
	resp, err := o.opts.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("hook: opencode: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		resp.Body.Close()
		return nil, &hostError{method + " " + path, resp.StatusCode}
	}
	return resp, nil
}

// pause waits, or returns why ctx ended before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

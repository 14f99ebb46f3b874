package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

const (
	// callTime limits one attempt, below the bridge's own limit for a delivery.
	callTime = 8 * time.Second
	// dialTime limits name resolution and connecting.
	dialTime = 4 * time.Second
	// maxReply limits how much of a response is read.
	maxReply = 64 << 10
	// maxAddress is the maximum length of an address.
	maxAddress = 2048
	// maxPatience is the maximum Retry-After that is honored.
	maxPatience = 24 * time.Hour
)

// Options are the settings of a [Sender].
type Options struct {
	// For returns the settings for the calls of an agent, by its tenant and its name.
	For func(tenant, agent string) Settings
	// Show returns the value of "data": the request as in the API.
	Show func(r bridge.Record) any
	// Local allows http and addresses of this machine and its private network, for testing.
	Local bool
	// UserAgent is the User-Agent header.
	UserAgent string
}

// Settings are the settings for the calls of one agent.
type Settings struct {
	// Secrets sign its calls, the newest first: two during a rotation. An agent without a secret cannot be called. Tenants
	// must not share a secret, since anyone who has it can forge calls.
	Secrets []string
	// Receivers may be called, see [CheckReceiver]; nil means any, an empty list none.
	Receivers []string
}

// Sender calls agents. Create one with [New]; it is safe for concurrent use.
type Sender struct {
	o      Options
	client *http.Client
}

var _ bridge.Caller = (*Sender)(nil)

// New returns a sender.
func New(o Options) *Sender {
	dialer := &net.Dialer{Timeout: dialTime, Control: guard}
	if o.Local {
		dialer.Control = nil
	}
	return &Sender{o: o, client: &http.Client{
		Timeout: callTime,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTime,
			MaxIdleConns: 32, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: maxReply,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (s *Sender) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// CheckWebhook returns the problem of an address, as an error for the agent, or nil.
func (s *Sender) CheckWebhook(tenant, agent, address string) error {
	settings := s.o.For(tenant, agent)
	if len(settings.keys()) == 0 {
		return errors.New("this caller has no webhook secret, so a call could not be signed")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || len(address) > maxAddress:
		return fmt.Errorf("is not an address such as https://agent.example/answers, at most %d bytes long", maxAddress)
	case u.Scheme != "https" && (u.Scheme != "http" || !s.o.Local):
		return errors.New("must begin with https://")
	case u.User != nil:
		return errors.New("must not contain credentials: the call is signed")
	case u.Fragment != "":
		return errors.New("must not contain a #fragment")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return errors.New("has no valid port")
		}
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !s.o.Local && !public(ip) {
		return errors.New("must not be on this machine or in a private network")
	}
	if !listed(settings.Receivers, u) {
		return errors.New("is not one of the receivers that the operator of the bridge has listed for this caller")
	}
	return nil
}

func (s Settings) keys() [][]byte {
	var keys [][]byte
	for _, secret := range s.Secrets {
		if key, err := keyOf(secret); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// AskedBack follows "request." in the type of a call about an open request, in which a person asked the agent something.
// All other types end in the final state of a request.
const AskedBack = "asked_back"

// event is the body of a call.
type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// Call makes one attempt to post the end of a request, or what people ask its agent before. Of the address its errors
// contain only the host.
func (s *Sender) Call(ctx context.Context, r bridge.Record) error {
	settings := s.o.For(r.Tenant, r.Agent)
	keys := settings.keys()
	if len(keys) == 0 {
		return fail("this caller has no webhook secret any more", nil)
	}
	what, at := string(r.Outcome.State), r.Outcome.At
	id := "msg_" + r.ID + "_" + what
	if n := r.UnreportedQuestion(); n > 0 {
		what, at = AskedBack, r.AskedBack[n-1].At
		id = fmt.Sprintf("msg_%s_%s_%d", r.ID, what, n)
	}
	body, err := json.Marshal(event{Type: "request." + what, Timestamp: at.UTC(), Data: s.o.Show(r)})
	if err != nil {
		return stop("the request cannot be shown", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Webhook.Address, bytes.NewReader(body))
	if err != nil {
		return stop("the address cannot be called", nil) // Its path may be a secret.
	}
	if !listed(settings.Receivers, req.URL) {
		return fail("the receiver is not listed any more", nil)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.o.UserAgent)
	if r.TraceParent != "" {
		req.Header.Set("traceparent", r.TraceParent)
		if r.TraceState != "" {
			req.Header.Set("tracestate", r.TraceState)
		}
	}
	sign(req.Header, keys, id, time.Now(), body)
	resp, err := s.client.Do(req)
	if err != nil {
		return failed(req.URL.Host, err)
	}
	defer resp.Body.Close()
	// Reading the rest lets the connection be reused.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	return judge(req.URL.Host, resp)
}

// failed returns the error of a call without a response. It hides the address, whose path may be a secret.
func failed(host string, err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	return &bridge.CallError{Stop: errors.Is(err, errInside), Outcome: outcome(err), Err: fmt.Errorf("webhook: %s: %w", host, err)}
}

// fail returns an error for a call that can be retried; err may be nil.
func fail(outcome string, err error) *bridge.CallError {
	if err == nil {
		err = errors.New(outcome)
	}
	return &bridge.CallError{Outcome: outcome, Err: fmt.Errorf("webhook: %w", err)}
}

// stop returns an error for a call that must not be retried.
func stop(outcome string, err error) *bridge.CallError {
	ce := fail(outcome, err)
	ce.Stop = true
	return ce
}

// judge returns the result of a call by its response.
func judge(host string, resp *http.Response) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	ce := &bridge.CallError{
		Outcome: "answered " + strconv.Itoa(resp.StatusCode), Err: fmt.Errorf("webhook: %s answered %d", host, resp.StatusCode),
	}
	ce.Stop = resp.StatusCode == http.StatusGone
	after := resp.Header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil && n > 0 {
		ce.RetryAfter = min(time.Duration(n)*time.Second, maxPatience)
	} else if at, err := http.ParseTime(after); err == nil {
		ce.RetryAfter = min(max(time.Until(at), 0), maxPatience)
	}
	return ce
}

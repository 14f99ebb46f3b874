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
	// callTime bounds one attempt, below the bridge's own limit for a delivery.
	callTime = 8 * time.Second
	// dialTime bounds looking up the name and connecting.
	dialTime = 4 * time.Second
	// maxReply is how much of a reply is read.
	maxReply = 64 << 10
	// maxAddress is the length of an address.
	maxAddress = 2048
	// maxPatience is the longest Retry-After that is honoured.
	maxPatience = 24 * time.Hour
)

// Options are what a sender needs to know.
type Options struct {
	// For returns what applies to the calls of an agent, by its tenant and its name.
	For func(tenant, agent string) Settings
	// Show returns what stands under "data": the request as the API shows it.
	Show func(r bridge.Record) any
	// Local allows http and addresses of this machine and its private network, for trying things out.
	Local bool
	// UserAgent names the program.
	UserAgent string
}

// Settings are what applies to the calls of one agent.
type Settings struct {
	// Secrets are what its calls are signed with, the newest first: two while one is being replaced by the other. An agent
	// without any cannot be called. No two tenants may have the same: whoever knows it can send calls that look like ours.
	Secrets []string
	// Receivers are who may be called, as in [CheckReceiver]; nil means anybody, an empty list nobody.
	Receivers []string
}

// Sender calls agents. Make one with [New]; it is safe for use by many goroutines.
type Sender struct {
	o      Options
	client *http.Client
}

var _ bridge.Caller = (*Sender)(nil)

// New makes a sender.
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

// Close lets go of idle connections.
func (s *Sender) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// CheckWebhook says what is wrong with an address, in words for whoever asked.
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
		return errors.New("must not hold a login: the call is signed")
	case u.Fragment != "":
		return errors.New("must not hold a #fragment")
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
		return errors.New("is not one of the receivers that whoever runs the bridge has listed for this caller")
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

// AskedBack is what follows "request." in the type of a call about an open request, whose
// agent a person has asked something. All other types end in the state of a request that
// has ended.
const AskedBack = "asked_back"

// event is the body of a call.
type event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// Call posts the end of a request, or what people ask its agent before, once. Its errors say no more of the address than its host.
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
	// Reading the rest lets the connection be used again; what it says is nobody's business.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply))
	return judge(req.URL.Host, resp)
}

// failed hides the address of a call that got no reply: its path may be a secret.
func failed(host string, err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	return &bridge.CallError{Stop: errors.Is(err, errInside), Outcome: outcome(err), Err: fmt.Errorf("webhook: %s: %w", host, err)}
}

// fail is a call that may go well later; err may be nil.
func fail(outcome string, err error) *bridge.CallError {
	if err == nil {
		err = errors.New(outcome)
	}
	return &bridge.CallError{Outcome: outcome, Err: fmt.Errorf("webhook: %w", err)}
}

// stop is a call that will never go well.
func stop(outcome string, err error) *bridge.CallError {
	ce := fail(outcome, err)
	ce.Stop = true
	return ce
}

// judge says what a reply means.
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

package webhook

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
	older  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazwRRSoeYYM="
)

func sender(t *testing.T, secrets ...string) *Sender {
	t.Helper()
	s := New(Options{
		For: func(string, string) Settings { return Settings{Secrets: secrets} }, Local: true, UserAgent: "askbridge/test",
		Show: func(r bridge.Record) any { return map[string]string{"id": r.ID} },
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ended(address string) bridge.Record {
	return bridge.Record{
		ID: "p1", Outcome: ask.Outcome{State: ask.Answered, At: time.Unix(1_700_000_000, 0)},
		Webhook: &record.Webhook{Address: address, State: record.Due},
	}
}

func TestReceiverVerifiesSignature(t *testing.T) {
	t.Parallel()
	var verified []error
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, s := range []string{secret, older} {
			wh, err := standardwebhooks.NewWebhook(s)
			if err != nil {
				t.Error(err)
				return
			}
			verified = append(verified, wh.Verify(body, r.Header))
		}
		var got struct {
			Type      string            `json:"type"`
			Timestamp time.Time         `json:"timestamp"`
			Data      map[string]string `json:"data"`
		}
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "request.answered" || got.Data["id"] != "p1" || got.Timestamp.Unix() != 1_700_000_000 {
			t.Errorf("the body is %s (%v)", body, err)
		}
		if id := r.Header.Get("webhook-id"); id != "msg_p1_answered" {
			t.Errorf("the id is %q", id)
		}
		if kind, by := r.Header.Get("Content-Type"), r.Header.Get("User-Agent"); kind != "application/json" || by != "askbridge/test" {
			t.Errorf("it is %q by %q", kind, by)
		}
	}))
	defer receiver.Close()
	if err := sender(t, secret, older).Call(t.Context(), ended(receiver.URL)); err != nil {
		t.Fatal(err)
	}
	if err := sender(t, older).Call(t.Context(), ended(receiver.URL)); err != nil {
		t.Fatal(err)
	}
	if len(verified) != 4 || verified[0] != nil || verified[1] != nil || verified[2] == nil || verified[3] != nil {
		t.Errorf("verified with the new and the old secret, then without the new one: %v", verified)
	}
}

func TestWebhookPropagatesTrace(t *testing.T) {
	t.Parallel()
	for name, trace := range map[string][]string{
		"of an agent that is traced": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		"of one with a state":        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "rojo=00f067aa0ba902b7"},
		"of one that is not":         nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan []string, 1)
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got <- slices.Concat(r.Header["Traceparent"], r.Header["Tracestate"])
			}))
			defer receiver.Close()
			r := ended(receiver.URL)
			for n, to := range []*string{&r.TraceParent, &r.TraceState}[:len(trace)] {
				*to = trace[n]
			}
			if err := sender(t, secret).Call(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if headers := <-got; !slices.Equal(headers, trace) {
				t.Errorf("the call carries %q, want %q", headers, trace)
			}
		})
	}
}

func TestWhatAReplyMeans(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		status   int
		after    string
		taken    bool
		stop     bool
		patience time.Duration
	}{
		{"taken", 204, "", true, false, 0},
		{"nobody wants it any more", 410, "", false, true, 0},
		{"later, in seconds", 429, "90", false, false, 90 * time.Second},
		{"a redirect is no success", 307, "", false, false, 0},
		{"broken", 502, "", false, false, 0},
		{"patience has an end", 503, "9999999", false, false, maxPatience},
		{"patience that makes no sense", 503, "soon", false, false, 0},
		{"patience of less than none", 503, "-90", false, false, 0},
		{"later, by a date", 503, "Fri, 01 Jan 2100 00:00:00 GMT", false, false, maxPatience},
		{"by a date that is over", 503, "Mon, 01 Jan 2001 00:00:00 GMT", false, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				if tt.after != "" {
					w.Header().Set("Retry-After", tt.after)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tt.status)
			}))
			defer receiver.Close()
			err := sender(t, secret).Call(t.Context(), ended(receiver.URL+"/hooks/canary"))
			ce := &bridge.CallError{}
			errors.As(err, &ce)
			if (err == nil) != tt.taken || ce.Stop != tt.stop || ce.RetryAfter != tt.patience || calls != 1 {
				t.Errorf("Call = %v (stop %t, after %s) in %d calls", err, ce.Stop, ce.RetryAfter, calls)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the path is in the error: %v", err)
			}
		})
	}
}

func TestRemovedSecretSendsNothingUnsigned(t *testing.T) {
	t.Parallel()
	called := false
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer receiver.Close()
	ce := &bridge.CallError{}
	if err := sender(t).Call(t.Context(), ended(receiver.URL)); !errors.As(err, &ce) || ce.Stop || ce.Outcome != "this caller has no webhook secret any more" || err.Error() != "webhook: "+ce.Outcome || called {
		t.Errorf("Call = %v, called %t", err, called)
	}
}

func TestSlowReceiverDoesNotBlockBridge(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer receiver.Close()
	defer close(over)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := sender(t, secret).Call(ctx, ended(receiver.URL+"/canary"))
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "canary") {
		t.Errorf("Call = %v", err)
	}
}

func TestNoAgentMakesUsCallOurOwnNetwork(t *testing.T) {
	t.Parallel()
	called := false
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer receiver.Close()
	s := New(Options{For: func(string, string) Settings { return Settings{Secrets: []string{secret}} }, Show: func(bridge.Record) any { return nil }})
	defer s.Close()
	// The name resolves to this machine, whatever was checked before.
	for _, address := range []string{receiver.URL, strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1)} {
		err := s.Call(t.Context(), ended(address))
		ce := &bridge.CallError{}
		if !errors.As(err, &ce) || !ce.Stop || !errors.Is(err, errInside) || ce.Outcome != "the host is not on the public internet" {
			t.Errorf("%s: Call = %v", address, err)
		}
	}
	if called {
		t.Error("it was called")
	}
}

func TestOnlyTheOpenInternetIsPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
		"127.0.0.1": false, "::1": false, "0.0.0.0": false, "::": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "fe80::1": false, "fd00::1": false, "100.64.0.1": false, "224.0.0.1": false, "ff02::1": false,
		"255.255.255.255": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
		"::7f00:1": false, "::ffff:0:7f00:1": false, "64:ff9b:1::a00:1": false, "100::1": false, "5f00::1": false, "3fff::1": false,
		"198.18.0.1": false, "203.0.113.9": false, "2001:db8::1": false,
		"64:ff9b::7f00:1%eth0": false, "2002:7f00:1::%1": false, "fec0::1%eth0": false, "fe80::1%eth0": false, "::1%lo": false,
	} {
		if got := public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %t", address, got)
		}
	}
}

func TestAddressesThatWillNotDo(t *testing.T) {
	t.Parallel()
	listed := []string{"Agent.example", "*.below.example", "https://origin.example", "https://origin.example:8443"}
	s := New(Options{For: func(tenant, agent string) Settings {
		switch {
		case tenant == "none":
			return Settings{}
		case agent == "listed":
			return Settings{Secrets: []string{secret}, Receivers: listed}
		case agent == "silent":
			return Settings{Secrets: []string{secret}, Receivers: []string{}}
		}
		return Settings{Secrets: []string{secret}}
	}})
	defer s.Close()
	for _, tt := range []struct{ caller, address, want string }{
		{"", "https://agent.example/answers", ""},
		{"", "https://agent.example:8443/answers?x=1", ""},
		{"none", "https://agent.example/answers", "no webhook secret"},
		{"", "http://agent.example/answers", "https"},
		{"", "ftp://agent.example", "https"},
		{"", "agent.example", "is not an address"},
		{"", "https://", "is not an address"},
		{"", "https://u:p@agent.example", "credentials"},
		{"", "https://agent.example/#x", "fragment"},
		{"", "https://agent.example:0/", "port"},
		{"", "https://agent.example:1/", ""},
		{"", "https://agent.example:65535/", ""},
		{"", "https://agent.example:65536/", "port"},
		{"", "https://agent.example:99999999999999999999/", "port"},
		{"", "https://93.184.215.14/", ""},
		{"", "https://127.0.0.1/", "private network"},
		{"", "https://[::1]/", "private network"},
		{"", "https://[64:ff9b::a00:1%25eth0]/", "private network"},
		{"", "https://169.254.169.254/latest", "private network"},
		{"/listed", "https://agent.example/answers", ""},
		{"/listed", "https://AGENT.example.:8443/answers", ""},
		{"/listed", "https://x.agent.example/", "not one of the receivers"},
		{"/listed", "https://agent.example.evil.example/", "not one of the receivers"},
		{"/listed", "https://a.b.below.example/", ""},
		{"/listed", "https://below.example/", "not one of the receivers"},
		{"/listed", "https://evilbelow.example/", "not one of the receivers"},
		{"/listed", "https://origin.example/", ""},
		{"/listed", "https://origin.example:443/", ""},
		{"/listed", "https://origin.example:8443/", ""},
		{"/listed", "https://origin.example:9443/", "not one of the receivers"},
		{"/silent", "https://agent.example/", "not one of the receivers"},
		{"", "https://agent.example/" + strings.Repeat("x", maxAddress-len("https://agent.example/")), ""},
		{"", "https://agent.example/" + strings.Repeat("x", maxAddress-len("https://agent.example/")+1), "is not an address"},
		{"", "https://agent.example/\x7f", "is not an address"},
	} {
		tenant, agent, _ := strings.Cut(tt.caller, "/")
		err := s.CheckWebhook(tenant, agent, tt.address)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.address, err, tt.want)
		}
	}
}

func TestSecretsAreCheckedAndNeverShown(t *testing.T) {
	t.Parallel()
	for s, ok := range map[string]bool{secret: true, "": false, "whsec_": false, "whsec_c2hvcnQ=": false, strings.TrimPrefix(secret, secretPrefix): false, "whsec_%%%": false, sized(23): false, sized(24): true, sized(64): true, sized(65): false} {
		err := CheckSecret(s)
		if (err == nil) != ok || err != nil && (!errors.Is(err, ErrSecret) || len(s) > 8 && strings.Contains(err.Error(), s)) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// sized is a secret of so many bytes.
func sized(n int) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(make([]byte, n))
}

// TestWebhookErrorLeaksNoNetworkDetails makes calls fail in every way, with errors that contain network details.
func TestWebhookErrorLeaksNoNetworkDetails(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9)}, Err: err}}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{dial(&net.DNSError{Name: "agent.example", Server: "10.0.0.53:53", IsNotFound: true}), "the host was not found"},
		{dial(&net.DNSError{Name: "agent.example", Server: "10.0.0.53:53", IsTimeout: true}), "the host could not be looked up"},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused"},
		{dial(os.ErrDeadlineExceeded), "timed out"},
		{dial(context.DeadlineExceeded), "timed out"},
		{dial(os.NewSyscallError("read", syscall.ECONNRESET)), "the connection broke"},
		{dial(io.EOF), "the connection broke"},
		{dial(io.ErrUnexpectedEOF), "the connection broke"},
		{dial(&tls.CertificateVerificationError{Err: errors.New("valid for proxy.corp.internal")}), "no secure connection"},
		{dial(tls.AlertError(40)), "no secure connection"},
		{dial(tls.RecordHeaderError{Msg: "it spoke of 10.0.0.9"}), "no secure connection"},
		{dial(errors.New("something about 10.0.0.9")), "not reached"},
		{dial(errInside), "the host is not on the public internet"},
	} {
		err, want := tt.err, tt.want
		ce := &bridge.CallError{}
		if got := failed("agent.example", err); !errors.As(got, &ce) || ce.Outcome != want {
			t.Errorf("%v is told as %q, want %q", err, ce.Outcome, want)
		}
		if inner := errors.Unwrap(errors.Unwrap(err)); !errors.Is(ce, inner) {
			t.Errorf("the log lacks %v: %v", inner, ce)
		}
	}
}

func TestRemovedReceiverIsNotCalled(t *testing.T) {
	t.Parallel()
	called := false
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer receiver.Close()
	s := New(Options{Local: true, Show: func(bridge.Record) any { return nil }, For: func(string, string) Settings {
		return Settings{Secrets: []string{secret}, Receivers: []string{"agent.example"}}
	}})
	defer s.Close()
	ce := &bridge.CallError{}
	if err := s.Call(t.Context(), ended(receiver.URL)); !errors.As(err, &ce) || ce.Outcome != "the receiver is not listed any more" || called {
		t.Errorf("Call = %v, called %t", err, called)
	}
}

func TestWhatNamesNoReceiver(t *testing.T) {
	t.Parallel()
	for entry, ok := range map[string]bool{
		"agent.example": true, "*.agent.example": true, "https://agent.example": true, "https://agent.example:8443": true, "http://10.0.0.7:80": true,
		"10.0.0.7": true, "[::1]": true,
		"": false, "*": false, "*.": false, "a.*.example": false, "agent.example:443": false, "agent.example/path": false,
		"https://": false, "https://agent.example/": false, "https://*.agent.example": false, "https://u@agent.example": false,
		"ftp://agent.example": false, "https://agent.example?x": false, "agent example": false,
		"https://agent.example#x": false, "https://agent example": false, "u@agent.example": false,
	} {
		if err := CheckReceiver(entry); (err == nil) != ok || err != nil && !errors.Is(err, ErrReceiver) {
			t.Errorf("%q: %v", entry, err)
		}
	}
}

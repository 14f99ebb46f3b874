package connector

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// NewClient returns a client with a timeout for connecting and for response headers.
func NewClient(answer time.Duration) *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 3 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          128,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       time.Minute,
		TLSHandshakeTimeout:   3 * time.Second,
		ResponseHeaderTimeout: answer,
	}}
}

// Try makes one call with a timeout, whose cause is returned. It reports whether the request may have been sent.
func Try(ctx context.Context, most time.Duration, cause error, f func(context.Context) error) (sent bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most, cause)
	defer cancel()
	var asked, connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	err = f(ctx)
	// A transport that does not report its steps may have sent it.
	return connected.Load() || !asked.Load(), err
}

// Report logs a failed call, at a level that depends on whether an operator must act.
func Report(log *slog.Logger, e *platform.Error, took time.Duration) {
	log = log.With("op", e.Op, "code", e.Code, "kind", e.Kind, "took", took)
	switch e.Kind {
	case platform.Misconfigured, platform.Refused:
		log.Warn("platform refused a call", "error", e.Err)
	case platform.RateLimited:
		log.Info("platform call has to wait", "retry_after", e.RetryAfter)
	default:
		log.Info("platform call failed", "error", e.Err)
	}
}

// Unsent reports whether a call failed before the request was sent.
func Unsent(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		cert      *tls.CertificateVerificationError
	)
	return errors.As(err, &dns) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &cert) ||
		errors.Is(err, syscall.ECONNREFUSED)
}

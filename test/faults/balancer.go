package faults

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Balancer is a load balancer: one address in front of all replicas. It sends calls in turn to replicas that accept
// connections.
type Balancer struct {
	URL string

	mu    sync.Mutex
	next  int
	kept  []kept
	addrs []string
	calls *http.Transport
}

var errNoReplica = errors.New("faults: no replica accepts connections")

func newBalancer(tb testing.TB) *Balancer {
	tb.Helper()
	b := &Balancer{calls: &http.Transport{MaxIdleConnsPerHost: 64}}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "replica" },
		Transport: b,
		ErrorLog:  log.New(io.Discard, "", 0),
		// The usual response of a load balancer without a healthy backend.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	srv := httptest.NewServer(proxy)
	b.URL = srv.URL
	tb.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		b.calls.CloseIdleConnections()
	})
	return b
}

func (b *Balancer) add(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addrs = append(b.addrs, addr)
}

func (b *Balancer) remove(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addrs = slices.DeleteFunc(b.addrs, func(a string) bool { return a == addr })
}

// order lists the replicas, starting with the next one.
func (b *Balancer) order() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.addrs) == 0 {
		return nil
	}
	b.next = (b.next + 1) % len(b.addrs)
	return slices.Concat(b.addrs[b.next:], b.addrs[:b.next])
}

// kept is a recorded call.
type kept struct {
	path   string
	header http.Header
	body   []byte
}

// keep records a call of a platform.
func (b *Balancer) keep(r *http.Request) error {
	if !strings.HasSuffix(r.URL.Path, "/interactions") {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, kept{r.URL.Path, r.Header.Clone(), body})
	return nil
}

// Interactions returns the number of recorded calls.
func (b *Balancer) Interactions() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.kept)
}

// Redeliver repeats the nth recorded call, counted from 0, and returns the status.
func (b *Balancer) Redeliver(ctx context.Context, n int) (int, error) {
	b.mu.Lock()
	k := b.kept[n]
	b.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL+k.path, bytes.NewReader(k.body))
	if err != nil {
		return 0, err
	}
	req.Header = k.header.Clone()
	resp, err := b.calls.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// RoundTrip sends a call to the next replica that accepts a connection. A call that fails after that is not
// repeated, because its effect is unknown.
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := b.keep(r); err != nil {
		return nil, err
	}
	err := errNoReplica
	for _, addr := range b.order() {
		out := r.Clone(r.Context())
		out.URL.Host, out.Host = addr, addr
		var resp *http.Response
		if resp, err = b.calls.RoundTrip(out); err == nil {
			return resp, nil
		}
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
			return nil, err
		}
	}
	return nil, err
}

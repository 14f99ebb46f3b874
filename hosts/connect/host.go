package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// callTime limits a call of a host.
	callTime = 20 * time.Second
	// replyTries is the number of attempts to send an answer to an unavailable host.
	replyTries = 8
	// maxEvent is the maximum size of an event; some contain whole messages.
	maxEvent = 16 << 20
)

// host is an agent host that serves HTTP.
type host struct {
	name   string
	base   *url.URL
	client *http.Client
	// sign completes every call.
	sign func(*http.Request)
}

// newHost parses an address: http, https, tcp as an alias of http, or unix
// with the path of a socket.
func newHost(name, address, example string, client *http.Client) (*host, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err == nil && base.Scheme == "unix" && base.Host == "" && base.Path != "" {
		if client == nil {
			client = &http.Client{Transport: overSocket(base.Path)}
		}
		base = &url.URL{Scheme: "http", Host: "localhost"}
	}
	if err == nil && base.Scheme == "tcp" {
		base.Scheme = "http"
	}
	if err != nil || base.Host == "" || base.User != nil || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("connect: give %s's address without credentials, such as %s", name, example)
	}
	if client == nil {
		client = &http.Client{}
	}
	return &host{name: name, base: base, client: client, sign: func(*http.Request) {}}, nil
}

// overSocket returns a client for a server on a Unix socket.
func overSocket(path string) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
}

// hostError is an error response of the host.
type hostError struct {
	name, what string
	status     int
}

func (e *hostError) Error() string {
	return fmt.Sprintf("connect: %s: %s: status %d", e.name, e.what, e.status)
}

// refused returns the status of a host's error response, or zero.
func refused(err error) int {
	if e, ok := errors.AsType[*hostError](err); ok {
		return e.status
	}
	return 0
}

// call makes a call. The caller closes the body.
func (h *host) call(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("connect: %s: %w", h.name, err)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	h.sign(req)
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("connect: %s: %w", h.name, err)
	}
	if resp.StatusCode/100 != 2 {
		resp.Body.Close()
		return nil, &hostError{h.name, method + " " + path, resp.StatusCode}
	}
	return resp, nil
}

// read makes a call and decodes the response.
func (h *host) read(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	resp, err := h.call(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxEvent)).Decode(into); err != nil {
		return fmt.Errorf("connect: %s: %s %s: %w", h.name, method, path, err)
	}
	return nil
}

// insist makes a call until the host has accepted it, has rejected it permanently,
// does not know the question any more, or needs no answer.
func insist(ctx context.Context, try func(ctx context.Context) error) error {
	for n := 1; ; n++ {
		err := try(ctx)
		if _, dealt := isOver(ctx); err == nil || dealt || refused(err) == http.StatusNotFound {
			return nil // The host also reports our own replies.
		}
		if status := refused(err); n == replyTries || status > 0 && status < http.StatusInternalServerError {
			return err
		}
		if wait.For(ctx, wait.Backoff(firstRest, longRest, n-1)) != nil {
			return err
		}
	}
}

// follow reads a stream of events until it breaks, and returns the error. With silence
// it ends a stream that is quiet for longer. opened is called after the stream has
// begun, so that no event is missed in between.
func (h *host) follow(ctx context.Context, path string, silence time.Duration, opened func(ctx context.Context) error, each func(data []byte)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	heard := func() {}
	if silence > 0 {
		quiet := time.AfterFunc(silence, func() { cancel(fmt.Errorf("connect: %s sends nothing", h.name)) })
		defer quiet.Stop()
		heard = func() { quiet.Reset(silence) }
	}
	resp, err := h.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := opened(ctx); err != nil {
		return err
	}
	for event, err := range sse.Read(listener{resp.Body, heard}, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		if event.Data != "" {
			each([]byte(event.Data))
		}
	}
	return errors.Join(context.Cause(ctx), io.ErrUnexpectedEOF)
}

// listener is called whenever anything is read, including keep-alive comments.
type listener struct {
	io.Reader

	heard func()
}

func (l listener) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.heard()
	}
	return n, err
}

// again calls try until ctx ends, with a backoff while it fails immediately.
func (a *asker) again(ctx context.Context, name string, try func(ctx context.Context) error) {
	for n := 0; ctx.Err() == nil; n++ {
		began := time.Now()
		err := try(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			n = 0
		}
		rest := wait.Backoff(firstRest, longRest, n)
		a.log.Warn("the host is away", "host", name, "error", err, "retry_in", rest)
		if wait.For(ctx, rest) != nil {
			return
		}
	}
}

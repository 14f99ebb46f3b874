package double

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
)

// House is where a double lives: the addresses it is reached at, and the work under way in it, which has ended when
// Close returns.
type House struct {
	name    string
	handler http.Handler
	net     *chatsim.Net

	closing context.Context    //nolint:containedctx // It is the house's own life, not a caller's.
	stop    context.CancelFunc // ends closing
	work    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	url     string
	servers []*http.Server
}

// NewHouse makes one that serves the handler on a network in memory. The name stands before its errors; the URL is what
// the app is given until Listen. Close ends it.
func NewHouse(name, url string, h http.Handler) *House {
	house := &House{name: name, handler: h, net: chatsim.NewNet(), url: url}
	house.closing, house.stop = context.WithCancel(context.Background())
	house.serve(house.net)
	return house
}

// URL is where the app reaches the house, without a slash at the end.
func (h *House) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.url
}

// Client returns an HTTP client that reaches the house in memory, whatever address it is given.
func (h *House) Client() *http.Client { return h.net.Client() }

// Dialer returns a websocket dialer that reaches the house in memory.
func (h *House) Dialer() *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: h.net.Dial, HandshakeTimeout: time.Minute}
}

// Dial connects to the house in memory, whatever the address says.
func (h *House) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return h.net.Dial(ctx, network, addr)
}

// Listen opens a TCP port too and returns the URL of the house, which is from now on the one it gives to the app.
func (h *House) Listen(addr string) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(h.closing, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("%s: listen on %s: %w", h.name, addr, err)
	}
	url := "http://" + ln.Addr().String()
	h.mu.Lock()
	h.url = url
	h.mu.Unlock()
	h.serve(ln)
	return url, nil
}

func (h *House) serve(ln net.Listener) {
	srv := &http.Server{Handler: h.handler, ReadHeaderTimeout: time.Minute}
	h.mu.Lock()
	h.servers = append(h.servers, srv)
	h.mu.Unlock()
	h.work.Go(func() {
		_ = srv.Serve(ln) // Returns when Close closes the server.
	})
}

// Visit serves the app's own handler inside the process until the house is closed, and returns where path is on it and
// the client that leads there.
func (h *House) Visit(path string, app http.Handler) (string, *http.Client) {
	host := chatsim.Serve(app)
	h.work.Go(func() {
		<-h.closing.Done()
		_ = host.Close() // Only its own connections end here.
	})
	return "http://app.sim/" + strings.TrimPrefix(path, "/"), host.Client()
}

// Begin counts one piece of work, unless the house is closing. End is called when it is done.
func (h *House) Begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.work.Add(1)
	return true
}

// End is the end of a piece of work that Begin counted.
func (h *House) End() { h.work.Done() }

// Go begins a piece of work in a goroutine of its own, from within another one.
func (h *House) Go(work func()) { h.work.Go(work) }

// Life is a context that ends when the house is closed.
func (h *House) Life() context.Context { return h.closing }

// Closed tells whether the house is closing or closed.
func (h *House) Closed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// Pause returns when the time is up, ctx ends or the house is closed.
func (h *House) Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-h.closing.Done():
	}
}

// Hang never answers a request: it waits until the caller gives up or the house is closed, and cuts the connection.
func (h *House) Hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-h.closing.Done():
	}
	panic(http.ErrAbortHandler)
}

// Close ends everything that was begun in the house and waits for it. Leave ends what holds on to a connection without
// regard for the house's life; nothing can begin any more when it is called. Closing twice is fine.
func (h *House) Close(leave func()) error {
	h.mu.Lock()
	already := h.closed
	h.closed = true
	servers := h.servers
	h.mu.Unlock()
	if already {
		return nil
	}
	h.stop()
	leave()
	var failed error
	for _, srv := range servers {
		if err := srv.Close(); err != nil && failed == nil {
			failed = fmt.Errorf("%s: close: %w", h.name, err)
		}
	}
	_ = h.net.Close() // Never fails.
	h.work.Wait()
	return failed
}

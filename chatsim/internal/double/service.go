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

// Service is what a double runs as: the addresses it is reached at, and the work under way in it, which has ended when
// Close returns.
type Service struct {
	name    string
	handler http.Handler
	net     *chatsim.Net

	closing context.Context    //nolint:containedctx // It is the service's own life, not a caller's.
	stop    context.CancelFunc // ends closing
	work    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	url     string
	servers []*http.Server
}

// NewService makes one that serves the handler on a network in memory. The name stands before its errors; the URL is what
// the app is given until Listen. Close ends it.
func NewService(name, url string, handler http.Handler) *Service {
	s := &Service{name: name, handler: handler, net: chatsim.NewNet(), url: url}
	s.closing, s.stop = context.WithCancel(context.Background())
	s.serve(s.net)
	return s
}

// URL is where the app reaches the service, without a slash at the end.
func (s *Service) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Client returns an HTTP client that reaches the service in memory, whatever address it is given.
func (s *Service) Client() *http.Client { return s.net.Client() }

// Dialer returns a websocket dialer that reaches the service in memory.
func (s *Service) Dialer() *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: s.net.Dial, HandshakeTimeout: time.Minute}
}

// Dial connects to the service in memory, whatever the address says.
func (s *Service) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.net.Dial(ctx, network, addr)
}

// Listen opens a TCP port too and returns the URL of the service, which is from now on the one it gives to the app.
func (s *Service) Listen(addr string) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(s.closing, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("%s: listen on %s: %w", s.name, addr, err)
	}
	url := "http://" + ln.Addr().String()
	s.mu.Lock()
	s.url = url
	s.mu.Unlock()
	s.serve(ln)
	return url, nil
}

func (s *Service) serve(ln net.Listener) {
	srv := &http.Server{Handler: s.handler, ReadHeaderTimeout: time.Minute}
	s.mu.Lock()
	s.servers = append(s.servers, srv)
	s.mu.Unlock()
	s.work.Go(func() {
		_ = srv.Serve(ln) // Returns when Close closes the server.
	})
}

// Visit serves the app's own handler inside the process until the service is closed, and returns where path is on it and
// the client that leads there.
func (s *Service) Visit(path string, app http.Handler) (string, *http.Client) {
	host := chatsim.Serve(app)
	s.work.Go(func() {
		<-s.closing.Done()
		_ = host.Close() // Only its own connections end here.
	})
	return "http://app.sim/" + strings.TrimPrefix(path, "/"), host.Client()
}

// Begin counts one piece of work, unless the service is closing. End is called when it is done.
func (s *Service) Begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// End is the end of a piece of work that Begin counted.
func (s *Service) End() { s.work.Done() }

// Go begins a piece of work in a goroutine of its own, from within another one.
func (s *Service) Go(work func()) { s.work.Go(work) }

// Life is a context that ends when the service is closed.
func (s *Service) Life() context.Context { return s.closing }

// Closed tells whether the service is closing or closed.
func (s *Service) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Pause returns when the time is up, ctx ends or the service is closed.
func (s *Service) Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.closing.Done():
	}
}

// Hang never answers a request: it waits until the caller gives up or the service is closed, and cuts the connection.
func (s *Service) Hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing.Done():
	}
	panic(http.ErrAbortHandler)
}

// Close ends everything that was begun in the service and waits for it. Leave ends what holds on to a connection without
// regard for the service's life; nothing can begin any more when it is called. Closing twice is fine.
func (s *Service) Close(leave func()) error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	servers := s.servers
	s.mu.Unlock()
	if already {
		return nil
	}
	s.stop()
	leave()
	var failed error
	for _, srv := range servers {
		if err := srv.Close(); err != nil && failed == nil {
			failed = fmt.Errorf("%s: close: %w", s.name, err)
		}
	}
	_ = s.net.Close() // Never fails.
	s.work.Wait()
	return failed
}

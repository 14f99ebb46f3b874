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

// Service is the runtime of a double: its listeners, and its goroutines, which have ended when
// Close returns.
type Service struct {
	name    string
	handler http.Handler
	net     *chatsim.Net

	closing context.Context    //nolint:containedctx // It is the service's own life, not a caller's.
	stop    context.CancelFunc // cancels closing
	work    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	url     string
	servers []*http.Server
}

// NewService creates a service that serves the handler on an in-memory network. name prefixes
// its errors; url is the base URL given to the app until Listen. Call Close to release it.
func NewService(name, url string, handler http.Handler) *Service {
	s := &Service{name: name, handler: handler, net: chatsim.NewNet(), url: url}
	s.closing, s.stop = context.WithCancel(context.Background())
	s.serve(s.net)
	return s
}

// URL returns the base URL of the service, without a trailing slash.
func (s *Service) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Client returns an HTTP client that reaches the service in memory, for any URL.
func (s *Service) Client() *http.Client { return s.net.Client() }

// Dialer returns a websocket dialer that reaches the service in memory.
func (s *Service) Dialer() *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: s.net.Dial, HandshakeTimeout: time.Minute}
}

// Dial connects to the service in memory, for any address.
func (s *Service) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.net.Dial(ctx, network, addr)
}

// Listen also opens a TCP port and returns its URL, which becomes the base URL given to the
// app.
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

// Visit serves the app's own handler in memory until the service is closed. It returns the URL
// of path on it and a client to reach it.
func (s *Service) Visit(path string, app http.Handler) (string, *http.Client) {
	host := chatsim.Serve(app)
	s.work.Go(func() {
		<-s.closing.Done()
		_ = host.Close() // Only affects its own connections.
	})
	return "http://app.sim/" + strings.TrimPrefix(path, "/"), host.Client()
}

// Begin registers work and reports false if the service is closing. Call End when it is done.
func (s *Service) Begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// End ends work registered by Begin.
func (s *Service) End() { s.work.Done() }

// Go runs work in a new goroutine. Call it only from within other work.
func (s *Service) Go(work func()) { s.work.Go(work) }

// Life returns a context that is cancelled when the service is closed.
func (s *Service) Life() context.Context { return s.closing }

// Closed reports whether the service is closing or closed.
func (s *Service) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Pause waits for d, or until ctx ends or the service is closed.
func (s *Service) Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.closing.Done():
	}
}

// Hang never responds to a request: it waits until the caller gives up or the service is
// closed, and closes the connection.
func (s *Service) Hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing.Done():
	}
	panic(http.ErrAbortHandler)
}

// Close stops all work and waits for it. It calls leave, after which nothing can begin, to end
// work that holds a connection and ignores Life. Close is idempotent.
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

package slacksim

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Server is one Slack workspace with one app installed in it. It is safe for concurrent use.
//
// As an http.Handler it serves the Web API under /api/, Socket Mode connections under /link/,
// response_urls under /actions/, uploads under /upload/, files under /files-pri/ and the
// installation page at /oauth/v2/authorize.
type Server struct {
	opts     Options // initial options
	service  *double.Service
	clock    double.Clock
	timeline chatsim.Timeline
	ledger   chatsim.Ledger
	cues     chatsim.Cues
	traffic  chatsim.Traffic
	changed  chatsim.Signal

	mu            sync.Mutex // guards state; never held while sending or waiting
	serial        int
	people        []Person
	groups        []Group
	conversations map[string]*conversation
	clients       map[string]*client
	tokens        map[string]*token
	triggers      map[string]*trigger
	grants        map[string]*grant // by code
	refreshes     map[string]bool   // refresh tokens, and whether each was used
	rotated       []*token          // valid tokens, oldest first
	responses     map[string]*responseURL
	views         map[string]*view
	homes         map[string]*view // by person
	sockets       []*socket
	tickets       map[string]bool // Socket Mode URLs, and whether each was dialed
	nextSocket    int
	pending       map[string]chan<- []byte // envelopes that await acknowledgement
	calls         []Call
	files         map[string]*file
	scheduled     []*scheduled // pending scheduled messages
	requestURL    string
	eventsURL     string
	subscribed    []string     // kinds of events
	underWay      int          // events in flight
	requests      *http.Client // posts interactions
	ownTransport  *http.Transport
}

var (
	_ http.Handler = (*Server)(nil)
	_ chatsim.Sim  = (*Server)(nil)
)

// New creates a workspace. With nil options it is team T0000001 with the people U0000001
// (Dana), U0000002 (Sam) and U0000003 (Kim), U0000009 (Robin) of another team, the channels
// C0000001 (#deploys) and C0000002 (#general) with all of them and the bot U0000BOT as members,
// the bot token xoxb-sim and the app token xapp-sim. Call Close to release it.
func New(opts *Options) *Server {
	o := opts.withDefaults()
	s := &Server{
		opts:         o,
		tickets:      map[string]bool{},
		pending:      map[string]chan<- []byte{},
		requestURL:   o.RequestURL,
		eventsURL:    o.EventsURL,
		subscribed:   o.Events,
		requests:     o.HTTPClient,
		ownTransport: &http.Transport{},
	}
	if s.requests == nil {
		s.requests = &http.Client{Transport: s.ownTransport}
	}
	s.begin()
	s.service = double.NewService("slacksim", o.URL, s.traffic.Record("app", "Slack", s, chatsim.Upgrades))
	return s
}

// Start is New for a test: the workspace is closed when the test ends, and the test fails for
// every broken rule that it did not Expect.
func Start(tb chatsim.TB, opts *Options) *Server {
	tb.Helper()
	s := New(opts)
	chatsim.Guard(tb, s)
	return s
}

// Platform returns "slack".
func (s *Server) Platform() string { return "slack" }

// Timeline returns the events so far.
func (s *Server) Timeline() *chatsim.Timeline { return &s.timeline }

// Traffic returns the recorded traffic between the app and the platform, starting when
// Traffic.Keep was called.
func (s *Server) Traffic() *chatsim.Traffic { return &s.traffic }

// Ledger returns the broken rules.
func (s *Server) Ledger() *chatsim.Ledger { return &s.ledger }

// Expect declares that the test breaks these rules on purpose.
func (s *Server) Expect(rules ...string) { s.ledger.Expect(rules...) }

// Fault makes the next calls of a method fail. The target is a method such as
// "chat.postMessage", chatsim.Any for the next call of any method, or ResponseURLs, Uploads or
// Commands. Interactions targets all interactions on their way to the app, and Events all
// subscribed events; a single type such as "view_submission" or "app_mention" targets only
// that.
func (s *Server) Fault(target string, f chatsim.Fault) { s.cues.Add(target, f) }

// ClearFaults removes the pending faults.
func (s *Server) ClearFaults() { s.cues.Clear() }

// WaitingFaults lists the pending faults with their targets.
func (s *Server) WaitingFaults() []string { return s.cues.Waiting() }

// Targets of a Fault in addition to the Web API methods.
const (
	Interactions = "interactions"
	Events       = "events"
	ResponseURLs = "response_url"
)

// URL returns the base URL of the server, without a trailing slash.
func (s *Server) URL() string { return s.service.URL() }

// APIURL returns the URL of the Web API, with the trailing slash that clients expect.
func (s *Server) APIURL() string { return s.URL() + "/api/" }

// Client returns an HTTP client that reaches the server in memory, for any URL.
func (s *Server) Client() *http.Client { return s.service.Client() }

// Dialer returns a websocket dialer that reaches the server in memory, for Socket Mode.
func (s *Server) Dialer() *websocket.Dialer {
	d := s.service.Dialer()
	d.WriteBufferSize = 32 * 1024
	return d
}

// Dial connects to the server in memory, for any address.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.service.Dial(ctx, network, addr)
}

// Listen also opens a TCP port, such as "127.0.0.1:0", and returns its URL, which becomes the
// server's base URL.
func (s *Server) Listen(addr string) (string, error) { return s.service.Listen(addr) }

// DeliverTo delivers interactions to a URL as signed HTTP requests, sent with the client. A nil
// client keeps the current one.
func (s *Server) DeliverTo(url string, client *http.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requestURL = url
	if client != nil {
		s.requests = client
	}
}

// HangUp closes idle connections to the app, as a crashed app would, so that the next request
// uses a new connection and cannot fail on a stale one.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests.CloseIdleConnections()
}

// DeliverToHandler delivers interactions to an in-process handler, as signed HTTP requests to
// path.
func (s *Server) DeliverToHandler(path string, h http.Handler) {
	s.DeliverTo(s.service.Visit(path, h))
}

// ServeHTTP serves the app's requests.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.service.Begin() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer s.service.End()
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		s.serveAPI(w, r)
	case strings.HasPrefix(r.URL.Path, "/link/"):
		s.serveSocket(w, r)
	case r.URL.Path == "/oauth/v2/authorize":
		s.serveAuthorize(w, r)
	case strings.HasPrefix(r.URL.Path, uploadPath):
		s.serveUpload(w, r)
	case strings.HasPrefix(r.URL.Path, "/files-pri/"):
		s.serveFile(w, r)
	case strings.HasPrefix(r.URL.Path, "/actions/"):
		s.serveResponse(w, r)
	default:
		http.NotFound(w, r)
	}
}

// Close stops the workspace and waits for everything it started. It is idempotent.
func (s *Server) Close() error {
	err := s.service.Close(func() {
		s.mu.Lock()
		sockets := slices.Clone(s.sockets)
		s.mu.Unlock()
		for _, k := range sockets {
			k.drop()
		}
	})
	s.ownTransport.CloseIdleConnections()
	s.changed.Notify()
	return err
}

// Await waits until the condition holds, checking it after every change. Without a deadline in
// ctx it gives up after a minute.
func (s *Server) Await(ctx context.Context, ok func() bool) error {
	if err := s.changed.Await(ctx, ok); err != nil {
		return fmt.Errorf("slacksim: %w\n%s", err, s.timeline.String())
	}
	return nil
}

// Watch returns a channel that is closed at the next change of a Snapshot.
func (s *Server) Watch() <-chan struct{} { return s.changed.Next() }

// record adds an event to the timeline and wakes waiters.
func (s *Server) record(e chatsim.Event) {
	s.timeline.Add(e)
	s.changed.Notify()
}

// violate records a broken rule.
func (s *Server) violate(r rule, where, format string, args ...any) {
	v := chatsim.Violation{Rule: r.name, Where: where, Detail: fmt.Sprintf(format, args...), Doc: r.doc}
	s.ledger.Record(v)
	s.record(chatsim.Event{Kind: chatsim.Violated, Where: where, Text: v.String()})
}

// warn records content that Slack accepts but a careful app would not send.
func (s *Server) warn(r rule, where, format string, args ...any) {
	s.record(chatsim.Event{Kind: chatsim.Warned, Where: where, Text: r.name + ": " + fmt.Sprintf(format, args...)})
}

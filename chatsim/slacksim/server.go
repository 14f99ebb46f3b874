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

// Server is one Slack workspace with one app installed in it. It is safe for use by many goroutines at once.
//
// As an http.Handler it answers the Web API under /api/, Socket Mode connections under /link/, response_urls under /actions/,
// uploads under /upload/, files under /files-pri/ and the page of an installation at /oauth/v2/authorize.
type Server struct {
	opts     Options // as it was made
	service  *double.Service
	clock    double.Clock
	timeline chatsim.Timeline
	ledger   chatsim.Ledger
	cues     chatsim.Cues
	traffic  chatsim.Traffic
	changed  chatsim.Signal

	mu            sync.Mutex // held for state only, never while something is sent or awaited
	serial        int
	people        []Person
	groups        []Group
	conversations map[string]*conversation
	clients       map[string]*client
	tokens        map[string]*token
	triggers      map[string]*trigger
	grants        map[string]*grant // by code
	refreshes     map[string]bool   // tokens to be traded for the next, and whether each was
	rotated       []*token          // those that live, the oldest first
	responses     map[string]*responseURL
	views         map[string]*view
	homes         map[string]*view // by person
	sockets       []*socket
	tickets       map[string]bool // addresses for Socket Mode, and whether each was dialled
	nextSocket    int
	pending       map[string]chan<- []byte // envelopes that wait for their acknowledgement
	calls         []Call
	files         map[string]*file
	scheduled     []*scheduled // what is to be posted later
	requestURL    string
	eventsURL     string
	subscribed    []string     // kinds of events
	underWay      int          // events that the app is being sent
	requests      *http.Client // posts interactions
	ownTransport  *http.Transport
}

var (
	_ http.Handler = (*Server)(nil)
	_ chatsim.Sim  = (*Server)(nil)
)

// New makes a workspace. With nil options it is team T0000001 with the people U0000001 (Dana), U0000002 (Sam) and
// U0000003 (Kim), U0000009 (Robin) of another team, the channels C0000001 (#deploys) and C0000002 (#general) that all
// of them and the bot U0000BOT belong to, the bot token xoxb-sim and the app token xapp-sim. Close ends it.
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

// Start is New for a test: the workspace is closed when the test ends, and the test fails for every broken rule that it
// did not Expect.
func Start(tb chatsim.TB, opts *Options) *Server {
	tb.Helper()
	s := New(opts)
	chatsim.Guard(tb, s)
	return s
}

// Platform says "slack".
func (s *Server) Platform() string { return "slack" }

// Timeline tells what happened so far.
func (s *Server) Timeline() *chatsim.Timeline { return &s.timeline }

// Traffic holds what crossed between the app and the platform, as soon as its Keep was called.
func (s *Server) Traffic() *chatsim.Traffic { return &s.traffic }

// Ledger holds the rules that were broken.
func (s *Server) Ledger() *chatsim.Ledger { return &s.ledger }

// Expect declares that the test breaks these rules on purpose.
func (s *Server) Expect(rules ...string) { s.ledger.Expect(rules...) }

// Fault makes the next calls of a method go wrong. The target is a method such as "chat.postMessage", or chatsim.Any
// for whatever method comes next, or ResponseURLs, Uploads or Commands. Interactions means what people do on its way to the app, and Events what
// the app subscribed to; one kind of either is named by its type, such as "view_submission" or "app_mention".
func (s *Server) Fault(target string, f chatsim.Fault) { s.cues.Add(target, f) }

// ClearFaults forgets all faults that have not happened yet.
func (s *Server) ClearFaults() { s.cues.Clear() }

// WaitingFaults names the faults that have not happened yet, each with its target.
func (s *Server) WaitingFaults() []string { return s.cues.Waiting() }

// Targets of a Fault beside the methods of the Web API.
const (
	Interactions = "interactions"
	Events       = "events"
	ResponseURLs = "response_url"
)

// URL is where the app reaches the server, without a slash at the end.
func (s *Server) URL() string { return s.service.URL() }

// APIURL is the address of the Web API, with the slash at the end that clients want.
func (s *Server) APIURL() string { return s.URL() + "/api/" }

// Client returns an HTTP client that reaches the server in memory, whatever address it is given.
func (s *Server) Client() *http.Client { return s.service.Client() }

// Dialer returns a websocket dialer that reaches the server in memory, for Socket Mode.
func (s *Server) Dialer() *websocket.Dialer {
	d := s.service.Dialer()
	d.WriteBufferSize = 32 * 1024
	return d
}

// Dial connects to the server in memory, whatever the address says.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.service.Dial(ctx, network, addr)
}

// Listen opens a TCP port too, such as "127.0.0.1:0", and returns the URL of the server, which is from now on the one
// it gives to the app.
func (s *Server) Listen(addr string) (string, error) { return s.service.Listen(addr) }

// DeliverTo makes interactions arrive at a URL as signed HTTP requests, sent with the client. A nil client keeps the
// one there is.
func (s *Server) DeliverTo(url string, client *http.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requestURL = url
	if client != nil {
		s.requests = client
	}
}

// HangUp ends the connections to the app that carry nothing just now, as an app that has died would: the next
// request has one of its own and cannot meet one that is about to break.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests.CloseIdleConnections()
}

// DeliverToHandler makes interactions arrive at a handler inside the process, as signed HTTP requests to path.
func (s *Server) DeliverToHandler(path string, h http.Handler) {
	s.DeliverTo(s.service.Visit(path, h))
}

// ServeHTTP answers the app.
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

// Close ends the workspace and waits for everything it started. Closing twice is fine.
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

// Await returns when the condition holds, asking again after every change. Without a deadline in ctx it gives up after
// a minute.
func (s *Server) Await(ctx context.Context, ok func() bool) error {
	if err := s.changed.Await(ctx, ok); err != nil {
		return fmt.Errorf("slacksim: %w\n%s", err, s.timeline.String())
	}
	return nil
}

// Watch returns a channel that is closed at the next change of anything a Snapshot shows.
func (s *Server) Watch() <-chan struct{} { return s.changed.Next() }

// tell adds to the timeline and wakes whoever waits for a change.
func (s *Server) tell(e chatsim.Event) {
	s.timeline.Add(e)
	s.changed.Notify()
}

// violate records a broken rule.
func (s *Server) violate(r rule, where, format string, args ...any) {
	v := chatsim.Violation{Rule: r.name, Where: where, Detail: fmt.Sprintf(format, args...), Doc: r.doc}
	s.ledger.Record(v)
	s.tell(chatsim.Event{Kind: chatsim.Violated, Where: where, Text: v.String()})
}

// warn records what Slack accepts and a careful app would not send.
func (s *Server) warn(r rule, where, format string, args ...any) {
	s.tell(chatsim.Event{Kind: chatsim.Warned, Where: where, Text: r.name + ": " + fmt.Sprintf(format, args...)})
}

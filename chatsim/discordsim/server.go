package discordsim

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Server is one Discord guild with one app installed in it. It is safe for concurrent use.
//
// As an http.Handler it serves the REST API under /api/, gateway connections under /gateway/
// and /resume/, and files under /attachments/ and /ephemeral-attachments/.
type Server struct {
	opts     Options // initial options
	service  *double.Service
	clock    double.Clock
	timeline chatsim.Timeline
	ledger   chatsim.Ledger
	cues     chatsim.Cues
	traffic  chatsim.Traffic
	changed  chatsim.Signal
	public   ed25519.PublicKey
	private  ed25519.PrivateKey

	mu           sync.Mutex // guards state; never held while sending or waiting
	lastID       uint64
	people       []Person
	roles        []Role
	channels     map[string]*channel
	clients      map[string]*client
	interactions map[string]*interaction // by token
	formsSeen    map[string]bool         // custom_ids of opened forms
	nonces       map[string]*noncePost   // posts with a nonce, by channel and nonce
	oldEdits     map[string][]time.Time  // edits of messages older than an hour, by channel
	buckets      map[string]*bucket
	global       []time.Time            // requests in the last second
	burst        int                    // number of warnings for opening too many direct messages
	flagged      bool                   // can open no more direct messages
	left         bool                   // the bot is no member of its own guild
	others       map[string]string      // the bot's other guilds, with their names
	created      map[string][]time.Time // commands created in the last day, by guild
	opened       []time.Time            // direct messages opened in the last minute
	invalid      []time.Time            // responses 401, 403 and 429 in the last ten minutes
	calls        []Call
	commands     []*command
	handed       []*attachment // files in submitted forms
	revoked      bool          // the bot token is invalid

	endpoint     string // where interactions are posted
	trusted      bool   // the endpoint passed its check
	requests     *http.Client
	ownTransport *http.Transport
	deliveries   int // number of posted interactions, which determines when to probe
	probes       int // number of posted bad signatures, which determines the next forgery

	sessions   map[string]*session
	sockets    []*socket
	identified map[int][]time.Time // times of identifies, by concurrency slot
	starts     []time.Time         // times of session starts in the last day
}

var (
	_ http.Handler = (*Server)(nil)
	_ chatsim.Sim  = (*Server)(nil)
)

// New creates a guild. With nil options it is guild 100000000000000001 with the members
// 300000000000000001 (Dana), …02 (Sam) and …03 (Kim, who has the role 400000000000000001,
// @deployers), the channels 200000000000000001 (#deploys) and …02 (#general), and the app
// 600000000000000001 with the bot user 500000000000000001 and the token discord-sim-token. It
// generates a key pair, see PublicKey. Call Close to release it.
func New(opts *Options) *Server {
	o := opts.withDefaults()
	private := o.PrivateKey
	if private == nil {
		private = newKey()
	}
	s := &Server{
		opts:         o,
		public:       private.Public().(ed25519.PublicKey),
		private:      private,
		endpoint:     o.InteractionsURL,
		requests:     o.HTTPClient,
		ownTransport: &http.Transport{},
		sessions:     map[string]*session{},
		identified:   map[int][]time.Time{},
	}
	if s.requests == nil {
		s.requests = &http.Client{Transport: s.ownTransport}
	}
	s.begin()
	s.service = double.NewService("discordsim", o.URL, s.traffic.Record("app", "Discord", s, chatsim.Upgrades))
	return s
}

// Start is New for a test: the guild is closed when the test ends, and the test fails for every broken rule that it did
// not Expect.
func Start(tb chatsim.TB, opts *Options) *Server {
	tb.Helper()
	s := New(opts)
	chatsim.Guard(tb, s)
	return s
}

// Platform returns "discord".
func (s *Server) Platform() string { return "discord" }

// Timeline returns the events so far.
func (s *Server) Timeline() *chatsim.Timeline { return &s.timeline }

// Traffic returns the recorded traffic between the app and the platform, starting when
// Traffic.Keep was called.
func (s *Server) Traffic() *chatsim.Traffic { return &s.traffic }

// Ledger returns the broken rules.
func (s *Server) Ledger() *chatsim.Ledger { return &s.ledger }

// Expect declares that the test breaks these rules on purpose.
func (s *Server) Expect(rules ...string) { s.ledger.Expect(rules...) }

// Fault makes the next calls of a route fail. The target is the name of a route such as "create
// message", which COVERAGE.md lists, or chatsim.Any for the next call of any route.
// Interactions targets all interactions on their way to the app; Presses, Submissions and
// Commands are its kinds. Connects, Identifies and Resumes are the steps of a gateway
// connection. The code of chatsim.Refuse is an error code such as "50013"; for a gateway step
// it is a close code such as "4014", or "op 7" or "op 9".
func (s *Server) Fault(target string, f chatsim.Fault) { s.cues.Add(target, f) }

// ClearFaults removes the pending faults.
func (s *Server) ClearFaults() { s.cues.Clear() }

// WaitingFaults lists the pending faults with their targets.
func (s *Server) WaitingFaults() []string { return s.cues.Waiting() }

// Targets of a Fault in addition to the routes.
const (
	Interactions = "interactions"
	Presses      = "message component"
	Submissions  = "modal submit"
	Commands     = "application command"
	Connects     = "gateway connect"
	Identifies   = "gateway identify"
	Resumes      = "gateway resume"
)

// URL returns the base URL of the server, without a trailing slash.
func (s *Server) URL() string { return s.service.URL() }

// APIURL returns the URL of the API, such as http://discord.sim/api, without version and route.
// Clients fetch the gateway's URL from the API.
func (s *Server) APIURL() string { return s.URL() + "/api" }

// PublicKey returns the key that verifies interactions over HTTP, in hexadecimal as in the
// developer portal.
func (s *Server) PublicKey() string { return hex.EncodeToString(s.public) }

// Client returns an HTTP client that reaches the server in memory, for any URL.
func (s *Server) Client() *http.Client { return s.service.Client() }

// Dialer returns a websocket dialer that reaches the server in memory, for the gateway.
func (s *Server) Dialer() *websocket.Dialer { return s.service.Dialer() }

// Dial connects to the server in memory, for any address.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.service.Dial(ctx, network, addr)
}

// Listen also opens a TCP port, such as "127.0.0.1:0", and returns its URL, which becomes the
// server's base URL.
func (s *Server) Listen(addr string) (string, error) { return s.service.Listen(addr) }

// DeliverTo delivers interactions to a URL as signed HTTP requests, sent with the client. A nil
// client keeps the current one; an empty URL switches to the gateway. The endpoint is checked
// as Discord checks it before the first interaction, or immediately with Verify.
func (s *Server) DeliverTo(url string, client *http.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoint, s.trusted = url, false
	if client != nil {
		s.requests = client
	}
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
	switch first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); first {
	case "api":
		s.serveAPI(w, r)
	case "gateway", "resume":
		s.serveGateway(w, r)
	case "attachments", "ephemeral-attachments":
		s.serveFile(w, r)
	default:
		http.NotFound(w, r)
	}
}

// Close stops the guild and waits for everything it started. It is idempotent.
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
		return fmt.Errorf("discordsim: %w\n%s", err, s.timeline.String())
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

// warn records content that Discord accepts but a careful app would not send.
func (s *Server) warn(r rule, where, format string, args ...any) {
	s.record(chatsim.Event{Kind: chatsim.Warned, Where: where, Text: r.name + ": " + fmt.Sprintf(format, args...)})
}

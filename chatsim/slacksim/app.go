package slacksim

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// App is one Slack app and all of Slack that it can reach: one API address, one client id, client
// secret, signing secret and app-level token, and any number of workspaces and organizations. It
// is safe for concurrent use.
//
// Each workspace is a [Server] of its own, with its people, channels and messages. A workspace of
// New has its own App; those of NewApp share one.
//
// As an http.Handler it serves the Web API under /api/, Socket Mode connections under /link/,
// response_urls under /actions/, uploads under /upload/, files under /files-pri/ and the
// installation page at /oauth/v2/authorize.
type App struct {
	given   Options // as passed to New or NewApp
	opts    Options // with defaults
	service *double.Service
	clock   double.Clock
	ledger  chatsim.Ledger
	traffic chatsim.Traffic
	// home records what belongs to no workspace, such as calls with an unknown token: the
	// workspace of New, or a workspace without people that NewApp adds.
	home *Server

	mu            sync.Mutex // guards the state of the app and of its workspaces; never held while sending or waiting
	serial        int
	teams         map[string]*Server
	organizations map[string]*organization
	tokens        map[string]*token
	grants        map[string]*grant   // by code
	refreshes     map[string]*refresh // by refresh token
	calls         []placedCall
	sockets       []*socket
	tickets       map[string]bool // Socket Mode URLs, and whether each was dialed
	nextSocket    int
	pending       map[string]chan<- []byte // envelopes that await acknowledgement
	requestURL    string
	eventsURL     string
	subscribed    []string     // kinds of events
	underWay      int          // events in flight
	requests      *http.Client // posts interactions
	ownTransport  *http.Transport
}

// placedCall is a call and the workspace that it acted in.
type placedCall struct {
	Call

	in *Server
}

var _ http.Handler = (*App)(nil)

// NewApp creates an app that is installed nowhere, and no workspaces: see AddWorkspace and
// AddOrganization. The members of opts that describe a workspace are the defaults of every
// workspace. Call Close to release it.
func NewApp(opts *Options) *App {
	a := newApp(opts)
	a.home = &Server{App: a, opts: a.opts}
	return a
}

// StartApp is NewApp for a test: the app is closed when the test ends, and the test fails for
// every broken rule that it did not Expect.
func StartApp(tb chatsim.TB, opts *Options) *App {
	tb.Helper()
	a := NewApp(opts)
	chatsim.Guard(tb, a.home)
	return a
}

func newApp(opts *Options) *App {
	o := opts.withDefaults()
	a := &App{
		opts:          o,
		teams:         map[string]*Server{},
		organizations: map[string]*organization{},
		tickets:       map[string]bool{},
		pending:       map[string]chan<- []byte{},
		requestURL:    o.RequestURL,
		eventsURL:     o.EventsURL,
		subscribed:    o.Events,
		requests:      o.HTTPClient,
		ownTransport:  &http.Transport{},
	}
	if opts != nil {
		a.given = *opts
	}
	if a.requests == nil {
		a.requests = &http.Client{Transport: a.ownTransport}
	}
	a.begin()
	a.service = double.NewService("slacksim", o.URL, a.traffic.Record("app", "Slack", a, chatsim.Upgrades))
	return a
}

// begin forgets every installation, code and call.
func (a *App) begin() {
	a.tokens = map[string]*token{a.opts.AppToken: {value: a.opts.AppToken, scopes: a.opts.AppScopes}}
	a.grants, a.refreshes, a.calls = map[string]*grant{}, map[string]*refresh{}, nil
}

// Workspace describes a workspace to add to an app. Zero values mean the app's Options, except
// that the ids and names are made up.
type Workspace struct {
	Team       string // T…
	Name       string
	Domain     string
	Enterprise string // the organization it belongs to, see AddOrganization; none by default
	People     []Person
	Channels   []Channel
	Groups     []Group
	// NeedsApproval lets people install only what an admin approved: the installation page shows
	// unapproved_scope.
	NeedsApproval bool
}

// AddWorkspace adds a workspace, in which the app is not installed. It panics if its id is taken
// or its organization is unknown.
//
// The people and channels of every workspace have the same ids by default, which tests that an
// app keeps workspaces apart. Channels of an organization, where ids are unique, begin with the
// workspace's id instead.
func (a *App) AddWorkspace(w Workspace) *Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	number := len(a.teams) + 1
	setDefault(&w.Team, fmt.Sprintf("T%07d", number))
	org := a.organizations[w.Enterprise]
	switch {
	case a.teams[w.Team] != nil:
		panic("slacksim: the workspace " + w.Team + " exists")
	case w.Enterprise != "" && org == nil:
		panic("slacksim: no organization " + w.Enterprise)
	}
	setDefault(&w.Name, fmt.Sprintf("Workspace %d", number))
	setDefault(&w.Domain, strings.ToLower(w.Team))
	o := a.given
	o.Team, o.TeamName, o.TeamDomain, o.Enterprise, o.OrgInstall = w.Team, w.Name, w.Domain, w.Enterprise, false
	if w.People != nil {
		o.People = w.People
	}
	if w.Channels != nil {
		o.Channels = w.Channels
	}
	if w.Groups != nil {
		o.Groups = w.Groups
	}
	bots := w.Team // The bot is one user of the whole organization.
	if org != nil {
		bots = org.id
		if o.Channels == nil {
			o.Channels = []Channel{{ID: "C" + w.Team[1:] + "1", Name: "deploys"}, {ID: "C" + w.Team[1:] + "2", Name: "general"}}
		}
	}
	setDefault(&o.BotUser, "U"+bots[1:]+"BOT")
	setDefault(&o.BotID, "B"+bots[1:])
	s := &Server{App: a, opts: o.withDefaults(), org: org, needsApproval: w.NeedsApproval}
	s.begin()
	a.teams[w.Team] = s
	return s
}

// Workspace returns the workspace with this id, or nil.
func (a *App) Workspace(team string) *Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.teams[team]
}

// Workspaces returns all workspaces by id.
func (a *App) Workspaces() []*Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sortedTeams()
}

func (a *App) sortedTeams() []*Server {
	return slices.SortedFunc(maps.Values(a.teams), func(x, y *Server) int { return strings.Compare(x.opts.Team, y.opts.Team) })
}

// Timeline returns the events that belong to no workspace, such as connections.
func (a *App) Timeline() *chatsim.Timeline { return a.home.Timeline() }

// Fault makes the next calls of a method fail, in whichever workspace comes first. See
// Server.Fault for the targets.
func (a *App) Fault(target string, f chatsim.Fault) { a.home.Fault(target, f) }

// ClearFaults removes the pending faults of Fault.
func (a *App) ClearFaults() { a.home.ClearFaults() }

// Await waits until the condition holds, checking it after every change in the app or in a
// workspace. Without a deadline in ctx it gives up after a minute.
func (a *App) Await(ctx context.Context, ok func() bool) error { return a.home.Await(ctx, ok) }

// record and violate record what belongs to no workspace.
func (a *App) record(e chatsim.Event) { a.home.record(e) }

func (a *App) violate(r rule, where, format string, args ...any) {
	a.home.violate(r, where, format, args...)
}

// Traffic returns the recorded traffic between the app and the platform, starting when
// Traffic.Keep was called.
func (a *App) Traffic() *chatsim.Traffic { return &a.traffic }

// Ledger returns the broken rules.
func (a *App) Ledger() *chatsim.Ledger { return &a.ledger }

// Expect declares that the test breaks these rules on purpose.
func (a *App) Expect(rules ...string) { a.ledger.Expect(rules...) }

// URL returns the base URL of the server, without a trailing slash.
func (a *App) URL() string { return a.service.URL() }

// APIURL returns the URL of the Web API, with the trailing slash that clients expect.
func (a *App) APIURL() string { return a.URL() + "/api/" }

// Client returns an HTTP client that reaches the server in memory, for any URL.
func (a *App) Client() *http.Client { return a.service.Client() }

// Dialer returns a websocket dialer that reaches the server in memory, for Socket Mode.
func (a *App) Dialer() *websocket.Dialer {
	d := a.service.Dialer()
	d.WriteBufferSize = 32 * 1024
	return d
}

// Dial connects to the server in memory, for any address.
func (a *App) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return a.service.Dial(ctx, network, addr)
}

// Listen also opens a TCP port, such as "127.0.0.1:0", and returns its URL, which becomes the
// server's base URL.
func (a *App) Listen(addr string) (string, error) { return a.service.Listen(addr) }

// DeliverTo delivers interactions to a URL as signed HTTP requests, sent with the client. A nil
// client keeps the current one.
func (a *App) DeliverTo(url string, client *http.Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requestURL = url
	if client != nil {
		a.requests = client
	}
}

// HangUp closes idle connections to the app, as a crashed app would, so that the next request
// uses a new connection and cannot fail on a stale one.
func (a *App) HangUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests.CloseIdleConnections()
}

// DeliverToHandler delivers interactions to an in-process handler, as signed HTTP requests to
// path.
func (a *App) DeliverToHandler(path string, h http.Handler) {
	a.DeliverTo(a.service.Visit(path, h))
}

// Close stops the workspace and waits for everything it started. It is idempotent.
func (a *App) Close() error {
	err := a.service.Close(func() {
		a.mu.Lock()
		sockets := slices.Clone(a.sockets)
		a.mu.Unlock()
		for _, k := range sockets {
			k.drop()
		}
	})
	a.ownTransport.CloseIdleConnections()
	a.home.notify()
	return err
}

// ServeHTTP serves the app's requests.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.service.Begin() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer a.service.End()
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/api/"):
		a.serveAPI(w, r)
	case strings.HasPrefix(path, "/link/"):
		a.serveSocket(w, r)
	case path == authorizePath:
		a.serveAuthorize(w, r)
	case strings.HasPrefix(path, uploadPath):
		a.owner(func(s *Server) bool { return s.announced(strings.TrimPrefix(path, uploadPath)) != nil }).serveUpload(w, r)
	case strings.HasPrefix(path, filesPath):
		team, _, _ := strings.Cut(strings.TrimPrefix(path, filesPath), "-")
		a.owner(func(s *Server) bool { return s.opts.Team == team }).serveFile(w, r)
	case strings.HasPrefix(path, "/actions/"):
		a.owner(func(s *Server) bool { return s.responses[path] != nil }).serveResponse(w, r)
	default:
		http.NotFound(w, r)
	}
}

// owner returns the workspace that has something, or the home of what belongs to none.
func (a *App) owner(has func(*Server) bool) *Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.teams {
		if has(s) {
			return s
		}
	}
	return a.home
}

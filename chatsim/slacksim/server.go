package slacksim

import (
	"context"
	"fmt"
	"net/http"

	"github.com/askbridge/askbridge/chatsim"
)

// Server is one Slack workspace. It is safe for concurrent use. The methods that it has from its
// App act on the app as a whole: on its addresses, connections, clock and ledger.
type Server struct {
	*App

	opts     Options // initial options
	timeline chatsim.Timeline
	cues     chatsim.Cues
	changed  chatsim.Signal

	// The app's mutex guards the rest.

	needsApproval bool
	org           *organization // nil outside organizations
	inst          *installation // the app's installation in this workspace alone; nil if there never was one
	people        []Person
	groups        []Group
	conversations map[string]*conversation
	clients       map[string]*client
	triggers      map[string]*trigger
	responses     map[string]*responseURL
	views         map[string]*view
	homes         map[string]*view // by person
	files         map[string]*file
	scheduled     []*scheduled // pending scheduled messages
	agents        map[agentThread]*agentSession
}

var (
	_ http.Handler = (*Server)(nil)
	_ chatsim.Sim  = (*Server)(nil)
)

// New creates a workspace in which the app is installed. With nil options it is team T0000001
// with the people U0000001 (Dana), U0000002 (Sam) and U0000003 (Kim), U0000009 (Robin) of another
// team, the channels C0000001 (#deploys) and C0000002 (#general) with all of them and the bot
// U0000BOT as members, the bot token xoxb-sim and the app token xapp-sim. Call Close to release
// it.
func New(opts *Options) *Server {
	a := newApp(opts)
	s := &Server{App: a, opts: a.opts}
	a.home, a.teams[s.opts.Team] = s, s
	if s.opts.Enterprise != "" {
		s.org = &organization{id: s.opts.Enterprise, name: s.opts.TeamName, domain: s.opts.TeamDomain, botUser: s.opts.BotUser, botID: s.opts.BotID}
		a.organizations[s.org.id] = s.org
	}
	s.begin()
	s.preinstall()
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

// Team returns the id and the name of the workspace.
func (s *Server) Team() (id, name string) { return s.opts.Team, s.opts.TeamName }

// Timeline returns the events so far.
func (s *Server) Timeline() *chatsim.Timeline { return &s.timeline }

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

// notify wakes those who wait for a change in the workspace or in the app.
func (s *Server) notify() {
	s.changed.Notify()
	if s != s.home {
		s.home.changed.Notify()
	}
}

// fault takes and records the next fault of this workspace, or else of the app.
func (s *Server) fault(target string, under ...string) chatsim.Fault {
	f := s.cues.Take(target, under...)
	if f.Name() == "" && s != s.home {
		f = s.home.cues.Take(target, under...)
	}
	if f.Name() != "" {
		s.record(chatsim.Event{Kind: chatsim.Faulted, Where: target, Text: f.Name()})
	}
	return f
}

// record adds an event to the timeline and wakes waiters.
func (s *Server) record(e chatsim.Event) {
	s.timeline.Add(e)
	s.notify()
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

package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Asker is what this server needs of a bridge: a [*bridge.Bridge], an [*access.Caller] for one agent,
// or a [Remote] one.
type Asker interface {
	Submit(ctx context.Context, r ask.Request) (bridge.Submission, error)
	Load(ctx context.Context, id string) (bridge.Record, error)
	Wait(ctx context.Context, id string) (*bridge.Record, error)
	Cancel(ctx context.Context, id, reason string) (bridge.Record, error)
}

var (
	_ Asker = (*bridge.Bridge)(nil)
	_ Asker = (*access.Caller)(nil)
)

// Options are the settings of the server. Nil and zero values mean the defaults.
type Options struct {
	// Agent is the name on the card unless the caller's token has one. If neither is set, the agent
	// chooses it.
	Agent string
	// Session is the default session of calls.
	Session string
	// To or Route is where people are asked by default; without either it is the bridge's default route.
	To    []ask.Place
	Route string
	// Origin is the conversation in which the agent works, unless a call that may set it does.
	Origin ask.Origin
	// Routes are those that an agent may choose from if ModelMaySet does not include the route.
	Routes []string
	// ModelMaySet are the members of a call that the model itself may set: [access.ModelTo], [access.ModelRoute],
	// [access.ModelResponders] and [access.ModelOrigin]. The token of an [access.Caller] can add to them. A call that sets another one is refused.
	ModelMaySet []string
	// MaxQuestions, and MaxOptions of each, are limits in the tool's schema; the bridge's rules decide. Zero
	// means [ask.DefaultMaxQuestions] and [ask.DefaultMaxOptions].
	MaxQuestions, MaxOptions int
	// ToolName is the name of the tool that asks; empty means ask_user. Gemini CLI hides every tool named ask_user in
	// headless runs, so it needs another one. A client over HTTP sets it with ?tool_name= in the address.
	ToolName string
	// Budget is how long one call waits before it returns pending. Zero means a default by client:
	// [PlainBudget], [ProgressBudget] or [ClaudeBudget].
	Budget time.Duration
	// Progress is the time between two progress notifications; zero means
	// [DefaultProgress].
	Progress time.Duration
	// CancelWithdraws lets a client's notifications/cancelled cancel the request, on stdio only: over HTTP
	// a cancelled call and a lost connection look the same.
	CancelWithdraws bool
	// Permitters are the people who may decide permission prompts of Claude Code, as in [ask.Request.Responders]. They
	// add the tool approve, for --permission-prompt-tool, and on stdio a channel. Nil disables both. A client over HTTP
	// sets them with ?responders= in the address.
	Permitters []string
	// Version is the server's version.
	Version string
	// Logger receives an entry for each call; nil discards.
	Logger *slog.Logger
}

// Server has the tools. Create one with [New]; it serves any number of clients.
type Server struct {
	opts Options
	log  *slog.Logger
	mcp  *mcp.Server
	http http.Handler

	draining context.Context //nolint:containedctx // The lifetime of the server, for waiting calls.
	drain    context.CancelCauseFunc
}

// New returns a server, or an error with every problem of the options. Its methods that serve take the bridge.
func New(opts *Options) (*Server, error) {
	s := &Server{log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		s.opts = *opts
	}
	if err := s.opts.check(); err != nil {
		return nil, err
	}
	if s.opts.Logger != nil {
		s.log = s.opts.Logger
	}
	if s.opts.MaxQuestions == 0 {
		s.opts.MaxQuestions = ask.DefaultMaxQuestions
	}
	if s.opts.MaxOptions == 0 {
		s.opts.MaxOptions = ask.DefaultMaxOptions
	}
	if s.opts.Progress == 0 {
		s.opts.Progress = DefaultProgress
	}
	s.draining, s.drain = context.WithCancelCause(context.Background())
	s.mcp = s.tools(cmp.Or(s.opts.ToolName, askName), &s.opts)
	s.http = mcp.NewStreamableHTTPHandler(s.chosen, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // See local, which works for any listener.
	})
	return s, nil
}

// tools returns the tools, with a name for the one that asks, and the one for permission prompts if there are permitters.
func (s *Server) tools(name string, o *Options) *mcp.Server {
	tools := mcp.NewServer(&mcp.Implementation{Name: "askbridge", Title: "askbridge", Version: s.opts.Version}, &mcp.ServerOptions{
		Instructions: fmt.Sprintf(instructions, name),
		Capabilities: s.opts.capabilities(),
	})
	tools.AddTool(askTool(o, name), s.tool(access.Ask, questions((*call).ask)))
	tools.AddTool(waitTool(), s.tool(access.Read, questions((*call).wait)))
	if o.Permitters != nil {
		tools.AddTool(approveTool(), s.tool(access.Ask, approve(o.Permitters)))
	}
	return tools
}

// Query returns the query parameters of a server over HTTP.
func Query() []string { return []string{respondersQuery, toolNameQuery} }

// toolNameQuery is the query parameter that sets [Options.ToolName].
const toolNameQuery = "tool_name"

// chosen returns the tools for an HTTP request, by its query and its caller.
func (s *Server) chosen(r *http.Request) *mcp.Server {
	query, who := r.URL.Query(), lineOf(r.Context()).caller()
	name, permitters := query.Get(toolNameQuery), query[respondersQuery]
	if name == "" && permitters == nil && (who == nil || len(who.ModelMaySet) == 0) {
		return s.mcp
	}
	own := s.opts.within(who)
	if permitters != nil {
		own.Permitters = permitters
	}
	return s.tools(cmp.Or(name, s.opts.ToolName, askName), &own)
}

// checkQuery returns an error for invalid query parameters.
func checkQuery(query url.Values) error {
	if err := checkToolName(query.Get(toolNameQuery)); err != nil {
		return fmt.Errorf("%s: %w", toolNameQuery, err)
	}
	if problems := ask.CheckResponders(respondersQuery, query[respondersQuery]); len(problems) > 0 {
		return &ask.InvalidError{Problems: problems}
	}
	return nil
}

// toolNames matches names that every host accepts.
var toolNames = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// checkToolName returns an error for an invalid name of the tool. An empty one means the default.
func checkToolName(name string) error {
	switch {
	case name == "":
		return nil
	case !toolNames.MatchString(name):
		return errors.New("use 1 to 40 letters, digits, - and _")
	case name == waitName, name == approveName:
		return fmt.Errorf("%s is another tool", name)
	}
	return nil
}

// capabilities returns the server's capabilities.
func (o *Options) capabilities() *mcp.ServerCapabilities {
	can := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	if o.Permitters != nil {
		can.Experimental = map[string]any{"claude/channel": struct{}{}, "claude/channel/permission": struct{}{}}
	}
	return can
}

func (o *Options) check() error {
	var problems []error
	complain := func(what, why string) { problems = append(problems, fmt.Errorf("mcpserver: %s: %s", what, why)) }
	if o.Budget < 0 {
		complain("budget", "must not be negative")
	}
	if o.Progress < 0 {
		complain("progress", "must not be negative")
	}
	if o.MaxQuestions < 0 || o.MaxQuestions > ask.MaxQuestions {
		complain("max questions", fmt.Sprintf("must be between 1 and %d", ask.MaxQuestions))
	}
	if o.MaxOptions < 0 || o.MaxOptions > ask.MaxOptions || o.MaxOptions == 1 {
		complain("max options", fmt.Sprintf("must be between %d and %d", ask.DefaultMinOptions, ask.MaxOptions))
	}
	if err := checkToolName(o.ToolName); err != nil {
		complain("tool name", err.Error())
	}
	for _, member := range o.ModelMaySet {
		if !slices.Contains(access.ModelMembers(), member) {
			complain("model may set", fmt.Sprintf("%q is not one of %s", member, strings.Join(access.ModelMembers(), ", ")))
		}
	}
	if o.Route != "" && len(o.To) > 0 {
		complain("route", "give either places or a route, not both")
	}
	for _, p := range ask.CheckResponders("permitters", o.Permitters) {
		problems = append(problems, fmt.Errorf("mcpserver: %w", p))
	}
	if slices.Contains(o.Routes, "") {
		complain("routes", "a route has no name")
	}
	return errors.Join(problems...)
}

// Drain ends waiting calls with a pending result. Call it before shutdown, while the bridge still runs.
func (s *Server) Drain() { s.drain(errDraining) }

// line is the connection of a call, with its bridge.
type line struct {
	bridge Asker
	// life ends when the client has disconnected.
	life context.Context //nolint:containedctx // The lifetime of the connection, which handlers' contexts do not follow.
	// duplex connections distinguish a cancelled call from a lost connection.
	duplex bool
}

// caller returns the caller, or nil for a bridge without access control.
func (l line) caller() *access.Caller {
	who, _ := l.bridge.(*access.Caller)
	return who
}

type lineKey struct{}

func onLine(ctx context.Context, l line) context.Context {
	return context.WithValue(ctx, lineKey{}, l)
}

// lineOf returns the line, which Serve and the handlers store in the context: the SDK has no other way to
// pass it to a tool.
func lineOf(ctx context.Context) line {
	l, ok := ctx.Value(lineKey{}).(line)
	if !ok {
		panic("mcpserver: a call came in on no line")
	}
	return l
}

// Serve serves MCP to one client as lines of JSON, such as on standard input and output, until the client
// disconnects or ctx ends, and closes both. Calls in progress get no result then, and their questions remain
// open. An invalid line gets a JSON-RPC error, and the session continues.
func (s *Server) Serve(ctx context.Context, b Asker, in io.ReadCloser, out io.WriteCloser) error {
	l := newStdio(s.log, in, out)
	if s.opts.Permitters != nil {
		defer s.relayed(ctx, b, l)()
	}
	return s.run(ctx, b, &mcp.IOTransport{Reader: l, Writer: stdioOut{l}})
}

func (s *Server) run(ctx context.Context, b Asker, t mcp.Transport) error {
	err := s.mcp.Run(onLine(ctx, line{bridge: b, life: ctx, duplex: true}), t)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("mcpserver: serve: %w", err)
	}
	return nil
}

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The tested revisions of the protocol: the last one with sessions, the first one without, and older ones still in
// use.
const (
	nov2024  = "2024-11-05"
	march25  = "2025-03-26"
	june2025 = "2025-06-18"
	nov2025  = "2025-11-25"
	july2026 = "2026-07-28"
)

// fixture is a bridge with a scripted platform and an MCP server.
type fixture struct {
	t      testing.TB
	bridge *bridge.Bridge
	store  *memory.Store
	slack  *bridgetest.Script
	server *Server
	net    *chatsim.Net
	logs   *logbuffer.Buffer
	all    sync.WaitGroup
	// endBridge stops the bridge, stop everything.
	endBridge, stop func()
	stopping        []func()
}

func newFixture(t testing.TB, opts *Options) *fixture {
	t.Helper()
	w := &fixture{t: t, slack: bridgetest.NewScript("slack", render.Limits{}), net: chatsim.NewNet(), logs: &logbuffer.Buffer{}}
	w.store = memory.New()
	var err error
	w.bridge, err = bridge.New(w.store, []platform.Platform{w.slack}, &bridge.Options{
		Routes: map[string]bridge.Route{
			"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}},
			"legal":   {To: []ask.Place{{Platform: "slack", Channel: "C0000003"}}, Terms: ask.Terms{Receipts: true}},
		},
		DefaultRoute: "deploys",
	})
	if err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &Options{}
	}
	opts.Version = "test"
	opts.Logger = slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if w.server, err = New(opts); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.endBridge = cancel
	w.all.Go(func() {
		if err := w.bridge.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	server := &http.Server{Handler: w.server.Handler(w.bridge), ReadHeaderTimeout: time.Second}
	w.all.Go(func() {
		if err := server.Serve(w.net); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	w.stop = sync.OnceFunc(func() {
		for _, f := range w.stopping {
			f()
		}
		server.Close()
		cancel()
		w.all.Wait()
		w.store.Close()
	})
	t.Cleanup(w.stop)
	return w
}

// bubble runs a test in fake time and stops the fixture before the bubble ends.
func bubble(t *testing.T, opts *Options, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, opts)
		defer w.stop()
		f(t, w)
	})
}

// agent is an MCP client made with the official SDK.
type agent struct {
	t       testing.TB
	session *mcp.ClientSession
	// http reaches the agent's endpoint; nil on pipes.
	http http.RoundTripper
	// hangUp breaks the connection like a crashed client.
	hangUp func()

	mu    sync.Mutex
	notes []note
}

// note is one progress notification.
type note struct {
	at   time.Duration
	text string
	n    float64
}

func (w *fixture) newAgent() (*agent, *mcp.Client) {
	a := &agent{t: w.t}
	began := time.Now()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.notes = append(a.notes, note{time.Since(began), r.Params.Message, r.Params.Progress})
		},
	})
	return a, client
}

// pipes connects an agent over a pair of pipes, as on standard input and output.
func (w *fixture) pipes(version string) *agent {
	w.t.Helper()
	here, there := net.Pipe()
	life, end := context.WithCancel(context.Background())
	w.all.Go(func() {
		if err := w.server.Serve(life, w.bridge, there, there); err != nil {
			w.t.Error(err)
		}
	})
	a, client := w.newAgent()
	a.connect(client, &mcp.IOTransport{Reader: here, Writer: here}, version)
	a.hangUp = sync.OnceFunc(func() { here.Close() })
	w.stopping = append(w.stopping, func() { a.hangUp(); end() })
	return a
}

// web connects an agent over streamable HTTP.
func (w *fixture) web(version string) *agent {
	w.t.Helper()
	return w.webAt("http://localhost/mcp", version)
}

// webAt is web at another address of the same server.
func (w *fixture) webAt(address, version string) *agent {
	w.t.Helper()
	transport := &http.Transport{DialContext: w.net.Dial}
	a, client := w.newAgent()
	a.connect(client, &mcp.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1,
	}, version)
	a.hangUp = sync.OnceFunc(func() { a.session.Close(); transport.CloseIdleConnections() })
	w.stopping = append(w.stopping, a.hangUp)
	return a
}

// caller is an agent with a token of its own.
func (w *fixture) caller(a access.Agent) *access.Caller {
	w.t.Helper()
	a.Token = "token-of-" + a.Name
	gate, err := access.New(w.bridge, &access.Options{Agents: []access.Agent{a}, DefaultRoute: "deploys"})
	if err != nil {
		w.t.Fatal(err)
	}
	who, err := gate.Identify(w.t.Context(), a.Token, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

// webAs connects an agent over streamable HTTP to the handler of an authenticated caller, as in the program.
func (w *fixture) webAs(who *access.Caller, query ...string) *agent {
	w.t.Helper()
	line := chatsim.NewNet()
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if err := who.Enter(access.Ask); err != nil {
			http.Error(rw, err.Error(), http.StatusTooManyRequests)
			return
		}
		w.server.HandlerFor(who).ServeHTTP(rw, r)
	})}
	w.all.Go(func() {
		if err := server.Serve(line); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			w.t.Error(err)
		}
	})
	transport := &http.Transport{DialContext: line.Dial}
	a, client := w.newAgent()
	a.http = transport
	a.connect(client, &mcp.StreamableClientTransport{
		Endpoint: "http://bridge.example/mcp" + strings.Join(query, ""), HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, july2026)
	a.hangUp = sync.OnceFunc(func() { a.session.Close(); transport.CloseIdleConnections(); server.Close() })
	w.stopping = append(w.stopping, a.hangUp)
	return a
}

func (a *agent) connect(client *mcp.Client, t mcp.Transport, version string) {
	a.t.Helper()
	var err error
	a.session, err = client.Connect(a.t.Context(), t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		a.t.Fatal(err)
	}
	if got := a.session.InitializeResult().ProtocolVersion; got != version {
		a.t.Fatalf("speaks %s, want %s", got, version)
	}
}

// lines are the transports, each with an old and a new revision of the protocol.
var lines = map[string]func(*fixture) *agent{
	"stdio " + nov2024:  func(w *fixture) *agent { return w.pipes(nov2024) },
	"stdio " + june2025: func(w *fixture) *agent { return w.pipes(june2025) },
	"stdio " + july2026: func(w *fixture) *agent { return w.pipes(july2026) },
	"http " + march25:   func(w *fixture) *agent { return w.web(march25) },
	"http " + nov2025:   func(w *fixture) *agent { return w.web(nov2025) },
	"http " + july2026:  func(w *fixture) *agent { return w.web(july2026) },
}

// overEveryLine runs a test on each transport.
func overEveryLine(t *testing.T, opts func() *Options, f func(t *testing.T, w *fixture, a *agent)) {
	t.Helper()
	t.Parallel()
	for name, dial := range lines {
		t.Run(name, func(t *testing.T) {
			var o *Options
			if opts != nil {
				o = opts()
			}
			bubble(t, o, func(t *testing.T, w *fixture) { f(t, w, dial(w)) })
		})
	}
}

// meta is the metadata that a client sends with the arguments.
type meta = map[string]any

// patient asks for progress.
func patient(more meta) meta {
	m := meta{"progressToken": "p1"}
	maps.Copy(m, more)
	return m
}

// toolReply is a tool result as the agent reads it.
type toolReply struct {
	result

	text, call string
	isError    bool
}

// start calls a tool and returns a channel for the result.
func (a *agent) start(ctx context.Context, tool string, m meta, args any) <-chan toolReply {
	out := make(chan toolReply, 1)
	go func() {
		defer close(out)
		res, err := a.session.CallTool(ctx, &mcp.CallToolParams{Meta: m, Name: tool, Arguments: args})
		if err != nil {
			if ctx.Err() == nil {
				a.t.Logf("%s: %v", tool, err)
			}
			return
		}
		out <- a.read(res)
	}()
	return out
}

func (a *agent) call(tool string, m meta, args any) toolReply {
	a.t.Helper()
	got, ok := <-a.start(a.t.Context(), tool, m, args)
	if !ok {
		a.t.Fatalf("%s has no result", tool)
	}
	return got
}

func (a *agent) read(res *mcp.CallToolResult) toolReply {
	got := toolReply{isError: res.IsError}
	if got.call, _ = res.Meta[callIDKey].(string); len(got.call) != 16 {
		a.t.Errorf("the result is of the call %q", got.call)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &got.result)
	}
	if err != nil || len(res.Content) != 1 {
		a.t.Errorf("a strange result: %v, %v", err, res.Content)
		return got
	}
	if c, ok := res.Content[0].(*mcp.TextContent); ok {
		got.text = c.Text
	}
	if got.text != got.Message {
		a.t.Errorf("the text %q and the structured message %q differ", got.text, got.Message)
	}
	checkOutput(a.t, data)
	return got
}

func (a *agent) progress() []note {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]note(nil), a.notes...)
}

// database is one question.
func database() meta {
	return meta{"questions": []any{meta{
		"question": "Which database?", "header": "Database", "multiSelect": false,
		"options": []any{meta{"label": "Postgres", "description": "Managed"}, meta{"label": "SQLite", "description": "Embedded"}},
	}}}
}

// under is the _meta of Claude Code.
func under(id string) meta { return meta{claudeToolUse: id} }

var ada = ask.Person{Platform: "slack", ID: "U0000001", Name: "Ada"}

// press chooses an option of a question of the request.
func (w *fixture) press(id string, question, option int) {
	w.t.Helper()
	w.act(platform.Interaction{Person: ada, Token: render.Token{Request: id, Verb: render.Choose, Question: question, Option: option}})
}

func (w *fixture) act(i platform.Interaction) {
	w.t.Helper()
	if r := w.slack.Act(w.t.Context(), i); r.Err != nil {
		w.t.Error(r.Err)
	}
}

// open returns the one open request.
func (w *fixture) open() bridge.Record {
	w.t.Helper()
	synctest.Wait()
	all, err := w.bridge.List(w.t.Context(), bridge.Query{All: true})
	if err != nil || len(all) != 1 {
		w.t.Fatalf("%d requests are open, %v", len(all), err)
	}
	return all[0]
}

func (w *fixture) posted() int {
	n := 0
	for _, call := range w.slack.Calls() {
		if strings.HasPrefix(call, "post ") {
			n++
		}
	}
	return n
}

// later moves the clock of the bubble.
func later(d time.Duration) { time.Sleep(d) }

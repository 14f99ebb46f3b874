package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// host is a machine with a store that may run a bridge with an HTTP API.
type host struct {
	t     *testing.T
	store bridge.Store
	net   atomic.Pointer[chatsim.Net]
	slack *bridgetest.Script
	stop  func()
}

// boot starts a bridge as a new process.
func (h *host) boot() {
	h.t.Helper()
	line := chatsim.NewNet()
	h.net.Store(line)
	h.slack = bridgetest.NewScript("slack", render.Limits{})
	b, err := bridge.New(h.store, []platform.Platform{h.slack}, &bridge.Options{
		Routes:       map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}}},
		DefaultRoute: "deploys",
	})
	if err != nil {
		h.t.Fatal(err)
	}
	gate, err := access.New(b, &access.Options{Agents: []access.Agent{
		{Name: "deployer", Token: "right", Routes: []string{"deploys"}},
		{Name: "reader", Token: "reads", Scopes: []access.Scope{access.Read}},
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	handler, err := api.New(gate, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	server := api.NewServer(handler, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = b.Run(ctx) })
	all.Go(func() { _ = server.Serve(line) })
	h.stop = sync.OnceFunc(func() {
		server.Close()
		cancel()
		all.Wait()
	})
}

// afar runs a test with an MCP server that reaches its bridge over HTTP.
func afar(t *testing.T, token string, f func(t *testing.T, h *host, a *agent)) {
	t.Helper()
	afarWith(t, client.Options{Token: token}, f)
}

// afarWith is afar with client settings.
func afarWith(t *testing.T, o client.Options, f func(t *testing.T, h *host, a *agent)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &host{t: t, store: memory.New()}
		h.boot()
		defer h.store.Close()
		defer func() { h.stop() }()
		o.Poll, o.Tries = 10*time.Second, 9
		o.HTTP = &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return h.net.Load().Dial(ctx, network, address)
			},
		}}
		client, err := client.New("http://bridge.example", &o)
		if err != nil {
			t.Fatal(err)
		}
		handler, err := New(nil)
		if err != nil {
			t.Fatal(err)
		}
		near, far := mcp.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := handler.run(ctx, Remote(client), far); err != nil {
				t.Error(err)
			}
		})
		defer all.Wait()
		defer cancel()
		a, c := (&fixture{t: t}).newAgent()
		a.connect(c, near, july2026)
		defer a.session.Close()
		f(t, h, a)
	})
}

func (h *host) press(id string, option int) {
	h.t.Helper()
	i := platform.Interaction{Person: ada, Token: render.Token{Request: id, Verb: render.Choose, Option: option}}
	if r := h.slack.Act(h.t.Context(), i); r.Err != nil {
		h.t.Error(r.Err)
	}
}

func (h *host) open() string {
	h.t.Helper()
	synctest.Wait()
	all, err := h.store.Scan(h.t.Context(), bridge.Scan{Limit: 10})
	if err != nil || len(all) != 1 {
		h.t.Fatalf("%d requests are open, %v", len(all), err)
	}
	return all[0].ID
}

func TestRemoteAnswer(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		id := h.open()
		later(time.Minute)
		h.press(id, 1)
		got := <-result
		want := []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"SQLite"}, By: ada, At: time.Now().UTC()}}
		if diff := cmp.Diff(want, got.Answers); diff != "" || got.State != answered || got.text != "Which database?\nSQLite" {
			t.Errorf("got %+v %s", got, diff)
		}
	})
}

func TestWaitSurvivesBridgeRestart(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		id := h.open()
		for range 3 {
			h.stop()
			later(90 * time.Second)
			h.boot()
			later(time.Minute)
		}
		h.press(id, 0)
		if got := <-result; got.State != answered || got.ID != id {
			t.Errorf("got %+v", got)
		}
		if n := len(h.slack.Standing()); n != 0 {
			t.Errorf("asked again by the last bridge, %d times", n)
		}
	})
}

func TestRestartDoesNotAskTwice(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		h.stop()
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		later(15 * time.Second)
		h.boot()
		later(15 * time.Second)
		h.press(h.open(), 0)
		if got := <-result; got.State != answered {
			t.Errorf("got %+v", got)
		}
	})
}

func TestMissingBridgeIsReported(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		h.stop()
		got := a.call(askName, patient(under("toolu_1")), database())
		if got.State != unavailable || !got.isError || !strings.Contains(got.text, "again in a while") {
			t.Errorf("got %+v", got)
		}
		h.boot()
		if got := a.call(waitName, nil, meta{"id": "nosuch"}); got.State != unknown || strings.Contains(got.text, "bridge.example") {
			t.Errorf("then %+v", got)
		}
	})
}

func TestRemoteRefusalListsAllProblems(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		got := a.call(askName, nil, meta{"questions": []any{meta{"question": "", "options": []any{"A"}}}})
		want := []wrong{{"questions[0].question", "must not be empty"}, {"questions[0].options", "1 given; give 2 to 4, or none for a text answer"}}
		if diff := cmp.Diff(want, got.Errors); diff != "" || got.State != refused {
			t.Errorf("%+v %s", got, diff)
		}
		first := a.call(askName, under("toolu_1"), database())
		if again := a.call(askName, under("toolu_1"), meta{"question": "Else?"}); again.State != refused || again.ID != first.ID {
			t.Errorf("a conflict: %+v", again)
		}
	})
}

func TestForbiddenTokenIsReported(t *testing.T) {
	for token, part := range map[string]string{"wrong": "this token is not known here", "reads": `this token lacks the scope "ask"`} {
		t.Run(token, func(t *testing.T) {
			afar(t, token, func(t *testing.T, _ *host, a *agent) {
				got := a.call(askName, nil, database())
				if got.State != refused || !got.isError || !strings.Contains(got.text, part) || strings.Contains(got.text, token+`"`) {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestNothingIsLostOnTheWayFromAfar(t *testing.T) {
	afar(t, "right", func(t *testing.T, h *host, a *agent) {
		gone := &platform.Error{Platform: "slack", Op: "post", Kind: platform.Transient, Code: "ratelimited"}
		for range 20 {
			h.slack.On("post", bridgetest.Cue{Err: gone})
		}
		args := database()
		args["expires_in"] = "40s"
		result := a.start(t.Context(), askName, nil, args)
		got := <-result
		if got.State != expired && got.State != failed {
			t.Errorf("got %+v", got)
		}
	})
}

// It took half a minute, and the agent was advised to retry forever.
func TestUnknownServerTokenFailsImmediately(t *testing.T) {
	afarWith(t, client.Options{Token: "your-token", Sealed: true}, func(t *testing.T, _ *host, a *agent) {
		for name, args := range map[string]meta{askName: database(), waitName: {"id": "r1"}} {
			began := time.Now()
			got := a.call(name, nil, args)
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s: it took %s", name, took)
			}
			if got.State != refused || !got.isError || !strings.Contains(got.text, "does not know this server's token") || !strings.Contains(got.text, "tell whoever set this server up") {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	})
}

// channelAfar runs an MCP server whose bridge is remote, and a host that has asked it for a permission. The messages
// to the host arrive on sent.
func channelAfar(t *testing.T, f func(t *testing.T, c *client.Client, dana *slacksim.Seat, sent <-chan string)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{
			Platforms: []string{askbridgetest.Slack}, Typed: true, Agents: []access.Agent{{Name: "claude-code", Token: "right", Terms: ask.Terms{Replies: ask.Replies{Mode: ask.RepliesLabels}}}},
		})
		c, err := client.New(w.URL, &client.Options{HTTP: w.HTTP, Token: "right", Sealed: true})
		if err != nil {
			t.Fatal(err)
		}
		opts := relaying()
		opts.To = []ask.Place{{Platform: "slack", Channel: "C0000001"}}
		server, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		here, there := net.Pipe()
		sent := make(chan string, 16)
		var all sync.WaitGroup
		all.Go(func() { _ = server.Serve(t.Context(), Remote(c), there, there) })
		all.Go(func() {
			for lines := bufio.NewScanner(here); lines.Scan(); {
				sent <- lines.Text()
			}
		})
		defer later(time.Minute) // Slack's event about the closed card must still find its receiver.
		defer all.Wait()
		defer here.Close()
		if _, err := io.WriteString(here, channelPrompt); err != nil {
			t.Fatal(err)
		}
		dana := w.Slack.Seat("U0000001")
		if err := dana.AwaitText(t.Context(), "[Allow]"); err != nil {
			t.Fatal(err)
		}
		f(t, c, dana, sent)
	})
}

// The route accepts typed answers, but text that only resembles consent must allow nothing.
func TestRemotePromptIgnoresTypedWords(t *testing.T) {
	channelAfar(t, func(t *testing.T, c *client.Client, dana *slacksim.Seat, _ <-chan string) {
		for _, words := range []string{"1", "a", "Allow"} {
			if err := dana.Answer(words); err != nil {
				t.Fatal(err)
			}
			later(time.Minute)
			if page, err := c.List(t.Context(), client.ListQuery{}); err != nil || len(page.Requests) != 1 {
				t.Errorf("%q decides: %+v, %v", words, page, err)
			}
		}
	})
}

// The agent has the token of its own prompts and revises one into a harmless command.
func TestRevisedPromptAllowsNothing(t *testing.T) {
	channelAfar(t, func(t *testing.T, c *client.Client, dana *slacksim.Seat, sent <-chan string) {
		page, err := c.List(t.Context(), client.ListQuery{})
		if err != nil {
			t.Fatal(err)
		}
		asked := page.Requests[0].Questions[0]
		asked.Options[0].Preview = `{"command":"true"}`
		if _, err := c.Revise(t.Context(), page.Requests[0].ID, ask.Revision{Questions: []ask.Question{asked}}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(dana.AwaitText(t.Context(), "Revised by the agent"), dana.Press(t.Context(), "Allow")); err != nil {
			t.Fatal(err)
		}
		later(time.Minute)
		select {
		case line := <-sent:
			t.Errorf("the host got %s", line)
		default:
		}
	})
}

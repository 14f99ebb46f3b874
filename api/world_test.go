package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a complete handler on an in-memory network, so that it works in a synctest bubble.
type fixture struct {
	t       testing.TB
	bridge  *bridge.Bridge
	slack   *bridgetest.Script
	handler *Handler
	server  *http.Server
	net     *chatsim.Net
	http    *http.Client
	logs    *logbuffer.Buffer
	// end stops the bridge, stop everything.
	end, stop func()
}

// settings configure access and the API.
type settings struct {
	Options

	Agents []access.Agent
	// Connections is the limit of the server; zero means none.
	Connections int
	// Parents maps threads to channels on a platform where threads have IDs of their own.
	Parents map[string]string
	// Trail turns on the audit trail of requests.
	Trail bool
	// Free lets callers without a token create tokens.
	Free bool
	// Values wraps the token store.
	Values func(keyvalue.Store) keyvalue.Store
}

// threaded is a platform on which threads have IDs of their own.
type threaded struct {
	*bridgetest.Script

	parents map[string]string
}

// ParentOf implements [platform.ThreadFinder].
func (p threaded) ParentOf(_ context.Context, thread string) (string, error) {
	channel, ok := p.parents[thread]
	switch {
	case !ok:
		return "", &platform.Error{Platform: "slack", Op: "look up", Kind: platform.Unreachable, Code: "unknown_channel"}
	case channel == "":
		return "", &platform.Error{Platform: "slack", Op: "look up", Kind: platform.Transient, Code: "internal_error"}
	}
	return channel, nil
}

// anonymous serves without tokens.
func anonymous() *settings { return &settings{} }

func newFixture(t testing.TB, opts *settings) *fixture {
	t.Helper()
	return newWorldOn(t, opts, memory.New(), &bridge.Options{
		Routes:       map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}}},
		DefaultRoute: "deploys",
	})
}

func newWorldOn(t testing.TB, opts *settings, st bridge.Store, bo *bridge.Options) *fixture {
	t.Helper()
	w := &fixture{t: t, slack: bridgetest.NewScript("slack", render.Limits{}), net: chatsim.NewNet(), logs: &logbuffer.Buffer{}}
	log := slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	withLog := *bo
	withLog.Logger, withLog.Audit = log, opts.Trail
	if values, ok := st.(interface{ KeyValue() keyvalue.Store }); ok {
		withLog.Grants = keyvalue.Grants{Store: values.KeyValue()}
		withLog.Files = keyvalue.Files{Store: values.KeyValue()}
	}
	var chat platform.Platform = w.slack
	if opts.Parents != nil {
		chat = threaded{w.slack, opts.Parents}
	}
	if w.bridge, err = bridge.New(st, []platform.Platform{chat}, &withLog); err != nil {
		t.Fatal(err)
	}
	opts.Logger = log
	who := &access.Options{Agents: opts.Agents, AllowAnonymous: true, DefaultRoute: bo.DefaultRoute, AnonymousAnswers: opts.Free, Routes: slices.Collect(maps.Keys(bo.Routes))}
	if values, ok := st.(interface{ KeyValue() keyvalue.Store }); ok {
		who.Store = values.KeyValue()
	}
	if opts.Values != nil {
		who.Store = opts.Values(who.Store)
	}
	gate, err := access.New(w.bridge, who)
	if err != nil {
		t.Fatal(err)
	}
	if w.handler, err = New(gate, &opts.Options); err != nil {
		t.Fatal(err)
	}
	w.server = NewServer(w.handler, log)
	w.server.RegisterOnShutdown(w.handler.Drain)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	ended := make(chan struct{})
	w.end = func() { cancel(); <-ended }
	all.Go(func() {
		defer close(ended)
		if err := w.bridge.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		serve := w.server.Serve
		if opts.Connections > 0 {
			serve = func(l net.Listener) error { return connlimit.New(opts.Connections, log).Serve(w.server, l) }
		}
		if err := serve(w.net); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	transport := &http.Transport{DialContext: w.net.Dial}
	w.http = &http.Client{Transport: &inspector{t: t, next: transport}}
	w.stop = sync.OnceFunc(func() {
		w.server.Close()
		transport.CloseIdleConnections()
		cancel()
		all.Wait()
		st.Close()
	})
	t.Cleanup(w.stop)
	return w
}

// bubble runs a test in fake time and stops the fixture before the bubble ends.
func bubble(t *testing.T, opts *settings, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// A server that was sent too much closes the connection half a second later.
		defer time.Sleep(time.Second)
		w := newFixture(t, opts)
		defer w.stop()
		f(t, w)
	})
}

// reply is the response to one call.
type reply struct {
	*http.Response
	body string
}

// call makes one call with the token; extra holds header lines.
func (w *fixture) call(token, method, path, body string, extra ...string) reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, line := range extra {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Add(name, value)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{resp, string(data)}
}

// want checks the status.
func (r reply) want(t testing.TB, status int) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.body)
	}
	return r
}

func (r reply) request(t testing.TB) *client.Request {
	t.Helper()
	return read[client.Request](t, r)
}

func read[T any](t testing.TB, r reply) *T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return &v
}

// oneQuestion is a submission with a single-select question.
const oneQuestion = `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[{"question":"Which database?","header":"Database",
	"options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}]}]}`

// with adds members to a JSON object.
func with(body, members string) string {
	return "{" + members + "," + strings.TrimPrefix(strings.TrimSpace(body), "{")
}

var ada = ask.Person{Platform: "slack", ID: "U0000001", Name: "Ada"}

// press chooses an option of a question.
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

// inspector validates every response against the OpenAPI document.
type inspector struct {
	t    testing.TB
	next http.RoundTripper
}

var describe = sync.OnceValue(func() *huma.OpenAPI { return newDocument("test", routes()) })

func (i *inspector) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := i.next.RoundTrip(r)
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, err
	}
	op := operation(r.Method, r.URL.Path)
	if op == nil {
		return resp, nil
	}
	documented := op.Responses[strconv.Itoa(resp.StatusCode)]
	if documented == nil {
		i.t.Errorf("%s %s: status %d is not documented", r.Method, op.Path, resp.StatusCode)
		return resp, nil
	}
	if resp.Header.Get(HeaderCallID) == "" {
		i.t.Errorf("%s %s %d: no call id", r.Method, op.Path, resp.StatusCode)
	}
	if cc := resp.Header.Get("Cache-Control"); cc != "no-store" {
		i.t.Errorf("%s %s: Cache-Control is %q", r.Method, op.Path, cc)
	}
	kind := resp.Header.Get("Content-Type")
	if kind == "" && resp.ContentLength == 0 && resp.Header.Get(client.HeaderState) != "" {
		return resp, nil // Some hosts get no body and decide themselves.
	}
	media := documented.Content[kind]
	if media == nil && (kind != "" || len(documented.Content) > 0) {
		i.t.Errorf("%s %s %d: content type %q is not documented", r.Method, op.Path, resp.StatusCode, kind)
		return resp, nil
	}
	if !strings.HasSuffix(kind, "json") || media.Schema.Ref == "" || resp.Header.Get(client.HeaderState) != "" {
		return resp, nil
	}
	data, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	i.check(op, media.Schema, data)
	return resp, nil
}

func (i *inspector) check(op *huma.Operation, s *huma.Schema, data []byte) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		i.t.Errorf("%s %s: %v", op.Method, op.Path, err)
		return
	}
	registry := describe().Components.Schemas
	var result huma.ValidateResult
	huma.Validate(registry, s, huma.NewPathBuffer([]byte{}, 0), huma.ModeReadFromServer, v, &result)
	for _, err := range result.Errors {
		i.t.Errorf("%s %s: the response breaks the document: %v", op.Method, op.Path, err)
	}
	for name := range v.(map[string]any) {
		if registry.SchemaFromRef(s.Ref).Properties[name] == nil {
			i.t.Errorf("%s %s: member %q is not documented", op.Method, op.Path, name)
		}
	}
}

func operation(method, path string) *huma.Operation {
	for pattern, item := range describe().Paths {
		exact := regexp.MustCompile("^" + strings.NewReplacer(`\{id\}`, "[^/]+", `\{dialect\}`, "[^/]+", `\{token\}`, "[^/]+").Replace(regexp.QuoteMeta(pattern)) + "$")
		if !exact.MatchString(path) {
			continue
		}
		switch method {
		case http.MethodGet:
			return item.Get
		case http.MethodPost:
			return item.Post
		}
	}
	return nil
}

// event is one server-sent event.
type event struct{ id, name, data string }

// events reads a stream in the background until it ends. Heartbeats are events named "beat".
func (w *fixture) events(path string, extra ...string) (<-chan event, *http.Response) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, line := range extra {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	ch := make(chan event, 100)
	go func() {
		defer close(ch)
		defer resp.Body.Close()
		var e event
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			switch name, value, _ := strings.Cut(s.Text(), ": "); name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data", "retry":
				e.data = value
			case ":":
				e.name = "beat"
			case "":
				ch <- e
				e = event{}
			}
		}
	}()
	return ch, resp
}

// until returns once cond holds. It checks whenever the bubble is idle.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for range 100 {
		synctest.Wait()
		if cond() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never: " + what)
}

func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// later moves the clock of the bubble.
func later(d time.Duration) { time.Sleep(d) }

package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Turn is one reply of the model: text, tool calls, or both.
type Turn struct {
	// When limits the turn to a request whose conversation or tool results contain this text. Empty matches every
	// request. Use it for sub-agents, whose requests arrive between those of the agent.
	When string
	// Say is the text of the reply.
	Say string
	// Calls are the tool calls of the reply.
	Calls []Call
}

// Call is one tool call of the model.
type Call struct {
	// Tool is the name of the tool, as the host offers it.
	Tool string
	// Input is the JSON input.
	Input string
	// ID is the ID of the call. The server sets call_1, call_2 and so on if it is empty.
	ID string
}

// Server is a scripted model. Create it with [New], or with [Start] in a test.
type Server struct {
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	changed  chan struct{} // closed with the next request
	turns    []Turn
	requests []*Request
	problems []string
}

// TB is the part of testing.TB that Start needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Start is New for a test. It fails the test for every problem and for every unused turn when the test ends.
func Start(tb TB, turns ...Turn) *Server {
	tb.Helper()
	s, err := New(turns...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for _, problem := range s.Close() {
			tb.Errorf("model: %s", problem)
		}
	})
	return s
}

// New starts a server on a free port of the loopback interface.
func New(turns ...Turn) (*Server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model: listen: %w", err)
	}
	s := &Server{listener: ln, changed: make(chan struct{})}
	s.Expect(turns...)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.problem("serve: %v", err)
		}
	}()
	return s, nil
}

// Expect appends turns to the script.
func (s *Server) Expect(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, turn := range turns {
		turn.Calls = slices.Clone(turn.Calls)
		s.turns = append(s.turns, turn)
	}
	number := 0
	for _, turn := range s.turns {
		for n := range turn.Calls {
			number++
			if turn.Calls[n].ID == "" {
				turn.Calls[n].ID = fmt.Sprintf("call_%d", number)
			}
		}
	}
}

// URL is the address of the server, without a path.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Requests returns the requests so far that offered tools.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Result waits for the result of a tool call. If ctx ends first, the error describes what arrived instead.
func (s *Server) Result(ctx context.Context, call string) (Result, error) {
	for {
		s.mu.Lock()
		changed, requests := s.changed, slices.Clone(s.requests)
		s.mu.Unlock()
		for _, r := range requests {
			if found, ok := r.result(call); ok {
				return found, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Result{}, fmt.Errorf("model: no result of %s in %d requests: %w; problems: %q", call, len(requests), context.Cause(ctx), s.Problems())
		}
	}
}

// Reached waits until the host has sent this many requests that offer tools.
func (s *Server) Reached(ctx context.Context, requests int) error {
	for {
		s.mu.Lock()
		changed, now := s.changed, len(s.requests)
		s.mu.Unlock()
		if now >= requests {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("model: %d of %d requests: %w; problems: %q", now, requests, context.Cause(ctx), s.Problems())
		}
	}
}

// Problems returns the problems so far.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Close stops the server and returns every problem, including the turns that no request reached.
func (s *Server) Close() []string {
	_ = s.http.Close() // Hosts may still hold a connection.
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := slices.Clone(s.problems)
	for _, turn := range s.turns {
		problems = append(problems, fmt.Sprintf("the host never reached the turn %+v", turn))
	}
	return problems
}

func (s *Server) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// api is one API: how to read a request and how to write a reply.
type api interface {
	read(body []byte) (*Request, error)
	write(w http.ResponseWriter, r *Request, turn Turn)
}

// apiOf finds the API of a path.
func apiOf(path string) api {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return gemini{stream: strings.HasSuffix(path, ":streamGenerateContent")}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // The host has disconnected.
	}
	spoken := apiOf(r.URL.Path)
	if r.Method != http.MethodPost || spoken == nil {
		s.around(w, r, body)
		return
	}
	request, err := spoken.read(body)
	if err != nil {
		s.refuse(w, "%s: %v: %s", r.URL.Path, err, excerpt(body))
		return
	}
	request.Path, request.Body = r.URL.Path, body
	if len(request.Tools) == 0 {
		spoken.write(w, request, Turn{Say: "ok"})
		return
	}
	turn, err := s.next(request)
	if err != nil {
		s.refuse(w, "%s: %v", r.URL.Path, err)
		return
	}
	spoken.write(w, request, turn)
}

// next records a request and takes the turn that replies to it.
func (s *Server) next(r *Request) (Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
	n := slices.IndexFunc(s.turns, func(turn Turn) bool { return r.holds(turn.When) })
	if n < 0 {
		return Turn{}, fmt.Errorf("unexpected request; its conversation is %q, its results are %+v", excerpt([]byte(r.Text)), r.Results)
	}
	turn := s.turns[n]
	s.turns = slices.Delete(s.turns, n, n+1)
	for _, call := range turn.Calls {
		if !slices.Contains(r.Tools, call.Tool) {
			return Turn{}, fmt.Errorf("the host does not offer %s to the model, only %s", call.Tool, strings.Join(r.Tools, ", "))
		}
		if !json.Valid([]byte(call.Input)) {
			return Turn{}, fmt.Errorf("the script gives %s an input that is not JSON: %s", call.Tool, call.Input)
		}
	}
	return turn, nil
}

// holds reports whether the conversation or a tool result contains a text.
func (r *Request) holds(text string) bool {
	return strings.Contains(r.Text, text) || slices.ContainsFunc(r.Results, func(result Result) bool { return strings.Contains(result.Text, text) })
}

// around serves calls that hosts make in addition to the conversation.
func (s *Server) around(w http.ResponseWriter, r *http.Request, body []byte) {
	switch {
	case r.Method == http.MethodHead || r.Method == http.MethodGet && r.URL.Path == "/":
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, map[string]int{"input_tokens": 1})
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		writeJSON(w, map[string]int{"totalTokens": 1})
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		writeJSON(w, map[string]any{"object": "list", "data": []any{}, "models": []any{}})
	default:
		s.refuse(w, "unexpected call %s %s: %s", r.Method, r.URL, excerpt(body))
	}
}

// refuse records a problem and answers with a status that hosts do not retry.
func (s *Server) refuse(w http.ResponseWriter, format string, args ...any) {
	s.problem(format, args...)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(encode(map[string]any{"type": "error", "error": map[string]any{
		"type": "invalid_request_error", "code": 400, "message": fmt.Sprintf(format, args...),
	}}))
}

// excerpt truncates data for a failure message.
func excerpt(data []byte) string {
	const most = 2000
	if len(data) > most {
		return string(data[:most/2]) + " … " + string(data[len(data)-most/2:])
	}
	return string(data)
}

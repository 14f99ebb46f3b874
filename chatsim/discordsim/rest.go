package discordsim

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Call is one API request that the server received.
type Call struct {
	Route  string // its name, such as "create message"
	Verb   string
	Path   string // after the version; interaction tokens are redacted
	At     time.Time
	Body   map[string]any // as sent; nil if there was none
	Status int            // HTTP status of the response; 0 if there was none
	Code   int            // Discord's error code, 0 for none
}

// call is an API request in progress.
type call struct {
	route  *route
	params map[string]string
	query  url.Values
	body   object
	list   []object // body of a route that takes a list
	files  []upload // uploaded with the body
}

// reply is a successful response.
type reply struct {
	status int
	body   any
}

func ok(body any) (*reply, *apiError) { return &reply{http.StatusOK, body}, nil }

func done() (*reply, *apiError) { return &reply{status: http.StatusNoContent}, nil }

// agentForm matches the required User-Agent.
// https://docs.discord.com/developers/reference#user-agent
var agentForm = regexp.MustCompile(`^DiscordBot \(\S+, \S+\)`)

// splitVersion splits /api/v10/channels/1 into its version and the remaining path.
func splitVersion(path string) (version, rest string) {
	rest = strings.Trim(strings.TrimPrefix(path, "/api"), "/")
	if first, after, _ := strings.Cut(rest, "/"); len(first) > 1 && first[0] == 'v' {
		if _, err := strconv.Atoi(first[1:]); err == nil {
			return first[1:], after
		}
	}
	return "", rest
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	version, path := splitVersion(r.URL.Path)
	c, refused := s.readCall(r, version, path)
	name := r.Method + " " + redacted(path)
	if c.route != nil {
		name = c.route.name
	}
	body, _ := double.Clone(c.body).(object)
	end := s.log(Call{Route: name, Verb: r.Method, Path: redacted(path), At: time.Now(), Body: body})

	fault := s.cues.Take(name, chatsim.Any)
	if fault.Name() != "" {
		s.record(chatsim.Event{Kind: chatsim.Faulted, Where: name, Text: fault.Name()})
	}
	refused = s.applyFault(r, fault, refused, end)
	var answer *reply
	if refused == nil {
		s.hearFirst(r.Context(), c)
		answer, refused = s.answer(w, r, c)
	}
	s.changed.Notify()
	if fault.LosesReply() {
		end(0, codeOf(refused))
		panic(http.ErrAbortHandler)
	}
	if refused == nil {
		end(answer.status, 0)
		writeJSON(w, answer.status, answer.body)
		return
	}
	s.record(chatsim.Event{Kind: chatsim.Refused, Channel: c.params["channel"], Message: c.params["message"], Where: name, Text: refused.Error()})
	s.countInvalid(name, refused)
	if refused.retryAfter > 0 {
		w.Header().Set("Retry-After", wholeSeconds(refused.retryAfter))
		w.Header().Set("X-RateLimit-Scope", refused.scope)
		if refused.scope == "global" {
			w.Header().Set("X-RateLimit-Global", "true")
		}
	}
	end(refused.status, refused.code)
	writeJSON(w, refused.status, refused.body())
}

// redacted removes the token of an interaction from a path.
func redacted(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 2 && (parts[0] == "webhooks" || parts[0] == "interactions") {
		parts[2] = "…"
	}
	return strings.Join(parts, "/")
}

func codeOf(e *apiError) int {
	if e == nil {
		return 0
	}
	return e.code
}

// readCall finds the route of a request and parses its body.
func (s *Server) readCall(r *http.Request, version, path string) (*call, *apiError) {
	c := &call{query: r.URL.Query()}
	name := r.Method + " " + redacted(path)
	if version != "9" && version != "10" {
		s.violate(ruleRoute, name, "API version %q; 9 and 10 are available", version)
		return c, no(50041)
	}
	var elsewhere bool
	c.route, c.params, elsewhere = match(r.Method, path)
	if c.route == nil {
		s.violate(ruleRoute, name, "this double does not implement the route")
		if elsewhere {
			return c, plain(http.StatusMethodNotAllowed)
		}
		return c, plain(http.StatusNotFound)
	}
	if agent := r.UserAgent(); !agentForm.MatchString(agent) {
		s.violate(ruleAgent, c.route.name, "User-Agent is %q", agent)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return c, plain(http.StatusBadRequest)
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		var refused *apiError
		if raw, c.files, refused = s.readParts(c.route.name, raw, params["boundary"]); refused != nil {
			return c, refused
		}
		kind = "application/json"
	}
	if len(raw) == 0 {
		return c, nil
	}
	if kind != "application/json" {
		s.violate(ruleJSON, c.route.name, "the body is %q; application/json and multipart/form-data are read", kind)
		return c, no(50109)
	}
	v, err := decode(raw)
	if err != nil {
		s.violate(ruleJSON, c.route.name, "%v", err)
		return c, no(50109)
	}
	if list, isList := v.([]any); isList && c.route.list {
		c.list = objects(list)
		if len(c.list) != len(list) {
			return c, no(50109)
		}
		return c, nil
	}
	var isObject bool
	if c.body, isObject = v.(object); !isObject {
		s.violate(ruleJSON, c.route.name, "the body is no object")
		return c, no(50109)
	}
	return c, nil
}

// applyFault applies the part of a fault that precedes the call itself.
func (s *Server) applyFault(r *http.Request, fault chatsim.Fault, refused *apiError, end func(int, int)) *apiError {
	if fault.Delay() > 0 {
		s.service.Pause(r.Context(), fault.Delay())
	}
	switch {
	case fault.Hangs():
		end(0, 0)
		s.service.Hang(r)
	case fault.Drops():
		end(0, 0)
		panic(http.ErrAbortHandler)
	case fault.Status() == http.StatusTooManyRequests:
		return rateLimited(fault.RetryAfter(), "user")
	case fault.Status() != 0:
		return plain(fault.Status())
	case fault.Word() != "":
		code, err := strconv.Atoi(fault.Word())
		if err != nil {
			return plain(http.StatusBadRequest)
		}
		return no(code)
	}
	return refused
}

// answer checks authorization and rate limits and executes a call.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c *call) (*reply, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.route.open && (s.revoked || r.Header.Get("Authorization") != "Bot "+s.opts.BotToken) {
		return nil, plain(http.StatusUnauthorized)
	}
	if refused := s.throttle(w, c); refused != nil {
		return nil, refused
	}
	if c.route.unlocked != nil {
		s.mu.Unlock()
		defer s.mu.Lock()
		return c.route.unlocked(s, r.Context(), c)
	}
	return c.route.do(s, c)
}

// Calls returns the received calls of the given routes, or of all routes.
func (s *Server) Calls(routes ...string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if len(routes) == 0 || slices.Contains(routes, c.Route) {
			out = append(out, c)
		}
	}
	return out
}

// log records a call and returns the function that records its result.
func (s *Server) log(c Call) (end func(status, code int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	i := len(s.calls) - 1
	return func(status, code int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[i].Status, s.calls[i].Code = status, code
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // The caller may have disconnected.
}

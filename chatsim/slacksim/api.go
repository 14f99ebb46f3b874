package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Call is one call of the Web API that the server received.
type Call struct {
	Method string
	At     time.Time
	Args   map[string]any // as sent, without the token; JSON members of a form stay text
	Status int            // HTTP status of the response; 0 if there was none
	Error  string         // Slack's error code, "" for ok
}

// call is a Web API call in progress.
type call struct {
	method string
	args   args
	token  *token
}

// args are the arguments of a call: text from a form, or decoded JSON.
type args map[string]any

func (a args) has(name string) bool { return a[name] != nil && a[name] != "" }

func (a args) str(name string) string {
	switch v := a[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

func (a args) flag(name string, otherwise bool) bool {
	on, err := strconv.ParseBool(a.str(name))
	if err != nil {
		return otherwise
	}
	return on
}

// tree parses an argument that is JSON, sent either as JSON or as text in a form.
func (a args) tree(name string) (v any, given bool, err error) {
	v, given = a[name]
	if s, isText := v.(string); isText {
		if s == "" {
			return nil, false, nil
		}
		v, err = decode([]byte(s))
	}
	return v, given && v != nil, err
}

// decode parses JSON and keeps numbers as they were written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("slacksim: decode: %w", err)
	}
	if d.More() {
		return nil, errors.New("slacksim: decode: more than one value")
	}
	return v, nil
}

// asJSON is the content type of a JSON body. Not every method accepts it; see each method's
// page.
const asJSON = "application/json"

// readArgs parses the arguments of a call from every encoding that Slack accepts. Values in the
// body override the query. https://docs.slack.dev/apis/web-api/#post_bodies
func readArgs(r *http.Request) (args, *apiError) {
	out := args{}
	fill := func(values url.Values) {
		for name, list := range values {
			out[name] = list[0]
		}
	}
	fill(r.URL.Query())
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, no("request_timeout")
	}
	switch {
	case len(body) == 0:
	case kind == asJSON:
		v, err := decode(body)
		if err != nil {
			return nil, no("invalid_json")
		}
		o, ok := v.(object)
		if !ok {
			return nil, no("json_not_object")
		}
		maps.Copy(out, o)
		delete(out, "token") // With JSON the token must be in the header.
	case kind == "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, no("invalid_form_data")
		}
		fill(values)
	case kind == "multipart/form-data":
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if err := r.ParseMultipartForm(int64(len(body)) + 1); err != nil {
			return nil, no("invalid_form_data")
		}
		fill(r.MultipartForm.Value)
	case kind == "":
		return nil, no("missing_post_type")
	default:
		return nil, no("invalid_post_type")
	}
	return out, nil
}

func (a *App) serveAPI(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/api/")
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == asJSON && r.ContentLength != 0 && methods()[name].form {
		a.violate(ruleForm, name, "its arguments are JSON, which it does not read")
		r.Body = http.NoBody
	}
	given, refused := readArgs(r)
	secret := given.str("token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		secret = bearer
	}
	delete(given, "token")
	if id, password, basic := r.BasicAuth(); basic && refused == nil { // OAuth client authentication.
		given["client_id"], given["client_secret"] = id, password
	}
	a.mu.Lock()
	s, astray := a.aim(secret, given)
	a.mu.Unlock()
	done := s.log(Call{Method: name, At: time.Now(), Args: maps.Clone(map[string]any(given))})

	fault := s.fault(name, chatsim.Any)
	if !s.applyFault(w, r, fault, done) {
		return
	}
	var reply object
	if refused == nil && fault.Word() != "" {
		refused = no(fault.Word())
	}
	if refused == nil {
		reply, refused = s.answer(name, secret, given, astray)
	}
	if refused != nil {
		s.record(chatsim.Event{Kind: chatsim.Refused, Channel: given.str("channel"), Where: name, Text: refused.word})
		reply = object{"ok": false, "error": refused.word}
		maps.Copy(reply, refused.extra)
	}
	s.notify()
	if fault.LosesReply() {
		done(0, wordOf(refused))
		panic(http.ErrAbortHandler)
	}
	status := http.StatusOK
	if refused != nil {
		status = refused.status
		if refused.retryAfter > 0 {
			w.Header().Set("Retry-After", wholeSeconds(refused.retryAfter))
		}
	}
	done(status, wordOf(refused))
	if scopes, known := s.granted(secret); known {
		w.Header().Set("X-OAuth-Scopes", strings.Join(scopes, ","))
	}
	writeJSON(w, status, reply)
}

// granted returns the scopes of a token, which Slack sends in a header of every response.
// https://docs.slack.dev/authentication/installing-with-oauth
func (a *App) granted(secret string) (scopes []string, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tokens[secret]
	if t == nil {
		return nil, false
	}
	return t.granted(), true
}

// wholeSeconds rounds up because Retry-After is in whole seconds.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}

func wordOf(e *apiError) string {
	if e == nil {
		return ""
	}
	return e.word
}

// applyFault applies the part of a fault that precedes the call itself and reports whether the
// call proceeds.
func (a *App) applyFault(w http.ResponseWriter, r *http.Request, fault chatsim.Fault, done func(int, string)) bool {
	if fault.Delay() > 0 {
		a.service.Pause(r.Context(), fault.Delay())
	}
	switch {
	case fault.Hangs():
		done(0, "")
		a.service.Hang(r)
	case fault.Status() == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", wholeSeconds(fault.RetryAfter()))
		done(fault.Status(), "ratelimited")
		writeJSON(w, fault.Status(), object{"ok": false, "error": "ratelimited"})
		return false
	case fault.Status() != 0:
		done(fault.Status(), "")
		http.Error(w, http.StatusText(fault.Status()), fault.Status())
		return false
	}
	return true
}

// answer authorizes and executes a call. astray is why it acts in no workspace, if it does not.
func (s *Server) answer(name, secret string, given args, astray *apiError) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := methods()[name]
	if !ok {
		s.violate(ruleMethod, name, "this double does not implement the method")
		return nil, no("unknown_method")
	}
	if m.open {
		return s.perform(m, &call{method: name, args: given, token: s.tokens[secret]})
	}
	if secret == "" {
		s.violate(ruleToken, name, "no token in the form body and none in the Authorization header")
		return nil, no("not_authed")
	}
	t := s.tokens[secret]
	switch {
	case t == nil:
		return nil, no("invalid_auth")
	case t.state != "":
		return nil, no(t.state)
	case t.over(s.clock.Now()):
		return nil, no("token_expired")
	case (t.of != nil) == m.appToken:
		return nil, no("not_allowed_token_type")
	}
	if m.scope != "" && !slices.Contains(t.granted(), m.scope) {
		return nil, missingScope(m.scope, strings.Join(t.granted(), ","))
	}
	if m.team && t.of.wide() && given.str("team_id") == "" {
		s.violate(ruleTeam, name, "no team_id")
		return nil, no("missing_argument")
	}
	if astray != nil {
		return nil, astray
	}
	for _, arg := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(m.args, arg) {
			s.warn(noteArgument, name, "unknown argument %q", arg)
		}
	}
	return s.perform(m, &call{method: name, args: given, token: t})
}

// perform executes an authorized call.
func (s *Server) perform(m method, c *call) (object, *apiError) {
	reply, refused := m.do(s, c)
	if refused != nil {
		return nil, refused
	}
	reply["ok"] = true
	return reply, nil
}

// Calls returns the received calls that acted in the workspace, of the given methods or of all.
func (s *Server) Calls(methods ...string) []Call { return s.received(s, methods) }

// Calls returns the received calls of the given methods, or of all methods, whatever they acted
// in.
func (a *App) Calls(methods ...string) []Call { return a.received(nil, methods) }

func (a *App) received(in *Server, methods []string) []Call {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Call
	for _, c := range a.calls {
		if (in == nil || c.in == in) && (len(methods) == 0 || slices.Contains(methods, c.Method)) {
			out = append(out, c.Call)
		}
	}
	return out
}

// log records a call and returns the function that records its result.
func (s *Server) log(c Call) (done func(status int, word string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, placedCall{c, s})
	i := len(s.calls) - 1
	return func(status int, word string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[i].Status, s.calls[i].Error = status, word
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // The caller may have disconnected.
}

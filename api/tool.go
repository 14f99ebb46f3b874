package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

// toolCall is a tool input in progress.
type toolCall struct {
	dialect dialect.Dialect
	input   []byte
	opts    dialect.Options
	// advice is [client.HeaderAdvice]; empty for none.
	advice string
}

// askTool accepts a host's tool input and responds with its tool result: POST
// /v1/ask/{dialect}.
func askTool(x *exchange) error {
	wait, err := x.waitTime()
	if err != nil {
		return err
	}
	t, err := readToolCall(x)
	if err != nil {
		return err
	}
	made, err := takeTool(x, t, wait > 0)
	if refused, ok := errors.AsType[*refusal](err); ok {
		x.w.Header().Set(client.HeaderProblems, problemsHeader(refused.why))
		replyTool(x, http.StatusOK, "", client.StateRefused, refused.result)
		return nil
	}
	if err != nil {
		return err
	}
	return finishTool(x, t, made.record, wait)
}

// refusal is a rejected tool input.
type refusal struct {
	result dialect.Result
	why    error
}

func (*refusal) Error() string { return "the tool input was refused" }

const (
	// maxRemarks limits a header with remarks, in bytes: many clients and proxies accept 8 kB
	// for all headers together.
	maxRemarks = 4 << 10
	// manyRemarks limits the number of remarks in a header.
	manyRemarks = 50
	// maxPath and maxDetail limit one remark, in characters of up to twelve bytes, so that one
	// always fits.
	maxPath, maxDetail = 100, 230
)

// problemsHeader is [client.HeaderProblems].
func problemsHeader(err error) string {
	if invalid, ok := errors.AsType[*ask.InvalidError](err); ok {
		return remarksHeader(invalid.Problems)
	}
	return remarksHeader([]ask.Problem{{Detail: err.Error()}})
}

// remarksHeader encodes remarks as a header value: a JSON list in printable ASCII on one line.
// If not all fit, the last entry counts the rest.
func remarksHeader(problems []ask.Problem) string {
	all := remarks(problems[:min(len(problems), manyRemarks)])
	for n := range all {
		all[n].Path, all[n].Detail = brief(all[n].Path, maxPath), brief(all[n].Detail, maxDetail)
	}
	for ; ; all = all[:len(all)-1] {
		shown := all
		if left := len(problems) - len(all); left > 0 {
			shown = append(slices.Clip(all), client.Remark{Detail: fmt.Sprintf("and %d more", left)})
		}
		if text := asciiJSON(shown); len(text) <= maxRemarks || len(all) <= 1 {
			return text
		}
	}
}

// brief truncates text to that many characters.
func brief(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// asciiJSON encodes JSON for a header.
func asciiJSON(v any) string {
	data, err := encode(v)
	if err != nil {
		return "[]"
	}
	var text strings.Builder
	for _, r := range strings.TrimSpace(string(data)) {
		if r < utf8.RuneSelf && r >= ' ' && r != 0x7f {
			text.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&text, `\u%04x`, unit)
		}
	}
	return text.String()
}

// readToolCall parses dialect and body. While the call waits only its input is kept, since the
// result echoes its bytes.
func readToolCall(x *exchange) (*toolCall, error) {
	d, err := dialectOf(x.r.PathValue("dialect"))
	if err != nil {
		return nil, err
	}
	data, err := x.raw(dialect.MaxInput) // The dialect decodes it, and reports differences from the host's format.
	if err != nil {
		return nil, err
	}
	t := &toolCall{dialect: d, input: slices.Clip(slices.Clone(data)), opts: dialect.Options{Persist: dialect.Persist(x.who.Persist), Grants: x.who.Grants}}
	if err := t.opts.Vary(x.r.URL.Query()["variant"]...); err != nil {
		return nil, err
	}
	return t, t.opts.Vary(x.who.Variants...)
}

// toolSchema responds with the tool that a host's model calls: GET /v1/ask/{dialect}/schema.
func toolSchema(x *exchange) error {
	d, err := dialectOf(x.r.PathValue("dialect"))
	if err != nil {
		return err
	}
	schema, ok := d.ToolSchema()
	if !ok {
		return problem(http.StatusNotFound, "%s is a protocol between programs and has no tool for a model", d.Name)
	}
	return x.reply(http.StatusOK, schema)
}

func dialectOf(name string) (dialect.Dialect, error) {
	d, ok := dialect.Get(name)
	if !ok {
		return d, problem(http.StatusNotFound, "there is no dialect %q; there are %s", name, strings.Join(dialectNames(), ", "))
	}
	return d, nil
}

func dialectNames() []string {
	var names []string
	for _, d := range dialect.All() {
		names = append(names, d.Name)
	}
	return names
}

// takeTool decodes the input and submits it.
func takeTool(x *exchange, t *toolCall, waits bool) (*accepted, error) {
	options, sub, err := queryInput(x)
	if err != nil {
		return nil, err
	}
	policy := x.who.Subagents
	t.opts.SubAgent = sub != nil && policy != access.PassSubagents
	got, err := t.dialect.Decode(t.input, &t.opts)
	if err == nil && sub != nil && policy == access.RefuseSubagents {
		err = dialect.ErrSubAgent // The host has no result format for it.
	}
	if err != nil {
		return nil, &refusal{t.dialect.Refuse(t.input, err), err}
	}
	if all := got.Remarks(); len(all) > 0 {
		t.advice = remarksHeader(all)
	}
	if got.Line != "" {
		x.s.log.Debug("tool call", "call_id", x.id(), "dialect", t.dialect.Name, "line", got.Line)
	}
	if got.Permission && options.Responders == nil {
		return nil, parameter("responders", "name who may allow it, as in responders=slack:U0000001, or responders=anyone")
	}
	req := got.Request
	completeRequest(x, &req, options)
	if sub != nil {
		sub.mark(&req)
	}
	acc := &accepted{}
	err = submitted(x, req, acc, waits)
	var invalid *ask.InvalidError
	if errors.As(err, &invalid) && aboutQuestions(invalid) {
		return nil, &refusal{t.dialect.Refuse(t.input, err), err}
	}
	return acc, err
}

// aboutQuestions reports whether the model can correct the errors: the others concern the
// integration.
func aboutQuestions(e *ask.InvalidError) bool {
	return !slices.ContainsFunc(e.Problems, func(p ask.Problem) bool { return !strings.HasPrefix(p.Path, "questions") })
}

// completeRequest adds the query parameters, which take precedence, and the token's settings.
func completeRequest(x *exchange, req *ask.Request, options ask.Request) {
	req.To, req.Route, req.Responders, req.Webhook = options.To, options.Route, options.Responders, options.Webhook
	req.Language, req.Source, req.Origin = options.Language, options.Source, options.Origin
	req.AskBack, req.Deaf, req.Receipts = options.AskBack, true, options.Receipts
	req.Voting, req.Notify, req.Replies, req.Hold, req.Schedule = options.Voting, options.Notify, options.Replies, options.Hold, options.Schedule
	for _, m := range []struct{ to, from *string }{
		{&req.ToolCallID, &options.ToolCallID}, {&req.Session, &options.Session}, {&req.Agent, &options.Agent}, {&req.Context, &options.Context},
	} {
		if *m.from != "" {
			*m.to = *m.from
		}
	}
	if options.Risk != "" { // A dialect may have set it.
		req.Risk = options.Risk
	}
	if options.ExpiresIn != 0 {
		req.ExpiresIn = options.ExpiresIn
	}
	// Call ids may restart in every session, so an id alone identifies no call.
	if named := req.ToolCallID != "" && req.Session != ""; !named || x.r.Header.Get(client.HeaderKey) != client.KeyFallback {
		req.Key = x.r.Header.Get("Idempotency-Key")
	}
	if x.who.Name != "" {
		req.Agent = x.who.Name
	}
	switch {
	case options.Same == sameOff:
	case options.Same != "":
		req.Same, req.Within = options.Same, options.Within
	case req.Key == "" && req.ToolCallID == "" && req.Session != "":
		req.Same = ask.SameSession
	}
}

// sameOff disables deduplication of a tool call.
const sameOff ask.Same = "off"

// subagent is the sub-agent that made the tool call; its name may be unknown.
type subagent struct{ name string }

// mark shows the sub-agent on the card, and separates its call ids from those of other
// sub-agents.
func (s *subagent) mark(req *ask.Request) {
	line := "Asked by a sub-agent"
	if s.name != "" {
		line = "Asked by sub-agent " + s.name
		req.Session = strings.TrimPrefix(req.Session+"/"+s.name, "/")
	}
	if req.Agent != "" {
		line += " of " + req.Agent
	}
	req.Context = strings.TrimSuffix(line+".\n"+req.Context, "\n")
}

// queryInput parses the query, which holds what a host's tool input cannot. The rules are
// those for the body of a plain submission.
func queryInput(x *exchange) (ask.Request, *subagent, error) {
	query := x.r.URL.Query()
	var sub *subagent
	switch name := query.Get("subagent"); name {
	case "", "false", "0":
	case "true", "1":
		sub = &subagent{}
	default:
		sub = &subagent{name: name}
	}
	body := map[string]any{}
	for name, all := range query {
		switch name {
		case "wait", "variant", "subagent", "to": // They are parsed elsewhere.
		case "responders", "notify":
			body[name] = all
		default: // checkQuery has rejected unknown ones.
			if all[0] != "" {
				body[name] = all[0]
			}
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return ask.Request{}, nil, err
	}
	req, _, err := ask.DecodeRequest(data)
	if err != nil {
		return req, nil, err
	}
	for n, s := range query["to"] {
		t, err := ask.ParsePlace(s)
		if err != nil {
			return req, nil, parameter("to["+strconv.Itoa(n)+"]", "%s", err.Error())
		}
		req.To = append(req.To, t)
	}
	return req, sub, nil
}

// finishTool responds with the result when there is one, or after the wait with the current
// state.
func finishTool(x *exchange, t *toolCall, r *bridge.Record, wait time.Duration) error {
	query := url.Values{}
	for _, name := range []string{"wait", "variant"} {
		if asked := x.r.URL.Query()[name]; asked != nil {
			query[name] = asked
		}
	}
	return x.whenEnded(r, wait, func(r *bridge.Record, err error) error {
		if err != nil {
			return err
		}
		status := http.StatusOK
		if r.Open() {
			status = http.StatusAccepted
			again := url.URL{Path: "/v1/requests/" + r.ID + "/as/" + t.dialect.Name}
			again.RawQuery = query.Encode()
			x.w.Header().Set("Location", again.String())
		}
		if t.advice != "" {
			x.w.Header().Set(client.HeaderAdvice, t.advice)
		}
		t.opts.RequestID = r.ID
		replyTool(x, status, r.ID, r.Outcome.State, t.dialect.Encode(t.input, t.outcome(r), &t.opts))
		if x.written {
			x.who.Handed(r)
		}
		return nil
	})
}

// replyTool sends a result with the headers that describe it.
func replyTool(x *exchange, status int, id string, state ask.State, r dialect.Result) {
	h := x.w.Header()
	if id != "" {
		h.Set(client.HeaderRequestID, id)
	}
	h.Set(client.HeaderState, string(state))
	h.Set(client.HeaderIsError, strconv.FormatBool(r.IsError))
	if r.StopTurn {
		h.Set(client.HeaderStopTurn, "true")
	}
	if r.Send != "" {
		h.Set(client.HeaderSend, r.Send)
	}
	for _, w := range r.Warnings {
		// It may contain questions and answers.
		x.s.log.Debug("tool result is lossy", "call_id", x.id(), "request_id", id, "warning", w)
	}
	if x.gone() {
		x.status = statusGone
		return
	}
	x.send(status, r.ContentType, r.Body)
}

package connect

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"
	"os"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// The messages of the Agent Client Protocol that matter to questions.
// https://agentclientprotocol.com/protocol/v1/schema
const (
	acpElicits  = "elicitation/create"
	acpPermits  = "session/request_permission"
	acpUpdates  = "session/update"
	acpWithdraw = "$/cancel_request"
	acpCancels  = "session/cancel"
	acpPrompts  = "session/prompt"
)

// Error codes of the protocol.
// https://agentclientprotocol.com/protocol/v1/schema#errorcode
const (
	acpUnknownMethod = `{"code":-32601,"message":"Method not found: ` + acpElicits + `"}`
	acpCancelled     = `{"code":-32800,"message":"Request cancelled"}`
)

// ACPOptions are the settings of [NewACPPipe].
type ACPOptions struct {
	PipeOptions
	// QuestionsOnly leaves permission requests to the editor. Otherwise the bridge has to prove that it knows the token, and
	// Responders or Anyone has to name who may decide.
	QuestionsOnly bool
	// Anyone lets everyone who sees a card decide about permissions.
	Anyone bool
}

// NewACPPipe returns a Pipe between an agent of the Agent Client Protocol and the editor that starts it. The bridge client
// should have [client.Options.Away], such as [DefaultAway].
//
// It handles elicitation/create in form mode and session/request_permission, including the questions that Qwen Code sends as
// one, and asks in chat. Every other message passes byte for byte, with one exception: an agent asks only clients that
// support forms, so initialize declares that this one does. If chat has no answer and the editor does not support forms, the
// agent gets the error that the editor would have returned.
//
// A permission request names only what changed since the last update of its tool call, and no folder. The pipe adds both
// from the messages that it has seen, so that the card shows the whole call.
//
// The error is [ErrWhoever] or [ErrUnsure].
func NewACPPipe(bridge *client.Client, opts *ACPOptions) (*Pipe, error) {
	if opts == nil {
		opts = &ACPOptions{}
	}
	switch {
	case opts.QuestionsOnly:
	case len(opts.Responders) == 0 && !opts.Anyone:
		return nil, ErrWhoever
	case !bridge.Proves():
		return nil, ErrUnsure
	}
	home, _ := os.UserHomeDir() // Without one the card shows the whole path.
	return newPipe(bridge, &acpTalk{
		run: rand.Text(), home: home, permissions: !opts.QuestionsOnly, anyone: opts.Anyone,
		requests: map[string]acpRequest{}, sessions: map[string]*acpSession{},
	}, &opts.PipeOptions), nil
}

type acpTalk struct {
	// run names this process, because agents number their requests from zero.
	run, home           string
	permissions, anyone bool
	// formless is set if the editor does not support forms.
	formless bool
	// requests are the pending requests of the editor by ID.
	requests map[string]acpRequest
	sessions map[string]*acpSession
}

// acpRequest is a request of the editor: a prompt, or one that opens a session.
type acpRequest struct {
	session, folder string
	prompt          bool
}

// acpSession is the state of a session.
type acpSession struct {
	folder string
	// calls are the last reported states of the turn's tool calls by ID.
	calls map[string]map[string]json.RawMessage
	// left are the tool calls whose question was left to the editor.
	left map[string]bool
}

func (t *acpTalk) session(id string) *acpSession {
	s := t.sessions[id]
	if s == nil {
		s = &acpSession{calls: map[string]map[string]json.RawMessage{}, left: map[string]bool{}}
		t.sessions[id] = s
	}
	return s
}

func (t *acpTalk) name() string              { return "the editor" }
func (t *acpTalk) mute(q *heldQuestion) bool { return q.form && t.formless }

func (t *acpTalk) fromHost(m *message) heard {
	if m.Method == "" {
		return t.response(m)
	}
	var p struct {
		Session string                     `json:"sessionId"`
		Update  map[string]json.RawMessage `json:"update"`
		Request json.RawMessage            `json:"requestId"`
	}
	if strictjson.Decode(m.Params, &p) != nil {
		return heard{}
	}
	switch m.Method {
	case acpUpdates:
		return t.update(p.Session, p.Update)
	case acpWithdraw:
		id := string(bytes.TrimSpace(p.Request))
		return heard{
			private: true, ended: func(of string, _ *heldQuestion) string {
				return ifSo(of == id, "the agent does not wait for it any more")
			},
			reply: func(q *heldQuestion) []byte { return reply(q.id, "2.0", "error", []byte(acpCancelled)) },
		}
	case acpElicits, acpPermits:
		if q := t.question(m); q != nil {
			return heard{asks: q}
		}
	}
	return heard{}
}

func ifSo(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// response ends a turn with its questions, or names the session that was opened.
func (t *acpTalk) response(m *message) heard {
	r, ours := t.requests[m.key()]
	if !ours {
		return heard{}
	}
	delete(t.requests, m.key())
	if r.prompt {
		s := t.session(r.session)
		clear(s.calls)
		clear(s.left)
		return heard{ended: func(_ string, q *heldQuestion) string {
			return ifSo(q.call.Session == r.session, "the agent's turn has ended")
		}}
	}
	var opened struct {
		Session string `json:"sessionId"`
	}
	if strictjson.Decode(m.Result, &opened) == nil && opened.Session != "" {
		r.session = opened.Session
	}
	if r.session != "" && r.folder != "" {
		t.session(r.session).folder = r.folder
	}
	return heard{}
}

// update stores an update of a tool call, and closes the questions of one that has ended.
func (t *acpTalk) update(session string, update map[string]json.RawMessage) heard {
	if kind := plain(update["sessionUpdate"]); kind != "tool_call" && kind != "tool_call_update" {
		return heard{}
	}
	id := plain(update["toolCallId"])
	calls := t.session(session).calls
	if calls[id] == nil {
		calls[id] = map[string]json.RawMessage{}
	}
	maps.Copy(calls[id], update)
	delete(calls[id], "sessionUpdate")
	if status := plain(update["status"]); status != "completed" && status != "failed" {
		return heard{}
	}
	delete(calls, id)
	return heard{ended: func(_ string, q *heldQuestion) string {
		return ifSo(q.call.Session == session && q.call.ToolCallID == id, "the agent does not wait for it any more")
	}}
}

// question returns the question to ask in chat, or nil if the editor gets it.
func (t *acpTalk) question(m *message) *heldQuestion {
	var params, call map[string]json.RawMessage
	if ask.CheckMembers(m.Params) != nil || strictjson.Decode(m.Params, &params) != nil || m.key() == "" {
		return nil
	}
	q := &heldQuestion{form: m.Method == acpElicits}
	var id string
	if q.form {
		if mode := plain(params["mode"]); mode != "form" && mode != "" {
			return nil
		}
		id = plain(params["toolCallId"])
	} else {
		if strictjson.Decode(params["toolCall"], &call) != nil {
			return nil
		}
		id = plain(call["toolCallId"])
		var meta map[string]json.RawMessage
		_ = strictjson.Decode(call["_meta"], &meta) // Without the member it is a permission.
		if q.permission = meta["qwenQuestions"] == nil; q.permission && !t.permissions {
			return nil
		}
		q.anyone = q.permission && t.anyone
	}
	session := plain(params["sessionId"])
	s := t.session(session)
	if s.left[id] {
		return nil
	}
	q.folder = s.folder
	if q.permission {
		whole := maps.Clone(s.calls[id])
		if whole == nil {
			whole = map[string]json.RawMessage{}
		}
		maps.Copy(whole, call)
		params["toolCall"] = encoded(whole)
		if params["cwd"] == nil && s.folder != "" {
			params["cwd"] = encoded(s.folder)
			if t.home != "" {
				params["home"] = encoded(t.home)
			}
		}
	}
	q.call = client.ToolCall{Dialect: "acp", Input: encoded(params), Request: ask.Request{Session: session, ToolCallID: id, Key: "acp/" + t.run + "/" + m.key()}}
	return q
}

// fromFront handles requests of the editor. Cancelling a turn closes its questions.
func (t *acpTalk) fromFront(m *message, line []byte) ([]byte, heard) {
	var p struct {
		Session string `json:"sessionId"`
		Folder  string `json:"cwd"`
	}
	if strictjson.Decode(m.Params, &p) != nil {
		return line, heard{}
	}
	switch m.Method {
	case "initialize":
		return t.ableToAsk(line, m.Params), heard{}
	case acpPrompts:
		t.requests[m.key()] = acpRequest{session: p.Session, prompt: true}
	case acpCancels:
		return line, heard{
			ended: func(_ string, q *heldQuestion) string {
				return ifSo(q.call.Session == p.Session, "the agent's turn was cancelled")
			},
			reply: func(q *heldQuestion) []byte {
				if q.form {
					return reply(q.id, "2.0", "result", []byte(`{"action":"cancel"}`))
				}
				return reply(q.id, "2.0", "result", []byte(`{"outcome":{"outcome":"cancelled"}}`))
			},
		}
	default:
		if p.Folder != "" && m.key() != "" { // session/new, load, resume and fork.
			t.requests[m.key()] = acpRequest{session: p.Session, folder: p.Folder}
		}
	}
	return line, heard{}
}

// ableToAsk adds the client capability for forms if it is missing.
func (t *acpTalk) ableToAsk(line []byte, params json.RawMessage) []byte {
	var p struct {
		Capabilities struct {
			Elicitation struct {
				Form json.RawMessage `json:"form"`
			} `json:"elicitation"`
		} `json:"clientCapabilities"`
	}
	if strictjson.Decode(params, &p) != nil {
		return line
	}
	if form := p.Capabilities.Elicitation.Form; len(form) > 0 && string(form) != "null" {
		return line
	}
	out, ok := placed(line, json.RawMessage(`{}`), "params", "clientCapabilities", "elicitation", "form")
	if !ok {
		return line
	}
	t.formless = true
	return append(out, '\n')
}

// placed returns an object with a value at a path of members, and adds missing ones.
func placed(object, value json.RawMessage, path ...string) (json.RawMessage, bool) {
	if len(path) == 0 {
		return value, true
	}
	f := map[string]json.RawMessage{}
	if len(object) > 0 && strictjson.Decode(object, &f) != nil {
		return nil, false
	}
	if f == nil { // It was null.
		f = map[string]json.RawMessage{}
	}
	inner, ok := placed(f[path[0]], value, path[1:]...)
	if !ok {
		return nil, false
	}
	f[path[0]] = inner
	return encoded(f), true
}

func (t *acpTalk) result(q *heldQuestion, r *client.ToolResult) []byte {
	return reply(q.id, "2.0", "result", r.Body)
}

func (t *acpTalk) answered(*heldQuestion, []byte) string { return elsewhere(t.name()).Error() }

// dismissal is the editor's own error. Kimi Code asks again then, with a permission request, which goes to the editor.
func (t *acpTalk) dismissal(q *heldQuestion) []byte {
	if id := q.call.ToolCallID; id != "" {
		t.session(q.call.Session).left[id] = true
	}
	return reply(q.id, "2.0", "error", []byte(acpUnknownMethod))
}

// withdrawal returns the message for the editor after an answer in chat. Editors may ignore it.
// https://agentclientprotocol.com/protocol/v1/cancellation
func (t *acpTalk) withdrawal(q *heldQuestion) []byte {
	return append(append([]byte(`{"jsonrpc":"2.0","method":"`+acpWithdraw+`","params":{"requestId":`), bytes.TrimSpace(q.id)...), "}}\n"...)
}

// plain returns a JSON string, or "" for another value.
func plain(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return ""
	}
	return text
}

// encoded returns the JSON of a value that can be encoded.
func encoded(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic("connect: JSON that was read before always encodes: " + err.Error())
	}
	return data
}

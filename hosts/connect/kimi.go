package connect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// NewKimiPipe returns a Pipe for Kimi CLI's wire mode, kimi --wire. The bridge
// client should have [client.Options.Away], such as [DefaultAway].
//
// Kimi asks only clients that say they can take questions. This one can, so that
// is said for a front client that does not; nothing else is changed. Where chat
// gives no answer then, Kimi is told what it documents for such a client, an
// empty map, which its model reads as dismissed.
//
// A sub-agent's question looks like any other. It is known by its tool call,
// which the front client is told of before. The plan of plan mode stands above
// the question whether to approve it.
//
// Read at https://github.com/MoonshotAI/kimi-cli/tree/4a550ef in
// docs/en/customization/wire-mode.md (protocol 1.10) and src/kimi_cli/wire.
func NewKimiPipe(bridge *client.Client, opts *PipeOptions) *Pipe {
	return newPipe(bridge, &kimiTalk{turns: map[string]bool{}, replays: map[string]bool{}, subagents: map[string]string{}}, opts)
}

// maxPlan is how many characters of a plan stand above the question.
const maxPlan = 4000

type kimiTalk struct {
	// turns and replays are requests of the front client that are under way.
	turns, replays map[string]bool
	// subagents are those that have called a tool, by the id of the call.
	subagents map[string]string
	// plan is the one that was shown last.
	plan string
	// deaf says that the front client takes no questions.
	deaf bool
}

// wireMessage is what events and requests hold.
type wireMessage struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

func (k *kimiTalk) name() string { return "Kimi" }
func (k *kimiTalk) mute() bool   { return k.deaf }

func (k *kimiTalk) fromHost(m *message) heard {
	switch m.Method {
	case "":
		return k.response(m.key())
	case "event":
		var e wireMessage
		if strictjson.Decode(m.Params, &e) == nil {
			return k.event(e, "")
		}
	case "request":
		var r wireMessage
		// What a replay holds has been answered.
		if strictjson.Decode(m.Params, &r) == nil && r.Type == "QuestionRequest" && m.key() != "" && len(k.replays) == 0 {
			return heard{asks: &heldQuestion{call: k.toolCall(r.Payload)}}
		}
	}
	return heard{}
}

// response ends a turn, and with it every question, or a replay.
func (k *kimiTalk) response(id string) heard {
	delete(k.replays, id)
	if !k.turns[id] {
		return heard{}
	}
	delete(k.turns, id)
	clear(k.subagents)
	k.plan = ""
	return heard{ended: func(string, *heldQuestion) string { return "the agent's turn has ended" }}
}

// event learns from what the front client is told.
func (k *kimiTalk) event(e wireMessage, subagent string) heard {
	switch e.Type {
	case "SubagentEvent":
		var sub struct {
			Agent string      `json:"agent_id"`
			Kind  string      `json:"subagent_type"`
			Event wireMessage `json:"event"`
		}
		if strictjson.Decode(e.Payload, &sub) == nil && subagent == "" {
			name := strings.TrimSpace(sub.Kind + " " + sub.Agent)
			if name == "" {
				name = "true"
			}
			return k.event(sub.Event, name)
		}
	case "ToolCall":
		var call struct {
			ID string `json:"id"`
		}
		if subagent != "" && strictjson.Decode(e.Payload, &call) == nil {
			k.subagents[call.ID] = subagent
		}
	case "PlanDisplay":
		var plan struct {
			Content string `json:"content"`
		}
		if strictjson.Decode(e.Payload, &plan) == nil {
			k.plan = plan.Content
		}
	case "ToolResult":
		var result struct {
			ToolCall string `json:"tool_call_id"`
		}
		if strictjson.Decode(e.Payload, &result) == nil && result.ToolCall != "" {
			return heard{ended: func(_ string, q *heldQuestion) string {
				if q.call.ToolCallID != result.ToolCall {
					return ""
				}
				return "the agent does not wait for it any more"
			}}
		}
	}
	return heard{}
}

func (k *kimiTalk) toolCall(payload json.RawMessage) client.ToolCall {
	var q struct {
		ID       string `json:"id"`
		ToolCall string `json:"tool_call_id"`
	}
	_ = strictjson.Decode(payload, &q) // What is wrong with it the bridge says.
	c := client.ToolCall{Dialect: "kimi", Input: payload, Subagent: k.subagents[q.ToolCall], Request: ask.Request{ToolCallID: q.ToolCall}}
	if q.ID != "" {
		c.Key = "kimi/" + q.ID
	}
	if k.plan != "" && c.Subagent == "" {
		if r := []rune(k.plan); len(r) > maxPlan {
			k.plan = string(r[:maxPlan]) + "…"
		}
		c.Context, k.plan = k.plan, ""
	}
	return c
}

func (k *kimiTalk) fromFront(m *message, line []byte) []byte {
	switch m.Method {
	case "prompt":
		k.turns[m.key()] = true
	case "replay":
		k.replays[m.key()] = true
	case "initialize":
		return k.ableToAsk(line)
	}
	return line
}

// ableToAsk adds that the client can take questions, if it does not say so
// itself.
func (k *kimiTalk) ableToAsk(line []byte) []byte {
	var whole, params, abilities map[string]json.RawMessage
	if strictjson.Decode(line, &whole) != nil || strictjson.Decode(whole["params"], &params) != nil {
		return line
	}
	if c := params["capabilities"]; len(c) > 0 && strictjson.Decode(c, &abilities) != nil {
		return line
	}
	if k.deaf = string(abilities["supports_question"]) != "true"; !k.deaf {
		return line
	}
	if abilities == nil {
		abilities = map[string]json.RawMessage{}
	}
	abilities["supports_question"] = json.RawMessage("true")
	var err error
	for _, step := range []struct {
		in    map[string]json.RawMessage
		name  string
		value map[string]json.RawMessage
	}{{params, "capabilities", abilities}, {whole, "params", params}} {
		if step.in[step.name], err = json.Marshal(step.value); err != nil {
			return line
		}
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return line
	}
	return append(out, '\n')
}

func (k *kimiTalk) result(q *heldQuestion, r *client.ToolResult) []byte {
	return reply(q.id, "2.0", "result", r.Body)
}

func (k *kimiTalk) dismissal(q *heldQuestion) []byte {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	_ = strictjson.Decode(q.call.Input, &p) // Without an id it is null.
	if len(bytes.TrimSpace(p.ID)) == 0 {
		p.ID = q.id
	}
	return reply(q.id, "2.0", "result", []byte(`{"request_id":`+string(p.ID)+`,"answers":{}}`))
}

package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// A2A: a task in the state input-required carries a message; the answer is a
// new message on the same task. Version 1 spells the state
// TASK_STATE_INPUT_REQUIRED and its parts without a kind, version 0.3 spells
// it input-required; the answer is spelled like the task. A set without an
// answer sends no message, since a message would look like the person's.
// https://a2a-protocol.org/latest/specification/
const a2aSource = "https://a2a-protocol.org/latest/specification/"

func a2a() Dialect {
	return Dialect{
		Name: "a2a", Family: "a2a", Host: "A2A, input required", Tool: "task message", Source: a2aSource,
		Limits:   Limits{MaxQuestions: 4},
		Evidence: Unverified,
		Note:     "The protocol has no question form: a data part with a question set is read as one, other messages as one question for text.",
		read:     readA2A,
		write: func(c *call, picks []pick) Result {
			sum := sha256.Sum256(c.input)
			// The same task and question give the same id, so that sending the
			// answer twice is harmless.
			members := []member{at("messageId", str("askbridge-"+hex.EncodeToString(sum[:8])))}
			part := []member{at("text", str(c.userText(picks)))}
			if c.form == "0.3" {
				members = append(members, at("kind", `"message"`), at("role", `"user"`))
				part = append([]member{at("kind", `"text"`)}, part...)
			} else {
				members = append(members, at("role", `"ROLE_USER"`))
			}
			if !c.id.empty() {
				members = append(members, at("taskId", c.id.json))
			}
			if c.request.Session != "" {
				members = append(members, at("contextId", str(c.request.Session)))
			}
			members = append(members, at("parts", array([]js{object(part...)})))
			return asJSON(object(at("message", object(members...))))
		},
		end: fail,
	}
}

func readA2A(c *call, data json.RawMessage) {
	c.input = data
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return
	}
	// A reply to message/send, and an event of a stream, hold the task.
	if task := f["task"]; !missing(task) {
		if f, ok = c.fields("task", task); !ok {
			c.unread = true
			return
		}
	}
	message := f
	if status, wrapped := f["status"]; wrapped {
		s, ok := c.fields("status", status)
		if !ok {
			c.unread = true
			return
		}
		switch state := c.text("status.state", s["state"]); state {
		case "TASK_STATE_INPUT_REQUIRED":
		case "input-required":
			c.form = "0.3"
		default:
			c.badAt("status.state", ask.ErrSyntax, "is %q; the task does not ask for input", brief(state))
		}
		if message, ok = c.fields("status.message", s["message"]); !ok {
			c.unread = true
			return
		}
	} else if c.text("kind", f["kind"]) == "message" {
		c.form = "0.3"
	}
	for _, place := range []fields{f, message} {
		if c.id.empty() {
			c.id = c.token("taskId", place["taskId"])
		}
		if c.request.Session == "" {
			c.request.Session = c.text("contextId", place["contextId"])
		}
	}
	if c.id.empty() {
		c.id = c.token("id", f["id"])
	}
	c.request.ToolCallID = c.text("messageId", message["messageId"])
	c.a2aParts(message["parts"])
}

func (c *call) a2aParts(data json.RawMessage) {
	parts, ok := c.list("parts", data, "a list of parts")
	if !ok {
		c.unread = true
		return
	}
	var texts []string
	var set json.RawMessage
	for i, raw := range parts {
		p, ok := c.fields("parts"+indexed(i), raw)
		if !ok {
			continue
		}
		if text := c.text("parts"+indexed(i)+".text", p["text"]); text != "" {
			texts = append(texts, text)
		}
		var inner fields
		if json.Unmarshal(p["data"], &inner) == nil && inner["questions"] != nil {
			set = p["data"]
		}
	}
	said := strings.Join(texts, "\n")
	if set != nil {
		c.request.Context = said
	}
	c.inline("parts", set, quote(said))
}

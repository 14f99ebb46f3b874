package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// A2A: a task in the state input-required carries a message, and the answer is a new message on the same task. Version 1 spells
// the state TASK_STATE_INPUT_REQUIRED and its parts have no kind, version 0.3 spells it input-required. The answer uses the
// spelling of the task. A set without an answer sends no message, because a message would look like the person's.
// https://a2a-protocol.org/latest/specification/
const a2aSource = "https://a2a-protocol.org/latest/specification/"

func a2a() Dialect {
	return Dialect{
		Name: "a2a", Family: "a2a", Host: "A2A, input required", Tool: "task message", Source: a2aSource,
		Limits:   Limits{MaxQuestions: 4},
		Evidence: Unverified,
		Note:     "The protocol has no question form: a data part with a question set is read as one, other messages as one question for text.",
		studied:  "specification 1.x at 16ba526, and 0.3 for its spelling, 2026",
		headless: noScreen,
		read:     readA2A,
		write: func(c *call, picks []answer.Pick) Result {
			sum := sha256.Sum256(c.input)
			// The ID depends only on the input, so sending the answer twice is harmless.
			members := []js.Member{js.At("messageId", js.String("askbridge-"+hex.EncodeToString(sum[:8])))}
			part := []js.Member{js.At("text", js.String(answer.Text(&c.Set, picks)))}
			if c.form == "0.3" {
				members = append(members, js.At("kind", `"message"`), js.At("role", `"user"`))
				part = append([]js.Member{js.At("kind", `"text"`)}, part...)
			} else {
				members = append(members, js.At("role", `"ROLE_USER"`))
			}
			if !c.id.Empty() {
				members = append(members, js.At("taskId", c.id.JSON))
			}
			if c.Request.Session != "" {
				members = append(members, js.At("contextId", js.String(c.Request.Session)))
			}
			members = append(members, js.At("parts", js.Array([]js.Text{js.Object(part...)})))
			return asJSON(js.Object(js.At("message", js.Object(members...))))
		},
		end: fail,
	}
}

func readA2A(c *call, data json.RawMessage) {
	c.input = data
	f, ok := c.Fields("", data)
	if !ok {
		c.Unread = true
		return
	}
	// A reply to message/send and an event of a stream contain the task.
	if task := f["task"]; !js.Missing(task) {
		if f, ok = c.Fields("task", task); !ok {
			c.Unread = true
			return
		}
	}
	message := f
	if status, wrapped := f["status"]; wrapped {
		s, ok := c.Fields("status", status)
		if !ok {
			c.Unread = true
			return
		}
		switch state := c.Text("status.state", s["state"]); state {
		case "TASK_STATE_INPUT_REQUIRED":
		case "input-required":
			c.form = "0.3"
		default:
			c.Reject("status.state", ask.ErrSyntax, "is %q; the task does not ask for input", quote.Brief(state))
		}
		if message, ok = c.Fields("status.message", s["message"]); !ok {
			c.Unread = true
			return
		}
	} else if c.Text("kind", f["kind"]) == "message" {
		c.form = "0.3"
	}
	for _, place := range []js.Fields{f, message} {
		if c.id.Empty() {
			c.id = c.Token("taskId", place["taskId"])
		}
		if c.Request.Session == "" {
			c.Request.Session = c.Text("contextId", place["contextId"])
		}
	}
	if c.id.Empty() {
		c.id = c.Token("id", f["id"])
	}
	c.Request.ToolCallID = c.Text("messageId", message["messageId"])
	a2aParts(c, message["parts"])
}

func a2aParts(c *call, data json.RawMessage) {
	parts, ok := c.List("parts", data, "a list of parts")
	if !ok {
		c.Unread = true
		return
	}
	var texts []string
	var set json.RawMessage
	for i, raw := range parts {
		p, ok := c.Fields("parts"+question.Index(i), raw)
		if !ok {
			continue
		}
		if text := c.Text("parts"+question.Index(i)+".text", p["text"]); text != "" {
			texts = append(texts, text)
		}
		var inner js.Fields
		if json.Unmarshal(p["data"], &inner) == nil && inner["questions"] != nil {
			set = p["data"]
		}
	}
	said := strings.Join(texts, "\n")
	if set != nil {
		c.Request.Context = said
	}
	c.Inline("parts", set, js.Quote(said))
}

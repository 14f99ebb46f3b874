package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/schema"
)

// AG-UI: a run ends with interrupts, each with a message and perhaps a schema for its response. The next run resumes with an entry
// for each of them, resolved with a payload or cancelled without. Repeating an entry is harmless.
// https://docs.ag-ui.com/concepts/interrupts
const agUISource = "https://docs.ag-ui.com/concepts/interrupts"

func agUI() Dialect {
	return Dialect{
		Name: "ag-ui", Family: "ag-ui", Host: "AG-UI front ends", Tool: "interrupt", Source: agUISource, noReply: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Flat response schemas only; any end without an answer cancels every interrupt of the run, without a reason. expiresAt is the host's to watch.",
		studied:  "documentation at 821b8c2, 2026",
		headless: noScreen,
		read:     readAGUI,
		write: func(c *call, picks []answer.Pick) Result {
			var entries []js.Text
			for _, p := range c.parts {
				mine := picks[p.first : p.first+p.size]
				payload, err := schema.Content(mine)
				switch {
				case err != nil:
					return aguiCancelled(c, err.Error())
				case p.bare && mine[0].Skipped:
					return aguiCancelled(c, "an interrupt has no answer")
				case p.bare:
					payload = js.String(mine[0].Other)
				}
				entries = append(entries, js.Object(
					js.At("interruptId", p.id.JSON), js.At("status", `"resolved"`), js.At("payload", payload),
				))
			}
			return asJSON(js.Object(js.At("resume", js.Array(entries))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return noOutput()
			case Refused:
				return asText(text).asError()
			case Declined:
				text = ""
			}
			return aguiCancelled(c, text)
		},
	}
}

// aguiCancelled cancels every interrupt of the run.
func aguiCancelled(c *call, why string) Result {
	if why != "" {
		c.AddWarning("the run only learns that the interrupts were cancelled: %s", why)
	}
	var entries []js.Text
	for _, p := range c.parts {
		entries = append(entries, js.Object(js.At("interruptId", p.id.JSON), js.At("status", `"cancelled"`)))
	}
	return asJSON(js.Object(js.At("resume", js.Array(entries))))
}

func readAGUI(c *call, data json.RawMessage) {
	f, ok := c.Fields("", data)
	if !ok {
		c.Unread = true
		return
	}
	if outcome := f["outcome"]; !js.Missing(outcome) {
		if f, ok = c.Fields("outcome", outcome); !ok {
			c.Unread = true
			return
		}
	}
	list := []json.RawMessage{data}
	path := ""
	if interrupts := f["interrupts"]; interrupts != nil {
		path = "interrupts"
		if list, ok = c.List(path, interrupts, "a list of interrupts"); !ok {
			c.Unread = true
			return
		}
	}
	for i, raw := range list[:min(len(list), 2*ask.MaxQuestions)] {
		at := path
		if path != "" {
			at += question.Index(i)
		}
		aguiInterrupt(c, at, raw)
	}
}

// aguiInterrupt reads one interrupt.
func aguiInterrupt(c *call, at string, data json.RawMessage) {
	f, ok := c.Fields(at, data)
	if !ok {
		c.Unread = true
		return
	}
	p := part{id: c.Token(at+".id", f.Take("id")), first: len(c.Items)}
	if p.id.Text == "" {
		c.Reject(at+".id", ask.ErrSyntax, "is required, since the run is resumed by it")
	}
	if id := c.Text(at+".toolCallId", f.Take("toolCallId")); c.Request.ToolCallID == "" {
		c.Request.ToolCallID = id
	}
	message := c.Token(at+".message", f.Take("message"))
	if !js.Missing(f["expiresAt"]) {
		c.Advise(at+".expiresAt", "the host ends the interrupt by itself; set a deadline of the request to match")
	}
	f.Take("expiresAt")
	f.Take("reason")
	if response := f.Take("responseSchema"); js.Missing(response) {
		p.bare = true
		c.Sent++
		c.Add(question.Item{At: at, Text: message}, ask.Question{})
	} else {
		schema.Read(&c.Set, at+".responseSchema", message.Text, response)
	}
	c.Rest(at, f)
	p.size = len(c.Items) - p.first
	c.parts = append(c.parts, p)
}

package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// AG-UI: a run ends with interrupts, each with a message and perhaps a schema
// of its response; the next run resumes with an entry for every one of them,
// resolved with a payload or cancelled without. Repeating an entry is harmless.
// https://docs.ag-ui.com/concepts/interrupts
const agUISource = "https://docs.ag-ui.com/concepts/interrupts"

func agUI() Dialect {
	return Dialect{
		Name: "ag-ui", Family: "ag-ui", Host: "AG-UI front ends", Tool: "interrupt", Source: agUISource, wordless: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Flat response schemas only; any end without an answer cancels every interrupt of the run, without a reason. expiresAt is the host's to watch.",
		read:     readAGUI,
		write: func(c *call, picks []pick) Result {
			var entries []js
			for _, p := range c.parts {
				mine := picks[p.first : p.first+p.size]
				payload, err := c.content(mine)
				switch {
				case err != nil:
					return c.aguiCancelled(err.Error())
				case p.bare && mine[0].skipped:
					return c.aguiCancelled("an interrupt has no answer")
				case p.bare:
					payload = str(mine[0].other)
				}
				entries = append(entries, object(
					member{`"interruptId"`, p.id.json}, at("status", `"resolved"`), at("payload", payload),
				))
			}
			return asJSON(object(at("resume", array(entries))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Refused:
				return asText(text).asError()
			case Declined:
				text = ""
			}
			return c.aguiCancelled(text)
		},
	}
}

func (c *call) aguiCancelled(why string) Result {
	if why != "" {
		c.warn("the run can only be told that the interrupts were cancelled: %s", why)
	}
	var entries []js
	for _, p := range c.parts {
		entries = append(entries, object(member{`"interruptId"`, p.id.json}, at("status", `"cancelled"`)))
	}
	return asJSON(object(at("resume", array(entries))))
}

func readAGUI(c *call, data json.RawMessage) {
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return
	}
	if outcome := f["outcome"]; !missing(outcome) {
		if f, ok = c.fields("outcome", outcome); !ok {
			c.unread = true
			return
		}
	}
	list := []json.RawMessage{data}
	path := ""
	if interrupts := f["interrupts"]; interrupts != nil {
		path = "interrupts"
		if list, ok = c.list(path, interrupts, "a list of interrupts"); !ok {
			c.unread = true
			return
		}
	}
	for i, raw := range list[:min(len(list), 2*ask.MaxQuestions)] {
		at := path
		if path != "" {
			at += indexed(i)
		}
		c.interrupt(at, raw)
	}
}

func (c *call) interrupt(at string, data json.RawMessage) {
	f, ok := c.fields(at, data)
	if !ok {
		c.unread = true
		return
	}
	p := part{id: c.token(at+".id", f.take("id")), first: len(c.items)}
	if p.id.text == "" {
		c.badAt(at+".id", ask.ErrSyntax, "is required, since the run is resumed by it")
	}
	if id := c.text(at+".toolCallId", f.take("toolCallId")); c.request.ToolCallID == "" {
		c.request.ToolCallID = id
	}
	message := c.token(at+".message", f.take("message"))
	if !missing(f["expiresAt"]) {
		c.advise(at+".expiresAt", "the host ends the interrupt by itself; set a deadline of the request to match")
	}
	f.take("expiresAt")
	f.take("reason")
	if schema := f.take("responseSchema"); missing(schema) {
		p.bare = true
		c.sent++
		c.add(item{at: at, text: message}, ask.Question{})
	} else {
		c.schema(at+".responseSchema", message.text, schema)
	}
	c.rest(at, f)
	p.size = len(c.items) - p.first
	c.parts = append(c.parts, p)
}

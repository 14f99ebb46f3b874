package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// LangGraph's agent inbox: interrupt([HumanInterrupt]) with action_request,
// config and description; it is resumed with a list of one response: accept,
// ignore, or response with a text. Editing the arguments cannot be asked in
// chat. Where the action's arguments hold a question set, it is asked and
// answered as a response.
// https://github.com/langchain-ai/agent-inbox
const langGraphSource = "https://github.com/langchain-ai/agent-inbox"

const (
	langGraphAccept, langGraphIgnore = "Accept", "Ignore"
	langGraphAccepts                 = "accept"
)

func langGraph() Dialect {
	return Dialect{
		Name: "langgraph", Family: "langgraph", Host: "LangGraph, agent inbox", Tool: "interrupt", Source: langGraphSource,
		Limits:   Limits{MaxQuestions: 4},
		Evidence: Lossy,
		Note:     "A response is one text; editing the arguments is not offered, and a cancelled question is an ignore where that is allowed.",
		read:     readLangGraph,
		write: func(c *call, picks []pick) Result {
			if p := picks[0]; p.kind == "action" && p.other == "" {
				args := null
				if p.keys[0].text == langGraphAccepts {
					args = js(c.input) // The action that was accepted, as it came.
				}
				return langGraphResume(p.keys[0].json, args)
			}
			return langGraphResume(`"response"`, str(c.userText(picks)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch {
			case e == Pending:
				return Result{ContentType: "application/json"}
			case c.form == "ignorable" && e == Declined:
				return langGraphResume(`"ignore"`, null)
			case e == Replied && !c.wordless:
				return langGraphResume(`"response"`, str(c.reply))
			}
			// Ignoring is a person's decision: silence must not look like it.
			return fail(c, e, text)
		},
	}
}

func langGraphResume(kind, args js) Result {
	return asJSON(array([]js{object(at("type", kind), at("args", args))}))
}

func readLangGraph(c *call, data json.RawMessage) {
	if data[0] == '[' {
		list, ok := c.list("", data, "a list of one interrupt")
		if !ok || len(list) != 1 {
			c.badAt("", ask.ErrSyntax, "the input holds %d interrupts; send one at a time", len(list))
			c.unread = true
			return
		}
		data = list[0]
	}
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return
	}
	request, rok := c.fields("action_request", f["action_request"])
	config, cok := c.fields("config", f["config"])
	if !rok || !cok {
		c.unread = true
		return
	}
	allowed := func(name string) bool { return c.flag("config."+name, config[name]) }
	accept, ignore, respond := allowed("allow_accept"), allowed("allow_ignore"), allowed("allow_respond")
	if ignore {
		c.form = "ignorable"
	}
	if allowed("allow_edit") {
		c.advise("config.allow_edit", "editing the arguments cannot be offered in chat")
	}
	for _, name := range []string{"action_request", "config", "description"} {
		defer delete(f, name)
	}
	action := c.token("action_request.action", request["action"])
	text := c.token("description", f["description"])
	if text.text == "" {
		text = action
	}
	c.inline("action_request.args", request["args"], text)
	if c.unread || c.raw != nil {
		c.request.Context = text.text
		return
	}
	c.wordless = !respond
	c.langGraphActions(accept, ignore, respond)
	if accept {
		// What is accepted is the action and its arguments, not what the agent says about
		// them.
		c.input = f["action_request"]
		others := c.covered(f, "action_request")
		c.covers(action.text, nil, c.input, others)
		c.permit("action_request", "the action", c.input, withPrompt(strictjson.Show(c.input), shownParts("", others)), "")
	}
}

// langGraphActions makes one question of what the interrupt allows.
func (c *call) langGraphActions(accept, ignore, respond bool) {
	it, q := &c.items[0], &c.request.Questions[0]
	it.at, it.kind, q.NoOther = "", "action", !respond
	if !accept {
		// Ignoring alone is what cancelling the card does.
		return
	}
	choices := []struct{ label, kind string }{{langGraphAccept, langGraphAccepts}}
	if ignore {
		choices = append(choices, struct{ label, kind string }{langGraphIgnore, "ignore"})
	}
	for _, choice := range choices {
		it.options = append(it.options, option{label: quote(choice.label), key: quote(choice.kind)})
		q.Options = append(q.Options, ask.Option{Label: choice.label})
	}
}

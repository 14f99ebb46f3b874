package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// LangGraph's agent inbox: interrupt([HumanInterrupt]) with action_request, config and description. It resumes with a list of one
// response: accept, ignore, or response with a text. Chat does not offer editing the arguments. If the action's arguments
// contain a question set, the questions are asked and their answers are the response.
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
		studied:  "README of the agent inbox at f38301b, 2026",
		headless: noScreen,
		uncovered: map[string]string{
			"config":      "the answers that the agent accepts: each is an option of the card, or is not offered",
			"description": "the agent's words for the action, which are the question",
		},
		read: readLangGraph,
		write: func(c *call, picks []answer.Pick) Result {
			if p := picks[0]; p.Kind == "action" && p.Other == "" {
				args := js.Null
				if p.Keys[0].Text == langGraphAccepts {
					args = js.Text(c.input) // The accepted action, as it was sent.
				}
				return langGraphResume(p.Keys[0].JSON, args)
			}
			return langGraphResume(`"response"`, js.String(answer.Text(&c.Set, picks)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch {
			case e == Pending:
				return noOutput()
			case c.form == "ignorable" && e == Declined:
				return langGraphResume(`"ignore"`, js.Null)
			case e == Replied && !c.noReply:
				return langGraphResume(`"response"`, js.String(c.reply))
			}
			// Only a person can decide to ignore it.
			return fail(c, e, text)
		},
	}
}

func langGraphResume(kind, args js.Text) Result {
	return asJSON(js.Array([]js.Text{js.Object(js.At("type", kind), js.At("args", args))}))
}

func readLangGraph(c *call, data json.RawMessage) {
	if data[0] == '[' {
		list, ok := c.List("", data, "a list of one interrupt")
		if !ok || len(list) != 1 {
			c.Reject("", ask.ErrSyntax, "the input holds %d interrupts; send one at a time", len(list))
			c.Unread = true
			return
		}
		data = list[0]
	}
	f, ok := c.Fields("", data)
	if !ok {
		c.Unread = true
		return
	}
	request, rok := c.Fields("action_request", f["action_request"])
	config, cok := c.Fields("config", f["config"])
	if !rok || !cok {
		c.Unread = true
		return
	}
	allowed := func(name string) bool { return c.Flag("config."+name, config[name]) }
	accept, ignore, respond := allowed("allow_accept"), allowed("allow_ignore"), allowed("allow_respond")
	if ignore {
		c.form = "ignorable"
	}
	if allowed("allow_edit") {
		c.Advise("config.allow_edit", "editing the arguments cannot be offered in chat")
	}
	for _, name := range []string{"action_request", "config", "description"} {
		defer delete(f, name)
	}
	action := c.Token("action_request.action", request["action"])
	text := c.Token("description", f["description"])
	if text.Text == "" {
		text = action
	}
	c.Inline("action_request.args", request["args"], text)
	if c.Unread || c.Raw != nil {
		c.Request.Context = text.Text
		return
	}
	c.noReply = !respond
	langGraphActions(c, accept, ignore, respond)
	if accept {
		// An approval covers the action and its arguments, not the agent's description.
		c.input = f["action_request"]
		others := c.covered(f, "action_request")
		c.covers(action.Text, nil, c.input, others)
		operation.Permit(&c.Set, "action_request", "the action", c.input, preview.WithPrompt(strictjson.Show(c.input), preview.Parts("", others)), "")
		c.wants("", "", langGraphIgnore)
	}
}

// langGraphActions asks one question with the responses that the interrupt allows.
func langGraphActions(c *call, accept, ignore, respond bool) {
	it, q := &c.Items[0], &c.Request.Questions[0]
	it.At, it.Kind, q.NoOther = "", "action", !respond
	if !accept {
		// Cancelling the card ignores the interrupt.
		return
	}
	choices := []struct{ label, kind string }{{langGraphAccept, langGraphAccepts}}
	if ignore {
		choices = append(choices, struct{ label, kind string }{langGraphIgnore, "ignore"})
	}
	for _, choice := range choices {
		it.Options = append(it.Options, question.Option{Label: js.Quote(choice.label), Key: js.Quote(choice.kind)})
		q.Options = append(q.Options, ask.Option{Label: choice.label})
	}
}

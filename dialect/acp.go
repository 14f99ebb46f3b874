package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// The Agent Client Protocol: elicitation/create has MCP's format, and session/request_permission offers options with IDs. Qwen
// Code sends its questions as a permission request with the questions in _meta, and reads the answers next to the outcome.
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const acpSource = "https://agentclientprotocol.com/protocol/tool-calls#requesting-permission"

func acp() Dialect {
	return Dialect{
		Name: "acp", Family: "elicitation", Host: "ACP agents", Tool: "elicitation/create, session/request_permission", Source: acpSource, canSkip: true, noReply: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Forms as in MCP; a permission request takes one of its options and no text; questions of Qwen Code are answered as `qwen-payload` next to the outcome.",
		studied:  "specification v1 at b7f0005, 2026; options of agents in their sources (gemini-cli 0.61.0, qwen-code 0.24.4, kimi-code 2.1.0, kimi-cli at 4a550ef, codex-acp at ba5bcc3, claude-agent-acp at f422c7c)",
		verified: "Gemini CLI 0.61.0, Qwen Code 0.24.4 and Kimi Code 2.1.0 on 2026-11-28",
		headless: noScreen,
		uncovered: map[string]string{
			"sessionId":  "the bridge compares sessions itself",
			"toolCallId": "an ID",
			"options":    "the answers that the agent accepts: each is an option of the card, or is not offered",
			"status":     "how far the call is: it waits",
			"kind":       "a hint for the client's icon (https://agentclientprotocol.com/protocol/tool-calls)",
			"_meta":      "reserved by the protocol for parties that agree on it; clients must not interpret it",
		},
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.IDs(f, "sessionId", "toolCallId")
			switch questions := qwenQuestions(f); {
			case f["options"] == nil:
				readElicitation(c, f)
			case questions != nil:
				acpQuestions(c, f, questions)
			default:
				acpPermission(c, f)
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			switch {
			case c.form == qwenForm:
				return asJSON(c.rpcResult(js.Object(acpSelected(c.id), js.At("answers", answer.Map(&c.Set, picks, answer.ByIndex)))))
			case c.Request.Permission:
				return asJSON(c.rpcResult(js.Object(acpSelected(picks[0].Keys[0]))))
			}
			return writeElicitation(c, picks)
		},
		end: func(c *call, e Ending, text string) Result {
			if !c.Request.Permission && c.form != qwenForm || e == Pending || e == Refused {
				return endElicitation(c, e, text)
			}
			if e != Declined {
				c.AddWarning("the agent only learns that the request was cancelled: %s", text)
			}
			return asJSON(c.rpcResult(js.Object(js.At("outcome", js.Object(js.At("outcome", `"cancelled"`))))))
		},
	}
}

// acpPermission reads a request for permission. The title is the agent's name for the tool call. The card shows the input, the
// changes and the places below it.
func acpPermission(c *call, f js.Fields) {
	title := js.Quote("May the agent go on?")
	others, place := c.covered(f, "toolCall", "cwd"), js.Fields{"cwd": f.Take("cwd"), operation.Home: f.Take(operation.Home)}
	raw := f.Take("toolCall")
	t := js.Fields{}
	if !js.Missing(raw) {
		if t, _ = c.Fields("toolCall", raw); t == nil {
			t = js.Fields{}
		}
		c.Request.ToolCallID = c.Text("toolCall.toolCallId", t["toolCallId"])
		if name := c.Token("toolCall.title", t["title"]); name.Text != "" {
			title = js.Quote(quote.OnOneLine(name.Text))
		}
	}
	kind, _ := js.StringOf(t["kind"])
	shown, covered := acpToolCall(c, t, others)
	c.Sent = 1
	s := question.Shape{Text: []string{"question"}, Options: []string{"options"}, Label: []string{"name"}, OptionKey: "optionId", OptionKind: "kind", Known: []string{"_meta"}, LabelsOnly: true}
	c.ReadQuestion("", f, s)
	f.Take("_meta")
	if c.Strict {
		c.Rest("", f)
	}
	if c.Unread {
		return
	}
	if name, _ := js.StringOf(t["title"]); name == "" && len(covered) == 0 {
		c.Reject("toolCall", ask.ErrSyntax, "does not say what the agent would do")
	}
	c.Items[0].Text = title
	c.Request.Questions[0].Text = title.Text
	c.OptionIDs(c.Items[0])
	acpOptions(c, kind)
	c.covers(title.Text, place, covered, others)
	operation.Permit(&c.Set, "toolCall", "the tool call", raw, shown, "")
	var denials []string
	for n, o := range c.Items[0].Options {
		if strings.HasPrefix(o.Kind, acpRejects) {
			denials = append(denials, c.Request.Questions[0].Options[n].Label)
		}
	}
	c.wants("", "", denials...) // The title says what.
	if options := c.Items[0].Options; len(options) > 0 && options[0].Kind == "allow_once" {
		operation.Offer(&c.Set, c.opts.Grants, title.Text, shown, 1)
	}
}

// acpSelected is the outcome of a request for permission.
func acpSelected(option js.Token) js.Member {
	return js.At("outcome", js.Object(js.At("outcome", `"selected"`), js.At("optionId", option.JSON)))
}

// qwenForm marks a request for permission that contains questions of Qwen Code.
const qwenForm = "qwen"

// qwenQuestions returns the questions in a request for permission of Qwen Code, or nil.
// https://github.com/QwenLM/qwen-code/blob/main/packages/cli/src/acp-integration/session/permissionUtils.ts
func qwenQuestions(f js.Fields) json.RawMessage {
	list := js.FieldsOf(js.FieldsOf(f["toolCall"])["_meta"])["qwenQuestions"]
	if !js.IsArray(list) {
		return nil
	}
	return list
}

// acpQuestions reads the questions in a request for permission. The answer selects the option that submits them.
func acpQuestions(c *call, f js.Fields, questions json.RawMessage) {
	c.form = qwenForm
	c.Request.ToolCallID = c.Text("toolCall.toolCallId", js.FieldsOf(f["toolCall"])["toolCallId"])
	options, _ := c.List("options", f["options"], "a list of options")
	for n, option := range options {
		if o := js.FieldsOf(option); string(o["kind"]) == `"allow_once"` && c.id.Empty() {
			c.id = c.Token(fmt.Sprintf("options[%d].optionId", n), o["optionId"])
		}
	}
	if c.id.Empty() {
		c.Reject("options", ask.ErrOptionCount, "no option submits the answers")
	}
	if c.ReadList("toolCall._meta.qwenQuestions", questions, question.Claude); !c.Unread {
		qwenRules(c)
	}
}

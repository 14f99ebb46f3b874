package dialect

import (
	"encoding/json"
	"fmt"

	"github.com/askbridge/askbridge/ask"
)

// The Agent Client Protocol: elicitation/create has MCP's form, and session/request_permission offers options with ids. Qwen
// Code sends its questions as a permission request with the questions in _meta, and takes the answers beside the outcome.
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const acpSource = "https://agentclientprotocol.com/protocol/tool-calls#requesting-permission"

func acp() Dialect {
	return Dialect{
		Name: "acp", Family: "elicitation", Host: "ACP agents", Tool: "elicitation/create, session/request_permission", Source: acpSource, leavesOut: true, wordless: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Forms as in MCP; a permission request takes one of its options and no text; questions of Qwen Code are answered as `qwen-payload` beside the outcome.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.ids(f, "sessionId", "toolCallId")
			switch questions := qwenQuestions(f); {
			case f["options"] == nil:
				c.elicitation(f)
			case questions != nil:
				c.qwenAsks(f, questions)
			default:
				c.mayI(f)
			}
		},
		write: func(c *call, picks []pick) Result {
			switch {
			case c.form == qwenForm:
				return asJSON(c.rpcResult(object(acpSelected(c.id), at("answers", c.answerMap(picks, byIndex)))))
			case c.permission:
				return asJSON(c.rpcResult(object(acpSelected(picks[0].keys[0]))))
			}
			return writeElicitation(c, picks)
		},
		end: func(c *call, e Ending, text string) Result {
			if !c.permission && c.form != qwenForm || e == Pending || e == Refused {
				return endElicitation(c, e, text)
			}
			if e != Declined {
				c.warn("the agent can only be told that the request was cancelled: %s", text)
			}
			return asJSON(c.rpcResult(object(at("outcome", object(at("outcome", `"cancelled"`))))))
		},
	}
}

// mayI reads a request for a permission. The title is the agent's word for the tool call. Its input, what it would change
// and where are shown below it.
func (c *call) mayI(f fields) {
	title := quote("May the agent go on?")
	others, place := c.covered(f, "toolCall", "cwd"), fields{"cwd": f.take("cwd"), homeMember: f.take(homeMember)}
	raw := f.take("toolCall")
	t := fields{}
	if !missing(raw) {
		if t, _ = c.fields("toolCall", raw); t == nil {
			t = fields{}
		}
		c.request.ToolCallID = c.text("toolCall.toolCallId", t["toolCallId"])
		if said := c.token("toolCall.title", t["title"]); said.text != "" {
			title = quote(onOneLine(said.text))
		}
	}
	kind, _ := plainText(t["kind"])
	shown, covered := c.toolCall(t, others)
	c.sent = 1
	s := shape{text: []string{"question"}, options: []string{"options"}, label: []string{"name"}, optionKey: "optionId", optionKind: "kind", known: []string{"_meta"}, labelsOnly: true}
	c.question("", f, s)
	f.take("_meta")
	if c.strict {
		c.rest("", f)
	}
	if c.unread {
		return
	}
	if said, _ := plainText(t["title"]); said == "" && len(covered) == 0 {
		c.badAt("toolCall", ask.ErrSyntax, "does not say what the agent would do")
	}
	c.items[0].text = title
	c.request.Questions[0].Text = title.text
	c.optionIDs(c.items[0])
	c.within(kind)
	c.covers(title.text, place, covered, others)
	c.permit("toolCall", "the tool call", raw, shown, "")
	if options := c.items[0].options; len(options) > 0 && options[0].kind == "allow_once" {
		c.offer(title.text, shown, 0, 1)
	}
}

// acpSelected is the outcome of a permission request.
func acpSelected(option token) member {
	return at("outcome", object(at("outcome", `"selected"`), at("optionId", option.json)))
}

// qwenForm marks a permission request that asks questions of Qwen Code.
const qwenForm = "qwen"

// qwenQuestions are the questions in a permission request of Qwen Code; nil in any other.
// https://github.com/QwenLM/qwen-code/blob/main/packages/cli/src/acp-integration/session/permissionUtils.ts
func qwenQuestions(f fields) json.RawMessage {
	list := members(members(f["toolCall"])["_meta"])["qwenQuestions"]
	if _, ok := listOf(list); !ok {
		return nil
	}
	return list
}

// qwenAsks reads the questions of a permission request. The answer selects the option that submits them.
func (c *call) qwenAsks(f fields, questions json.RawMessage) {
	c.form = qwenForm
	c.request.ToolCallID = c.text("toolCall.toolCallId", members(f["toolCall"])["toolCallId"])
	options, _ := c.list("options", f["options"], "a list of options")
	for n, option := range options {
		if o := members(option); string(o["kind"]) == `"allow_once"` && c.id.empty() {
			c.id = c.token(fmt.Sprintf("options[%d].optionId", n), o["optionId"])
		}
	}
	if c.id.empty() {
		c.badAt("options", ask.ErrOptionCount, "no option submits the answers")
	}
	if c.set("toolCall._meta.qwenQuestions", questions, claudeShape); !c.unread {
		c.judgeQwen()
	}
}

package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// The Agent Client Protocol: elicitation/create has MCP's form, and
// session/request_permission offers options with ids.
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const acpSource = "https://agentclientprotocol.com/protocol/tool-calls#requesting-permission"

func acp() Dialect {
	return Dialect{
		Name: "acp", Family: "elicitation", Host: "ACP agents", Tool: "elicitation/create, session/request_permission", Source: acpSource, leavesOut: true, wordless: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Forms as in MCP; a permission request takes one of its options and no text.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.ids(f, "sessionId", "toolCallId")
			if f["options"] == nil {
				c.elicitation(f)
				return
			}
			c.mayI(f)
		},
		write: func(c *call, picks []pick) Result {
			if c.permission {
				return c.permitted(at("outcome", `"selected"`), member{`"optionId"`, picks[0].keys[0].json})
			}
			return writeElicitation(c, picks)
		},
		end: func(c *call, e Ending, text string) Result {
			if !c.permission || e == Pending || e == Refused {
				return endElicitation(c, e, text)
			}
			if e != Declined {
				c.warn("the agent can only be told that the request was cancelled: %s", text)
			}
			return c.permitted(at("outcome", `"cancelled"`))
		},
	}
}

// mayI reads a request for a permission. The title is the agent's word for the tool
// call; its input, what it would change and where stand below it.
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
	covered := c.covered(t, "title")
	shown, rest := shownCall(covered, kind == acpExecute)
	shown = withPrompt(shown, append(rest, shownParts("(request).", others)...))
	if kind == acpEdit && !hasText(t["rawInput"], isContent) && !hasText(t["content"], isContent) {
		shown = lines(shown, noContent)
	}
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

// The kinds of tool calls that are shown in a way of their own.
const (
	acpExecute = "execute"
	acpEdit    = "edit"
)

// within says below each option what the agent takes it for, since the words on it are the
// agent's own, and leaves out what reaches further than the ceiling lets it.
func (c *call) within(tool string) {
	q, it := &c.request.Questions[0], &c.items[0]
	var shown []ask.Option
	var kept []option
	for n, o := range q.Options {
		kind, id := it.options[n].kind, it.options[n].key.text
		if kind == "allow_always" {
			far := acpReach(id, tool)
			if far.level == "" || !c.opts.Persist.allows(far.level) {
				c.advise(fmt.Sprintf("options[%d]", n), "%q reaches further than persist lets it, and is not offered", brief(o.Label))
				continue
			}
			o.Description = far.says
		} else if says := acpKinds[kind]; says != "" {
			o.Description = says
		}
		shown, kept = append(shown, o), append(kept, it.options[n])
	}
	if len(shown) == 0 && len(q.Options) > 0 {
		c.badAt("options", ask.ErrOptionCount, "all reach further than this one call, which persist does not let them")
		return
	}
	// What allows this once stands first, and what is to be done beside it.
	for n, o := range kept {
		if o.kind == "allow_once" {
			first := shown[n]
			shown = slices.Insert(slices.Delete(shown, n, n+1), 0, first)
			kept = slices.Insert(slices.Delete(kept, n, n+1), 0, o)
			break
		}
	}
	q.Options, it.options = shown, kept
}

var acpKinds = map[string]string{
	"allow_once":    "Allows it this once",
	"reject_once":   "Refuses it this once",
	"reject_always": "Refuses it from now on",
}

// acpReach is how far an option of the kind allow_always reaches. The protocol does not
// say: three agents mean three things by it. Known are the ids of those whose code was
// read; another one may reach as far as the agent takes it. The level is empty for a
// change of the agent's mode, which is never offered.
//
// Gemini CLI: https://github.com/google-gemini/gemini-cli/tree/5411f11/packages (cli/src/acp/acpUtils.ts, core/src/scheduler/policy.ts);
// Qwen Code: https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/tools.ts;
// Kimi CLI: https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/soul/approval.py
func acpReach(id, tool string) reach {
	switch id {
	case "proceed_always":
		if tool == "edit" {
			return reach{level: PersistSession, says: "Every change of every file is made without asking until the session ends, not this one alone"}
		}
		return reach{level: PersistSession, says: "The agent does not ask about what it takes for the same until the session ends: of a command, everything that begins with the same program"}
	case "proceed_always_server":
		return reach{level: PersistSession, says: "Every tool of the same MCP server is used without asking until the session ends"}
	case "proceed_always_tool":
		return reach{level: PersistSession, says: "The same tool is used without asking until the session ends, with any input"}
	case "approve_for_session":
		return reach{level: PersistSession, says: "Everything of this kind is done without asking until the session ends: of commands, every one"}
	case "proceed_always_project":
		return reach{level: PersistProject, says: "The agent does not ask about what it takes for the same in this project, for good (the project's settings)"}
	case "proceed_always_and_save":
		return reach{level: PersistUser, says: "The agent does not ask about what it takes for the same, for good: in this folder where it is trusted, else in every folder of this user"}
	case "proceed_always_user":
		return reach{level: PersistUser, says: "The agent does not ask about what it takes for the same in every folder of this user, for good"}
	case "acceptEdits", "bypassPermissions", "auto", "dontAsk", "yolo":
		return reach{}
	}
	return reach{level: PersistUser, says: "Allows it from now on, as far and for as long as the agent takes that, which it does not say"}
}

// shownCall is a tool call as people read it. The protocol has no names of tools, so that no
// member of an input is known to be a description: the command of a call that executes something
// is shown as it is, followed by every other member.
func shownCall(t fields, executes bool) (shown string, rest []string) {
	t = maps.Clone(t)
	input := t.take("rawInput")
	rest = shownParts("", t)
	if len(input) == 0 {
		return "", rest
	}
	f := members(input)
	if command, ok := plainText(f["command"]); executes && ok && command != "" {
		delete(f, "command")
		return withRest(asIs(command), f), rest
	}
	shown, _, _ = toolInput(input, false)
	return shown, rest
}

func (c *call) permitted(members ...member) Result {
	return asJSON(c.rpcResult(object(at("outcome", object(members...)))))
}

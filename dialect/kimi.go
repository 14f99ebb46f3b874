package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// AskUserQuestion of the legacy Kimi CLI (Python, 1.x) over its wire protocol; Kimi Code 2.x asks over ACP. The
// protocol: the request carries id,
// tool_call_id and questions; the answer carries the id and a map from question
// text to a string. An empty map means dismissed, and is all there is for any
// end without an answer. Several labels are comma-separated, typed text after
// them, as Kimi's own screen sends them.
// https://github.com/MoonshotAI/kimi-cli/blob/main/src/kimi_cli/tools/ask_user/__init__.py
// https://github.com/MoonshotAI/kimi-cli/blob/main/docs/en/customization/wire-mode.md (QuestionRequest)
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/ui/shell/visualize/_question_panel.py
const kimiSource = "https://github.com/MoonshotAI/kimi-cli/blob/main/src/kimi_cli/tools/ask_user/__init__.py"

func kimi() Dialect {
	return Dialect{
		Name: "kimi", Family: "kimi", Host: "Kimi CLI 1.x (legacy), wire mode", Tool: "AskUserQuestion", Source: kimiSource, leavesOut: true, wordless: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas; every end without an answer is an empty map, read as dismissed.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.top(data, claudeShape)
			if !ok {
				return
			}
			if f = c.rpc(f); f["payload"] != nil {
				if f, ok = c.fields("payload", f["payload"]); !ok {
					c.unread = true
					return
				}
			}
			c.id = c.token("id", f.take("id"))
			c.ids(f, "", "tool_call_id")
			if !missing(f["action"]) {
				c.kimiApproval(f)
				return
			}
			if c.set("questions", f.take("questions"), claudeShape); c.unread {
				return
			}
			c.rest("", f)
			c.countQuestions()
			for _, it := range c.items {
				c.countOptions(it, "%d given; give 2 to 4", len(it.options))
			}
			c.unique("question", itemText)
		},
		write: func(c *call, picks []pick) Result {
			return asJSON(c.kimiReply(c.answerMap(picks, byText)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Refused:
				return asText(text).asError()
			case Declined:
			default:
				c.warn("the host can only be told that the questions were dismissed: %s", text)
			}
			return asJSON(c.kimiReply("{}")).asError()
		},
	}
}

// kimiApproval reads an ApprovalRequest. Kimi goes by the action alone when it is told to
// allow something for the session: for its shell that is every command.
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/docs/en/customization/wire-mode.md (ApprovalRequest),
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/soul/approval.py
func (c *call) kimiApproval(f fields) {
	input, _ := json.Marshal(f)
	tool, action := c.text("sender", f["sender"]), c.text("action", f["action"])
	description, _ := plainText(f["description"])
	covered := c.covered(f, "cwd", "sender", "action", "description")
	if string(covered["display"]) == "[]" {
		delete(covered, "display")
	}
	c.covers(tool, f, action, description, covered)
	reply := func(word string, more ...member) js {
		var members []member
		if !c.id.empty() {
			members = append(members, at("request_id", c.id.json))
		}
		return object(append(append(members, at("response", str(word))), more...)...)
	}
	p := &prompt{
		title: "May Kimi use " + named(tool) + " to “" + named(action) + "”?", tool: tool, path: "description", input: input,
		refuse: func(words string) js {
			if words == "" {
				return reply("reject")
			}
			return reply("reject", at("feedback", str(words)))
		},
	}
	if description != "" {
		p.shown = asIs(description)
	}
	if p.shown = withRest(p.shown, covered); p.shown == "" {
		c.badAt("description", ask.ErrSyntax, "is not there, so nobody could see what would be done")
	}
	if strings.HasPrefix(action, kimiEdits) && !hasText(covered["display"], isNew) {
		p.shown = lines(p.shown, noContent)
	}
	kind := named(action)
	p.ways = []way{
		{label: claudeAllow, reply: reply("approve")},
		{
			label: "Allow for this session: all of “" + kind + "”", reach: PersistSession, reply: reply("approve_for_session"),
			says: "Everything that Kimi calls “" + kind + "” runs without asking until its session ends, whatever it is: every command, not this one alone. So does what waits now",
		},
		{label: claudeDeny, reply: reply("reject")},
	}
	c.asksFor(p)
}

// kimiEdits is how the actions of Kimi begin that change files.
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/tools/file/__init__.py
const kimiEdits = "edit file"

func (c *call) kimiReply(answers js) js {
	var members []member
	if !c.id.empty() {
		members = append(members, at("request_id", c.id.json))
	}
	return c.rpcResult(object(append(members, at("answers", answers))...))
}

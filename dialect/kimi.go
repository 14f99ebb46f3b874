package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// AskUserQuestion of the legacy Kimi CLI (Python, 1.x) over its wire protocol. Kimi Code 2.x uses ACP. The request has id,
// tool_call_id and questions; the answer has the id and a map from question text to a string. An empty map means dismissed and
// is the only form for an end without an answer. Several labels are separated by commas, with typed text last, as Kimi's own
// screen sends them.
// https://github.com/MoonshotAI/kimi-cli/blob/main/src/kimi_cli/tools/ask_user/__init__.py
// https://github.com/MoonshotAI/kimi-cli/blob/main/docs/en/customization/wire-mode.md (QuestionRequest)
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/ui/shell/visualize/_question_panel.py
const kimiSource = "https://github.com/MoonshotAI/kimi-cli/blob/main/src/kimi_cli/tools/ask_user/__init__.py"

func kimi() Dialect {
	return Dialect{
		Name: "kimi", Family: "kimi", Host: "Kimi CLI 1.x (legacy), wire mode", Tool: "AskUserQuestion", Source: kimiSource, canSkip: true, noReply: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas; every end without an answer is an empty map, read as dismissed.",
		studied:  "source and wire protocol 1.10 at 4a550ef (1.49.0), 2026-07-16",
		headless: "wire mode asks its client, in this form; away from keyboard an empty answer is taken",
		uncovered: map[string]string{
			"id":                 "an ID",
			"tool_call_id":       "an ID",
			"source_kind":        "which part of the agent calls, not what it does",
			"source_id":          "as source_kind",
			"source_description": "as source_kind",
			"agent_id":           "as source_kind",
			"subagent_type":      "as source_kind",
		},
		read: func(c *call, data json.RawMessage) {
			f, ok := c.Top(data, question.Claude)
			if !ok {
				return
			}
			if f = c.rpc(f); f["payload"] != nil {
				if f, ok = c.Fields("payload", f["payload"]); !ok {
					c.Unread = true
					return
				}
			}
			c.id = c.Token("id", f.Take("id"))
			c.IDs(f, "", "tool_call_id")
			if !js.Missing(f["action"]) {
				kimiApproval(c, f)
				return
			}
			if c.ReadList("questions", f.Take("questions"), question.Claude); c.Unread {
				return
			}
			c.Rest("", f)
			c.CountQuestions()
			for _, it := range c.Items {
				c.CountOptions(it, "%d given; give 2 to 4", len(it.Options))
			}
			c.Unique("question", question.ItemText)
		},
		write: func(c *call, picks []answer.Pick) Result {
			return asJSON(kimiReply(c, answer.Map(&c.Set, picks, answer.ByText)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return noOutput()
			case Refused:
				return asText(text).asError()
			case Declined:
			default:
				c.AddWarning("the host only learns that the questions were dismissed: %s", text)
			}
			return asJSON(kimiReply(c, "{}")).asError()
		},
	}
}

// kimiApproval reads an ApprovalRequest. If it is approved for the session, Kimi compares only the action: for its shell that
// allows every command.
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/docs/en/customization/wire-mode.md (ApprovalRequest),
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/soul/approval.py
func kimiApproval(c *call, f js.Fields) {
	input, _ := json.Marshal(f)
	tool, action := c.Text("sender", f["sender"]), c.Text("action", f["action"])
	description, _ := js.StringOf(f["description"])
	covered := c.covered(f, "cwd", "sender", "action", "description")
	if string(covered["display"]) == "[]" {
		delete(covered, "display")
	}
	c.covers(tool, f, action, description, covered)
	reply := func(word string, more ...js.Member) js.Text {
		var members []js.Member
		if !c.id.Empty() {
			members = append(members, js.At("request_id", c.id.JSON))
		}
		return js.Object(append(append(members, js.At("response", js.String(word))), more...)...)
	}
	p := &prompt{
		title: "May Kimi use " + quote.Name(tool) + " to “" + quote.Name(action) + "”?", tool: tool, path: "description", input: input,
		refuse: func(words string) js.Text {
			if words == "" {
				return reply("reject")
			}
			return reply("reject", js.At("feedback", js.String(words)))
		},
	}
	if description != "" {
		p.shown = preview.AsIs(description)
	}
	if p.shown = preview.WithRest(p.shown, covered); p.shown == "" {
		c.Reject("description", ask.ErrSyntax, "is missing, so people could not see what would be done")
	}
	if strings.HasPrefix(action, kimiEdits) && !preview.HasText(covered["display"], preview.IsNew) {
		p.shown = quote.Paragraphs(p.shown, preview.NoContent)
	}
	kind := quote.Name(action)
	p.ways = []way{
		{label: labelAllow, reply: reply("approve")},
		{
			label: "Allow for this session: all of “" + kind + "”", reach: PersistSession, reply: reply("approve_for_session"),
			text: "Everything that Kimi calls “" + kind + "” runs without asking until its session ends, with any input: every command, not only this one. Pending requests run too",
		},
		{label: labelDeny, denies: true, reply: reply("reject")},
	}
	c.askFor(p)
}

// kimiEdits is the prefix of actions that change files.
// https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/tools/file/__init__.py
const kimiEdits = "edit file"

// kimiReply is the answer to a question request.
func kimiReply(c *call, answers js.Text) js.Text {
	var members []js.Member
	if !c.id.Empty() {
		members = append(members, js.At("request_id", c.id.JSON))
	}
	return c.rpcResult(js.Object(append(members, js.At("answers", answers))...))
}

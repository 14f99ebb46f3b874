package dialect

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// OpenCode's question tool, answered over its HTTP API with lists of labels in question order. Typed text is an entry, and a
// question without an answer has an empty list. Rejecting is a separate request without a body.
// https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts
const openCodeSource = "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts"

func openCode() Dialect {
	return Dialect{
		Name: "opencode", Family: "opencode", Host: "OpenCode", Tool: "question", Source: openCodeSource, canSkip: true, noReply: true,
		Limits:   Limits{MinOptions: 1, Header: 30},
		Evidence: Exact,
		Note:     "Every answer is kept whole; any end without an answer is a rejection, whose reason the host does not carry.",
		studied:  "documentation of the server; types of 1.19.3; questions and permissions in the source at 0197fee, run.ts at 00f9806, November 2026",
		verified: "OpenCode 1.18.33 on 2026-11-28",
		headless: "`opencode serve` asks its clients, in this form; `opencode run` denies the call",
		uncovered: map[string]string{
			"id":        "an ID",
			"sessionID": "the bridge compares sessions itself",
			"tool":      "the IDs of message and call",
			"always":    "what OpenCode allows after the answer always: an option of the card, or not offered",
		},
		read: func(c *call, data json.RawMessage) {
			if f := js.FieldsOf(data); !js.Missing(f["permission"]) {
				openCodePermission(c, data)
				return
			}
			s := question.Claude
			s.Multi, s.Other = []string{"multiple", "multiSelect"}, "custom"
			f, ok := c.Top(data, s)
			if !ok {
				return
			}
			openCodeCall(c, f)
			c.IDs(f, "sessionID", "")
			c.id = c.Token("id", f.Take("id"))
			if c.ReadList("questions", f.Take("questions"), s); c.Unread {
				return
			}
			c.Rest("", f)
			for _, it := range c.Items {
				if it.Header.Text == "" {
					c.Tolerate(it.At+".header", ask.ErrSyntax, "is required by the host")
				}
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			lists := make([]js.Text, len(picks))
			for i, p := range picks {
				lists[i] = js.List(p.Values())
			}
			r := asJSON(js.Object(js.At("answers", js.Array(lists))))
			r.Send = openCodeSend(c, "reply")
			return r
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return noOutput()
			case Refused:
				r := asText(text).asError()
				r.Send = openCodeSend(c, "reject")
				return r
			case Replied:
				c.AddWarning("the host only learns that the questions were rejected: %s", text)
			}
			return Result{IsError: true, Send: openCodeSend(c, "reject")}
		},
	}
}

// openCodeCall reads the tool call that a request belongs to, if it names one.
func openCodeCall(c *call, f js.Fields) {
	if call := f.Take("tool"); call != nil {
		if t, ok := c.Fields("tool", call); ok {
			c.Request.ToolCallID = c.Text("tool.callID", t["callID"])
		}
	}
}

// openCodePermission reads the event permission.asked, or an entry of GET /permission. A denial also denies every other prompt
// of the session, and a permission for the session also allows the prompts that it matches.
// https://github.com/anomalyco/opencode/blob/0197fee/packages/opencode/src/permission/index.ts,
// https://opencode.ai/docs/permissions
func openCodePermission(c *call, data json.RawMessage) {
	f, ok := c.Fields("", data)
	if !ok {
		c.Unread = true
		return
	}
	openCodeCall(c, maps.Clone(f))
	c.IDs(f, "sessionID", "")
	c.id = c.Token("id", f.Take("id"))
	what := c.Text("permission", f["permission"])
	matches, _ := quote.Texts(f["always"])
	covered := c.covered(f, "permission", "cwd")
	command := openCodeCommand(what, covered)
	for name, empty := range map[string]string{"patterns": "[]", "metadata": "{}"} {
		if string(covered[name]) == empty {
			delete(covered, name)
		}
	}
	if len(covered) == 0 {
		c.Reject("patterns", ask.ErrSyntax, "is missing, so people could not see what would be done")
	}
	c.covers(what, f, covered)
	shown := shownPatterns(command, covered)
	if what == "edit" && !preview.HasText(covered["metadata"], preview.IsContent) {
		shown = quote.Paragraphs(shown, preview.NoContent)
	}
	reply := func(word string, more ...js.Member) js.Text {
		return js.Object(append([]js.Member{js.At("reply", js.String(word))}, more...)...)
	}
	p := &prompt{
		title: "May OpenCode use " + quote.Name(what) + "?", tool: what, path: "permission", input: data, shown: shown,
		ways: []way{{label: labelAllow, reply: reply("once")}},
		refuse: func(words string) js.Text {
			if words == "" {
				return reply("reject")
			}
			return reply("reject", js.At("message", js.String(words)))
		},
	}
	switch what {
	case "bash":
		p.wants = ask.WantsRun
	case "edit":
		p.wants = ask.WantsChange
	default:
		p.wants = ask.WantsTool
	}
	if c.id.Text != "" {
		p.send = "POST /permission/" + url.PathEscape(c.id.Text) + "/reply"
	}
	if len(matches) > 0 && !slices.Contains(matches, "*") {
		list := strings.Join(matches, " and ")
		text := "Everything that “" + list + "” matches is allowed without asking, in every session of this project, until OpenCode ends, including pending prompts of this session"
		if len([]rune(text)) <= maxOptionText {
			p.ways = append(p.ways, way{label: "Allow for this session: " + list, text: text, reach: PersistSession, reply: reply("always")})
		}
	}
	p.ways = append(p.ways, way{label: labelDeny, denies: true, text: "Also refuses every other pending prompt of this session", reply: reply("reject")})
	c.askFor(p)
}

// openCodeCommand returns the command of a shell. OpenCode sends a pattern for each simple command in it, and the whole command. If
// there is one pattern that equals the command, the command is removed from the prompt as a duplicate.
func openCodeCommand(what string, covered js.Fields) string {
	metadata := js.FieldsOf(covered["metadata"])
	command, _ := js.StringOf(metadata["command"])
	patterns := js.Items(covered["patterns"])
	if what != "bash" || command == "" || len(patterns) == 0 {
		return ""
	}
	if one, _ := js.StringOf(patterns[0]); len(patterns) > 1 || one != command {
		return command
	}
	covered["metadata"] = metadata.Without("command")
	return ""
}

// shownPatterns shows a command or a single pattern as it is, followed by the other members of the prompt.
func shownPatterns(command string, covered js.Fields) string {
	rest := maps.Clone(covered)
	if command != "" {
		if rest["metadata"] = js.FieldsOf(covered["metadata"]).Without("command"); string(rest["metadata"]) == "{}" {
			delete(rest, "metadata")
		}
		return preview.WithRest(preview.AsIs(command), rest)
	}
	if patterns := js.Items(covered["patterns"]); len(patterns) == 1 {
		if one, ok := js.StringOf(patterns[0]); ok && one != "" {
			delete(rest, "patterns")
			return preview.WithRest(preview.AsIs(one), rest)
		}
	}
	return preview.Rest(covered)
}

// openCodeSend returns the endpoint for the answer. It is empty for a bare tool input, which is no request.
func openCodeSend(c *call, verb string) string {
	if c.id.Text == "" {
		return ""
	}
	return "POST /question/" + url.PathEscape(c.id.Text) + "/" + verb
}

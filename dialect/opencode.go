package dialect

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// OpenCode's question tool, answered over its HTTP API: lists of labels in
// question order, typed text as an entry, an empty list for a question without
// an answer; rejecting is a request of its own without a body.
// https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts
const openCodeSource = "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts"

func openCode() Dialect {
	return Dialect{
		Name: "opencode", Family: "opencode", Host: "OpenCode", Tool: "question", Source: openCodeSource, leavesOut: true, wordless: true,
		Limits:   Limits{MinOptions: 1, Header: 30},
		Evidence: Exact,
		Note:     "Every answer is kept whole; any end without an answer is a rejection, whose reason the host does not carry.",
		read: func(c *call, data json.RawMessage) {
			if f := members(data); !missing(f["permission"]) {
				c.openCodePermission(data)
				return
			}
			s := claudeShape
			s.multi, s.other = []string{"multiple", "multiSelect"}, "custom"
			f, ok := c.top(data, s)
			if !ok {
				return
			}
			c.openCodeCall(f)
			c.ids(f, "sessionID", "")
			c.id = c.token("id", f.take("id"))
			if c.set("questions", f.take("questions"), s); c.unread {
				return
			}
			c.rest("", f)
			for _, it := range c.items {
				if it.header.text == "" {
					c.odd(it.at+".header", ask.ErrSyntax, "is required by the host")
				}
			}
		},
		write: func(c *call, picks []pick) Result {
			lists := make([]js, len(picks))
			for i, p := range picks {
				lists[i] = labelList(p.values())
			}
			r := asJSON(object(at("answers", array(lists))))
			r.Send = c.openCodeSend("reply")
			return r
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Refused:
				r := asText(text).asError()
				r.Send = c.openCodeSend("reject")
				return r
			case Replied:
				c.warn("the host can only be told that the questions were rejected: %s", text)
			}
			return Result{IsError: true, Send: c.openCodeSend("reject")}
		},
	}
}

// openCodeCall takes the tool call that a request belongs to, if it names one.
func (c *call) openCodeCall(f fields) {
	if call := f.take("tool"); call != nil {
		if t, ok := c.fields("tool", call); ok {
			c.request.ToolCallID = c.text("tool.callID", t["callID"])
		}
	}
}

// openCodePermission reads a permission.asked, or an entry of GET /permission. A refusal
// refuses every other prompt of the session too, and what is allowed from then on lets
// those through that it matches.
// https://github.com/anomalyco/opencode/blob/0197fee/packages/opencode/src/permission/index.ts,
// https://opencode.ai/docs/permissions
func (c *call) openCodePermission(data json.RawMessage) {
	f, ok := c.fields("", data)
	if !ok {
		c.unread = true
		return
	}
	c.openCodeCall(maps.Clone(f))
	c.ids(f, "sessionID", "")
	c.id = c.token("id", f.take("id"))
	what := c.text("permission", f["permission"])
	matches, _ := shownTexts(f["always"])
	covered := c.covered(f, "permission", "cwd")
	command := openCodeCommand(what, covered)
	for name, empty := range map[string]string{"patterns": "[]", "metadata": "{}"} {
		if string(covered[name]) == empty {
			delete(covered, name)
		}
	}
	if len(covered) == 0 {
		c.badAt("patterns", ask.ErrSyntax, "is not there, so nobody could see what would be done")
	}
	c.covers(what, f, covered)
	shown := shownPatterns(command, covered)
	if what == "edit" && !hasText(covered["metadata"], isContent) {
		shown = lines(shown, noContent)
	}
	reply := func(word string, more ...member) js {
		return object(append([]member{at("reply", str(word))}, more...)...)
	}
	p := &prompt{
		title: "May OpenCode use " + named(what) + "?", tool: what, path: "permission", input: data, shown: shown,
		ways: []way{{label: claudeAllow, reply: reply("once")}},
		refuse: func(words string) js {
			if words == "" {
				return reply("reject")
			}
			return reply("reject", at("message", str(words)))
		},
	}
	if c.id.text != "" {
		p.send = "POST /permission/" + pathElement(c.id.text) + "/reply"
	}
	if len(matches) > 0 && !contains(matches, "*") {
		list := strings.Join(matches, " and ")
		says := "Whatever “" + list + "” matches is allowed without asking, in every session of this project, until OpenCode ends; so are those prompts of this session that wait now"
		if len([]rune(says)) <= maxReach {
			p.ways = append(p.ways, way{label: "Allow for this session: " + list, says: says, reach: PersistSession, reply: reply("always")})
		}
	}
	p.ways = append(p.ways, way{label: claudeDeny, says: "Refuses every other prompt of this session that waits, too", reply: reply("reject")})
	c.asksFor(p)
}

// openCodeCommand returns the command of a shell. OpenCode asks with a pattern for each simple command in it, and with the
// whole command beside them. If these are the same, the command beside the pattern is taken off the prompt: it says nothing
// that the pattern does not.
func openCodeCommand(what string, covered fields) string {
	beside := members(covered["metadata"])
	command, _ := plainText(beside["command"])
	patterns := fieldList(covered["patterns"])
	if what != "bash" || command == "" || len(patterns) == 0 {
		return ""
	}
	if one, _ := plainText(patterns[0]); len(patterns) > 1 || one != command {
		return command
	}
	covered["metadata"] = leftOut(beside, "command")
	return ""
}

// leftOut is an object without one of its members.
func leftOut(f fields, name string) json.RawMessage {
	f = maps.Clone(f)
	delete(f, name)
	data, _ := json.Marshal(f) // It was read from JSON.
	return data
}

// shownPatterns is what is to be done: a command, or a single pattern, as it is, and the other members of the prompt.
func shownPatterns(command string, covered fields) string {
	rest := maps.Clone(covered)
	if command != "" {
		if rest["metadata"] = leftOut(members(covered["metadata"]), "command"); string(rest["metadata"]) == "{}" {
			delete(rest, "metadata")
		}
		return withRest(asIs(command), rest)
	}
	if patterns := fieldList(covered["patterns"]); len(patterns) == 1 {
		if one, ok := plainText(patterns[0]); ok && one != "" {
			delete(rest, "patterns")
			return withRest(asIs(one), rest)
		}
	}
	return shownRest(covered)
}

// openCodeSend is empty for a bare tool input, which has no request to answer.
func (c *call) openCodeSend(verb string) string {
	if c.id.text == "" {
		return ""
	}
	return "POST /question/" + pathElement(c.id.text) + "/" + verb
}

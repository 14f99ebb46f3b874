package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Claude Code's and the Claude Agent SDK's AskUserQuestion. The reply fits
// whatever the input came in:
//
//	the bare tool input            what canUseTool returns: behavior, updatedInput
//	a PreToolUse hook's input      hookSpecificOutput with permissionDecision
//	a PermissionRequest hook's     hookSpecificOutput with decision
//	a control_request of the       control_response around the canUseTool form
//	stream-json protocol
//	a permission prompt tool's     what canUseTool returns
//
// Permissions come in the same envelopes; see claudepermission.go.
//
// updatedInput replaces the whole tool input, so it is the input's own bytes
// with the answers put in and nothing else added. A hook that answers nothing
// makes no decision, and the host shows its own picker. Beside the answers a
// PreToolUse hook tells the model who gave them, as additionalContext. A reply in
// place of answers is the callback's response; a hook, for which that is not
// documented, denies with the reply as its reason.
// https://code.claude.com/docs/en/hooks, https://code.claude.com/docs/en/agent-sdk/user-input
const (
	claudeSource = "https://code.claude.com/docs/en/agent-sdk/user-input"
	claudeTool   = "AskUserQuestion"
)

// The envelopes.
const (
	claudeCallback   = "callback"
	claudeHook       = "hook"
	claudePermission = "permission"
	claudeControl    = "control"
	claudeOtherTool  = "other tool"
)

func claude() Dialect {
	return Dialect{
		Name: "claude", Family: "claude", Host: "Claude Code hooks, Agent SDK callback", Tool: claudeTool, Source: claudeSource, leavesOut: true, takesNotes: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "The callback gets lists; the hooks' documented form joins the labels of a multi-select question by commas.",
		read:     readClaude,
		write: func(c *call, picks []pick) Result {
			if c.permission {
				return c.claudePermitted(picks[0])
			}
			updated := c.claudeUpdated(picks)
			switch c.form {
			case claudeHook:
				members := []member{at("permissionDecision", `"allow"`), at("updatedInput", updated)}
				if c.by != "" {
					members = append(members, at("additionalContext", str("Answered by "+c.by+".")))
				}
				return asJSON(hookOutput("PreToolUse", members...))
			case claudePermission:
				return asJSON(hookOutput("PermissionRequest", at("decision", object(at("behavior", `"allow"`), at("updatedInput", updated)))))
			}
			return asJSON(c.claudeControl(object(at("behavior", `"allow"`), at("updatedInput", updated))))
		},
		end: func(c *call, e Ending, text string) Result {
			if c.asks != "" {
				return c.claudeUnpermitted(e, text)
			}
			if e == Replied && (c.form == claudeCallback || c.form == claudeControl) {
				updated := c.spliced([]member{at("answers", "{}"), at("response", str(c.reply))})
				return asJSON(c.claudeControl(object(at("behavior", `"allow"`), at("updatedInput", updated))))
			}
			deny := object(at("behavior", `"deny"`), at("message", str(text)))
			switch {
			case c.form == claudeOtherTool, c.form == claudeHook && e == Pending, c.form == claudePermission && e == Pending:
				return Result{ContentType: "application/json"}
			case c.form == claudeHook:
				return asJSON(hookOutput("PreToolUse", at("permissionDecision", `"deny"`), at("permissionDecisionReason", str(text)))).asError()
			case c.form == claudePermission:
				return asJSON(hookOutput("PermissionRequest", at("decision", deny))).asError()
			}
			return asJSON(c.claudeControl(deny)).asError()
		},
	}
}

func hookOutput(event string, members ...member) js {
	return object(at("hookSpecificOutput", object(append([]member{at("hookEventName", str(event))}, members...)...)))
}

func (c *call) claudeControl(response js) js {
	if c.form != claudeControl {
		return response
	}
	return object(at("type", `"control_response"`), at("response", object(
		at("subtype", `"success"`), at("request_id", c.id.json), at("response", response),
	)))
}

func readClaude(c *call, data json.RawMessage) {
	data, ok := c.claudeEnvelope(data)
	if !ok {
		c.unread = true
		return
	}
	if c.asks != "" {
		c.claudeMay(data)
		return
	}
	c.input = data
	// Answers and annotations are filled in on the way, never by the model.
	if c.readSet(data, claudeShape, "answers", "annotations", "metadata"); c.unread {
		return
	}
	c.claudeRules()
}

func (c *call) claudeRules() {
	c.countQuestions()
	for _, it := range c.items {
		if it.header.text == "" {
			c.odd(it.at+".header", ask.ErrSyntax, "is required by the host")
		}
		switch n := len(it.options); {
		case it.sent == 0:
			c.odd(it.at+".options", ask.ErrOptionCount, "the host wants 2 to 4; it was read as a question for text")
		case it.sent < 2 || n > 4:
			c.badAt(it.at+".options", ask.ErrOptionCount, "%d given; give 2 to 4", n)
		}
	}
	c.unique("question", itemText)
}

// claudeEnvelope finds the tool input and says what it came in.
func (c *call) claudeEnvelope(data json.RawMessage) (json.RawMessage, bool) {
	c.form = claudeCallback
	if data[0] != '{' {
		return data, true
	}
	f, ok := c.fields("", data)
	if !ok {
		return nil, false
	}
	input := "tool_input"
	switch {
	case string(f["type"]) == `"control_request"`:
		c.form, c.id = claudeControl, c.token("request_id", f["request_id"])
		if c.id.empty() {
			c.id = quote("")
		}
		if f, ok = c.fields("request", f["request"]); !ok {
			return nil, false
		}
		input = "input"
	case f[input] != nil:
		switch event := c.text("hook_event_name", f["hook_event_name"]); event {
		case "", "PreToolUse":
			c.form = claudeHook
		case "PermissionRequest":
			c.form = claudePermission
		default:
			c.form = claudeOtherTool
			c.badAt("hook_event_name", ask.ErrSyntax, "is %q; nothing is asked then", brief(event))
			return nil, false
		}
	case f["tool_name"] != nil && f["input"] != nil:
		input = "input" // A permission prompt tool's, whose result is the callback's.
	default:
		return data, true
	}
	return c.claudeInput(input, f)
}

// claudeInput finds the tool input in an envelope. What is no question set asks
// for a permission.
func (c *call) claudeInput(at string, f fields) (json.RawMessage, bool) {
	inner, name := f[at], c.text("tool_name", f["tool_name"])
	if missing(inner) {
		c.notA(at, "a JSON object")
		return nil, false
	}
	c.ids(f, "session_id", "tool_use_id")
	switch {
	case name == "" || name == claudeTool:
		return c.opened(at, inner), true
	case !c.claudeAsks(name):
		c.form = claudeOtherTool
		c.badAt("tool_name", ask.ErrSyntax, "is %q; only %s and %s are answered here", brief(name), claudeTool, claudePlan)
		return nil, false
	}
	c.asks, c.asksAt, c.envelope = name, at, f
	if c.form != claudeHook {
		c.claudeKeeps(f)
	}
	if inner[0] != '{' {
		c.notA(at, "a JSON object")
		return nil, false
	}
	return inner, true
}

// claudeUpdated is the tool input with the answers in it.
func (c *call) claudeUpdated(picks []pick) js {
	var answers, annotations []member
	for _, p := range picks {
		var annotation []member
		if p.preview.text != "" {
			annotation = append(annotation, at("preview", p.preview.json))
		}
		if p.notes != "" {
			annotation = append(annotation, at("notes", str(p.notes)))
		}
		if annotation != nil {
			annotations = append(annotations, member{p.text.json, object(annotation...)})
		}
		switch {
		case p.skipped:
		case p.multi && (c.form == claudeCallback || c.form == claudeControl):
			answers = append(answers, member{p.text.json, labelList(p.values())})
		default:
			answers = append(answers, member{p.text.json, c.joined(p).json})
		}
	}
	added := []member{at("answers", object(answers...))}
	if annotations != nil {
		added = append(added, at("annotations", object(annotations...)))
	}
	return c.spliced(added)
}

// spliced adds members to the tool input. Where it was a plain object with its
// questions as a list, every byte of it stays.
func (c *call) spliced(added []member) js {
	tail := strings.TrimPrefix(string(object(added...)), "{")
	var f fields
	if c.input[0] != '{' || json.Unmarshal(c.input, &f) != nil || f["questions"] == nil {
		return js(`{"questions":` + string(c.raw) + "," + tail)
	}
	plain := !slices.ContainsFunc([]string{"answers", "annotations"}, func(name string) bool { return f[name] != nil }) &&
		bytes.HasPrefix(bytes.TrimSpace(f["questions"]), []byte("["))
	if plain {
		head := bytes.TrimRight(bytes.TrimSuffix(c.input, []byte("}")), " \t\r\n")
		return js(string(head) + "," + tail)
	}
	f["questions"] = c.raw
	var kept []member
	for _, name := range sortedKeys(f) {
		if name != "answers" && name != "annotations" {
			kept = append(kept, at(name, js(f[name])))
		}
	}
	return object(append(kept, added...)...)
}

// claudeText is the sentence Claude's own tool shows the model, for agents that
// offer a tool of the same name. The live scenarios of test/hosts read both sentences.
func claudeText() Dialect {
	d := claude()
	d.Name, d.Host, d.Evidence = "claude-text", "Own tools under Claude's name", Lossy
	d.Note = "The text that Claude Code's own tool gives the model; multi-select labels are joined by commas."
	d.read = func(c *call, data json.RawMessage) {
		if readClaude(c, data); c.asks != "" {
			c.badAt("tool_name", ask.ErrSyntax, "is %q; only %s is answered here", brief(c.asks), claudeTool)
			c.unread = true
		}
	}
	d.write = func(c *call, picks []pick) Result {
		var parts []string
		typed := false
		for _, p := range picks {
			if p.skipped && p.notes == "" {
				continue
			}
			typed = typed || p.other != "" || p.notes != ""
			part := fmt.Sprintf(`"%s"="%s"`, p.text.text, c.joined(p).text)
			if p.skipped {
				part = fmt.Sprintf(`"%s"=(no option selected)`, p.text.text)
			}
			if p.preview.text != "" {
				part += " selected preview:\n" + p.preview.text
			}
			if p.notes != "" {
				part += " notes: " + p.notes
			}
			parts = append(parts, part)
		}
		if parts == nil {
			return asText("The user did not answer the questions.")
		}
		said := strings.Join(parts, ", ")
		if typed {
			return asText("The user answered: " + said + ". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.")
		}
		return asText("Your questions have been answered: " + said + ". You can now continue with these answers in mind.")
	}
	d.end = func(c *call, e Ending, text string) Result {
		if e == Replied {
			return asText("The user responded: " + c.reply)
		}
		return fail(c, e, text)
	}
	return d
}

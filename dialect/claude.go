package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// AskUserQuestion of Claude Code and the Claude Agent SDK. The result depends on the envelope of the input:
//
//	bare tool input                what canUseTool returns: behavior, updatedInput
//	PreToolUse hook                hookSpecificOutput with permissionDecision
//	PermissionRequest hook         hookSpecificOutput with decision
//	control_request (stream-json)  control_response with what canUseTool returns
//	permission prompt tool         what canUseTool returns
//
// Requests for permission use the same envelopes, see claudepermission.go.
//
// updatedInput replaces the whole tool input, so it is the input's own bytes plus the answers. A hook without an answer makes no
// decision, and the host shows its own picker. A PreToolUse hook also tells the model who answered, as additionalContext.
// A reply instead of answers is the callback's response; a hook has no documented form for it, so it denies with the reply
// as its reason.
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
		Name: "claude", Family: "claude", Host: "Claude Code hooks, Agent SDK callback", Tool: claudeTool, Source: claudeSource, canSkip: true, canNote: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "The callback gets lists; the hooks' documented form joins the labels of a multi-select question by commas.",
		studied:  "documentation of 2026-08-22; types of claude-agent-sdk 0.3.329 and 0.3.330 and of claude-code 2.1.197; reports of builds 2.1.221 to 2.1.246",
		verified: "Claude Code 2.1.332 and Agent SDK 0.3.332 on 2026-11-28",
		headless: "`claude -p` offers the tool with `--permission-prompt-tool` only: `askbridge mcp --permissions` has that tool, which answers in forms of their own; `hook --defer` ends the run until it is resumed",
		shells:   []string{"Bash", "PowerShell"}, // https://code.claude.com/docs/en/tools-reference
		uncovered: map[string]string{
			"session_id":             "the bridge compares sessions itself",
			"tool_use_id":            "an ID",
			"prompt_id":              "an ID",
			"agent_id":               "the sub-agent that calls: the card names it, and its calls have a session of their own",
			"agent_type":             "as agent_id",
			"transcript_path":        "where the host logs the session",
			"hook_event_name":        "which hook the host runs",
			"subtype":                "the kind of control request",
			"permission_mode":        "when the host asks, not what it does",
			"effort":                 "how long the model thinks",
			"permission_suggestions": "what the host can allow beyond this call: each is an option of the card, or is not offered",
			"defaultToNo":            "how people confirm, which the card follows",
			"default_to_no":          "as defaultToNo",

			"suppressAlwaysAllowRule":    "whether suggestions are offered, which the card follows",
			"suppress_always_allow_rule": "as suppressAlwaysAllowRule",

			"title":        "the host's own words for the tool and its input, which the card shows in full",
			"display_name": "as title",
			"description":  "as title",

			"decision_reason_type":      "why the host asks; decision_reason is the same in words and is shown",
			"matched_ask_rule":          "as decision_reason_type",
			"classifier_approvable":     "as decision_reason_type",
			"requires_user_interaction": "as decision_reason_type",
		},
		read: readClaude,
		write: func(c *call, picks []answer.Pick) Result {
			updated := claudeUpdated(c, picks)
			switch c.form {
			case claudeHook:
				members := []js.Member{js.At("permissionDecision", `"allow"`), js.At("updatedInput", updated)}
				if c.by != "" {
					members = append(members, js.At("additionalContext", js.String("Answered by "+c.by+".")))
				}
				return asJSON(claudeHookOutput("PreToolUse", members...))
			case claudePermission:
				return asJSON(claudeHookOutput("PermissionRequest", js.At("decision", js.Object(js.At("behavior", `"allow"`), js.At("updatedInput", updated)))))
			}
			return asJSON(claudeResponse(c, js.Object(js.At("behavior", `"allow"`), js.At("updatedInput", updated))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Replied && (c.form == claudeCallback || c.form == claudeControl) {
				updated := claudeInsert(c, []js.Member{js.At("answers", "{}"), js.At("response", js.String(c.reply))})
				return asJSON(claudeResponse(c, js.Object(js.At("behavior", `"allow"`), js.At("updatedInput", updated))))
			}
			if c.form == claudeOtherTool || e == Pending && (c.form == claudeHook || c.form == claudePermission) {
				return noOutput()
			}
			return claudeDeny(c, text).asError()
		},
	}
}

// claudeHookOutput is the output of a hook of Claude Code.
func claudeHookOutput(event string, members ...js.Member) js.Text {
	return js.Object(js.At("hookSpecificOutput", js.Object(append([]js.Member{js.At("hookEventName", js.String(event))}, members...)...)))
}

// claudeResponse wraps what canUseTool returns if the input was a control request.
func claudeResponse(c *call, response js.Text) js.Text {
	if c.form != claudeControl {
		return response
	}
	return js.Object(js.At("type", `"control_response"`), js.At("response", js.Object(
		js.At("subtype", `"success"`), js.At("request_id", c.id.JSON), js.At("response", response),
	)))
}

// claudeDeny is a denial in the envelope of the input.
func claudeDeny(c *call, why string) Result {
	deny := js.Object(js.At("behavior", `"deny"`), js.At("message", js.String(why)))
	switch c.form {
	case claudeHook:
		return asJSON(claudeHookOutput("PreToolUse", js.At("permissionDecision", `"deny"`), js.At("permissionDecisionReason", js.String(why))))
	case claudePermission:
		return asJSON(claudeHookOutput("PermissionRequest", js.At("decision", deny)))
	}
	return asJSON(claudeResponse(c, deny))
}

func readClaude(c *call, data json.RawMessage) {
	data, ok := claudeEnvelope(c, data)
	if !ok {
		c.Unread = true
		return
	}
	c.input = data
	if p, ok := c.prompt.(*claudePrompt); ok {
		p.ask(c)
		return
	}
	// The host fills in answers and annotations, never the model.
	if c.ReadSet(data, question.Claude, "answers", "annotations", "metadata"); c.Unread {
		return
	}
	c.CountQuestions()
	for _, it := range c.Items {
		if it.Header.Text == "" {
			c.Tolerate(it.At+".header", ask.ErrSyntax, "is required by the host")
		}
		switch n := len(it.Options); {
		case it.Sent == 0:
			c.Tolerate(it.At+".options", ask.ErrOptionCount, "the host wants 2 to 4; it was read as a question for text")
		case it.Sent < 2 || n > 4:
			c.Reject(it.At+".options", ask.ErrOptionCount, "%d given; give 2 to 4", n)
		}
	}
	c.Unique("question", question.ItemText)
}

// claudeEnvelope finds the tool input and sets the form of its envelope.
func claudeEnvelope(c *call, data json.RawMessage) (json.RawMessage, bool) {
	c.form = claudeCallback
	if data[0] != '{' {
		return data, true
	}
	f, ok := c.Fields("", data)
	if !ok {
		return nil, false
	}
	input := "tool_input"
	switch {
	case string(f["type"]) == `"control_request"`:
		c.form, c.id = claudeControl, c.Token("request_id", f["request_id"])
		if c.id.Empty() {
			c.id = js.Quote("")
		}
		if f, ok = c.Fields("request", f["request"]); !ok {
			return nil, false
		}
		input = "input"
	case f[input] != nil:
		switch event := c.Text("hook_event_name", f["hook_event_name"]); event {
		case "", "PreToolUse":
			c.form = claudeHook
		case "PermissionRequest":
			c.form = claudePermission
		default:
			c.form = claudeOtherTool
			c.Reject("hook_event_name", ask.ErrSyntax, "is %q; nothing is asked then", quote.Brief(event))
			return nil, false
		}
	case f["tool_name"] != nil && f["input"] != nil:
		input = "input" // A permission prompt tool, which returns the same as the callback.
	default:
		return data, true
	}
	return claudeInput(c, input, f)
}

// claudeInput finds the tool input in an envelope. Any tool but the question tool asks for permission. A PreToolUse
// hook asks for ExitPlanMode only: for other tools it runs whether or not the host would ask.
func claudeInput(c *call, at string, f js.Fields) (json.RawMessage, bool) {
	inner, name := f[at], c.Text("tool_name", f["tool_name"])
	if js.Missing(inner) {
		c.NotA(at, "a JSON object")
		return nil, false
	}
	c.IDs(f, "session_id", "tool_use_id")
	switch {
	case name == "" || name == claudeTool:
		return c.Opened(at, inner), true
	case c.form == claudeHook && name != claudePlan:
		c.form = claudeOtherTool
		c.Reject("tool_name", ask.ErrSyntax, "is %q; only %s and %s are answered here", quote.Brief(name), claudeTool, claudePlan)
		return nil, false
	}
	p := &claudePrompt{tool: name, path: at, envelope: f}
	c.prompt = p
	if c.form != claudeHook {
		p.readSuggestions(c)
	}
	if inner[0] != '{' {
		c.NotA(at, "a JSON object")
		return nil, false
	}
	return inner, true
}

// claudeUpdated is the tool input with the answers.
func claudeUpdated(c *call, picks []answer.Pick) js.Text {
	var answers, annotations []js.Member
	for _, p := range picks {
		var annotation []js.Member
		if p.Preview.Text != "" {
			annotation = append(annotation, js.At("preview", p.Preview.JSON))
		}
		if p.Notes != "" {
			annotation = append(annotation, js.At("notes", js.String(p.Notes)))
		}
		if annotation != nil {
			annotations = append(annotations, p.Text.At(js.Object(annotation...)))
		}
		switch {
		case p.Skipped:
		case p.Multi && (c.form == claudeCallback || c.form == claudeControl):
			answers = append(answers, p.Text.At(js.List(p.Values())))
		default:
			answers = append(answers, p.Text.At(answer.Joined(&c.Set, p).JSON))
		}
	}
	added := []js.Member{js.At("answers", js.Object(answers...))}
	if annotations != nil {
		added = append(added, js.At("annotations", js.Object(annotations...)))
	}
	return claudeInsert(c, added)
}

// claudeInsert adds members to the tool input. If the input is an object with its questions in a list and without
// these members, all of its bytes are kept.
func claudeInsert(c *call, added []js.Member) js.Text {
	tail := strings.TrimPrefix(string(js.Object(added...)), "{")
	var f js.Fields
	if c.input[0] != '{' || json.Unmarshal(c.input, &f) != nil || f["questions"] == nil {
		return js.Text(`{"questions":` + string(c.Raw) + "," + tail)
	}
	keep := f["answers"] == nil && f["annotations"] == nil && bytes.HasPrefix(bytes.TrimSpace(f["questions"]), []byte("["))
	if keep {
		head := bytes.TrimRight(bytes.TrimSuffix(c.input, []byte("}")), " \t\r\n")
		return js.Text(string(head) + "," + tail)
	}
	f["questions"] = c.Raw
	f.Take("answers")
	f.Take("annotations")
	return js.Object(append(f.Members(), added...)...)
}

// claudeText is the sentence that Claude's own tool gives the model, for agents with a tool of the same name. The live
// scenarios in test/hosts check both sentences.
func claudeText() Dialect {
	d := claude()
	d.Name, d.Host, d.Evidence = "claude-text", "Own tools under Claude's name", Lossy
	d.Note = "The text that Claude Code's own tool gives the model; multi-select labels are joined by commas."
	d.studied, d.headless = "transcripts in reports of March to August 2026, of builds up to 2.1.241", noScreen
	d.verified = "Claude Code 2.1.332 on 2026-11-28"
	d.read = func(c *call, data json.RawMessage) {
		readClaude(c, data)
		if p, ok := c.prompt.(*claudePrompt); ok {
			c.Reject("tool_name", ask.ErrSyntax, "is %q; only %s is answered here", quote.Brief(p.tool), claudeTool)
			c.prompt, c.Unread = nil, true
		}
	}
	d.write = func(c *call, picks []answer.Pick) Result {
		var parts []string
		typed := false
		for _, p := range picks {
			if p.Skipped && p.Notes == "" {
				continue
			}
			typed = typed || p.Other != "" || p.Notes != ""
			part := fmt.Sprintf(`"%s"="%s"`, p.Text.Text, answer.Joined(&c.Set, p).Text)
			if p.Skipped {
				part = fmt.Sprintf(`"%s"=(no option selected)`, p.Text.Text)
			}
			if p.Preview.Text != "" {
				part += " selected preview:\n" + p.Preview.Text
			}
			if p.Notes != "" {
				part += " notes: " + p.Notes
			}
			parts = append(parts, part)
		}
		if parts == nil {
			return asText("The user did not answer the questions.")
		}
		answers := strings.Join(parts, ", ")
		if typed {
			return asText("The user answered: " + answers + ". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.")
		}
		return asText("Your questions have been answered: " + answers + ". You can now continue with these answers in mind.")
	}
	d.end = func(c *call, e Ending, text string) Result {
		if e == Replied {
			return asText("The user responded: " + c.reply)
		}
		return fail(c, e, text)
	}
	return d
}

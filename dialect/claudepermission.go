package dialect

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Claude Code asks for permissions through the same envelopes as for questions,
// and through one more: the tool named by --permission-prompt-tool is called with
// tool_name, input and tool_use_id, and returns what canUseTool does. A
// PreToolUse hook answers for ExitPlanMode alone: for other tools it comes whether
// or not anybody would be asked.
//
// Every allow carries the input that was shown. A hook without a decision says
// nothing, and the host shows its own picker.
// https://code.claude.com/docs/en/hooks, https://code.claude.com/docs/en/headless
const (
	claudePlan = "ExitPlanMode"

	claudeAllow = "Allow"
	claudeDeny  = "Deny"
)

// claudeAsks reports whether a call of this tool asks for a permission.
func (c *call) claudeAsks(tool string) bool {
	return c.form != claudeHook || tool == claudePlan
}

// claudeMay makes the question whether a tool may run.
func (c *call) claudeMay(input json.RawMessage) {
	c.input, c.sent = input, 1
	tool := c.asks
	it := item{header: quote("Permission"), text: quote("May the agent use " + brief(tool) + "?")}
	shown, most := shownInput(input), maxShown
	if tool == claudePlan {
		it.text = quote("May the agent go ahead with this plan?")
		shown, most = shownPlan(input), maxPlan
	}
	q := ask.Question{Options: []ask.Option{{Label: claudeAllow}, {Label: claudeDeny, Description: "Other… denies too, and tells the agent why"}}}
	for _, o := range q.Options {
		it.options = append(it.options, option{label: quote(o.Label)})
	}
	c.add(it, q)
	c.permit(c.asksAt, brief(tool), input, shown, most)
	if cwd := path.Base(strings.ReplaceAll(c.cwd, `\`, "/")); cwd != "." && cwd != "/" {
		c.request.Context = "In " + cwd + "."
	}
}

// claudePermitted is the answer to such a question.
func (c *call) claudePermitted(p pick) Result {
	switch {
	case p.other != "":
		return c.claudeRefused(c.who + " said no, and: " + p.other)
	case p.labels[0].text == claudeAllow:
		updated := at("updatedInput", js(c.input))
		switch c.form {
		case claudeHook:
			return asJSON(hookOutput("PreToolUse", at("permissionDecision", `"allow"`), updated))
		case claudePermission:
			return asJSON(hookOutput("PermissionRequest", at("decision", object(at("behavior", `"allow"`), updated))))
		}
		return asJSON(c.claudeControl(object(at("behavior", `"allow"`), updated)))
	}
	return c.claudeRefused(c.who + " said no.")
}

// claudeRefused is a person's no; it is no error of anybody's.
func (c *call) claudeRefused(why string) Result {
	deny := object(at("behavior", `"deny"`), at("message", str(why)))
	switch c.form {
	case claudeHook:
		return asJSON(hookOutput("PreToolUse", at("permissionDecision", `"deny"`), at("permissionDecisionReason", str(why))))
	case claudePermission:
		return asJSON(hookOutput("PermissionRequest", at("decision", deny)))
	}
	return asJSON(c.claudeControl(deny))
}

// claudeUnpermitted is the end of such a question without an answer.
func (c *call) claudeUnpermitted(e Ending, text string) Result {
	hook := c.form == claudeHook || c.form == claudePermission
	switch e {
	case Declined, Cancelled:
		return c.claudeRefused("Nobody allowed it: the request was cancelled.")
	case Superseded:
		return c.claudeRefused("Nobody allowed it: the request was replaced by a newer one.")
	case Expired:
		return c.claudeRefused("Nobody answered in time, so it was not allowed.").asError()
	case Replied:
		return c.claudeRefused(c.who + " did not allow it, and replied: " + c.reply)
	case Pending, Failed, Refused, Answered, Partial:
	}
	if hook {
		return Result{ContentType: "application/json", IsError: e != Pending}
	}
	return c.claudeRefused(text).asError()
}

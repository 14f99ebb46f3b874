package dialect

import (
	"encoding/json"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Claude Code asks for permissions through the same envelopes as for questions,
// and through one more: the tool named by --permission-prompt-tool is called with
// tool_name, input and tool_use_id, and returns what canUseTool does. A
// PreToolUse hook answers for ExitPlanMode alone: for other tools it comes whether
// or not anybody would be asked.
//
// Every allow carries the input that was shown, and where somebody allows more than
// this call, what the host suggested for that: claudepersist.go. A hook without a decision says
// nothing, and the host shows its own picker.
// https://code.claude.com/docs/en/hooks, https://code.claude.com/docs/en/headless
const (
	claudePlan = "ExitPlanMode"

	claudeAllow = "Allow"
	claudeDeny  = "Deny"
)

// claudeEdits are the tools that change files.
var claudeEdits = []string{"Edit", "MultiEdit", "Write", "NotebookEdit"}

// claudeAsks reports whether a call of this tool asks for a permission.
func (c *call) claudeAsks(tool string) bool {
	return c.form != claudeHook || tool == claudePlan
}

// claudeMay makes the question whether a tool may run.
func (c *call) claudeMay(input json.RawMessage) {
	c.input, c.sent = input, 1
	tool := c.asks
	it := item{header: quote("Permission"), text: quote("May the agent use " + named(tool) + "?")}
	shown, words, covered := toolInput(input, c.isShell(tool))
	switch {
	case tool == claudePlan:
		// The host adds where it has stored the plan.
		plan := members(input)
		delete(plan, "planFilePath")
		if shown, covered = shownPlan(plan), plan; hasPlan(plan) {
			it.text = quote("May the agent go ahead with this plan?")
		} else {
			it.text = quote("May the agent leave plan mode?")
		}
	case slices.Contains(claudeEdits, tool) && !hasText(input, isContent):
		shown = lines(shown, noContent)
	}
	others := c.covered(c.envelope, "cwd", "tool_name", c.asksAt)
	c.covers(tool, c.envelope, covered, others)
	shown = withPrompt(shown, shownParts("", others))
	q := ask.Question{Options: []ask.Option{{Label: claudeAllow}}}
	for _, k := range c.keeps {
		q.Options = append(q.Options, k.Option)
	}
	q.Options = append(q.Options, ask.Option{Label: claudeDeny, Description: "Other… denies too, and tells the agent why"})
	for _, o := range q.Options {
		it.options = append(it.options, option{label: quote(o.Label)})
	}
	c.add(it, q)
	c.permit(c.asksAt, brief(tool), input, shown, words)
	c.request.Questions[0].Confirm = c.wary
	if tool != claudePlan {
		c.offer(tool, shown, 0, len(q.Options)-1)
	}
}

// claudePermitted is the answer to such a question.
func (c *call) claudePermitted(p pick) Result {
	switch {
	case p.other != "":
		return c.claudeRefused(c.who + " said no, and: " + p.other)
	case p.labels[0].text == claudeAllow, c.request.Permit.Offered(p.labels[0].text) != nil:
		return c.claudeAllowed()
	}
	for _, k := range c.keeps {
		if k.Label == p.labels[0].text {
			return c.claudeAllowed(at("updatedPermissions", "["+k.update+"]"))
		}
	}
	return c.claudeRefused(c.who + " said no.")
}

// claudeAllowed is a person's yes, with what it allows from then on.
func (c *call) claudeAllowed(more ...member) Result {
	updated := at("updatedInput", js(c.input))
	if c.form == claudeHook {
		return asJSON(hookOutput("PreToolUse", at("permissionDecision", `"allow"`), updated))
	}
	allow := object(append([]member{at("behavior", `"allow"`), updated}, more...)...)
	if c.form == claudePermission {
		return asJSON(hookOutput("PermissionRequest", at("decision", allow)))
	}
	return asJSON(c.claudeControl(allow))
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

package dialect

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// claudePlan is the tool that ends plan mode.
const claudePlan = "ExitPlanMode"

// claudeEdits are the tools that change files.
var claudeEdits = []string{"Edit", "MultiEdit", "Write", "NotebookEdit"}

// claudePrompt is Claude Code's request for permission to use a tool. It comes in the same envelopes as questions. The tool
// named by --permission-prompt-tool is called with tool_name, input and tool_use_id, and returns what canUseTool returns.
//
// Each approval carries the input that was shown. If a person allows more than this call, it also carries the host's
// suggestion for that, see claudepersist.go. A hook without a decision has no output, and the host shows its own picker.
// https://code.claude.com/docs/en/hooks, https://code.claude.com/docs/en/headless
type claudePrompt struct {
	tool string
	// path is the member of the envelope that has the tool's input.
	path     string
	envelope js.Fields
	// confirm is set if the host does not want a single key, or a single tap, to give permission.
	confirm bool
	// suggestions are the options that allow more than this call.
	suggestions []claudeSuggestion
}

// ask makes the prompt the one question of the call.
func (p *claudePrompt) ask(c *call) {
	c.Sent = 1
	it := question.Item{Header: js.Quote("Permission"), Text: js.Quote("May the agent use " + quote.Name(p.tool) + "?")}
	wants := ask.WantsTool
	shown, words, covered := preview.ToolInput(c.input, c.isShell(p.tool))
	switch {
	case c.isShell(p.tool):
		wants = ask.WantsRun
	case p.tool == claudePlan:
		// The host adds the path of the file with the plan.
		plan := js.FieldsOf(c.input)
		delete(plan, "planFilePath")
		if shown, covered = preview.Plan(plan), plan; preview.HasPlan(plan) {
			wants = ask.WantsPlan
			it.Text = js.Quote("May the agent go ahead with this plan?")
		} else {
			wants = ask.WantsNoPlan
			it.Text = js.Quote("May the agent leave plan mode?")
		}
	case slices.Contains(claudeEdits, p.tool):
		wants = ask.WantsChange
		if !preview.HasText(c.input, preview.IsContent) {
			shown = quote.Paragraphs(shown, preview.NoContent)
		}
	}
	others := c.covered(p.envelope, "cwd", "tool_name", p.path)
	c.covers(p.tool, p.envelope, covered, others)
	shown = preview.WithPrompt(shown, preview.Parts("", others))
	q := ask.Question{Options: []ask.Option{{Label: labelAllow}}}
	for _, s := range p.suggestions {
		q.Options = append(q.Options, s.Option)
	}
	q.Options = append(q.Options, ask.Option{Label: labelDeny, Description: otherDenies})
	for _, o := range q.Options {
		it.Options = append(it.Options, question.Option{Label: js.Quote(o.Label)})
	}
	c.Add(it, q)
	operation.Permit(&c.Set, p.path, quote.Brief(p.tool), c.input, shown, words)
	c.wants(wants, quote.Name(p.tool), labelDeny)
	if p.confirm && ask.HighRisk.Fits(c.Request.Questions) {
		c.Request.Risk = ask.HighRisk
	} else {
		c.Request.Questions[0].Confirm = p.confirm // A menu with a submit button takes a second tap, too.
	}
	if p.tool != claudePlan {
		operation.Offer(&c.Set, c.opts.Grants, p.tool, shown, len(q.Options)-1)
	}
}

func (p *claudePrompt) noReply() bool { return false }

func (p *claudePrompt) answered(c *call, picked answer.Pick) Result {
	if picked.Other != "" {
		return claudeDeny(c, c.deniedWith(picked.Other))
	}
	label := picked.Labels[0].Text
	if label == labelAllow || c.Request.Permit.Offered(label) != nil {
		return claudeAllow(c)
	}
	for _, s := range p.suggestions {
		if s.Label == label {
			return claudeAllow(c, js.At("updatedPermissions", "["+s.update+"]"))
		}
	}
	return claudeDeny(c, c.denied())
}

// claudeAllow is an approval, with what it allows from now on.
func claudeAllow(c *call, more ...js.Member) Result {
	updated := js.At("updatedInput", js.Text(c.input))
	if c.form == claudeHook {
		return asJSON(claudeHookOutput("PreToolUse", js.At("permissionDecision", `"allow"`), updated))
	}
	allow := js.Object(append([]js.Member{js.At("behavior", `"allow"`), updated}, more...)...)
	if c.form == claudePermission {
		return asJSON(claudeHookOutput("PermissionRequest", js.At("decision", allow)))
	}
	return asJSON(claudeResponse(c, allow))
}

func (p *claudePrompt) ended(c *call, e Ending, text string) Result {
	switch e {
	case Declined, Cancelled:
		return claudeDeny(c, deniedCancelled)
	case Superseded:
		return claudeDeny(c, deniedSuperseded)
	case Expired:
		return claudeDeny(c, deniedExpired).asError()
	case Replied:
		return claudeDeny(c, c.deniedReply())
	case Pending, Failed, Refused, Answered, Partial:
	}
	if c.form == claudeHook || c.form == claudePermission {
		return Result{ContentType: "application/json", IsError: e != Pending}
	}
	return claudeDeny(c, text).asError()
}

package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// MCP elicitation in form mode, and Claude Code's Elicitation hook around it: a
// flat schema in, accept with the content out, decline when a person dismisses
// the card: that is a decision, which ends the form for everybody. Every other
// end is a cancel, since decline would say that a person refused. There is no "Other" in an enum: a text property named
// after the choice carries it ("q0", "q0_other"), and without one typed text is
// switched off. Secrets and URL mode are refused.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
const mcpSource = "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation"

// elicitationHook is the envelope of Claude Code's hook.
const elicitationHook = "hook"

func mcp() Dialect {
	return Dialect{
		Name: "mcp", Family: "elicitation", Host: "MCP clients", Tool: "elicitation/create", Source: mcpSource, leavesOut: true, wordless: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Flat forms of up to 25 values each; numbers must be typed as such; a person who dismisses the card declines, every other end without an answer is a cancel without a reason.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.fields("", data)
			if !ok {
				c.unread = true
				return
			}
			if event := f.take("hook_event_name"); event != nil {
				c.form = elicitationHook
				c.ids(f, "session_id", "")
				for _, name := range []string{"mcp_server_name", "transcript_path", "cwd", homeMember, "permission_mode"} {
					f.take(name)
				}
			}
			c.elicitation(c.rpc(f))
		},
		write: writeElicitation,
		end:   endElicitation,
	}
}

// elicitation reads the parameters of a form.
func (c *call) elicitation(f fields) {
	if mode := c.text("mode", f.take("mode")); mode != "" && mode != "form" {
		c.badAt("mode", ask.ErrSyntax, "is %q; only forms can be asked in chat", brief(mode))
		c.unread = true
		return
	}
	f.take("_meta")
	message := c.text("message", f.take("message"))
	c.schema("requestedSchema", message, f.take("requestedSchema", "requested_schema"))
	c.rest("", f)
}

func writeElicitation(c *call, picks []pick) Result {
	content, err := c.content(picks)
	if err != nil {
		return endElicitation(c, Failed, err.Error())
	}
	return c.elicited(at("action", `"accept"`), at("content", content))
}

func endElicitation(c *call, e Ending, text string) Result {
	switch e {
	case Pending:
		return Result{ContentType: "application/json"}
	case Refused:
		if c.form == elicitationHook {
			return Result{ContentType: "application/json"}
		}
		return c.rpcError(e, text)
	case Declined:
		return c.elicited(at("action", `"decline"`))
	case Replied:
		c.warn("the host can only be told that the form was declined: %s", text)
		return c.elicited(at("action", `"decline"`))
	}
	c.warn("the host can only be told that the form was cancelled: %s", text)
	return c.elicited(at("action", `"cancel"`))
}

func (c *call) elicited(members ...member) Result {
	if c.form == elicitationHook {
		return asJSON(hookOutput("Elicitation", members...))
	}
	return asJSON(c.rpcResult(object(members...)))
}

package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/dialect/internal/schema"
)

// MCP elicitation in form mode, and Claude Code's Elicitation hook around it. The input is a flat schema, and an answer is "accept"
// with the content. If a person dismisses the card the result is "decline", which is a decision. Any other end is "cancel",
// because "decline" would mean that a person refused. An enum has no "Other": a text property named after the choice carries it
// ("q0", "q0_other"), and without one typed text is off. Secrets and URL mode are rejected.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
const mcpSource = "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation"

// elicitationHook is the form of Claude Code's hook.
const elicitationHook = "hook"

func mcp() Dialect {
	return Dialect{
		Name: "mcp", Family: "elicitation", Host: "MCP clients", Tool: "elicitation/create", Source: mcpSource, canSkip: true, noReply: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Flat forms of up to 25 values each; numbers must be typed as such; a person who dismisses the card declines, every other end without an answer is a cancel without a reason.",
		studied:  "specification, revisions 2025-06-18, 2025-11-25 and 2026-07-28",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			f, ok := c.Fields("", data)
			if !ok {
				c.Unread = true
				return
			}
			if event := f.Take("hook_event_name"); event != nil {
				c.form = elicitationHook
				c.IDs(f, "session_id", "")
				for _, name := range []string{"mcp_server_name", "transcript_path", "cwd", operation.Home, "permission_mode"} {
					f.Take(name)
				}
			}
			readElicitation(c, c.rpc(f))
		},
		write: writeElicitation,
		end:   endElicitation,
	}
}

// readElicitation reads the parameters of a form.
func readElicitation(c *call, f js.Fields) {
	if mode := c.Text("mode", f.Take("mode")); mode != "" && mode != "form" {
		c.Reject("mode", ask.ErrSyntax, "is %q; only forms can be asked in chat", quote.Brief(mode))
		c.Unread = true
		return
	}
	f.Take("_meta")
	message := c.Text("message", f.Take("message"))
	schema.Read(&c.Set, "requestedSchema", message, f.Take("requestedSchema", "requested_schema"))
	c.Rest("", f)
}

// writeElicitation encodes the filled form.
func writeElicitation(c *call, picks []answer.Pick) Result {
	content, err := schema.Content(picks)
	if err != nil {
		return endElicitation(c, Failed, err.Error())
	}
	return elicited(c, js.At("action", `"accept"`), js.At("content", content))
}

// endElicitation encodes an end without answers.
func endElicitation(c *call, e Ending, text string) Result {
	switch e {
	case Pending:
		return noOutput()
	case Refused:
		if c.form == elicitationHook {
			return noOutput()
		}
		return c.rpcError(e, text)
	case Declined:
		return elicited(c, js.At("action", `"decline"`))
	case Replied:
		c.AddWarning("the host only learns that the form was declined: %s", text)
		return elicited(c, js.At("action", `"decline"`))
	}
	c.AddWarning("the host only learns that the form was cancelled: %s", text)
	return elicited(c, js.At("action", `"cancel"`))
}

// elicited is a result in the envelope of the input.
func elicited(c *call, members ...js.Member) Result {
	if c.form == elicitationHook {
		return asJSON(claudeHookOutput("Elicitation", members...))
	}
	return asJSON(c.rpcResult(js.Object(members...)))
}

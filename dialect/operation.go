package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// uncovered lists, for the family of each host that asks for permissions, the members of its
// prompts that an approval does not cover, each with the reason. Every other member is shown on
// the card and is part of the [ask.Operation], also one that a later version of the host adds.
// If a host names no folder, a client that passes its prompts on can add it as the member cwd, and
// the home directory of the person on the host's machine as home.
//
// Members that are null are left out as if they were absent, which is what they mean in the
// protocols of these hosts; within the input of a tool null is a value like any other.
var uncovered = map[string]map[string]string{
	"claude": {
		"session_id":             "the bridge compares sessions itself",
		"tool_use_id":            "an id",
		"prompt_id":              "an id",
		"agent_id":               "the sub-agent that calls: the card names it, and its calls have a session of their own",
		"agent_type":             "the same",
		"transcript_path":        "where the host logs the session",
		"hook_event_name":        "which of its hooks the host runs",
		"subtype":                "which request of the control protocol this is",
		"permission_mode":        "when the host asks, not what it does",
		"effort":                 "how long the model thinks",
		"permission_suggestions": "what the host can allow beyond this call: each is an option of the card, or is not offered",
		"defaultToNo":            "how people confirm, which the card follows",
		"default_to_no":          "the same",

		"suppressAlwaysAllowRule":    "whether suggestions are offered, which the card follows",
		"suppress_always_allow_rule": "the same",

		"title":        "the host's own words for the tool and its input, which the card shows whole",
		"display_name": "the same",
		"description":  "the same",

		"decision_reason_type":      "why the host asks; decision_reason is the same in words and is shown",
		"matched_ask_rule":          "the same",
		"classifier_approvable":     "the same",
		"requires_user_interaction": "the same",
	},
	"codex": {
		"threadId":    "the bridge compares sessions itself",
		"turnId":      "an id",
		"itemId":      "an id",
		"approvalId":  "an id",
		"startedAtMs": "a time",

		"commandActions":                  "Codex's own reading of the command, which the card shows whole; without a command it is covered",
		"availableDecisions":              "the answers that Codex takes: each is an option of the card, or is not offered",
		"proposedExecpolicyAmendment":     "the same",
		"proposedNetworkPolicyAmendments": "the same",
	},
	"crush": {
		"id":           "an id",
		"session_id":   "the bridge compares sessions itself",
		"tool_call_id": "an id",
		"description":  "Crush's own words for params, which the card shows whole; without params it is covered",
	},
	"opencode": {
		"id":        "an id",
		"sessionID": "the bridge compares sessions itself",
		"tool":      "the ids of message and call",
		"always":    "what OpenCode allows after the answer always: an option of the card, or not offered",
	},
	"kimi": {
		"id":                 "an id",
		"tool_call_id":       "an id",
		"source_kind":        "which part of the agent calls, not what it does",
		"source_id":          "the same",
		"source_description": "the same",
		"agent_id":           "the same",
		"subagent_type":      "the same",
	},
	"langgraph": {
		"config":      "the answers that the agent takes: each is an option of the card, or is not offered",
		"description": "the agent's words for the action, which are the question",
	},
	"elicitation": { // ACP
		"sessionId":  "the bridge compares sessions itself",
		"toolCallId": "an id",
		"options":    "the answers that the agent takes: each is an option of the card, or is not offered",
		"status":     "how far the call is: it waits",
		"kind":       "a hint for the client's icon (https://agentclientprotocol.com/protocol/tool-calls)",
		"_meta":      "what the protocol reserves for parties that agree on it; a client must not read anything into it",
	},
}

// shells are the tools by which each host runs a command in its own shell. Their description is
// the model's wording for one call, and the shell never reads it: the card shows it as the agent's
// words, and it is not covered. A tool of any other name may do something else with a member
// of that name.
var shells = map[string][]string{
	"claude": {"Bash", "PowerShell"}, // https://code.claude.com/docs/en/tools-reference
	"crush":  {"bash"},               // https://github.com/charmbracelet/crush/tree/37f36e9/internal/agent/tools
}

// isShell reports whether a tool is the host's own shell.
func (c *call) isShell(tool string) bool { return slices.Contains(shells[c.dialect.Family], tool) }

// covered returns the members of a prompt that an approval covers, except for those given.
func (c *call) covered(f fields, except ...string) fields {
	kept := maps.Clone(f)
	maps.DeleteFunc(kept, func(name string, value json.RawMessage) bool {
		_, left := uncovered[c.dialect.Family][name]
		return left || missing(value) || slices.Contains(except, name) || name == homeMember
	})
	return kept
}

// homeMember is the home directory of the person, by which the card shortens a folder that is
// covered in full.
const homeMember = "home"

// covers sets the operation that the prompt asks about: a tool, in the folder and the environment
// that the prompt names, with the given parts of what the host sent.
func (c *call) covers(tool string, f fields, parts ...any) {
	c.request.Operation = ask.Operation{
		Host: c.dialect.Family, Tool: tool, Input: digest(parts),
		Folder: c.text("cwd", f["cwd"]), Environment: c.text("environmentId", f["environmentId"]),
	}
	c.home, _ = plainText(f[homeMember])
	if n := len([]rune(c.request.Operation.Folder)); n > maxFolder {
		c.badAt("cwd", ask.ErrTooLong, "has %d characters; the card can show %d", n, maxFolder)
	}
}

// maxFolder is the longest working directory that fits a card, in characters.
const maxFolder = 1000

// digest identifies values by their canonical JSON.
func digest(values []any) string {
	data, err := json.Marshal(values)
	if err == nil {
		data, err = strictjson.Canonical(data)
	}
	if err != nil {
		panic("dialect: JSON that was read before always encodes: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

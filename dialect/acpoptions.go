package dialect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Kinds of tool calls that are shown in a special way.
const (
	acpExecute = "execute"
	acpEdit    = "edit"
)

// acpRejects is the prefix of the kinds of options that refuse a call.
const acpRejects = "reject_"

// acpOptions describes each option by its kind, because its name is the agent's own wording. It drops options that change the
// agent's mode or reach beyond the limit.
func acpOptions(c *call, tool string) {
	q, it := &c.Request.Questions[0], &c.Items[0]
	var shown []ask.Option
	var kept []question.Option
	allowed, allows := false, false
	for n, o := range q.Options {
		kind, id := it.Options[n].Kind, it.Options[n].Key.Text
		refuses := strings.HasPrefix(kind, acpRejects)
		allowed = allowed || !refuses
		if !refuses && switchesMode(id, o.Label) {
			c.Advise(fmt.Sprintf("options[%d]", n), "%q changes the mode of the agent, and is not offered", quote.Brief(o.Label))
			continue
		}
		if kind == "allow_always" {
			far := acpReach(id, tool)
			if !c.opts.Persist.allows(far.level) {
				c.Advise(fmt.Sprintf("options[%d]", n), "%q reaches further than persist lets it, and is not offered", quote.Brief(o.Label))
				continue
			}
			o.Description = far.text
		} else if text := acpKinds[kind]; text != "" {
			o.Description = text
		}
		shown, kept = append(shown, o), append(kept, it.Options[n])
		allows = allows || !refuses
	}
	if allowed && !allows {
		c.Reject("options", ask.ErrOptionCount, "no option allows this one call alone: each reaches further than persist lets it, or changes the mode of the agent")
		return
	}
	// The option that allows this one call is the first.
	for n, o := range kept {
		if o.Kind == "allow_once" {
			first := shown[n]
			shown = slices.Insert(slices.Delete(shown, n, n+1), 0, first)
			kept = slices.Insert(slices.Delete(kept, n, n+1), 0, o)
			break
		}
	}
	q.Options, it.Options = shown, kept
}

// acpKinds describes the kinds of options.
var acpKinds = map[string]string{
	"allow_once":    "Allows it this once",
	"reject_once":   "Refuses it this once",
	"reject_always": "Refuses it from now on",
}

// switchesMode reports whether an option changes the mode of the agent, judging by its ID or name. Agents give such options
// any kind: Qwen Code has "proceed_once_and_switch_to_default" as allow_once, the adapter of Claude Code has "acceptEdits" as
// allow_always. A name has to contain a mode and a verb that enters it, because options can also be texts of the model, such
// as "Fix edit mode" in a plan.
func switchesMode(id, name string) bool {
	named := words(name)
	return modeID.MatchString(words(id)) || autoName.MatchString(named) || modeName.MatchString(named) && modeVerb.MatchString(named)
}

var (
	modeID   = regexp.MustCompile(`^(accept edits|bypass permissions|auto|auto edit|auto accept|dont ask|yolo|restore previous)$|\b(switch|set|enter|change)( \w+)* (mode|default|auto|yolo|plan)\b`)
	autoName = regexp.MustCompile(`^(yes|allow|approve|always|switch|enable)\b.*\b(auto (accept|approve)|bypass permissions|yolo)\b`)
	// modeName has the modes of Claude Code, Codex, Gemini CLI, Qwen Code, Kimi Code, OpenCode and Cline.
	modeName = regexp.MustCompile(`\b(default|previous|normal|manual|auto|edit|edits|accept|approve|autopilot|plan|ask|act|build|agent|code|yolo|access|bypass|only) mode\b`)
	modeVerb = regexp.MustCompile(`\b(yes|allow|approve|switch|enter|exit|restore|return|enable|use)\b`)
)

// words returns the words of a name in lower case, so that "acceptEdits" and "accept-edits" are equal.
func words(name string) string {
	name = strings.ToLower(camel.ReplaceAllString(strings.ReplaceAll(name, "'", ""), "$1 $2"))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

var camel = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// acpScope is how far an option reaches.
type acpScope struct {
	level Persist
	text  string
}

// acpReach returns how far an option of the kind allow_always reaches. The protocol does not define it, and agents differ. The
// known IDs are from the source code of the agents below. Any other option is assumed to reach as far as possible.
//
// Gemini CLI: https://github.com/google-gemini/gemini-cli/tree/5411f11/packages (cli/src/acp/acpUtils.ts, core/src/scheduler/policy.ts);
// Qwen Code: https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/tools.ts;
// Kimi Code: packages/acp-server/src/approval.ts of @moonshot-ai/kimi-code 2.1.0, and its approval rules;
// Kimi CLI: https://github.com/MoonshotAI/kimi-cli/blob/4a550ef/src/kimi_cli/soul/approval.py;
// Codex: https://github.com/agentclientprotocol/codex-acp/blob/ba5bcc3/src/CodexApprovalHandler.ts
func acpReach(id, tool string) acpScope {
	switch id {
	case "proceed_always":
		if tool == "edit" {
			return acpScope{level: PersistSession, text: "Allows every file change until the session ends, not only this one"}
		}
		return acpScope{level: PersistSession, text: "Allows what the agent considers the same until the session ends; for a command, everything that starts with the same program"}
	case "proceed_always_server":
		return acpScope{level: PersistSession, text: "Allows every tool of the same MCP server until the session ends"}
	case "proceed_always_tool":
		return acpScope{level: PersistSession, text: "Allows the same tool with any input until the session ends"}
	case "approve_always":
		return acpScope{level: PersistSession, text: "Allows the same command or file until the session ends; for other tools, any input"}
	case "approve_for_session":
		return acpScope{level: PersistSession, text: "Allows everything of this kind until the session ends; for commands, every command"}
	case "proceed_always_project":
		return acpScope{level: PersistProject, text: "Allows what the agent considers the same in this project permanently (in the project's settings)"}
	case "proceed_always_and_save":
		return acpScope{level: PersistUser, text: "Allows what the agent considers the same permanently: in this folder if it is trusted, otherwise in every folder of this user"}
	case "proceed_always_user":
		return acpScope{level: PersistUser, text: "Allows what the agent considers the same permanently, in every folder of this user"}
	case "allow_permissions_session":
		return acpScope{level: PersistSession, text: "Allows everything that runs to use these permissions until the session ends"}
	}
	return acpScope{level: PersistUser, text: "Allows it from now on; the agent does not say how much that covers or for how long"}
}

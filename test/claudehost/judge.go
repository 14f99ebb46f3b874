package claudehost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// hook is a command in the settings.
type hook struct {
	command string
	timeout time.Duration
}

// hooksOf returns the hooks of an event that match a tool. A matcher is a pattern for the whole name; without one
// every tool matches. The default timeout is 600 seconds. From documents.
func hooksOf(settings []byte, event, tool string) ([]hook, error) {
	var s struct {
		Hooks map[string][]struct {
			Matcher string `json:"matcher"`
			Hooks   []struct {
				Type    string `json:"type"`
				Command string `json:"command"`
				Timeout int64  `json:"timeout"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(settings, &s); err != nil {
		return nil, err
	}
	var found []hook
	for _, entry := range s.Hooks[event] {
		if entry.Matcher != "" && entry.Matcher != "*" {
			pattern, err := regexp.Compile("^(?:" + entry.Matcher + ")$")
			if err != nil {
				return nil, err
			}
			if !pattern.MatchString(tool) {
				continue
			}
		}
		for _, h := range entry.Hooks {
			if h.Type != "command" {
				return nil, fmt.Errorf("unknown hook type %q", h.Type)
			}
			seconds := h.Timeout
			if seconds == 0 {
				seconds = 600
			}
			found = append(found, hook{h.Command, time.Duration(seconds) * time.Second})
		}
	}
	return found, nil
}

// output decodes a hook's output for its event; nil means no decision.
func (h *Host) output(event string, out []byte, known ...string) map[string]json.RawMessage {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	var whole, output map[string]json.RawMessage
	if json.Unmarshal(out, &whole) != nil || json.Unmarshal(whole["hookSpecificOutput"], &output) != nil || len(whole) != 1 {
		h.fault("%s prints what the host does not read: %s", event, out)
		return nil
	}
	if text(output["hookEventName"]) != event {
		h.fault("%s names the event %s", event, output["hookEventName"])
		return nil
	}
	delete(output, "hookEventName")
	h.only(event, output, known...)
	return output
}

func (h *Host) only(event string, output map[string]json.RawMessage, known ...string) {
	for name := range output {
		if !slices.Contains(known, name) {
			h.fault("%s sets %s, which the host does not know", event, name)
		}
	}
}

// preToolUse reads a decision of PreToolUse. Live: "chat answers alone in dontAsk mode".
func (h *Host) preToolUse(u *Use, out []byte) (Verdict, bool) {
	output := h.output("PreToolUse", out, "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")
	if output == nil {
		return Verdict{}, false
	}
	switch decision := text(output["permissionDecision"]); decision {
	case "deny":
		return Verdict{By: "hook", Message: text(output["permissionDecisionReason"])}, true
	case "allow":
		return h.allowed("PreToolUse", u, output["updatedInput"])
	default:
		h.fault("PreToolUse decides %q in a terminal", decision)
		return Verdict{}, false
	}
}

// permissionRequest reads a decision of PermissionRequest. Live: "chat answers first", "chat and terminal decide
// permission prompts".
func (h *Host) permissionRequest(u *Use, out []byte) (Verdict, bool) {
	output := h.output("PermissionRequest", out, "decision")
	if output == nil {
		return Verdict{}, false
	}
	var decision map[string]json.RawMessage
	if json.Unmarshal(output["decision"], &decision) != nil {
		h.fault("PermissionRequest decides nothing: %s", out)
		return Verdict{}, false
	}
	switch behavior := text(decision["behavior"]); behavior {
	case "deny":
		h.only("PermissionRequest", decision, "behavior", "message", "interrupt")
		return Verdict{By: "hook", Message: text(decision["message"])}, true
	case "allow":
		h.only("PermissionRequest", decision, "behavior", "updatedInput", "updatedPermissions")
		v, ok := h.allowed("PermissionRequest", u, decision["updatedInput"])
		if ok {
			v.Kept = h.kept(u, decision["updatedPermissions"])
		}
		return v, ok
	default:
		h.fault("PermissionRequest decides %q", behavior)
		return Verdict{}, false
	}
}

// allowed returns the verdict for a call that a hook allows. For a question without input the host assumes no
// answers, and without input it does not accept a plan as approved. From documents.
func (h *Host) allowed(event string, u *Use, updated json.RawMessage) (Verdict, bool) {
	if updated == nil {
		h.fault("%s allows %s without its input", event, u.call.Tool)
		return Verdict{By: "hook", Ran: true, Input: u.call.Input}, u.call.Tool != "ExitPlanMode"
	}
	var sent, now map[string]json.RawMessage
	if json.Unmarshal([]byte(u.call.Input), &sent) != nil || json.Unmarshal(updated, &now) != nil {
		h.fault("%s gives %s no input: %s", event, u.call.Tool, updated)
		return Verdict{}, false
	}
	if u.call.Tool == "AskUserQuestion" {
		var answers map[string]json.RawMessage
		if json.Unmarshal(now["answers"], &answers) != nil || len(answers) == 0 {
			h.fault("%s answers nothing: %s", event, updated)
		}
		delete(now, "answers")
		delete(now, "annotations")
	}
	if !bytes.Equal(compact(sent), compact(now)) {
		h.fault("%s changes what was asked: %s", event, updated)
	}
	return Verdict{By: "hook", Ran: true, Input: string(updated)}, true
}

// kept returns the persistent permissions of a decision. The host accepts any rule; the double requires each to be
// one that was suggested, or its narrower form: the same rule for the session only, or a rule for the edited file
// in place of the mode that accepts every edit. Live: "session rules run equal calls unasked".
func (h *Host) kept(u *Use, updates json.RawMessage) []string {
	if updates == nil {
		return nil
	}
	var given, offered []json.RawMessage
	if json.Unmarshal(updates, &given) != nil || u.call.Suggestions != "" && json.Unmarshal([]byte(u.call.Suggestions), &offered) != nil {
		h.fault("PermissionRequest: updatedPermissions is not a list: %s", updates)
		return nil
	}
	var kept []string
	for _, g := range given {
		within := func(o json.RawMessage) bool { return bytes.Equal(o, g) || equal(g, u.lesser(o)) }
		if !slices.ContainsFunc(offered, within) {
			h.fault("PermissionRequest keeps a permission that was not suggested: %s", g)
			continue
		}
		kept = append(kept, string(g))
	}
	return kept
}

// lesser narrows a suggestion: it ends with the session and, if it is about edits, covers one file at most.
func (u *Use) lesser(suggestion json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var input struct {
		File string `json:"file_path"`
	}
	if json.Unmarshal(suggestion, &members) != nil || json.Unmarshal([]byte(u.call.Input), &input) != nil {
		return suggestion
	}
	if text(members["mode"]) == "acceptEdits" && input.File != "" {
		rules := []map[string]string{{"toolName": "Edit", "ruleContent": "/" + input.File}}
		return compact(map[string]any{"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"})
	}
	members["destination"] = compact("session")
	return compact(members)
}

// equal reports whether two objects have the same members.
func equal(a, b json.RawMessage) bool {
	var one, two map[string]json.RawMessage
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &two) == nil && bytes.Equal(compact(one), compact(two))
}

func text(data json.RawMessage) string {
	var s string
	if json.Unmarshal(data, &s) != nil {
		return ""
	}
	return s
}

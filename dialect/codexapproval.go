package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// What Codex's app-server asks for permissions: to run a command, to reach a host, to
// change files, and to have more permissions for a turn. It says itself which decisions it
// takes, availableDecisions; where it does not, those that its README names are offered.
//
// A request to change files names no change. Its client has been told of them before, in
// item/started; put the "changes" of that item beside the other members, since what is
// approved has to stand on the card.
// https://github.com/openai/codex/tree/001cdd2/codex-rs/app-server (README.md, Approvals)
const (
	codexRunCommand = "item/commandExecution/requestApproval"
	codexChange     = "item/fileChange/requestApproval"
	codexGrant      = "item/permissions/requestApproval"
)

// codexAsks returns which of them an input is; empty for none.
func codexAsks(f fields) string {
	method, _ := plainText(f["method"])
	switch {
	case method == codexRunCommand, method == codexChange, method == codexGrant:
		return method
	case method != "" || !missing(f["questions"]):
	case !missing(f["command"]), !missing(f["networkApprovalContext"]):
		return codexRunCommand
	case !missing(f["permissions"]):
		return codexGrant
	case !missing(f["changes"]):
		return codexChange
	}
	return ""
}

// codexPermission reads one of them.
func (c *call) codexPermission(method string, data json.RawMessage) {
	f, ok := c.enveloped(data)
	if !ok {
		return
	}
	input, _ := json.Marshal(f)
	c.ids(f, "threadId", "itemId")
	if approval := c.text("approvalId", f.take("approvalId")); approval != "" {
		c.request.ToolCallID += "/" + approval
	}
	p := &prompt{input: input, deaf: true, refuse: func(string) js { return object(at("decision", `"decline"`)) }}
	covered := c.codexCovered(f)
	if reason, ok := plainText(covered["reason"]); ok && len([]rune(reason)) <= maxWords {
		p.words = reason
	}
	switch method {
	case codexRunCommand:
		c.codexCommand(p, f)
	case codexChange:
		c.codexChanges(p, f)
	case codexGrant:
		c.codexPermissions(p, f)
	}
	c.covers(p.tool, f, covered)
	if p.words != "" {
		delete(covered, "reason")
	}
	if command, ok := plainText(covered["command"]); ok {
		delete(covered, "command")
		p.shown = withRest(asIs(command), covered)
	} else if diff, ok := codexDiff(covered["changes"]); ok {
		delete(covered, "changes")
		p.shown = withRest(diff, covered)
	} else {
		p.shown = shownRest(covered)
	}
	if method == codexChange && slices.ContainsFunc(fieldList(f["changes"]), func(change json.RawMessage) bool {
		return !hasText(change, isContent)
	}) {
		p.shown = lines(p.shown, noContent)
	}
	if !c.unread {
		c.asksFor(p)
	}
}

// The kinds of a prompt for a command: to run it, which every prompt of an older Codex is, and to
// type it into a program that is running.
const (
	codexRuns  = "command"
	codexTypes = "writeStdin"
)

// codexCovered returns the members that an approval covers.
func (c *call) codexCovered(f fields) fields {
	covered := c.covered(f, "cwd", "environmentId")
	if kind, _ := plainText(f["kind"]); kind == codexRuns {
		delete(covered, "kind")
	}
	if actions := f["commandActions"]; missing(f["command"]) && !missing(actions) {
		covered["commandActions"] = actions
	}
	return covered
}

func (c *call) codexCommand(p *prompt, f fields) {
	p.title, p.tool, p.path = "May Codex run this command?", "command", "command"
	rule, hosts := f["proposedExecpolicyAmendment"], f["proposedNetworkPolicyAmendments"]
	covered := c.codexCovered(f)
	delete(covered, "reason")
	kind, _ := plainText(covered["kind"])
	_, is := plainText(f["command"])
	switch {
	case len(covered) == 0:
		c.badAt("command", ask.ErrSyntax, "is not there, so nobody could see what would run")
	case kind == codexTypes:
		p.title = "May Codex type this into a program that is running?"
	case !is && !missing(f["networkApprovalContext"]):
		p.title, p.tool, p.path = "May Codex reach this host?", "network", "networkApprovalContext"
	}
	list, ok := c.list("availableDecisions", f["availableDecisions"], "a list of decisions")
	if !ok {
		c.unread = true
		return
	}
	if len(list) == 0 {
		list = []json.RawMessage{[]byte(`"accept"`), []byte(`"acceptForSession"`)}
		if !missing(rule) {
			list = append(list, []byte(object(at("acceptWithExecpolicyAmendment", object(at("execpolicy_amendment", js(rule)))))))
		}
		for _, h := range fieldList(hosts) {
			list = append(list, []byte(object(at("applyNetworkPolicyAmendment", object(at("network_policy_amendment", js(h)))))))
		}
		list = append(list, []byte(`"decline"`))
	}
	var no, stop *way
	for _, raw := range list {
		w, known := codexWay(raw)
		switch word, _ := plainText(raw); {
		case !known:
			c.advise("availableDecisions", "%s is not offered", brief(string(raw)))
		case word == "decline":
			no = &w
		case word == "cancel":
			stop = &w
		case word == "accept":
			p.ways = slices.Insert(p.ways, 0, w)
		default:
			p.ways = append(p.ways, w)
		}
	}
	if len(p.ways) == 0 || p.ways[0].reach != "" {
		c.badAt("availableDecisions", ask.ErrSyntax, "cannot be answered with a plain yes")
	}
	if no == nil && stop != nil {
		// Some prompts have no other no.
		no, p.refuse = stop, func(string) js { return object(at("decision", `"cancel"`)) }
		no.label = "Deny"
	}
	if no == nil {
		w, _ := codexWay([]byte(`"decline"`))
		no = &w
	}
	if no != stop && stop != nil {
		p.ways = append(p.ways, *stop)
	}
	p.ways = append(p.ways, *no)
}

// codexWay words one of Codex's decisions.
func codexWay(raw json.RawMessage) (w way, known bool) {
	w.reply = object(at("decision", js(raw)))
	switch word, _ := plainText(raw); word {
	case "accept":
		w.label = claudeAllow
		return w, true
	case "acceptForSession":
		w.label, w.says, w.reach = "Allow for this session", "Codex does not ask about the same again until its session ends", PersistSession
		return w, true
	case "decline":
		w.label = claudeDeny
		return w, true
	case "cancel":
		w.label, w.says = "Deny and stop", "Ends the agent's turn too"
		return w, true
	}
	f := members(raw)
	var rule struct {
		Words []string                      `json:"execpolicy_amendment"`
		Net   struct{ Host, Action string } `json:"network_policy_amendment"`
	}
	switch {
	case len(f) != 1:
	case f["acceptWithExecpolicyAmendment"] != nil:
		if json.Unmarshal(f["acceptWithExecpolicyAmendment"], &rule) != nil || len(rule.Words) == 0 {
			break
		}
		begins := shownText(strings.Join(rule.Words, " "))
		w.label, w.reach = "Allow everywhere: "+begins, PersistUser
		w.says = "Every command that begins with “" + begins + "” runs without asking, in every folder of this user, for good (rules of Codex)"
		return w, len([]rune(w.says)) <= maxReach
	case f["applyNetworkPolicyAmendment"] != nil:
		if json.Unmarshal(f["applyNetworkPolicyAmendment"], &rule) != nil || rule.Net.Action != "allow" || rule.Net.Host == "" {
			break
		}
		host := shownText(rule.Net.Host)
		w.label, w.reach = "Allow everywhere: "+host, PersistUser
		w.says = "Whatever runs may reach “" + host + "” without asking, in every folder of this user, for good (rules of Codex)"
		return w, len([]rune(w.says)) <= maxReach
	}
	return w, false
}

func (c *call) codexChanges(p *prompt, f fields) {
	p.title, p.tool, p.path = "May Codex change these files?", "change", "changes"
	if len(fieldList(f["changes"])) == 0 {
		c.badAt("changes", ask.ErrSyntax, "is not there: put the changes of item/started beside the rest, since what is approved has to stand on the card")
	}
	session := "Codex does not ask about changes to the same files again until its session ends"
	if root, _ := plainText(f["grantRoot"]); root != "" {
		session = "Codex may write to everything below “" + shownText(root) + "” until its session ends"
	}
	p.ways = []way{
		{label: claudeAllow, reply: object(at("decision", `"accept"`))},
		{label: "Allow for this session", says: session, reach: PersistSession, reply: object(at("decision", `"acceptForSession"`))},
		{label: claudeDeny, reply: p.refuse("")},
	}
}

func (c *call) codexPermissions(p *prompt, f fields) {
	p.title, p.tool, p.path = "May Codex have these permissions?", "permissions", "permissions"
	wanted := f["permissions"]
	if len(members(wanted)) == 0 {
		c.badAt("permissions", ask.ErrSyntax, "asks for nothing")
	}
	granted := at("permissions", js(wanted))
	p.refuse = func(string) js { return object(at("permissions", "{}")) }
	p.ways = []way{
		{label: claudeAllow, says: "Until the agent's turn ends", reply: object(granted)},
		{label: "Allow for this session", says: "Until the session ends, for whatever runs in it", reach: PersistSession, reply: object(at("scope", `"session"`), granted)},
		{label: claudeDeny, reply: p.refuse("")},
	}
}

// fieldList reads a list that was checked; nil if it is none.
func fieldList(data json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

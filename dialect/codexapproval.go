package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/diff"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Requests for permission of Codex's app server: to run a command, to reach a host, to change files, and to have more
// permissions for a turn. Its availableDecisions lists the decisions it accepts; without it, those of its README are offered.
//
// A request to change files does not contain the changes. The server sent them to its client before, in item/started. The client
// has to add the "changes" of that item to the other members, because the card has to show what is approved.
// https://github.com/openai/codex/tree/001cdd2/codex-rs/app-server (README.md, Approvals)
const (
	codexRunCommand = "item/commandExecution/requestApproval"
	codexChange     = "item/fileChange/requestApproval"
	codexGrant      = "item/permissions/requestApproval"
)

// codexAsks returns the method of a request for permission, or an empty text.
func codexAsks(f js.Fields) string {
	method, _ := js.StringOf(f["method"])
	switch {
	case method == codexRunCommand, method == codexChange, method == codexGrant:
		return method
	case method != "" || !js.Missing(f["questions"]):
	case !js.Missing(f["command"]), !js.Missing(f["networkApprovalContext"]):
		return codexRunCommand
	case !js.Missing(f["permissions"]):
		return codexGrant
	case !js.Missing(f["changes"]):
		return codexChange
	}
	return ""
}

// codexPermission reads a request for permission.
func codexPermission(c *call, method string, data json.RawMessage) {
	f, ok := c.enveloped(data)
	if !ok {
		return
	}
	input, _ := json.Marshal(f)
	c.IDs(f, "threadId", "itemId")
	if approval := c.Text("approvalId", f.Take("approvalId")); approval != "" {
		c.Request.ToolCallID += "/" + approval
	}
	p := &prompt{input: input, silent: true, refuse: func(string) js.Text { return js.Object(js.At("decision", `"decline"`)) }}
	covered := codexCovered(c, f)
	if reason, ok := js.StringOf(covered["reason"]); ok && len([]rune(reason)) <= preview.MaxWords {
		p.words = reason
	}
	switch method {
	case codexRunCommand:
		codexCommand(c, p, f)
	case codexChange:
		codexChanges(c, p, f)
	case codexGrant:
		codexPermissions(c, p, f)
	}
	c.covers(p.tool, f, covered)
	if p.words != "" {
		delete(covered, "reason")
	}
	if command, ok := js.StringOf(covered["command"]); ok {
		delete(covered, "command")
		p.shown = preview.WithRest(preview.AsIs(command), covered)
	} else if diff, ok := diff.FileChanges(covered["changes"]); ok {
		delete(covered, "changes")
		p.shown = preview.WithRest(diff, covered)
	} else {
		p.shown = preview.Rest(covered)
	}
	if method == codexChange && slices.ContainsFunc(js.Items(f["changes"]), func(change json.RawMessage) bool {
		return !preview.HasText(change, preview.IsContent)
	}) {
		p.shown = quote.Paragraphs(p.shown, preview.NoContent)
	}
	if !c.Unread {
		c.askFor(p)
	}
}

// Kinds of prompts for a command: to run it, which is the only kind of an older Codex, and to type it into a running program.
const (
	codexRuns  = "command"
	codexTypes = "writeStdin"
)

// codexCovered returns the members that an approval covers.
func codexCovered(c *call, f js.Fields) js.Fields {
	covered := c.covered(f, "cwd", "environmentId")
	if kind, _ := js.StringOf(f["kind"]); kind == codexRuns {
		delete(covered, "kind")
	}
	if actions := f["commandActions"]; js.Missing(f["command"]) && !js.Missing(actions) {
		covered["commandActions"] = actions
	}
	return covered
}

// codexCommand reads a request to run a command or to reach a host.
func codexCommand(c *call, p *prompt, f js.Fields) {
	p.title, p.tool, p.path, p.wants = "May Codex run this command?", "command", "command", ask.WantsRun
	rule, hosts := f["proposedExecpolicyAmendment"], f["proposedNetworkPolicyAmendments"]
	covered := codexCovered(c, f)
	delete(covered, "reason")
	kind, _ := js.StringOf(covered["kind"])
	_, is := js.StringOf(f["command"])
	switch {
	case len(covered) == 0:
		c.Reject("command", ask.ErrSyntax, "is missing, so people could not see what would run")
	case kind == codexTypes:
		p.title, p.wants = "May Codex type this into a program that is running?", ask.WantsType
	case !is && !js.Missing(f["networkApprovalContext"]):
		p.title, p.tool, p.path, p.wants = "May Codex reach this host?", "network", "networkApprovalContext", ask.WantsReach
	}
	list, ok := c.List("availableDecisions", f["availableDecisions"], "a list of decisions")
	if !ok {
		c.Unread = true
		return
	}
	if len(list) == 0 {
		list = []json.RawMessage{[]byte(`"accept"`), []byte(`"acceptForSession"`)}
		if !js.Missing(rule) {
			list = append(list, []byte(js.Object(js.At("acceptWithExecpolicyAmendment", js.Object(js.At("execpolicy_amendment", js.Text(rule)))))))
		}
		for _, h := range js.Items(hosts) {
			list = append(list, []byte(js.Object(js.At("applyNetworkPolicyAmendment", js.Object(js.At("network_policy_amendment", js.Text(h)))))))
		}
		list = append(list, []byte(`"decline"`))
	}
	var no, stop *way
	for _, raw := range list {
		w, known := codexWay(raw)
		switch word, _ := js.StringOf(raw); {
		case !known:
			c.Advise("availableDecisions", "%s is not offered", quote.Brief(string(raw)))
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
		c.Reject("availableDecisions", ask.ErrSyntax, "cannot be answered with a plain yes")
	}
	if no == nil && stop != nil {
		// Some prompts have no other denial.
		no, p.refuse = stop, func(string) js.Text { return js.Object(js.At("decision", `"cancel"`)) }
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

// codexWay describes one of Codex's decisions.
func codexWay(raw json.RawMessage) (w way, known bool) {
	w.reply = js.Object(js.At("decision", js.Text(raw)))
	switch word, _ := js.StringOf(raw); word {
	case "accept":
		w.label = labelAllow
		return w, true
	case "acceptForSession":
		w.label, w.text, w.reach = "Allow for this session", "Codex allows the same without asking until its session ends", PersistSession
		return w, true
	case "decline":
		w.label, w.denies = labelDeny, true
		return w, true
	case "cancel":
		w.label, w.text, w.denies = "Deny and stop", "Ends the agent's turn too", true
		return w, true
	}
	f := js.FieldsOf(raw)
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
		begins := quote.Text(strings.Join(rule.Words, " "))
		w.label, w.reach = "Allow everywhere: "+begins, PersistUser
		w.text = "Every command that begins with “" + begins + "” runs without asking, in every folder of this user, permanently (rules of Codex)"
		return w, len([]rune(w.text)) <= maxOptionText
	case f["applyNetworkPolicyAmendment"] != nil:
		if json.Unmarshal(f["applyNetworkPolicyAmendment"], &rule) != nil || rule.Net.Action != "allow" || rule.Net.Host == "" {
			break
		}
		host := quote.Text(rule.Net.Host)
		w.label, w.reach = "Allow everywhere: "+host, PersistUser
		w.text = "Any program may reach “" + host + "” without asking, in every folder of this user, permanently (rules of Codex)"
		return w, len([]rune(w.text)) <= maxOptionText
	}
	return w, false
}

// codexChanges reads a request to change files.
func codexChanges(c *call, p *prompt, f js.Fields) {
	p.title, p.tool, p.path, p.wants = "May Codex change these files?", "change", "changes", ask.WantsChange
	if len(js.Items(f["changes"])) == 0 {
		c.Reject("changes", ask.ErrSyntax, "is missing: add the changes of item/started, because the card has to show what is approved")
	}
	session := "Codex does not ask about changes to the same files again until its session ends"
	if root, _ := js.StringOf(f["grantRoot"]); root != "" {
		session = "Codex may write to everything below “" + quote.Text(root) + "” until its session ends"
	}
	p.ways = []way{
		{label: labelAllow, reply: js.Object(js.At("decision", `"accept"`))},
		{label: "Allow for this session", text: session, reach: PersistSession, reply: js.Object(js.At("decision", `"acceptForSession"`))},
		{label: labelDeny, denies: true, reply: p.refuse("")},
	}
}

// codexPermissions reads a request for more permissions.
func codexPermissions(c *call, p *prompt, f js.Fields) {
	p.title, p.tool, p.path, p.wants = "May Codex have these permissions?", "permissions", "permissions", ask.WantsRights
	wanted := f["permissions"]
	if len(js.FieldsOf(wanted)) == 0 {
		c.Reject("permissions", ask.ErrSyntax, "asks for nothing")
	}
	granted := js.At("permissions", js.Text(wanted))
	p.refuse = func(string) js.Text { return js.Object(js.At("permissions", "{}")) }
	p.ways = []way{
		{label: labelAllow, text: "Until the agent's turn ends", reply: js.Object(granted)},
		{label: "Allow for this session", text: "Until the session ends, for everything that runs in it", reach: PersistSession, reply: js.Object(js.At("scope", `"session"`), granted)},
		{label: labelDeny, denies: true, reply: p.refuse("")},
	}
}

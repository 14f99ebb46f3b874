package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// suggesting returns a permission prompt with these suggestions.
func suggesting(list, more string) []byte {
	return []byte(`{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"},"permission_suggestions":` + list + more + `}`)
}

func addRules(rules, behavior, destination string) string {
	return fmt.Sprintf(`{"type":"addRules","rules":[%s],"behavior":%q,"destination":%q}`, rules, behavior, destination)
}

const npmTest = `{"toolName":"Bash","ruleContent":"npm test:*"}`

func TestCeilingLimitsPersistentApprovals(t *testing.T) {
	t.Parallel()
	everywhere := "[" + strings.Join([]string{
		addRules(npmTest, "allow", "session"), addRules(npmTest, "allow", "localSettings"),
		addRules(npmTest, "allow", "projectSettings"), addRules(npmTest, "allow", "userSettings"),
	}, ",") + "]"
	for ceiling, offered := range map[dialect.Persist]int{
		"": 1, dialect.PersistNone: 0, dialect.PersistSession: 1, dialect.PersistLocal: 2, dialect.PersistProject: 3, dialect.PersistUser: 4, "always": 0,
	} {
		opts := &dialect.Options{Persist: ceiling}
		d, _ := dialect.Get("claude")
		c, err := d.Decode(suggesting(everywhere, ""), opts)
		if err != nil {
			t.Fatal(err)
		}
		options := c.Request.Questions[0].Options
		if n := len(options) - 2; n != offered {
			t.Errorf("%q: got %d persistent options: %v", ceiling, n, options)
		}
		for _, o := range options[1 : len(options)-1] {
			out := ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Selected: []string{o.Label}, By: dana}}}
			got := string(d.Encode(suggesting(everywhere, ""), out, opts).Body)
			if strings.Count(got, "destination") != 1 || !strings.Contains(got, `"updatedInput":{"command":"npm test"},"updatedPermissions":[{"type":"addRules"`) {
				t.Errorf("%q, %q: %s", ceiling, o.Label, got)
			}
			// A choice made under a higher ceiling does not hold under a lower one.
			if got := string(d.Encode(suggesting(everywhere, ""), out, &dialect.Options{Persist: dialect.PersistNone}).Body); strings.Contains(got, "allow") {
				t.Errorf("%q, %q, after the ceiling was lowered: %s", ceiling, o.Label, got)
			}
		}
	}
}

func TestPersistentApprovalsDescribeTheirScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list, more string
		// label and help are those of the persistent option, empty if there is none.
		label, help string
	}{
		"a prefix":              {list: addRules(npmTest, "allow", "session"), label: "Allow for this session: Bash(npm test:*)", help: "Every command that begins with “npm test” runs without asking, until this session ends."},
		"any arguments":         {list: addRules(`{"toolName":"Bash","ruleContent":"npm test *"}`, "allow", "session"), label: "Allow for this session: Bash(npm test *)", help: "The command “npm test” runs without asking, with any arguments, until this session ends."},
		"a command":             {list: addRules(`{"toolName":"Bash","ruleContent":"make all"}`, "allow", "userSettings"), label: "Allow everywhere: Bash(make all)", help: "The command “make all” runs without asking, in every folder of this user, permanently (~/.claude/settings.json)."},
		"another tool":          {list: addRules(`{"toolName":"WebFetch","ruleContent":"domain:x.example"}`, "allow", "localSettings"), label: "Allow in this repository: WebFetch(domain:x.example)", help: "Pages of x.example are read without asking, in this repository, permanently, for this user only (.claude/settings.local.json)."},
		"two rules":             {list: addRules(npmTest+`,{"toolName":"Bash","ruleContent":"ls"}`, "allow", "session"), label: "Allow for this session: Bash(npm test:*), Bash(ls)", help: "Every command that begins with “npm test” runs without asking; the command “ls” runs without asking, until this session ends."},
		"a folder":              {list: `{"type":"addDirectories","directories":["/srv"],"destination":"session"}`, label: "Allow for this session: /srv", help: "The agent may work in /srv, until this session ends."},
		"invisible characters":  {list: addRules(`{"toolName":"Bash","ruleContent":"ls \u202e x"}`, "allow", "session"), label: `Allow for this session: Bash("ls \u202e x")`, help: "The command “\"ls \\u202e x\"” runs without asking, until this session ends."},
		"another mode":          {list: `{"type":"setMode","mode":"bypassPermissions","destination":"session"}`},
		"a whole tool":          {list: addRules(`{"toolName":"Bash"}`, "allow", "session")},
		"a prefix of nothing":   {list: addRules(`{"toolName":"Bash","ruleContent":":*"}`, "allow", "session")},
		"a refusal":             {list: addRules(npmTest, "deny", "session")},
		"rules replaced":        {list: `{"type":"replaceRules","rules":[` + npmTest + `],"behavior":"allow","destination":"session"}`},
		"an unknown place":      {list: addRules(npmTest, "allow", "cliArg")},
		"unknown members":       {list: `{"type":"addRules","rules":[` + npmTest + `],"behavior":"allow","destination":"session","also":"x"}`},
		"names in other cases":  {list: `{"Type":"addRules","rules":[` + npmTest + `],"behavior":"allow","destination":"session"}`},
		"too long to read":      {list: addRules(`{"toolName":"Bash","ruleContent":"`+strings.Repeat("x", 700)+`"}`, "allow", "session")},
		"forbidden by the host": {list: addRules(npmTest, "allow", "session"), more: `,"suppressAlwaysAllowRule":true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := dialect.Get("claude")
			call, err := d.Decode(suggesting("["+c.list+"]", c.more), &dialect.Options{Persist: dialect.PersistUser})
			if err != nil {
				t.Fatal(err)
			}
			var label, help string
			if options := call.Request.Questions[0].Options; len(options) == 3 {
				label, help = options[1].Label, options[1].Description
			}
			if label != c.label || help != c.help {
				t.Errorf("persistent option: %s\n%s", label, help)
			}
		})
	}
}

func TestRepositoryRuleIsOfferedForSession(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Get("claude")
	for name, c := range map[string]struct {
		tool, input, list string
		// label and help are those of the persistent option, empty if there is none. rules goes back to the host.
		label, help, rules string
	}{
		"a command": {
			"Bash", `{"command":"npm test"}`, addRules(`{"toolName":"Bash","ruleContent":"npm test *"}`, "allow", "localSettings"),
			"Allow for this session: Bash(npm test *)", "The command “npm test” runs without asking, with any arguments, until this session ends.",
			`{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"type":"addRules"}`,
		},
		"a page": {
			"WebFetch", `{"url":"https://example.com/a","prompt":"Read"}`, addRules(`{"toolName":"WebFetch","ruleContent":"domain:example.com"}`, "allow", "localSettings"),
			"Allow for this session: WebFetch(domain:example.com)", "Pages of example.com are read without asking, until this session ends.",
			`{"behavior":"allow","destination":"session","rules":[{"toolName":"WebFetch","ruleContent":"domain:example.com"}],"type":"addRules"}`,
		},
		"an edit": {
			"Write", `{"file_path":"/srv/a b.txt","content":"x"}`, `{"type":"setMode","mode":"acceptEdits","destination":"session"}`,
			"Allow for this session: Edit(//srv/a b.txt)", "/srv/a b.txt is changed without asking, until this session ends.",
			`{"type":"addRules","rules":[{"toolName":"Edit","ruleContent":"//srv/a b.txt"}],"behavior":"allow","destination":"session"}`,
		},
		"an edit of a pattern":       {tool: "Write", input: `{"file_path":"/srv/*.txt","content":"x"}`, list: `{"type":"setMode","mode":"acceptEdits","destination":"session"}`},
		"an edit of another name":    {tool: "Write", input: `{"file_path":"/srv/../etc/a","content":"x"}`, list: `{"type":"setMode","mode":"acceptEdits","destination":"session"}`},
		"an edit in an unknown form": {tool: "Write", input: `{"file_path":"/srv/a","content":"x"}`, list: `{"type":"setMode","mode":"acceptEdits","destination":"session","also":"x"}`},
		"a mode for a command":       {tool: "Bash", input: `{"command":"touch a"}`, list: `{"type":"setMode","mode":"acceptEdits","destination":"session"}`},
		"another mode for an edit":   {tool: "Write", input: `{"file_path":"/srv/a","content":"x"}`, list: `{"type":"setMode","mode":"bypassPermissions","destination":"session"}`},
		"a rule in an unknown form":  {tool: "Bash", input: `{"command":"npm test"}`, list: strings.Replace(addRules(npmTest, "allow", "localSettings"), `{"type"`, `{"also":"x","type"`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []byte(`{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"` + c.tool + `","tool_input":` + c.input + `,"permission_suggestions":[` + c.list + `]}`)
			call, err := d.Decode(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			var label, help string
			if options := call.Request.Questions[0].Options; len(options) == 3 {
				label, help = options[1].Label, options[1].Description
			}
			if label != c.label || help != c.help {
				t.Fatalf("persistent option: %s\n%s", label, help)
			}
			if c.label == "" {
				return
			}
			out := ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Selected: []string{label}, By: dana}}}
			if got, want := string(d.Encode(in, out, nil).Body), `"updatedInput":`+c.input+`,"updatedPermissions":[`+c.rules+`]`; !strings.Contains(got, want) {
				t.Errorf("host receives %s\nwant %s", got, want)
			}
			if call, err := d.Decode(in, &dialect.Options{Persist: dialect.PersistNone}); err != nil || len(call.Request.Questions[0].Options) > 2 {
				t.Errorf("option offered without a ceiling, %v: %+v", err, call.Request.Questions)
			}
		})
	}
}

func TestDefaultToNoRequiresConfirmation(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Get("claude")
	for more, want := range map[string]bool{"": false, `,"defaultToNo":true`: true, `,"default_to_no":true`: true, `,"defaultToNo":false`: false} {
		call, err := d.Decode(suggesting("[]", more), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := call.Request.Risk == ask.HighRisk; got != want {
			t.Errorf("%q: high risk %v, want %v", more, got, want)
		}
	}
	// The same prompt as a callback sends it.
	call, err := d.Decode([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"defaultToNo":true}}`), nil)
	if err != nil || call.Request.Risk != ask.HighRisk {
		t.Errorf("risk %q, %v", call.Request.Risk, err)
	}
}

func TestOverbroadPersistentApprovalsAreNotOffered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ dialect, in string }{
		"a wildcard of OpenCode":     {"opencode", `{"id":"p","sessionID":"s","permission":"bash","patterns":["ls"],"always":["*"]}`},
		"a network host to refuse":   {"codex", `{"threadId":"t","command":"curl x","availableDecisions":["accept",{"applyNetworkPolicyAmendment":{"network_policy_amendment":{"host":"x","action":"deny"}}},"decline"]}`},
		"an unknown decision":        {"codex", `{"threadId":"t","command":"ls","availableDecisions":["accept","acceptForEver","decline"]}`},
		"a rule that is too long":    {"codex", `{"threadId":"t","command":"ls","availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["` + strings.Repeat("x", 700) + `"]}},"decline"]}`},
		"an option that allows once": {"acp", `{"toolCall":{"title":"ls"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := dialect.Get(c.dialect)
			call, err := d.Decode([]byte(c.in), &dialect.Options{Persist: dialect.PersistUser})
			if err != nil {
				t.Fatal(err)
			}
			if options := call.Request.Questions[0].Options; len(options) != 2 || !call.Permission {
				t.Errorf("got persistent options %+v", options)
			}
		})
	}
}

package dialect_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/test/golden"
)

// permissionPrompts returns the archived inputs that ask for a permission, by dialect.
func permissionPrompts(tb testing.TB) map[string][]string {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	prompts := map[string][]string{}
	for _, path := range paths {
		d, _ := dialect.Get(spoken(path))
		input := golden.Archive(tb, path).Get("input.json")
		if call, err := d.Decode([]byte(input), nil); err == nil && call.Permission {
			prompts[d.Name] = append(prompts[d.Name], input)
		}
	}
	return prompts
}

// cardText returns everything a card shows about the operation.
func cardText(r *ask.Request) string {
	text := r.Questions[0].Text + "\n\n" + r.Questions[0].Options[0].Preview
	for _, f := range r.Files {
		text += "\n\n" + f.Name + "\n" + f.Text
	}
	return text
}

// TestSameCardMeansSameOperation mutates the prompts of every dialect, partly into texts
// that imitate parts of other cards. If two results have the same card, they must be the same operation.
func TestSameCardMeansSameOperation(t *testing.T) {
	t.Parallel()
	prompts := permissionPrompts(t)
	for _, d := range dialect.All() {
		if prompts[d.Name] == nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			m := &mutator{Rand: rand.New(rand.NewPCG(1, uint64(len(d.Name)))), texts: slices.Clone(oddTexts)}
			seen := map[string]seenCard{}
			var last struct{ input, text string }
			asked, alike := 0, 0
			for range 1000 {
				input := m.changed(t, prompts[d.Name][m.IntN(len(prompts[d.Name]))])
				if m.IntN(4) == 0 && last.text != "" {
					input = m.imitation(t, last.input, last.text)
				}
				call, err := d.Decode(input, nil)
				if err != nil || !call.Permission || call.Request.Questions[0].TextOnly() {
					continue
				}
				asked++
				text, op := cardText(&call.Request), call.Request.Operation
				if op.IsZero() || op.Host != d.Family {
					t.Fatalf("operation %+v for\n%s", op, input)
				}
				m.learn(text)
				last.input, last.text = string(input), text
				if before, ok := seen[text]; !ok {
					seen[text] = seenCard{op, string(input)}
				} else if alike++; before.operation != op {
					t.Fatalf("two operations look alike:\n%s\n%s\nboth show\n%s", before.input, input, text)
				}
			}
			if asked < 250 || alike < 10 {
				t.Errorf("%d mutations were accepted, %d of them looked like another", asked, alike)
			}
		})
	}
}

// seenCard is the input and the operation behind a card.
type seenCard struct {
	operation ask.Operation
	input     string
}

// oddTexts look like a part of a card, or like another text.
var oddTexts = []string{
	"", " ", "a", "null", "{}", "{\n}", "In /srv/app", "In /srv/app\n\nls", "In ~/x\n\nls", "Environment: staging\n\nls", "ls", "ls\n", "ls ", "ls\t", "ls    ",
	"The agent also sent:\ntimeout: 1", "ls\n\nThe agent also sent:\ntimeout: 1", "ls\n\nThe host also sent:\nx: 1", `ls` + "\n\n" + `In the agent's words: "x"`, `In the agent's words: "x"`,
	"x: 1", "patterns: [\n  \"a\",\n  \"b\"\n]", "--- old_string\n+++ new_string\n@@ -1 +1 @@\n-a\n+b", "ls\n\nx: 1", `"ls"`, `{"x":"a"}`, "\u202e", `\u202e`, "a\u200bb", `a\u200bb`,
	"@@ -1 +1 @@\n-a\n+b", "*** Begin Patch\n+a", "ls\n\n\n\n\n\nrm", strings.Repeat("x", 2600), "/srv/app", "/home/dana/ledger", "The agent did not send the content of this change.", "edit", "Edit", "Bash", "bash",
}

// mutator changes JSON.
type mutator struct {
	*rand.Rand

	texts []string
}

// learn lets later mutations imitate a card or the rest of one.
func (m *mutator) learn(text string) {
	if len(text) > 4000 || m.IntN(4) > 0 {
		return
	}
	for range m.IntN(3) {
		_, text, _ = strings.Cut(text, "\n\n")
	}
	if len(m.texts) < 400 {
		m.texts = append(m.texts, text)
	} else {
		m.texts[m.IntN(len(m.texts))] = text
	}
}

// changed returns an input with a few mutations.
func (m *mutator) changed(t *testing.T, input string) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(input), &root); err != nil {
		t.Fatal(err)
	}
	for range m.IntN(4) {
		root = m.change(root)
	}
	data, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// imitation returns an input whose object has a single member, a text that spells the card of the whole object or the end
// of that card.
func (m *mutator) imitation(t *testing.T, input, card string) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(input), &root); err != nil {
		t.Fatal(err)
	}
	for range 1 + m.IntN(3) {
		if _, end, ok := strings.Cut(card, "\n\n"); ok {
			card = end
		}
	}
	m.imitate(root, card)
	data, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (m *mutator) imitate(node any, text string) {
	object, ok := node.(map[string]any)
	if !ok {
		return
	}
	var texts, objects []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch object[name].(type) {
		case string:
			texts = append(texts, name)
		case map[string]any:
			objects = append(objects, name)
		}
	}
	if len(objects) > 0 {
		m.imitate(object[objects[m.IntN(len(objects))]], text)
		return
	}
	if len(texts) > 0 {
		name := texts[m.IntN(len(texts))]
		clear(object)
		object[name] = text
	}
}

func (m *mutator) change(node any) any {
	switch n := node.(type) {
	case map[string]any:
		if len(n) == 0 || m.IntN(8) == 0 {
			n[m.name()] = m.value()
			return n
		}
		key := slices.Sorted(maps.Keys(n))[m.IntN(len(n))]
		switch m.IntN(10) {
		case 0:
			delete(n, key)
		case 1:
			n[key] = nil
		case 2:
			n[m.name()] = n[key]
		default:
			n[key] = m.change(n[key])
		}
		return n
	case []any:
		if len(n) == 0 || m.IntN(6) == 0 {
			return append(n, m.value())
		}
		at := m.IntN(len(n))
		if m.IntN(6) == 0 {
			return slices.Delete(n, at, at+1)
		}
		n[at] = m.change(n[at])
		return n
	}
	return m.value()
}

func (m *mutator) name() string {
	return []string{
		"command", "description", "timeout", "cwd", "environmentId", "kind", "x", "x y", "x: 1", "old_string", "new_string", "content", "path", "file_path", "patch", "reason", "input",
		"toolCall", "metadata", "patterns", "display", "action", "params", "env", "plan", "The agent also sent:", "blocked_path",
	}[m.IntN(27)]
}

func (m *mutator) value() any {
	switch m.IntN(12) {
	case 0:
		return nil
	case 1:
		return m.IntN(2)
	case 2:
		return []any{m.text(), m.text()}
	case 3:
		return map[string]any{m.name(): m.text()}
	case 4:
		return map[string]any{"old_string": m.text(), "new_string": m.text()}
	case 5:
		return m.IntN(2) == 0
	}
	return m.text()
}

func (m *mutator) text() string { return m.texts[m.IntN(len(m.texts))] }

// decodePrompt decodes a prompt that must be accepted.
func decodePrompt(t *testing.T, name, input string, opts *dialect.Options) *ask.Request {
	t.Helper()
	d, _ := dialect.Get(name)
	call, err := d.Decode([]byte(input), opts)
	if err != nil || !call.Permission {
		t.Fatalf("%s: %v\n%s", name, err, input)
	}
	return &call.Request
}

// TestDifferentInputsNeverLookAlike covers pairs that once looked alike, or nearly did.
func TestDifferentInputsNeverLookAlike(t *testing.T) {
	t.Parallel()
	claude := func(tool, input string) string {
		return fmt.Sprintf(`{"session_id":"s1","cwd":"/srv/app","hook_event_name":"PermissionRequest","tool_name":%q,"tool_input":%s}`, tool, input)
	}
	codex := func(members string) string {
		return `{"method":"item/commandExecution/requestApproval","id":1,"params":{"threadId":"t",` + members + `}}`
	}
	for name, tt := range map[string]struct{ dialect, one, other string }{
		"a member that is null":                 {"claude", claude("mcp__x", `{"a":"1"}`), claude("mcp__x", `{"a":"1","b":null}`)},
		"an old text that is null":              {"claude", claude("Edit", `{"new_string":"b"}`), claude("Edit", `{"old_string":null,"new_string":"b"}`)},
		"a description of a tool of its own":    {"claude", claude("mcp__x", `{"command":"create"}`), claude("mcp__x", `{"command":"create","description":"d"}`)},
		"a timeout":                             {"claude", claude("Bash", `{"command":"ls"}`), claude("Bash", `{"command":"ls","timeout":1}`)},
		"a timeout that is an object":           {"claude", claude("Bash", `{"command":"ls"}`), claude("Bash", `{"command":"ls","timeout":{"a":1}}`)},
		"a description that is no text":         {"claude", claude("Bash", `{"command":"ls"}`), claude("Bash", `{"command":"ls","description":{"a":1}}`)},
		"a command that spells JSON":            {"claude", claude("Bash", `{"command":"{\n  \"x\": 1\n}"}`), claude("Bash", `{"x":1}`)},
		"a command that spells a member":        {"claude", claude("Bash", `{"command":"ls\n\nThe agent also sent:\ntimeout: 1"}`), claude("Bash", `{"command":"ls","timeout":1}`)},
		"a command that spells a folder":        {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"In /srv/app\n\nls"}}`, claude("Bash", `{"command":"ls"}`)},
		"a plan that spells another member":     {"claude", claude("ExitPlanMode", `{"plan":"p\n\nThe agent also sent:\nx: \"a\""}`), claude("ExitPlanMode", `{"plan":"p","x":"a"}`)},
		"a plan that spells JSON":               {"claude", claude("ExitPlanMode", `{"plan":"{\n  \"x\": \"a\"\n}"}`), claude("ExitPlanMode", `{"x":"a"}`)},
		"a plan with the text for none":         {"claude", claude("ExitPlanMode", `{"plan":"The agent sent no plan."}`), claude("ExitPlanMode", `{}`)},
		"a plan that spells a hidden character": {"claude", claude("ExitPlanMode", `{"plan":"a\u200bb"}`), claude("ExitPlanMode", `{"plan":"a\\u200bb"}`)},
		"halves of characters":                  {"claude", claude("mcp__x", `{"a":"\ud800"}`), claude("mcp__x", `{"a":"\udc00"}`)},
		"a long name of a tool":                 {"claude", claude("mcp__"+strings.Repeat("x", 60)+"a", `{}`), claude("mcp__"+strings.Repeat("x", 60)+"b", `{}`)},
		"a member of the prompt":                {"claude", claude("Bash", `{"command":"ls"}`), strings.Replace(claude("Bash", `{"command":"ls"}`), `{"session`, `{"blocked_path":"/etc","session`, 1)},
		"another environment":                   {"codex", codex(`"command":"ls","environmentId":"staging"`), codex(`"command":"ls","environmentId":"production"`)},
		"no environment":                        {"codex", codex(`"command":"ls","environmentId":"staging"`), codex(`"command":"ls","environmentId":null`)},
		"text typed into a program":             {"codex", codex(`"command":"y","kind":"command"`), codex(`"command":"y","kind":"writeStdin"`)},
		"another reason":                        {"codex", codex(`"command":"ls"`), codex(`"command":"ls","reason":"Without a sandbox"`)},
		"a skill":                               {"codex", codex(`"command":"ls"`), codex(`"command":"ls","skillMetadata":{"pathToSkillsMd":"/x"}`)},
		"two patterns and one of two lines":     {"opencode", `{"id":"p","sessionID":"s","permission":"bash","patterns":["a\nb"]}`, `{"id":"p","sessionID":"s","permission":"bash","patterns":["a","b"]}`},
		"a command and other patterns":          {"opencode", `{"id":"p","sessionID":"s","permission":"bash","patterns":["a && b"]}`, `{"id":"p","sessionID":"s","permission":"bash","patterns":["a","b"],"metadata":{"command":"a && b"}}`},
		"a command without a pattern":           {"opencode", `{"id":"p","sessionID":"s","permission":"bash","patterns":["a"]}`, `{"id":"p","sessionID":"s","permission":"bash","patterns":[],"metadata":{"command":"a"}}`},
		"another sender":                        {"kimi", `{"id":"a","sender":"Shell","action":"run","description":"x"}`, `{"id":"a","sender":"Other","action":"run","description":"x"}`},
		"another action":                        {"crush", `{"tool_name":"bash","action":"execute","params":{"command":"ls"}}`, `{"tool_name":"bash","action":"read","params":{"command":"ls"}}`},
		"a member of an agent over ACP":         {"acp", `{"toolCall":{"title":"x","rawInput":{"a":1}},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`, `{"toolCall":{"title":"x","rawInput":{"a":1},"x":1},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := decodePrompt(t, tt.dialect, tt.one, nil), decodePrompt(t, tt.dialect, tt.other, nil)
			if text := cardText(one); text == cardText(other) {
				t.Errorf("both show\n%s", text)
			}
			if one.Operation == other.Operation {
				t.Errorf("same operation for both: %+v", one.Operation)
			}
		})
	}
}

// TestSameCallIsTheSameOperation covers the members that are not part of an operation.
func TestSameCallIsTheSameOperation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ dialect, one, other string }{
		"another description of a command": {
			"claude",
			`{"session_id":"s1","cwd":"/a","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls","description":"List"}}`,
			`{"session_id":"s2","transcript_path":"/t","permission_mode":"plan","cwd":"/a","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"description":"","command":"l\u0073"}}`,
		},
		"another turn": {
			"codex",
			`{"method":"item/commandExecution/requestApproval","id":1,"params":{"threadId":"t","turnId":"1","itemId":"a","startedAtMs":1,"command":"ls","commandActions":[],"networkApprovalContext":null}}`,
			`{"method":"item/commandExecution/requestApproval","id":2,"params":{"kind":"command","threadId":"t","turnId":"2","itemId":"b","startedAtMs":2,"command":"ls"}}`,
		},
		"another message": {"opencode", `{"id":"p","sessionID":"s","permission":"bash","patterns":["ls"],"metadata":{},"tool":{"callID":"1"}}`, `{"id":"q","sessionID":"s","permission":"bash","patterns":["ls"],"always":["ls *"],"tool":{"callID":"2"}}`},
	} {
		if one, other := decodePrompt(t, tt.dialect, tt.one, nil).Operation, decodePrompt(t, tt.dialect, tt.other, nil).Operation; one != other {
			t.Errorf("%s: %+v is not %+v", name, one, other)
		}
	}
}

func TestCardShowsTheCompleteFolder(t *testing.T) {
	t.Parallel()
	long := "/srv/" + strings.Repeat("warehouse/", 90) + "north"
	for name, tt := range map[string]struct{ folder, home, want string }{
		"a home":                          {"/home/dana/src/ledger", "/home/dana", "In ~/src/ledger"},
		"the home itself":                 {"/home/dana", "/home/dana/", "In ~"},
		"an unknown home":                 {"/home/dana/src/ledger", "", "In /home/dana/src/ledger"},
		"the home of another person":      {"/home/danae/src", "/home/dana", "In /home/danae/src"},
		"a root that is called a home":    {"/srv/app", "/", "In /srv/app"},
		"a home that is no path":          {"/srv/app", "srv", "In /srv/app"},
		"a folder that is called like it": {"~/src", "/home/dana", `In "~/src"`},
		"a long path":                     {long, "/home/dana", "In " + long},
		"Windows":                         {`C:\Users\dana\src`, `C:\Users\dana`, `In ~\src`},
		"a share":                         {`\\files\team`, "", `In \\files\team`},
		"a path that is not complete":     {"src", "", `In "src"`},
		"a line break":                    {"/srv/a\nb", "", `In "/srv/a\nb"`},
		"a character that cannot be seen": {"/srv/a\u200bb", "", `In "/srv/a\u200bb"`},
		"a space at the end":              {"/srv/app ", "", `In "/srv/app "`},
		"a quoted path":                   {`"/srv/app"`, "", `In "\"/srv/app\""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cwd, err := json.Marshal(tt.folder)
			if err != nil {
				t.Fatal(err)
			}
			home, err := json.Marshal(tt.home)
			if err != nil {
				t.Fatal(err)
			}
			r := decodePrompt(t, "claude", fmt.Sprintf(`{"home":%s,"cwd":%s,"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`, home, cwd), nil)
			if got, want := r.Questions[0].Options[0].Preview, tt.want+"\n\nls"; got != want || r.Operation.Folder != tt.folder {
				t.Errorf("%q: card shows\n%s\nwant\n%s", r.Operation.Folder, got, want)
			}
		})
	}
	d, _ := dialect.Get("claude")
	if _, err := d.Decode([]byte(`{"cwd":"/`+strings.Repeat("x", 1000)+`","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}`), nil); err == nil || err.Error() != "cwd: has 1001 characters; the card can show 1000" {
		t.Errorf("a folder too long for a card: %v", err)
	}
}

// TestCardMarksAChangeWithoutContent covers hosts that name a file without its new content.
func TestCardMarksAChangeWithoutContent(t *testing.T) {
	t.Parallel()
	const note = "The agent did not send the content of this change."
	acp := func(kind, members string) string {
		return `{"toolCall":{"title":"Edit a.go","kind":"` + kind + `"` + members + `},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`
	}
	for name, tt := range map[string]struct {
		dialect, input string
		want           bool
	}{
		"Kimi, without a diff":         {"kimi", `{"id":"a","sender":"WriteFile","action":"edit file","description":"Write file a.go","display":[]}`, true},
		"Kimi, with words about it":    {"kimi", `{"id":"a","sender":"WriteFile","action":"edit file outside of working directory","description":"Write file a.go","display":[{"type":"brief","text":"a.go"}]}`, true},
		"Kimi, with a diff":            {"kimi", `{"id":"a","sender":"WriteFile","action":"edit file","description":"Write file a.go","display":[{"type":"diff","path":"a.go","old_text":"a","new_text":"b"}]}`, false},
		"Kimi, with a diff of a space": {"kimi", `{"id":"a","sender":"WriteFile","action":"edit file","description":"Write file a.go","display":[{"type":"diff","path":"a.go","old_text":"a","new_text":"a "}]}`, false},
		"Kimi, a command":              {"kimi", `{"id":"a","sender":"Shell","action":"run command","description":"ls"}`, false},
		"OpenCode, without a diff":     {"opencode", `{"id":"p","sessionID":"s","permission":"edit","patterns":["a.go"],"metadata":{"filepath":"a.go"}}`, true},
		"OpenCode, with a diff":        {"opencode", `{"id":"p","sessionID":"s","permission":"edit","patterns":["a.go"],"metadata":{"filepath":"a.go","diff":"@@ -1 +1 @@\n-a\n+b"}}`, false},
		"an agent over ACP":            {"acp", acp("edit", `,"locations":[{"path":"a.go"}]`), true},
		"its path":                     {"acp", acp("edit", `,"rawInput":{"path":"a.go"}`), true},
		"its diff":                     {"acp", acp("edit", `,"content":[{"type":"diff","path":"a.go","oldText":"a","newText":"b"}]`), false},
		"its input":                    {"acp", acp("edit", `,"rawInput":{"path":"a.go","replacement":"b"}`), false},
		"its command":                  {"acp", acp("execute", ``), false},
		"Codex, of one of two files":   {"codex", `{"method":"item/fileChange/requestApproval","id":5,"params":{"threadId":"t","changes":[{"path":"b.go","kind":"add","diff":"b"},{"path":"a.go","kind":"update"}]}}`, true},
		"Codex, with diffs":            {"codex", `{"method":"item/fileChange/requestApproval","id":5,"params":{"threadId":"t","changes":[{"path":"b.go","kind":{"type":"add"},"diff":"b"}]}}`, false},
		"Crush":                        {"crush", `{"tool_name":"edit","action":"write","description":"Edit a.go","path":"/srv"}`, true},
		"Claude":                       {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Write","tool_input":{"file_path":"a.go"}}`, true},
		"Claude, with the text":        {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Write","tool_input":{"file_path":"a.go","content":""}}`, false},
	} {
		if got := strings.Contains(decodePrompt(t, tt.dialect, tt.input, nil).Questions[0].Options[0].Preview, note); got != tt.want {
			t.Errorf("%s: card has the note: %t", name, got)
		}
	}
}

// TestDescriptionFollowsCommand covers the shell tools of hosts.
func TestDescriptionFollowsCommand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ dialect, input, want string }{
		"Claude Code":     {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls","description":"List\nIn /srv"}}`, "ls\n\nIn the agent's words: \"List\\nIn /srv\""},
		"Crush":           {"crush", `{"tool_name":"bash","action":"execute","params":{"command":"ls","description":"List"}}`, "ls\n\nIn the agent's words: \"List\""},
		"Codex":           {"codex", `{"method":"item/commandExecution/requestApproval","params":{"threadId":"t","command":"ls","reason":"List"}}`, "ls\n\nIn the agent's words: \"List\""},
		"a tool of MCP":   {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"mcp__x__Bash","tool_input":{"command":"ls","description":"List"}}`, "{\n  \"command\": \"ls\",\n  \"description\": \"List\"\n}"},
		"a long one":      {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls","description":"` + strings.Repeat("x", 301) + `"}}`, "ls\n\nIn the agent's words: \"" + strings.Repeat("x", 300) + "…\""},
		"other members":   {"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls","description":"List","run_in_background":true}}`, "ls\n\nThe agent also sent:\nrun_in_background: true\n\nIn the agent's words: \"List\""},
		"a long reason":   {"codex", `{"method":"item/commandExecution/requestApproval","params":{"threadId":"t","command":"ls","reason":"` + strings.Repeat("x", 301) + `"}}`, "ls\n\nThe agent also sent:\nreason: \"" + strings.Repeat("x", 301) + "\""},
		"an agent of ACP": {"acp", `{"toolCall":{"title":"ls","kind":"execute","rawInput":{"command":"ls","description":"List"}},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`, "ls\n\nThe agent also sent:\ndescription: \"List\""},
	} {
		if got := decodePrompt(t, tt.dialect, tt.input, nil).Questions[0].Options[0].Preview; got != tt.want {
			t.Errorf("%s: card shows\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

// TestOpenCodeCommandAppearsOnce uses prompts as OpenCode 1.18.33 sends them.
func TestOpenCodeCommandAppearsOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ members, want string }{
		"a simple command":   {`"patterns":["git push"],"metadata":{"command":"git push"}`, "git push"},
		"a list of commands": {`"patterns":["cd /srv","git push"],"metadata":{"command":"cd /srv && git push"}`, "cd /srv && git push\n\nThe agent also sent:\npatterns: [\n  \"cd /srv\",\n  \"git push\"\n]"},
		"more about it":      {`"patterns":["git push"],"metadata":{"command":"git push","x":1}`, "git push\n\nThe agent also sent:\nmetadata: {\n  \"x\": 1\n}"},
		"another permission": {`"patterns":["a"],"metadata":{"command":"b"}`, "a\n\nThe agent also sent:\nmetadata: {\n  \"command\": \"b\"\n}"},
	} {
		what := "bash"
		if name == "another permission" {
			what = "task"
		}
		input := fmt.Sprintf(`{"id":"p","sessionID":"s","permission":%q,%s}`, what, tt.members)
		if got := decodePrompt(t, "opencode", input, nil).Questions[0].Options[0].Preview; got != tt.want {
			t.Errorf("%s: card shows\n%s\nwant\n%s", name, got, tt.want)
		}
	}
	plain, both := `{"id":"p","sessionID":"s","permission":"bash","patterns":["ls"]}`, `{"id":"p","sessionID":"s","permission":"bash","patterns":["ls"],"metadata":{"command":"ls"}}`
	if one, other := decodePrompt(t, "opencode", plain, nil).Operation, decodePrompt(t, "opencode", both, nil).Operation; one != other {
		t.Errorf("%+v is not %+v", one, other)
	}
}

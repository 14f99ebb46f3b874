package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// permission returns the request for approving a tool call with this input.
func permission(t *testing.T, tool string, input any) (ask.Request, error) {
	t.Helper()
	raw, ok := input.(string)
	if !ok {
		data, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(data)
	}
	d, _ := dialect.Get("claude")
	call, err := d.Decode(fmt.Appendf(nil, `{"hook_event_name":"PermissionRequest","tool_name":%q,"tool_input":%s}`, tool, raw), nil)
	return call.Request, err
}

func TestEditIsShownAsDiff(t *testing.T) {
	t.Parallel()
	type object map[string]any
	for name, tt := range map[string]struct {
		input any
		want  string
	}{
		"a part of a file": {
			object{"file_path": "a.go", "old_string": "if a {\n\tb()\n}", "new_string": "if a {\n\tc()\n}", "replace_all": true},
			"file_path: \"a.go\"\nreplace_all: true\n\n--- old_string\n+++ new_string\n@@ -1,3 +1,3 @@\n if a {\n-\tb()\n+\tc()\n }",
		},
		"every line of both": {
			object{"old_string": "1\n2\n3\n4\n5\n6", "new_string": "1\n2\n3\n4\n5\n7"},
			"--- old_string\n+++ new_string\n@@ -1,6 +1,6 @@\n 1\n 2\n 3\n 4\n 5\n-6\n+7",
		},
		"a whole file": {
			object{"file_path": "a.txt", "content": "a\nb"},
			"file_path: \"a.txt\"\n\n--- (not in the input)\n+++ content\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No line break at the end",
		},
		"several parts": {
			object{"file_path": "a", "edits": []object{{"old_string": "a", "new_string": "b"}, {"old_string": "c\n", "new_string": "d\n"}}},
			"file_path: \"a\"\n\n--- edits[0].old_string\n+++ edits[0].new_string\n@@ -1 +1 @@\n-a\n+b\n\n--- edits[1].old_string\n+++ edits[1].new_string\n@@ -1 +1 @@\n-c\n+d\n\\ A line break at the end of both",
		},
		"a patch made by the host": {
			object{"patch": "*** Begin Patch\n*** Update File: a.go\n@@ func a\n-b\n+c\n*** End Patch"},
			"patch:\n*** Begin Patch\n*** Update File: a.go\n@@ func a\n-b\n+c\n*** End Patch",
		},
		"a patch with the header of jsdiff": {
			object{"filepath": "a.txt", "diff": "Index: a.txt\n===================================================================\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+zwei\n"},
			"filepath: \"a.txt\"\n\ndiff:\nIndex: a.txt\n===================================================================\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-two\n+zwei\n",
		},
		"a text that contains more than a patch": {
			object{"patch": "@@ -1 +1 @@\n-a\n+b\n\nroot: \"/\""},
			"{\n  \"patch\": \"@@ -1 +1 @@\\n-a\\n+b\\n\\nroot: \\\"/\\\"\"\n}",
		},
		"an invisible character": {
			object{"old_string": "a", "new_string": "b\u202e"},
			"{\n  \"new_string\": \"b\\u202e\",\n  \"old_string\": \"a\"\n}",
		},
		"a gap that hides the text after it": {
			object{"old_string": "a", "new_string": "b" + strings.Repeat(" ", 41) + "c"},
			"{\n  \"new_string\": \"b" + strings.Repeat(" ", 40) + "\\u0020c\",\n  \"old_string\": \"a\"\n}",
		},
		"a change in whitespace only": {
			object{"old_string": "a b", "new_string": "a\tb"},
			"{\n  \"new_string\": \"a\\tb\",\n  \"old_string\": \"a b\"\n}",
		},
		"a name that looks like a line": {
			object{"old_string": "a", "new_string": "b", "x: 1\n--- old_string": 2},
			"\"x: 1\\n--- old_string\": 2\n\n--- old_string\n+++ new_string\n@@ -1 +1 @@\n-a\n+b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := permission(t, "Edit", tt.input)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Questions[0].Options[0].Preview; got != tt.want || r.Files != nil {
				t.Errorf("card shows\n%s\nwant\n%s\nwith %d files", got, tt.want, len(r.Files))
			}
		})
	}
}

// A call that does not fit on its card is attached in full, and its digest covers the bytes that run.
func TestLongInputIsAttachedVerbatim(t *testing.T) {
	t.Parallel()
	command := strings.Repeat("echo \"<ä>\"\n", 400)
	hidden := "ls \u200b" + strings.Repeat("x", 3000)
	edit := `{ "file_path": "a.go", "old_string": "a", "new_string": "` + strings.Repeat("b\\u0062 ", 1200) + `" }`
	quoted, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tool  string
		input any
		files []string
		runs  string
	}{
		"a command":                           {"Bash", map[string]string{"command": command, "description": "Print it"}, []string{"command.txt"}, command},
		"a plan":                              {"ExitPlanMode", map[string]string{"plan": command}, []string{"plan.txt"}, command},
		"a command with invisible characters": {"Bash", `{"command":` + string(quoted) + `}`, []string{"input.txt", "input.json"}, `{"command":` + string(quoted) + `}`},
		"a change":                            {"Edit", edit, []string{"change.diff", "input.json"}, edit},
		"the input of an unknown tool":        {"mcp__x", `{"b":"` + strings.Repeat("y", 3000) + `"}`, []string{"input.txt", "input.json"}, `{"b":"` + strings.Repeat("y", 3000) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := permission(t, tt.tool, tt.input)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range r.Files {
				names = append(names, f.Name)
			}
			if strings.Join(names, " ") != strings.Join(tt.files, " ") || r.Files[len(r.Files)-1].Text != tt.runs {
				t.Fatalf("attached files: %q, the last with %.80q", names, r.Files[len(r.Files)-1].Text)
			}
			preview, _, _ := strings.Cut(r.Questions[0].Options[0].Preview, "\n\nIn the agent's words: ")
			shown, cut := strings.CutSuffix(preview, "…")
			whole := r.Files[0]
			if rest := len([]rune(whole.Text)) - len([]rune(shown)); !cut || !strings.HasPrefix(whole.Text, shown) || whole.Unshown != rest {
				t.Errorf("card shows %.80q, and counts %d characters that only the file has", shown, whole.Unshown)
			}
		})
	}
}

func TestInputTooLongForFilesIsRefused(t *testing.T) {
	t.Parallel()
	_, err := permission(t, "Bash", map[string]string{"command": strings.Repeat("x", ask.MaxFileText+1)})
	if err == nil || err.Error() != "tool_input: Bash has 524289 bytes as it runs and as people read it, of which 524288 can be approved in chat" {
		t.Errorf("error %v", err)
	}
}

// Two long texts without a common line are the slow case of a diff.
func TestDiffOfUnrelatedTextsIsFast(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&a, "%d\n", n%7)
		fmt.Fprintf(&b, "%d\n", n%5)
	}
	began := time.Now()
	if _, err := permission(t, "Edit", map[string]string{"old_string": a.String(), "new_string": b.String()}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("diff took %s", took)
	}
}

// A space after a backslash ends the line for a shell, and a card would drop that space.
func TestSpaceAfterBackslashIsVisible(t *testing.T) {
	t.Parallel()
	for tool, tt := range map[string]struct {
		input map[string]any
		want  string
	}{
		"Bash": {map[string]any{"command": "echo \\ \nrm -rf ~"}, `"echo \\ \nrm -rf ~"`},
		"Edit": {map[string]any{"old_string": "ls", "new_string": "echo \\ \nrm -rf ~"}, "{\n  \"new_string\": \"echo \\\\ \\nrm -rf ~\",\n  \"old_string\": \"ls\"\n}"},
	} {
		r, err := permission(t, tool, tt.input)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Questions[0].Options[0].Preview; got != tt.want {
			t.Errorf("%s: card shows\n%s\nwant\n%s", tool, got, tt.want)
		}
	}
}

package dialect_test

import (
	"encoding/json"
	"testing"
)

func TestCodexFileChangesAreDiffs(t *testing.T) {
	t.Parallel()
	type object map[string]any
	update := object{"type": "update", "move_path": nil}
	moved := object{"type": "update", "move_path": "/w/b"}
	for name, tt := range map[string]struct {
		changes []object
		want    string
	}{
		"a new file":       {[]object{{"path": "/w/a", "kind": object{"type": "add"}, "diff": "hello\n"}}, "--- /dev/null\n+++ /w/a\n@@ -0,0 +1 @@\n+hello"},
		"a new empty file": {[]object{{"path": "/w/a", "kind": object{"type": "add"}, "diff": ""}}, "--- /dev/null\n+++ /w/a"},
		"a file without a line break at its end": {
			[]object{{"path": "/w/a", "kind": object{"type": "add"}, "diff": "a\n\n b"}},
			"--- /dev/null\n+++ /w/a\n@@ -0,0 +1,3 @@\n+a\n+\n+ b\n\\ No newline at end of file",
		},
		"a deleted file": {[]object{{"path": "/w/a", "kind": object{"type": "delete"}, "diff": "one\ntwo\n"}}, "--- /w/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two"},
		"an update":      {[]object{{"path": "/w/a", "kind": update, "diff": "@@ -1 +1 @@\n-a\n+b\n"}}, "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-a\n+b\n"},
		"a move":         {[]object{{"path": "/w/a", "kind": moved, "diff": "\n\nMoved to: /w/b"}}, "rename from /w/a\nrename to /w/b"},
		"a move with an update": {
			[]object{{"path": "/w/a", "kind": moved, "diff": "@@ -1 +1 @@\n-a\n+b\n\n\nMoved to: /w/b"}},
			"rename from /w/a\nrename to /w/b\n--- /w/a\n+++ /w/b\n@@ -1 +1 @@\n-a\n+b\n",
		},
		"two files": {
			[]object{{"path": "/w/a", "kind": object{"type": "add"}, "diff": "a\n"}, {"path": "/w/b", "kind": object{"type": "delete"}, "diff": "b\n"}},
			"--- /dev/null\n+++ /w/a\n@@ -0,0 +1 @@\n+a\n\n--- /w/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b",
		},
		"a path with a line break": {[]object{{"path": "/w/a\n+++ /w/b", "kind": object{"type": "add"}, "diff": "a\n"}}, "--- /dev/null\n+++ \"/w/a\\n+++ /w/b\"\n@@ -0,0 +1 @@\n+a"},
		"a file of that name":      {[]object{{"path": "/dev/null", "kind": update, "diff": "@@ -1 +1 @@\n-a\n+b\n"}}, "--- \"/dev/null\"\n+++ \"/dev/null\"\n@@ -1 +1 @@\n-a\n+b\n"},
		"a text that moves itself": {
			[]object{{"path": "/w/a", "kind": update, "diff": "@@ -1 +1 @@\n-a\n+b\n\n\nMoved to: /w/b"}},
			"changes: [\n  {\n    \"diff\": \"@@ -1 +1 @@\\n-a\\n+b\\n\\n\\nMoved to: /w/b\",\n    \"kind\": {\n      \"move_path\": null,\n      \"type\": \"update\"\n    },\n    \"path\": \"/w/a\"\n  }\n]",
		},
		"a character that cannot be seen": {
			[]object{{"path": "/w/a", "kind": object{"type": "add"}, "diff": "a\u202e\n"}},
			"changes: [\n  {\n    \"diff\": \"a\\u202e\\n\",\n    \"kind\": {\n      \"type\": \"add\"\n    },\n    \"path\": \"/w/a\"\n  }\n]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input, err := json.Marshal(object{"method": "item/fileChange/requestApproval", "id": 1, "params": object{"threadId": "t", "itemId": "i", "changes": tt.changes}})
			if err != nil {
				t.Fatal(err)
			}
			if got := decodePrompt(t, "codex", string(input), nil).Questions[0].Options[0].Preview; got != tt.want {
				t.Errorf("card shows\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

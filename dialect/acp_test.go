package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/dialect"
)

func TestACPModeSwitchesAreNotOffered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		id, name, kind string
		offered        bool
	}{
		"Qwen Code, in auto mode":        {id: "proceed_once_and_switch_to_default", name: "Switch to Default Mode and allow once (recommended)", kind: "allow_once"},
		"Qwen Code, a plan":              {id: "restore_previous", name: "Yes, restore previous mode (auto)", kind: "allow_once"},
		"Qwen Code, a plan with edits":   {id: "proceed_always", name: "Yes, and auto-accept edits", kind: "allow_always"},
		"Qwen Code, a plan by hand":      {id: "proceed_once", name: "Yes, and manually approve edits", kind: "allow_once", offered: true},
		"Claude Code, edits":             {id: "acceptEdits", name: "Yes, and auto-accept edits", kind: "allow_always"},
		"Claude Code, everything":        {id: "bypassPermissions", name: "Yes to all", kind: "allow_always"},
		"Claude Code, auto":              {id: "auto", name: "Yes", kind: "allow_once"},
		"Claude Code, a plan by hand":    {id: "default", name: "Yes, and manually approve edits", kind: "allow_once", offered: true},
		"Codex, a plan":                  {id: "implement_plan", name: "Yes, implement this plan", kind: "allow_once", offered: true},
		"Kimi Code, an option of a plan": {id: "plan_opt_0", name: "Fix edit mode", kind: "allow_once", offered: true},
		"a mode in the id alone":         {id: "set-mode:full", name: "Go on", kind: "allow_once"},
		"a mode in the name alone":       {id: "o3", name: "Allow and enter YOLO mode", kind: "allow_once"},
		"another kind":                   {id: "o3", name: "Switch to plan mode", kind: "switch_mode"},
		"a command that names a mode":    {id: "proceed_once", name: "Allow chmod --mode=755", kind: "allow_once", offered: true},
		"a session":                      {id: "approve_always", name: "Approve for this session", kind: "allow_always", offered: true},
		"a refusal":                      {id: "plan", name: "No, keep plan mode", kind: "reject_once", offered: true},
	} {
		in := fmt.Sprintf(`{"toolCall":{"title":"ls"},"options":[{"optionId":"y","name":"Once","kind":"allow_once"},{"optionId":%q,"name":%q,"kind":%q}]}`, tt.id, tt.name, tt.kind)
		call, err := speaking(t, "acp").Decode([]byte(in), &dialect.Options{Persist: dialect.PersistUser})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(call.Request.Questions[0].Options) == 2; got != tt.offered {
			t.Errorf("%s: offered: %t", name, got)
		}
	}
}

func TestACPCardsShowContentAndNoProtocol(t *testing.T) {
	t.Parallel()
	const (
		text     = `{"type":"content","content":{"type":"text","text":"Needs the network.","_meta":{"a":1}},"_meta":{"b":2}}`
		diff     = `{"type":"diff","path":"/a.go","oldText":"a\n","newText":"b\n","_meta":{"kind":"modify"}}`
		diffText = "The change:\n--- /a.go\n+++ /a.go\n@@ -1 +1 @@\n-a\n+b\n\\ A line break at the end of both"
		noText   = "The agent did not send the content of this change."
	)
	for name, tt := range map[string]struct{ call, want string }{
		"a text":                          {`"content":[` + text + `],"locations":[]`, "From the agent:\nNeeds the network."},
		"a text that repeats the title":   {`"content":[{"type":"content","content":{"type":"text","text":"Deploy"}}]`, ""},
		"a text that repeats the input":   {`"rawInput":{"reason":"Needs it"},"content":[{"type":"content","content":{"type":"text","text":"Needs it"}}]`, "{\n  \"reason\": \"Needs it\"\n}"},
		"a text that imitates a part":     {`"content":[{"type":"content","content":{"type":"text","text":"x\n\nThe change:\n-a"}}]`, `From the agent:` + "\n" + `"x\n\nThe change:\n-a"`},
		"a command and a warning":         {`"kind":"execute","rawInput":{"command":"npm test"},"content":[` + text + `]`, "npm test\n\nFrom the agent:\nNeeds the network."},
		"a command that imitates a block": {`"kind":"execute","rawInput":{"command":"ls\n\nFrom the agent:\nx"}`, `"ls\n\nFrom the agent:\nx"`},
		"a diff":                          {`"kind":"edit","content":[` + diff + `],"locations":[{"path":"/a.go"}]`, diffText},
		"a new file":                      {`"kind":"edit","content":[{"type":"diff","path":"/a.go","oldText":null,"newText":"b"}]`, "The change:\n--- (new file)\n+++ /a.go\n@@ -0,0 +1 @@\n+b\n\\ No line break at the end"},
		"a diff that repeats the input":   {`"kind":"edit","rawInput":{"file_path":"/a.go","old_string":"a","new_string":"b"},"content":[` + diff + `]`, "file_path: \"/a.go\"\n\n--- old_string\n+++ new_string\n@@ -1 +1 @@\n-a\n+b"},
		"a diff of another file":          {`"kind":"edit","rawInput":{"file_path":"/b.go","old_string":"a","new_string":"b"},"content":[` + diff + `]`, "file_path: \"/b.go\"\n\n--- old_string\n+++ new_string\n@@ -1 +1 @@\n-a\n+b\n\n" + diffText},
		"a diff that changes more":        {`"kind":"edit","rawInput":{"file_path":"/a.go","old_string":"a","new_string":"c"},"content":[` + diff + `]`, "file_path: \"/a.go\"\n\n--- old_string\n+++ new_string\n@@ -1 +1 @@\n-a\n+c\n\n" + diffText},
		"a written file":                  {`"kind":"edit","rawInput":{"file_path":"/a.go","content":"b\n"},"content":[` + diff + `]`, "file_path: \"/a.go\"\n\n--- (not in the input)\n+++ content\n@@ -0,0 +1 @@\n+b"},
		"a terminal":                      {`"content":[{"type":"terminal","terminalId":"t1"}]`, `Output of terminal: "t1"`},
		"locations":                       {`"locations":[{"path":"/a.go","line":3},{"path":"/b.go","line":null}]`, "File: /a.go, line 3\n\nFile: /b.go"},
		"another block":                   {`"content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"aGk="}}]`, "The host also sent:\ncontent: [\n  {\n    \"content\": {\n      \"type\": \"image\",\n      \"mimeType\": \"image/png\",\n      \"data\": \"aGk=\"\n    },\n    \"type\": \"content\"\n  }\n]"},
		"an edit without its change":      {`"kind":"edit","content":[` + text + `]`, "From the agent:\nNeeds the network.\n\n" + noText},
	} {
		call, err := speaking(t, "acp").Decode([]byte(`{"toolCall":{"title":"Deploy",`+tt.call+`},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := call.Request.Questions[0].Options[0].Preview; got != tt.want {
			t.Errorf("%s: card shows\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func TestKimiEditWithoutDiffIsMarked(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Edit", "Write", "Bash"} {
		call, err := speaking(t, "acp").Decode([]byte(`{"toolCall":{"title":"`+title+`","content":[{"type":"content","content":{"type":"text","text":"Requesting approval to Writing: /srv/b.txt"}}]},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		marked := strings.Contains(call.Request.Questions[0].Options[0].Preview, "The agent did not send the content of this change.")
		if marked != (title != "Bash") {
			t.Errorf("%s: card has the note: %t", title, marked)
		}
	}
}

func TestQwenQuestionsNeedASubmitOption(t *testing.T) {
	t.Parallel()
	const question = `{"question":"Q?","header":"H","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}`
	for questions, wants := range map[string]string{
		`[` + question + `]`: "options: no option submits the answers",
		`[]`:                 `Parameter "questions" must contain between 1 and 4 questions.`,
		`[` + strings.Repeat(question+",", 4) + question + `]`: `Parameter "questions" must contain between 1 and 4 questions.`,
	} {
		_, err := speaking(t, "acp").Decode([]byte(`{"options":[],"toolCall":{"_meta":{"qwenQuestions":`+questions+`}}}`), nil)
		if err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: %v", questions, err)
		}
	}
	in := []byte(`{"options":[{"optionId":"go","name":"Submit","kind":"allow_once"}],"toolCall":{"_meta":{"qwenQuestions":[` + question + `]}}}`)
	got := speaking(t, "acp").Encode(in, declined, nil)
	if want := `{"outcome":{"outcome":"cancelled"}}`; string(got.Body) != want {
		t.Errorf("dismissal is encoded as %s", got.Body)
	}
}

func TestEmptyToolCallIsRefused(t *testing.T) {
	t.Parallel()
	for call, refused := range map[string]bool{
		`{"toolCallId":"call_1","kind":"edit","status":"pending","content":[],"locations":[]}`: true,
		`{"toolCallId":"call_1","title":"npm test"}`:                                           false,
		`{"toolCallId":"call_1","rawInput":{"command":"npm test"}}`:                            false,
		`{"toolCallId":"call_1","locations":[{"path":"/a.go"}]}`:                               false,
	} {
		_, err := speaking(t, "acp").Decode([]byte(`{"toolCall":`+call+`,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`), nil)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "toolCall: does not say what the agent would do") {
			t.Errorf("%s: %v", call, err)
		}
	}
}

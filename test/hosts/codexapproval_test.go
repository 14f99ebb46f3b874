//go:build hosts

package hosts

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// runs is a script in which the model runs a command.
func runs(t *testing.T, id, command string) model.Turn {
	t.Helper()
	return model.Turn{Calls: []model.Call{{ID: id, Tool: "exec_command", Input: string(encode(t, map[string]any{"cmd": command}))}}}
}

// patches is a script in which the model applies a patch.
func patches(t *testing.T, id, patch string) model.Turn {
	t.Helper()
	return runs(t, id, "apply_patch <<'EOF'\n*** Begin Patch\n"+patch+"*** End Patch\nEOF\n")
}

// approves takes the next approval of the app server to chat, as a client of the app server does, and plays the steps of
// a scene before it hands the decision back.
func (c *codexThread) approves(method, steps string) {
	c.Helper()
	asked := c.requested(method)
	params := asked.Params
	if method == "item/fileChange/requestApproval" {
		item := c.await("the changes", func(m *message) bool {
			return m.Method == "item/started" && c.member(m.Params, "item.id") == c.member(params, "itemId")
		})
		var all map[string]json.RawMessage
		if err := json.Unmarshal(params, &all); err != nil {
			c.Fatal(err)
		}
		all["changes"] = json.RawMessage(c.member(item.Params, "item.changes"))
		params = encode(c.T, all)
	}
	decided := make(chan json.RawMessage, 1)
	go func() {
		decided <- c.decision(encode(c.T, map[string]any{"method": method, "id": asked.ID, "params": params}))
	}()
	c.play(steps)
	c.send(<-decided)
}

// decision posts a prompt to the bridge and returns what a person decides. It is null if the bridge does not answer.
func (c *codexThread) decision(prompt []byte) json.RawMessage {
	address := c.bridge() + "/v1/ask/codex?wait=60s&responders=" + url.QueryEscape(dana)
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, address, bytes.NewReader(prompt))
	if err != nil {
		c.Error(err)
		return json.RawMessage("null")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Error(err)
		return json.RawMessage("null")
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		c.Errorf("POST %s: %d, %v: %s", address, resp.StatusCode, err, body)
		return json.RawMessage("null")
	}
	return body
}

// codexApprovals are the approvals of one app server.
func codexApprovals(t *testing.T) {
	t.Helper()
	c := newCodex(t, nil)
	thread := c.opens(c.speak(c.command(c.env(), "codex", "app-server")), map[string]any{"approvalPolicy": "untrusted", "sandbox": "danger-full-access"})
	const command, change = "item/commandExecution/requestApproval", "item/fileChange/requestApproval"

	turn := thread.prompts(patches(t, "new", "*** Add File: a.txt\n+hello\n"), model.Turn{Say: "All done."})
	thread.approves(change, `dana sees "wants to change files" "--- /dev/null\n+++ `+c.work+`/a.txt\n@@ -0,0 +1 @@\n+hello"
dana no longer sees "changes: ["
dana presses "Allow"`)
	c.reads("new", "A a.txt")
	thread.ends(turn, "completed")

	turn = thread.prompts(patches(t, "denied", "*** Delete File: a.txt\n"), model.Turn{Say: "All done."})
	thread.approves(change, `dana sees "+++ /dev/null\n@@ -1 +0,0 @@\n-hello"
dana presses "Deny"`)
	c.reads("denied", "rejected by user")
	thread.ends(turn, "completed")

	turn = thread.prompts(patches(t, "edited", "*** Update File: a.txt\n@@\n-hello\n+world\n"),
		patches(t, "again", "*** Update File: a.txt\n*** Move to: b.txt\n@@\n-world\n+moon\n"), model.Turn{Say: "All done."})
	thread.approves(change, `dana sees "@@ -1 +1 @@\n-hello\n+world"
dana presses "Allow for this session"`)
	thread.approves(change, `dana sees "rename to `+c.work+`/b.txt" "-world\n+moon"
dana presses "Allow"`) // Another path is asked about again.
	c.reads("again", "M b.txt")
	thread.ends(turn, "completed")

	turn = thread.prompts(runs(t, "run", "echo $((40 + 2)) | tee c.txt"), model.Turn{Say: "All done."})
	thread.approves(command, `dana sees "wants to run a command" "echo $((40 + 2)) | tee c.txt"
dana no longer sees "kind"
dana presses "Allow"
dana sees "Answered by @Dana"`)
	c.reads("run", "42")
	thread.ends(turn, "completed")

	// A prompt that can be answered with "accept" and "cancel" alone: the only no ends the turn.
	turn = thread.prompts(runs(t, "stopped", "touch d.txt"))
	thread.approves(command, `dana sees "touch d.txt"
dana presses "Deny"`)
	thread.ends(turn, "interrupted")
	if _, err := os.Stat(filepath.Join(c.work, "d.txt")); err == nil {
		t.Error("the command that was denied has run")
	}
}

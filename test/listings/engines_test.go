package listings

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/need"
	"github.com/askbridge/askbridge/webhook"
)

// standIns replace the packages that the receiver of examples/engines imports. Each client prints what it is called with.
// The SDK's own tests cover verifyWebhook.
var standIns = map[string]string{
	"@askbridge/sdk": `export class SignatureError extends Error {}
		export async function verifyWebhook(body, headers, secret) {
			if (secret !== process.env.EXPECTED_SECRET || !headers["webhook-signature"]) throw new SignatureError("no signature");
			return JSON.parse(body);
		}`,
	"@temporalio/client": `export const Connection = { connect: async () => ({}) };
		export class Client { workflow = { getHandle: (id) => ({ signal: async (name, r) => console.log("signal", id, name, r.state) }) }; }`,
	"inngest": `export class Inngest { async send(e) { console.log("event", e.id, e.name, e.data.session, e.data.state); } }`,
	"@dbos-inc/dbos-sdk": `export const DBOSClient = { create: async ({ systemDatabaseUrl }) => ({
		send: async (to, r, topic, id) => console.log("send", systemDatabaseUrl, to, r.state, topic, id) }) };`,
}

// TestEngineReceivers posts signed calls to the receiver of docs/recipes/engines.md, once for each engine.
func TestEngineReceivers(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
	restate := make(chan string, 1)
	ingress := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { restate <- r.Method + " " + r.URL.Path }))
	t.Cleanup(ingress.Close)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples/engines"))); err != nil {
		t.Fatal(err)
	}
	for name, code := range standIns {
		folder := filepath.Join(dir, "node_modules", name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"package.json": `{"type": "module", "exports": "./index.js"}`, "index.js": code} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for engine, want := range map[string]string{
		"temporal": "signal wf-1 answered answered", "inngest": "event msg_1 askbridge/ended wf-1 answered",
		"dbos": "send postgres://dbos wf-1 answered answered msg_1", "restate": "POST /restate/awakeables/wf-1/resolve",
	} {
		t.Run(engine, func(t *testing.T) {
			cmd := exec.CommandContext(bounded(t), need.Binary(t, "node"), "receiver.mjs", engine)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PORT=0", "ASKBRIDGE_WEBHOOK_SECRET="+secret, "EXPECTED_SECRET="+secret, "RESTATE_INGRESS="+ingress.URL,
				"DBOS_SYSTEM_DATABASE_URL=postgres://dbos")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			lines := bufio.NewScanner(out)
			if !lines.Scan() {
				t.Fatal("the receiver does not listen")
			}
			port := lines.Text()
			post := func(signed bool) int {
				body := []byte(`{"type":"request.answered","data":{"session":"wf-1","state":"answered"}}`)
				req, err := http.NewRequestWithContext(bounded(t), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%s/", port), bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if signed {
					if err := webhook.Sign(req.Header, secret, "msg_1", time.Now(), body); err != nil {
						t.Fatal(err)
					}
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				return resp.StatusCode
			}
			if code := post(false); code != http.StatusUnauthorized {
				t.Errorf("a call without a signature: %d", code)
			}
			if code := post(true); code != http.StatusNoContent {
				t.Fatalf("a signed call: %d", code)
			}
			got := ""
			if engine == "restate" {
				got = <-restate
			} else if lines.Scan() {
				got = strings.TrimSpace(lines.Text())
			}
			if got != want {
				t.Errorf("the engine gets %q, want %q", got, want)
			}
		})
	}
}

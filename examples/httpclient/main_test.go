package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
)

var channel = ask.Target{Platform: "slack", Channel: "C0000001"}

const want = `User has answered your questions: {"Which database?":"SQLite"}`

func start(t *testing.T) *askbridgetest.World {
	t.Helper()
	return askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
}

// presses is a person who presses a button once it is there.
func presses(t *testing.T, w *askbridgetest.World, label string) {
	t.Helper()
	dana := w.Slack.Seat("U0000001")
	done := make(chan struct{})
	ctx := context.WithoutCancel(t.Context()) // The agent may have its answer before Slack has heard that the press arrived.
	go func() {
		defer close(done)
		if err := dana.AwaitText(ctx, "["+label+"]"); err != nil {
			t.Error(err)
			return
		}
		if err := dana.Press(ctx, label); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { <-done })
}

func TestAGoAgentAsksOverHTTP(t *testing.T) {
	t.Parallel()
	w := start(t)
	var out bytes.Buffer
	presses(t, w, "Yes")
	if err := decide(t.Context(), w.Client, channel, &out); err != nil || out.String() != "deploy: true\n" {
		t.Errorf("%s, %v", &out, err)
	}
	out.Reset()
	presses(t, w, "SQLite")
	if err := pass(t.Context(), w.Client, channel, []byte(toolInput), &out); err != nil || out.String() != want+"\n" {
		t.Errorf("%s, %v", &out, err)
	}
}

// network puts the world, which lives in memory, on a port of this machine.
func network(t *testing.T, w *askbridgetest.World) string {
	t.Helper()
	to, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{Transport: w.HTTP.Transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	t.Cleanup(s.Close)
	return s.URL
}

// The snippets are run where there is somebody to run them; what they must say
// over HTTP is looked at everywhere.
func TestASnippetPassesAToolInputOn(t *testing.T) {
	t.Parallel()
	// Node has taken types away by itself since version 22.18.
	const caller = `const { ask } = await import(process.argv[1]);
const input = (await import("node:fs")).readFileSync(0, "utf8");
process.stdout.write((await ask(process.env.ASKBRIDGE_URL, ...process.argv.slice(2), input)).body);`
	for file, run := range map[string][]string{
		"ask.py": {"python3", "ask.py"},
		"ask.ts": {"node", "--input-type=module", "-e", caller, "./ask.ts"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"/v1/ask/", "tool_call_id", "25s", "Askbridge-State", "Bearer ", "POST"} {
				if !strings.Contains(string(text), part) {
					t.Errorf("it does not say %q", part)
				}
			}
			if !runs(t, file) {
				return
			}
			w := start(t)
			presses(t, w, "SQLite")
			cmd := exec.CommandContext(t.Context(), run[0], append(run[1:], "spring-tool", "slack:C0000001", "call_1")...)
			cmd.Env = append(os.Environ(), "ASKBRIDGE_URL="+network(t, w))
			cmd.Stdin, cmd.Stderr = strings.NewReader(toolInput), os.Stderr
			out, err := cmd.Output()
			if err != nil || string(out) != want {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
}

// runs reports whether this machine can run the file.
func runs(t *testing.T, file string) bool {
	t.Helper()
	check := []string{"python3", "-c", "import urllib.request"}
	if strings.HasSuffix(file, ".ts") {
		check = []string{"node", "-e", "process.exit(process.features.typescript ? 0 : 1)"}
	}
	return exec.CommandContext(t.Context(), check[0], check[1:]...).Run() == nil
}

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/test/need"
)

var channel = ask.Place{Platform: "slack", Channel: "C0000001"}

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

func TestGoAgentAsksOverHTTP(t *testing.T) {
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

// network puts the world, which lives in memory, on a port of this machine, where
// two calls are lost on their way: one before it arrives, and one on its way back.
func network(t *testing.T, w *askbridgetest.World) string {
	t.Helper()
	to, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	through := &httputil.ReverseProxy{Transport: w.HTTP.Transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/ask/") || r.URL.Query().Get("wait") != "25s" {
			t.Errorf("it calls %s %s", r.Method, r.URL)
		}
		switch calls.Add(1) {
		case 1:
			rw.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "25s", "0s", 1)
			through.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			through.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// erased is TypeScript without its types, as newer versions of Node run it.
func erased(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^export type .*$|\??: (string|Promise<Result>|Record<string, string>)`).ReplaceAll(text, nil)
	path := filepath.Join(t.TempDir(), "ask.mjs")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSnippetsPassToolInput(t *testing.T) {
	t.Parallel()
	const caller = `const { ask } = await import(process.argv[1]);
const input = (await import("node:fs")).readFileSync(0, "utf8");
process.stdout.write((await ask(process.env.ASKBRIDGE_URL, ...process.argv.slice(2), input)).body);`
	for file, run := range map[string][]string{
		"ask.py": {need.Binary(t, "python3"), "ask.py"},
		"ask.ts": {need.Binary(t, "node"), "--input-type=module", "-e", caller, erased(t, "ask.ts")},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			presses(t, w, "SQLite")
			said := func(toolCall string, args ...string) string {
				cmd := exec.CommandContext(t.Context(), run[0], slices.Concat(run[1:], args, []string{toolCall})...)
				cmd.Env = append(os.Environ(), "ASKBRIDGE_URL="+network(t, w))
				cmd.Stdin, cmd.Stderr = strings.NewReader(toolInput), os.Stderr
				out, err := cmd.Output()
				if err != nil {
					t.Error(err)
				}
				return string(out)
			}
			if out := said("call_1", "spring-tool", "slack:C0000001"); out != want {
				t.Errorf("got %s", out)
			}
			// The agent was restarted and makes the same call again.
			if out := said("call_1", "spring-tool", "slack:C0000001"); out != want {
				t.Errorf("again: %s", out)
			}
			if n := len(w.Slack.Seat("U0000001").Messages("C0000001")); n != 1 {
				t.Errorf("%d messages stand in the channel", n)
			}
		})
	}
}

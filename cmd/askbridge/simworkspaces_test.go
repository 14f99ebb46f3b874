package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/mocks"
	"github.com/askbridge/askbridge/chatsim/page"
)

// sends sends JSON and returns the response.
func sends(t *testing.T, method, address, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(bounded(t), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if json.Unmarshal(raw, &out) != nil {
		out["text"] = string(raw)
	}
	return resp.StatusCode, out
}

// A person installs the app in a second workspace of the doubles, a question there is answered, and an admin uninstalls
// the app while another one is open.
func TestMocksInstallAskAndUninstall(t *testing.T) {
	t.Parallel()
	doubles, err := mocks.Start(mocks.Options{Only: mocks.Slack, SlackAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = doubles.Close() })
	control := httptest.NewServer(page.Handler(&page.Options{Workspaces: true}, doubles.Chats()...))
	t.Cleanup(control.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "askbridge.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, `listen: 127.0.0.1:0
callbacks: {listen: 127.0.0.1:0}
store: {type: file, path: %q}
encryption: {keys: "%s"}
slack:
  api_url: %s
  app_token: xapp-sim
  client_id: "1.2"
  client_secret: sim-client-secret
  install: {address: https://ask.example.com, anyone: true}
`, filepath.Join(dir, "askbridge.db"), strings.Repeat("ab", 32), doubles.Places()[0].URL), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bounded(t))
	p := &playing{T: t, exited: make(chan int, 1), more: make(chan struct{}, 1), stop: cancel}
	go func() {
		p.exited <- run(ctx, []string{"serve", "--config", file, "--log-format", "json"}, &bytes.Buffer{}, p)
	}()
	t.Cleanup(func() {
		cancel()
		if code := p.end(); code != 0 {
			t.Errorf("exit code %d\n%s", code, p.text.String())
		}
	})
	p.awaitText("slack socket is open", 1)
	at := regexp.MustCompile(`"(listen|callbacks)":"(127[^"]*)"`).FindAllStringSubmatch(p.text.String(), 2)
	agents, pages := "http://"+at[0][2], "http://"+at[1][2]

	sends(t, http.MethodPut, control.URL+"/api/workspaces", `{"id":"T0000002","name":"Globex"}`)
	if _, got := sends(t, http.MethodPost, control.URL+"/api/install", `{"workspace":"T0000002","person":"Dana","url":"`+pages+`/slack/install"}`); got["installed"] != true ||
		!strings.Contains(fmt.Sprint(got["text"]), "installed in Globex") {
		t.Fatalf("the installation ends with %v", got)
	}
	globex := control.URL + "/workspaces/T0000002/api/"
	asks := func(question string) string {
		t.Helper()
		_, got := sends(t, http.MethodPost, agents+"/v1/requests", `{"to":[{"platform":"slack","installation":"T0000002","channel":"C0000001"}],"questions":[{"question":"`+question+`","options":["Yes","No"]}]}`)
		if _, seen := sends(t, http.MethodGet, globex+"sees?platform=slack&person=Sam&wait=20s&text="+question, ""); seen["met"] != true {
			t.Fatalf("Sam of Globex does not see %q: %v", question, seen)
		}
		if _, seen := sends(t, http.MethodGet, control.URL+"/api/sees?platform=slack&person=Sam&text="+question, ""); seen["met"] != false {
			t.Errorf("Sam of the first workspace sees %q: %v", question, seen)
		}
		return agents + "/v1/requests/" + fmt.Sprint(got["id"]) + "?wait=20s"
	}
	first := asks("Deploy")
	if _, got := sends(t, http.MethodPost, globex+"act", `{"platform":"slack","person":"Sam","do":"press","control":"Yes"}`); got["outcome"] != "done" {
		t.Errorf("Sam's press: %v", got)
	}
	if _, got := sends(t, http.MethodGet, first, ""); got["state"] != "answered" || !strings.Contains(fmt.Sprint(got["by"]), "installation:T0000002") {
		t.Errorf("the agent got %v", got)
	}
	second := asks("Announce")
	sends(t, http.MethodPost, globex+"uninstall", `{}`)
	if _, got := sends(t, http.MethodGet, second, ""); got["state"] != "failed" || !strings.Contains(fmt.Sprint(got["reason"]), "removed from the Slack workspace") {
		t.Errorf("after the removal the agent got %v", got)
	}
	if status, got := sends(t, http.MethodPost, control.URL+"/api/verify", `{}`); status != http.StatusOK {
		t.Errorf("rules were broken: %v", got)
	}
}

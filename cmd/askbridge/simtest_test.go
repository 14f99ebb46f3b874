package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/askbridgetest"
)

// session returns the copied test once it has a line, because answers are recorded after they are sent.
func (p *playing) session(line string) (scene, test string) {
	p.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for {
		var reply struct{ Scene, Test string }
		p.get("api/session", &reply)
		if strings.Contains(reply.Scene, line+"\n") {
			return reply.Scene, reply.Test
		}
		select {
		case <-tick.C:
		case <-limit:
			p.Fatalf("the scene lacks %q:\n%s", line, reply.Scene)
		}
	}
}

// get reads JSON from the page.
func (p *playing) get(path string, into any) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.link+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(body, into); err != nil || resp.StatusCode != http.StatusOK {
		p.Fatalf("%s: %s %s %v", path, resp.Status, body, err)
	}
}

// see waits until a person sees a text.
func (p *playing) see(platform, person, text string) {
	p.Helper()
	var reply struct {
		Met  bool
		Sees string
	}
	p.get("api/sees?"+url.Values{"platform": {platform}, "person": {person}, "text": {text}, "wait": {"60s"}}.Encode(), &reply)
	if !reply.Met {
		p.Fatalf("%s does not see %q on %s:\n%s", person, text, platform, reply.Sees)
	}
}

// does performs an action on the page and checks the status.
func (p *playing) does(person, platform, action, outcome string) {
	p.Helper()
	code, text := p.postTo("api/act", "", `{"platform":"`+platform+`","person":"`+person+`",`+strings.TrimPrefix(action, "{"))
	if code != http.StatusOK || !strings.Contains(text, `"`+outcome+`"`) {
		p.Fatalf("%s: %d %s, want %s", action, code, text, outcome)
	}
}

// asks sends a waiting call of an agent and returns a function that waits for the answer.
func (p *playing) asks(path, body string) (answered func() string) {
	p.Helper()
	output := make(chan string, 1)
	go func() {
		between := "?"
		if strings.Contains(path, "?") {
			between = "&"
		}
		_, text := p.send(path+between+"wait=60s", body)
		output <- text
	}()
	return func() string {
		p.Helper()
		select {
		case text := <-output:
			return text
		case <-time.After(time.Minute):
			p.Fatalf("%s is not answered", body)
			return ""
		}
	}
}

// The session has two concurrent agents, one with a host's tool call, a person who may not answer, a rejected form, picks
// on both platforms, and a request that expires when an hour is skipped.
func TestSimCopiedTestRuns(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--no-agent")
	database := p.asks("/v1/requests", `{"agent":"deploy-bot","questions":[{"question":"Which `+"`database`"+`?","header":"Database","options":["Postgres","SQLite"]},`+
		`{"question":"Which checks?","header":"Checks","multiSelect":true,"options":["Smoke tests","Load test"]}]}`)
	p.see("slack", "Dana", "Which checks?")
	p.see("discord", "Dana", "Which checks?")
	refund := p.asks("/v1/requests", `{"agent":"payments-bot","route":"sam","questions":[{"question":"Release the refund?","options":["Release","Hold back"]}]}`)
	p.see("slack", "Sam", "Release the refund?")
	p.does("Dana", "slack", `{"do":"press","control":"Release"}`, "done")
	p.see("slack", "Dana", "not yours to answer")
	p.does("Sam", "slack", `{"do":"press","control":"Release"}`, "done")
	refund()
	p.does("Dana", "discord", `{"do":"press","control":"Answer…"}`, "done")
	p.does("Dana", "discord", `{"do":"dismiss"}`, "done")
	p.does("Dana", "slack", `{"do":"press","control":"Other…","under":["Which database?"]}`, "done")
	p.see("slack", "Dana", "[Other answer]")
	p.does("Dana", "slack", `{"do":"submit"}`, "rejected")
	p.does("Dana", "slack", `{"do":"submit","fields":{"":"Cockroach\nor so"}}`, "done")
	p.does("Dana", "slack", `{"do":"pick","control":"Which checks?","option":"Load test"}`, "done")
	p.does("Dana", "slack", `{"do":"press","control":"Submit","under":["Which checks?"]}`, "done")
	if got := database(); !strings.Contains(got, `"state":"answered"`) {
		t.Fatalf("the agent got %s", got)
	}
	host := p.asks("/v1/ask/claude", `{"questions":[{"question":"Deploy it?","header":"Deploy","multiSelect":false,"options":[{"label":"Yes","description":"Now"},{"label":"No","description":"Later"}]}]}`)
	p.see("discord", "Kim", "Deploy it?")
	p.does("Kim", "discord", `{"do":"press","control":"Yes"}`, "done")
	host()
	const late = `{"tool_call_id":"toolu_9","session":"s1","expires_in":"30m","questions":[{"question":"Before it is late?","options":["Yes","No"]}]}`
	p.send("/v1/requests", late)
	p.see("slack", "Kim", "Before it is late?")
	if code, text := p.postTo("api/faults", "", `{"control":"hour"}`); code != http.StatusOK {
		t.Fatalf("an hour ahead: %d %s", code, text)
	}
	http.DefaultClient.CloseIdleConnections() // Connections to the killed bridge.
	if code, text := p.send("/v1/requests?wait=30s", late); !strings.Contains(text, `"expired"`) {
		t.Fatalf("the late request: %d %s", code, text)
	}
	scene, test := p.session("agent4 gets result4.txt")
	for _, line := range []string{
		"agent asks request.json", "agent2 asks request2.json", `dana@slack presses "Release" under "Release the refund?"`,
		`dana@slack is told "This is not yours to answer. Nothing was recorded. It is for: @Sam"`, "dana@slack is refused", "dana@slack submits",
		"agent3 asks request3.json as claude", "time passes 1h", "agent2 gets result2.txt", "answered by sam\nRelease the refund?\nRelease",
	} {
		if !strings.Contains(scene, line+"\n") {
			t.Errorf("the scene lacks %q:\n%s", line, scene)
		}
	}
	file := filepath.Join(t.TempDir(), "session_test.go")
	if err := os.WriteFile(file, []byte(test), 0o600); err != nil {
		t.Fatal(err)
	}
	play := func() (string, error) {
		// It builds what the test imports, which takes as long as it takes; the test that is built has the time limit of its own.
		command := exec.CommandContext(t.Context(), "go", "test", "-count=1", file)
		command.Dir = root
		reply, err := command.CombinedOutput()
		return string(reply), err
	}
	if reply, err := play(); err != nil {
		t.Fatalf("copied test fails: %v\n%s\n%s", err, reply, test)
	}
	other := strings.Replace(test, "Release the refund?\nRelease\n", "Release the refund?\nHold back\n", 1)
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if reply, err := play(); err == nil || !strings.Contains(reply, "agent2 gets result2.txt: it got:") {
		t.Errorf("copied test with another answer: %v: %s", err, reply)
	}
}

func TestSimCopiesGrantedCall(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--no-agent")
	i := slices.IndexFunc(simScenes, func(s simScene) bool { return s.name == "grant" })
	call := p.asks("/v1/ask/claude?responders=anyone", simScenes[i].body())
	p.see("discord", "Dana", "[Allow for 8 h]")
	p.does("Dana", "discord", `{"do":"press","control":"Allow for 8 h"}`, "done")
	call()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for kept := (struct{ Grants []any }{}); len(kept.Grants) == 0; <-tick.C { // The grant follows the answer.
		p.get("agent/v1/grants", &kept)
	}
	p.asks("/v1/ask/claude?responders=anyone", strings.Replace(simScenes[i].body(), "{", "{ ", 1))() // The grant covers it.
	scene, _ := p.session("agent2 gets result2.txt")
	askbridgetest.Play(t, nil, scene)
}

// A copied test starts with the agent's call, which must be valid in the test's configuration.
func TestSimScenesAreValidInTests(t *testing.T) {
	t.Parallel()
	for _, s := range simScenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			form := ""
			if s.form != plainRequest {
				form = " as " + s.form + "?responders=anyone"
			}
			askbridgetest.Play(t, nil, "-- steps --\nagent asks request.json"+form+"\n-- request.json --\n"+s.body())
		})
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/logbuffer"
)

// playing is a simulator in this process and a person on its page.
type playing struct {
	*testing.T

	platform string // where the person is
	link     string // to the page
	bridge   string
	stop     context.CancelFunc
	exited   chan int

	text logbuffer.Buffer
	more chan struct{}
}

func (p *playing) Write(b []byte) (int, error) {
	n, err := p.text.Write(b)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return n, err
}

// awaitText returns when the terminal shows the text for the nth time.
func (p *playing) awaitText(text string, n int) {
	p.Helper()
	limit := time.After(time.Minute)
	for strings.Count(p.text.String(), text) < n {
		select {
		case <-p.more:
		case code := <-p.exited:
			p.exited <- code
			p.Fatalf("it ended with %d before it showed %q:\n%s", code, text, p.text.String())
		case <-limit:
			p.Fatalf("it does not show %q:\n%s", text, p.text.String())
		}
	}
}

func playSim(t *testing.T, args ...string) *playing {
	t.Helper()
	p := &playing{T: t, exited: make(chan int, 1), more: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.exited <- run(ctx, append([]string{"sim", "--addr", "127.0.0.1:0", "--listen", "127.0.0.1:0"}, args...), p, p)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	p.awaitText("Waiting for ", 1)
	p.link = regexp.MustCompile(`Page +(\S+)`).FindStringSubmatch(p.text.String())[1]
	p.bridge = regexp.MustCompile(`Bridge +(\S+)`).FindStringSubmatch(p.text.String())[1]
	return p
}

// act performs an action on the page.
func (p *playing) act(action string) {
	p.Helper()
	if code, text := p.post("", action); code != http.StatusOK || !strings.Contains(text, `"done"`) {
		p.Fatalf("%s: %d %s", action, code, text)
	}
}

// dismisses ends a question without an answer on Discord, where the button opens a form.
func (p *playing) dismisses() {
	p.Helper()
	p.platform = "discord"
	p.act(`{"do":"press","control":"More…"}`)
	p.act(`{"do":"press","control":"Dismiss…"}`)
	p.act(`{"do":"submit"}`)
}

func (p *playing) post(host, action string) (int, string) {
	p.Helper()
	who := `{"platform":"slack","person":"U0000001",`
	if p.platform == "discord" {
		who = `{"platform":"discord","person":"300000000000000001",`
	}
	return p.postTo("api/act", host, who+strings.TrimPrefix(action, "{"))
}

// postTo posts to the page, under a name of its host.
func (p *playing) postTo(path, host, body string) (int, string) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.link+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if host != "" {
		req.Host = host
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (p *playing) end() int {
	p.Helper()
	select {
	case code := <-p.exited:
		p.exited <- code
		return code
	case <-time.After(time.Minute):
		p.Fatalf("it does not end:\n%s", p.text.String())
		return 0
	}
}

func TestSimAnswersOnPage(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--scene", "tap")
	p.act(`{"do":"press","control":"Postgres"}`)
	p.awaitText("Dana answered. The agent got:\n\n  Which database should the preview start with?\n  Postgres\n", 1)
	p.awaitText("release-notes-bot asks", 1)
	p.awaitText("Waiting for your answer", 2)
	p.stop()
	if code := p.end(); code != exitOK || !strings.HasSuffix(p.text.String(), "\nBye.\n") {
		t.Errorf("exit code %d, output:\n%s", code, p.text.String())
	}
}

func TestSimOnceExitCodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		act  func(p *playing)
		code int
		want string
	}{
		"answered":    {func(p *playing) { p.act(`{"do":"press","control":"SQLite"}`) }, exitOK, "Dana answered."},
		"dismissed":   {func(p *playing) { p.dismisses() }, exitUnanswered, "ended without an answer: cancelled by Dana."},
		"interrupted": {func(p *playing) { p.stop() }, exitInterrupted, "interrupted before there was an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := playSim(t, "--scene", "tap", "--once")
			tt.act(p)
			if code := p.end(); code != tt.code || !strings.Contains(p.text.String(), tt.want) {
				t.Errorf("exit code %d, want %d; output:\n%s", code, tt.code, p.text.String())
			}
		})
	}
}

func TestSimPageRefusesOtherHosts(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--scene", "tap")
	if code, text := p.post("evil.example", `{"do":"press","control":"Postgres"}`); code < 400 {
		t.Errorf("request with another host name: %d %s", code, text)
	}
}

func TestAnswerFlags(t *testing.T) {
	t.Parallel()
	first, err := simScenes[0].request()
	if err != nil {
		t.Fatal(err)
	}
	questions := first.Questions
	for _, tt := range []struct {
		flags []string
		want  string // The choices (selected, typed, skipped), or the error.
	}{
		{[]string{"Database=postgres", "2=Smoke tests,load test"}, "[{[Postgres]  false} {[Smoke tests Load test]  false}]"},
		{[]string{"which database should the new ledger use?=A=B", "Checks=none, really"}, "[{[] A=B false} {[] none, really false}]"},
		{[]string{"Database=Postgres", "Checks=Load test,by hand"}, "[{[Postgres]  false} {[Load test] by hand false}]"},
		{[]string{"Database=Postgres"}, `there is no --answer for "Checks"`},
		{[]string{"Database=Postgres", "1=SQLite"}, `the question "Database" is answered twice`},
		{[]string{"3=Postgres"}, `there is no question "3"`},
		{[]string{"=Postgres"}, "must look like"},
		{[]string{"Database= "}, "must look like"},
	} {
		answers, err := parseAnswers("--answer", tt.flags)
		var choices []choice
		if err == nil {
			choices, err = matchAnswers(questions, answers)
		}
		got := fmt.Sprint(choices)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.flags, got, tt.want)
		}
	}
}

func TestSimAnswerOnDiscordClosesBoth(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--scene", "tap", "--once")
	p.platform = "discord"
	p.act(`{"do":"press","control":"SQLite"}`)
	if code := p.end(); code != exitOK || !strings.Contains(p.text.String(), "Dana answered. The agent got:\n\n  Which database should the preview start with?\n  SQLite\n") {
		t.Errorf("exit code %d, output:\n%s", code, p.text.String())
	}
}

func TestSimScenesOnEveryPlatform(t *testing.T) {
	t.Parallel()
	for _, platform := range append(simPlatforms(), onBoth) {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			p := playSim(t, "--no-agent", "--platform", platform)
			for _, s := range simScenes {
				to := "/v1/requests"
				if s.form != plainRequest {
					to = "/v1/ask/" + s.form + "?responders=anyone"
				}
				if code, text := p.send(to, s.body()); code >= 300 || strings.Contains(text, `"failed"`) {
					t.Errorf("%s: %d %s", s.name, code, text)
				}
			}
		})
	}
}

// send posts a body to the bridge.
func (p *playing) send(path, body string) (int, string) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.bridge+path, strings.NewReader(body))
	if err != nil {
		p.Error(err)
		return 0, ""
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Error(err)
		return 0, ""
	}
	return resp.StatusCode, string(text)
}

func TestSimAnswerSurvivesRestart(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--scene", "tap", "--once")
	if code, text := p.postTo("api/faults", "", `{"control":"restart"}`); code != http.StatusOK || !strings.Contains(text, "another one has taken over") {
		t.Fatalf("kill the bridge: %d %s", code, text)
	}
	p.act(`{"do":"press","control":"SQLite"}`)
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d, output:\n%s", code, p.text.String())
	}
}

func TestSimSkipAheadExpires(t *testing.T) {
	t.Parallel()
	p := playSim(t, "--scene", "expiry", "--once")
	if code, text := p.postTo("api/faults", "", `{"control":"hour"}`); code != http.StatusOK || !strings.Contains(text, "it is now") {
		t.Fatalf("an hour ahead: %d %s", code, text)
	}
	if code := p.end(); code != exitUnanswered || !strings.Contains(p.text.String(), "ended without an answer: expired") {
		t.Errorf("exit code %d, output:\n%s", code, p.text.String())
	}
}

func TestReadmeRequestWithSimulator(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)curl -s 'localhost:8080(\S+)' -d '(.+?)'\n`).FindStringSubmatch(string(readme))
	if found == nil {
		t.Fatal("the README has no request")
	}
	p := playSim(t, "--no-agent")
	answered := make(chan string, 1)
	go func() {
		_, text := p.send(found[1], found[2])
		answered <- text
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case text := <-answered:
			if !strings.Contains(text, `"state":"answered"`) || !strings.Contains(text, "Postgres") {
				t.Errorf("the agent got %s", text)
			}
			return
		case <-tick.C:
			p.post("", `{"do":"press","control":"Postgres"}`) // Retries until the card exists.
		}
	}
}

func TestSimConflictingFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--no-agent --scene tap":   "--no-agent and --scene exclude each other",
		"--no-agent --once":        "--no-agent and --once exclude each other",
		"--mocks --once":           "--mocks and --once exclude each other",
		"--mocks --as Sam -- true": "--mocks and --as exclude each other",
	} {
		start(t, "", append([]string{"sim"}, strings.Fields(args)...)...).ends(exitUsage, "", want+"\nSee: askbridge sim --help")
	}
}

// The polls of an open console once filled the list of agent calls.
func TestSimRecordsAgentCallsOnly(t *testing.T) {
	t.Parallel()
	browser := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	with := func(mark string) http.Header {
		h := browser.Clone()
		h.Set(mark, "1")
		return h
	}
	for name, c := range map[string]struct {
		header http.Header
		kept   bool
	}{
		"a call of an agent is kept":                 {http.Header{}, true},
		"a call of the box on the page is kept":      {with(fromPage), true},
		"what the page reads for itself is not kept": {with(unrecorded), false},
		"what the console reads is not kept":         {browser, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fixture{}
			w.traffic.Keep(8)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/requests", nil)
			r.Header = c.header
			w.recorded(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), r)
			if kept, _ := w.traffic.Since(0); len(kept) > 0 != c.kept {
				t.Errorf("kept: %v, want %v", len(kept) > 0, c.kept)
			}
		})
	}
}

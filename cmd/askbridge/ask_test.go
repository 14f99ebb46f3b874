package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

// program is one run of askbridge.
type program struct {
	*testing.T

	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// start runs the program with this standard input.
func start(t *testing.T, stdin string, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{T: t, cmd: exec.CommandContext(t.Context(), self, args...)}
	p.cmd.Args[0] = "askbridge" // With this name the test binary runs the program, see TestMain.
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = strings.NewReader(stdin), &p.stdout, &p.stderr
	p.cmd.Dir = t.TempDir()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// ends waits for the exit and checks the output.
func (p *program) ends(code int, stdout, stderr string) {
	p.Helper()
	_ = p.cmd.Wait() // ProcessState has the result.
	if got := p.cmd.ProcessState.ExitCode(); got != code || named(p.stdout.String()) != stdout || !strings.Contains(p.stderr.String(), stderr) || stderr == "" && p.stderr.Len() > 0 {
		p.Errorf("exit code %d\nstdout: %s\nstderr: %s\nwant %d\nstdout: %s\nstderr: %s", got, &p.stdout, &p.stderr, code, stdout, stderr)
	}
}

// named replaces Dana's user name, which output has if she acted before her profile was loaded, by
// her display name.
func named(out string) string {
	return strings.NewReplacer("by dana on", "by Dana on", `"dana `, `"Dana `).Replace(out)
}

// office is a mock Slack, a bridge and the person who answers.
type office struct {
	*process

	slack *slacksim.Server
	dana  *slacksim.Seat
}

func openOffice(t *testing.T) *office {
	t.Helper()
	sim := workspace(t)
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db")))
	sim.DeliverTo(p.callbacks(), nil)
	return &office{p, sim, sim.Seat("U0000001")}
}

// token is the agent's token in a guarded office.
const token = "canary-0123456789-0123456789"

// openGuarded is openOffice with a token for the agent. It returns the file with the token.
func openGuarded(t *testing.T) (o *office, file string) {
	t.Helper()
	sim := workspace(t)
	p := serve(t, sim, "{type: memory}", "agents: [{name: claude-code, token: "+token+"}]\n")
	sim.DeliverTo(p.callbacks(), nil)
	var err error
	if p.agent, err = client.New(p.address, &client.Options{Token: token}); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &office{p, sim, sim.Seat("U0000001")}, file
}

// ask runs askbridge ask against the bridge of this office.
func (o *office) ask(stdin string, args ...string) *program {
	o.Helper()
	return start(o.T, stdin, append([]string{"ask", "--url", o.address, "--to", "slack:C0000001"}, args...)...)
}

func (o *office) sees(ctx context.Context, text string) {
	o.Helper()
	if err := o.dana.AwaitText(ctx, text); err != nil {
		o.Fatal(err)
	}
}

func (o *office) presses(ctx context.Context, label string) {
	o.Helper()
	o.sees(ctx, label+"]")
	if err := o.dana.Press(ctx, label); err != nil {
		o.Fatal(err)
	}
}

func TestAskPrintsLabel(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	p := o.ask("", "Deploy now?", "Yes", "No")
	o.presses(ctx, "Yes")
	p.ends(exitOK, "Yes\n", "")

	p = o.ask("", "--dialect", "claude")
	p.ends(exitUsage, `{"behavior":"deny","message":"the tool input is not valid JSON: unexpected end of JSON input"}`, "")

	p = o.ask("", "--json", "--key", "k1", "Really?", "Sure", "Never")
	o.presses(ctx, "Sure")
	_ = p.cmd.Wait()
	if got := p.stdout.String(); !strings.Contains(got, `"selected":["Sure"]`) || !strings.Contains(got, `"state":"answered"`) {
		t.Errorf("as JSON: %s", got)
	}
	// The same key returns the same answer without a second card.
	o.ask("", "--key", "k1", "Really?", "Sure", "Never").ends(exitOK, "Sure\n", "")
	o.ask("", "Which?", "Only").ends(exitUsage, "", "1 given")
}

func TestAskConfirmsHighRisk(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	confirms := func(p *program, label, stdout string) {
		t.Helper()
		o.presses(ctx, label)
		o.sees(ctx, "You choose: "+label)
		if open, err := o.agent.List(ctx, client.ListQuery{State: ask.Open}); err != nil || len(open.Requests) != 1 {
			t.Fatalf("one press ended it: %+v, %v", open, err)
		}
		if err := o.dana.Submit(ctx); err != nil {
			t.Fatal(err)
		}
		p.ends(exitOK, stdout, "")
	}
	confirms(o.ask("", "--risk", "high", "Drop the table users?", "Drop", "Keep"), "Drop", "Drop\n")
	const permission = `{"session_id":"s1","hook_event_name":"PermissionRequest","cwd":"/srv","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"dropdb users"}}`
	confirms(o.ask(permission, "--risk", "high", "--dialect", "claude", "--responder", "slack:U0000001"), "Allow",
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"dropdb users"}}}}`)
	o.ask("", "--risk", "high", "--multi", "Drop which?", "users", "orders").ends(exitUsage, "", "risk: needs a single question")
}

const auq = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"toolu_01","tool_input":{"questions":` +
	`[{"question":"Which \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams","description":"There"},{"label":"In-process","description":"New"}]}]}}`

const auqAnswer = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"questions":` +
	`[{"question":"Which \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams","description":"There"},{"label":"In-process","description":"New"}]}],` +
	`"answers":{"Which \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by Dana on Slack."}}`

func TestAskPrintsToolResultVerbatim(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	p := o.ask(auq, "--dialect", "claude")
	o.presses(ctx, "In-process")
	p.ends(exitOK, auqAnswer, "")
	o.ask(auq, "--dialect", "claude").ends(exitOK, auqAnswer, "")
}

func TestAskPrintsAdvice(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	p := o.ask("\ufeff"+`{"questions":[{"question":"Which?","header":"H","multiple":true,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`, "--dialect", "spring", "--expires-in", "1s")
	o.sees(ctx, "Which?")
	p.ends(exitExpired, "Nobody answered in time, and the questions are closed. Do not assume an answer.", "questions[0].multiple: was read as multiSelect\n")
}

const springSet = `{"questions":[{"question":"Which library?","header":"Library of dates","options":[{"label":"Moment.js","description":"Large"},{"label":"Day.js","description":"Small"}]}]}`

func TestAskVariants(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	o.ask(springSet, "--dialect", "spring").ends(exitUsage, "Header must be max 12 characters, got: 16", "")
	p := o.ask(springSet, "--dialect", "spring", "--variant", "released", "--variant", "partial")
	o.presses(ctx, "Skip")
	const advice = "questions[0].header: Header must be max 12 characters, got: 16"
	p.ends(exitOK, "{}", advice)
	// The result is decoded with the variants of the call.
	p = o.ask(springSet, "--dialect", "spring", "--variant", "released", "--context", "Again.")
	o.presses(ctx, "Day.js")
	p.ends(exitOK, `{"Which library?":"Day.js"}`, advice)
	o.ask(`{"question":"Which?","choices":["A","B"]}`, "--dialect", "opal", "--variant", "partial").ends(exitUsage, "variant: partial does not fit opal, whose form cannot leave a question out", "")
}

func TestAskExitCodes(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	one := func() string {
		page, err := o.agent.List(ctx, client.ListQuery{State: ask.Open})
		if err != nil || len(page.Requests) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		return page.Requests[0].ID
	}
	p := o.ask("", "First?", "A", "B")
	o.sees(ctx, "First?")
	if _, err := o.agent.Cancel(ctx, one(), "not any more"); err != nil {
		t.Fatal(err)
	}
	p.ends(exitCancelled, "", "ended without an answer: cancelled (not any more)")

	o.ask("", "--expires-in", "1s", "Second?", "A", "B").ends(exitExpired, "", "expired")

	p = o.ask("", "--session", "s", "Third?", "A", "B")
	o.sees(ctx, "Third?")
	next := ask.Request{Session: "s", Supersedes: one(), To: request().To, Questions: []ask.Question{{Text: "Fourth?"}}}
	made, err := o.agent.Submit(ctx, next)
	if err != nil {
		t.Fatal(err)
	}
	p.ends(exitSuperseded, "", "superseded")
	if _, err := o.agent.Cancel(ctx, made.ID, ""); err != nil {
		t.Fatal(err)
	}

	start(t, "", "ask", "--url", o.address, "--to", "slack:C0000404", "Fifth?", "A", "B").ends(exitNotShown, "", "channel_not_found")
	o.ask("", "--timeout", "1s", "Sixth?", "A", "B").ends(exitGaveUp, "", "no answer in time; the question was withdrawn")
	o.ask("", "--timeout", "1s", "--key", "k", "Seventh?", "A", "B").ends(exitGaveUp, "", "the same command finds it again")
	if r, err := o.agent.Get(ctx, one()); err != nil || r.Questions[0].Text != "Seventh?" {
		t.Errorf("left open: %+v, %v", r, err)
	}
	p = o.ask("", "Eighth?", "A", "B")
	o.sees(ctx, "Eighth?")
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	p.ends(exitInterrupted, "", "interrupted before there was an answer; the question was withdrawn")
	if err := o.dana.Await(ctx, func(sees string) bool { return strings.Contains(sees, "the caller stopped waiting") }); err != nil {
		t.Error(err)
	}
}

func TestAskWithdrawnToolCall(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	input := strings.Replace(auq, `"tool_use_id":"toolu_01",`, "", 1)
	p := o.ask(input, "--dialect", "claude", "--timeout", "1s")
	p.ends(exitGaveUp, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The questions were withdrawn before anyone answered."}}`, "withdrawn")
}

func TestAskWithoutBridge(t *testing.T) {
	t.Parallel()
	began := time.Now()
	p := start(t, "", "ask", "--url", "http://127.0.0.1:1", "Go?", "Yes", "No")
	p.ends(exitFailed, "", "nothing listens at http://127.0.0.1:1. Start askbridge serve there, or askbridge sim")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the error took %s", took)
	}
}

// answers is an imitation of a bridge without a network.
type answers http.HandlerFunc

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func TestAskRefusalIsNotATimeout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bridge answers
		stderr string
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}, "no one was asked: 401 Unauthorized"},
		"refused by a proxy": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
		}, "no one was asked: 403 Forbidden"},
		"taken for all that a proxy knows": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusGatewayTimeout)
		}, "the bridge did not confirm the question: 504 Gateway Timeout"},
		"a retry after the deadline": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusGatewayTimeout)
		}, "the bridge did not confirm the question: 504 Gateway Timeout"},
		"silent": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, "the bridge did not confirm the question in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The program waits seconds before a retry; the fake clock skips them.
			synctest.Test(t, func(t *testing.T) {
				bridge, err := client.New("http://bridge", &client.Options{HTTP: &http.Client{Transport: tt.bridge}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, errGaveUp)
				defer cancel()
				for way, asks := range map[string]func(*asking) error{
					"words": func(a *asking) error { return a.words(ctx, []string{"Go?", "Yes", "No"}, nil) },
					"tool": func(a *asking) error {
						a.call.Dialect = "claude"
						return a.tool(ctx, strings.NewReader(auq))
					},
				} {
					var out bytes.Buffer
					err := asks(&asking{client: bridge, out: &out, err: &out, line: newWaitingLine(&out)})
					if code, coded := errors.AsType[*exit](err); coded || err == nil || err.Error() != tt.stderr || out.Len() > 0 {
						t.Errorf("%s: output %q, exit %+v: %v, want %s", way, &out, code, err, tt.stderr)
					}
				}
			})
		})
	}
}

func TestAskUndeliverable(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(proxy.Close)
	const refusal = "askbridge: no one was asked: 403 Forbidden"
	start(t, "", "ask", "--url", proxy.URL, "--timeout", "1ns", "Go?", "Yes", "No").ends(exitFailed, "", refusal)
	start(t, auq, "ask", "--url", proxy.URL, "--timeout", "1ns", "--dialect", "claude").ends(exitFailed, "", refusal)
}

func TestAskDialectRefusesQuestionFlags(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--header=Ship", "--multi", "--no-other", "--link=Docs=https://docs.example.com", "--file=-", "--json"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(flag, "=")
			start(t, auq, "ask", "--url", "http://127.0.0.1:1", "--dialect", "claude", flag).
				ends(exitUsage, "", "askbridge: "+name+" goes with a question in words, not with --dialect")
		})
	}
}

// The error about the file once appeared only after the link was corrected.
func TestAskReportsAllLinkAndFileErrors(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"--replies", "--link[0]", "--file[0]"} {
		start(t, "", "ask", "--to", "slack:C0000001", "--replies", "loud", "--link", "bad", "--file", "x=/nope", "Go?", "Yes", "No").ends(exitUsage, "", want)
	}
}

func TestAskOrigin(t *testing.T) {
	t.Parallel()
	thread := ask.Place{Platform: "slack", Channel: "C0000001", Thread: "1700000000.000100"}
	for _, test := range []struct {
		name  string
		flags originFlags
		want  ask.Origin
		err   string
	}{
		{"none", originFlags{}, ask.Origin{}, ""},
		{"thread with people", originFlags{thread.String(), []string{"slack:U0000001"}}, ask.Origin{Place: thread, People: []string{"slack:U0000001"}}, ""},
		{"people alone", originFlags{people: []string{"slack:U0000001"}}, ask.Origin{}, "--origin-user needs --origin"},
		{"no place", originFlags{place: "here"}, ask.Origin{}, `--origin "here" is not a place`},
		{"no person", originFlags{place: "slack:C0000001", people: []string{"anyone"}}, ask.Origin{}, `--origin.people[0]: "anyone" is not a person`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := test.flags.read()
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error is %v, want %s", err, test.err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

package claude_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/test/claudehost"
	"github.com/askbridge/askbridge/test/golden"
)

// Chat has answered, and a person at the terminal decides before the answer arrives: the host follows the terminal.
// The card shows that unless both are equal, and the answer stays unchanged.
func TestOverruledAnswerIsReported(t *testing.T) {
	const plan = `{"plan":"1. Move it."}`
	for name, c := range map[string]struct {
		mode, tool, input, press string
		decide                   func(use *claudehost.Use) bool
		fails                    bool
		note                     string
	}{
		"default-refused-and-allowed": {
			mode: "default", tool: "Bash", input: command, press: "Deny", decide: (*claudehost.Use).Allow,
			note: "used another one, “allowed in the terminal”",
		},
		"acceptEdits-refused-and-failed": {
			mode: "acceptEdits", tool: "Bash", input: command, press: "Deny", decide: (*claudehost.Use).Allow, fails: true,
			note: "used another one, “allowed in the terminal”",
		},
		"plan-refused-and-approved": {
			mode: "plan", tool: "ExitPlanMode", input: plan, press: "Deny", decide: (*claudehost.Use).Allow,
			note: "used another one, “allowed in the terminal”",
		},
		"default-other-answer": {
			mode: "default", tool: "AskUserQuestion", input: question, press: "In-process",
			decide: func(u *claudehost.Use) bool { return u.Answer("Which queue?", "Redis Streams") },
			note:   "used another one, “answered in the terminal: Redis Streams”",
		},
		"default-same-answer": {
			mode: "default", tool: "AskUserQuestion", input: question, press: "In-process",
			decide: func(u *claudehost.Use) bool { return u.Answer("Which queue?", "In-process") },
		},
		"default-allowed-twice": {mode: "default", tool: "Bash", input: command, press: "Allow", decide: (*claudehost.Use).Allow},
	} {
		// The hook has printed its output, or has not received the answer yet.
		for _, received := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "", false: "-unreceived"}[received], func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					s := w.open(c.mode)
					s.held = make(chan struct{})
					use := s.Use(t.Context(), claudehost.Call{Tool: c.tool, Input: c.input, Fails: c.fails})
					s.posted(c.press)
					time.Sleep(time.Minute)
					turn := s.left("*.*")
					s.presses(0, c.press)
					time.Sleep(time.Second)
					synctest.Wait()
					if !received {
						for path := range s.left("*=*") {
							_ = os.Remove(path)
						}
						for path, data := range turn {
							if err := os.WriteFile(path, data, 0o600); err != nil {
								t.Fatal(err)
							}
						}
					}
					if !c.decide(use) {
						t.Error("the dialog was closed")
					}
					if v := use.Wait(); v.By != "terminal" || !v.Ran {
						t.Errorf("decided: %+v", v)
					}
					close(s.held)
					time.Sleep(time.Minute)
					synctest.Wait()
					if sees := s.dana.Sees(); !strings.Contains(sees, "Answered by") || strings.Contains(sees, "does not count") != (c.note != "") || !strings.Contains(sees, c.note) {
						t.Errorf("the card: %s", sees)
					}
					for path := range s.left("*[.=]*") {
						t.Errorf("left behind: %s", filepath.Base(path))
					}
					note := c.note
					if note == "" {
						note = "nothing"
					}
					golden.Check(t, "testdata/flows/overruled-"+name+".txt", s.ends()+"the card adds: "+note+"\n")
				})
			})
		}
	}
}

// left returns the files that the hooks of the session have left for each other.
func (s *terminal) left(pattern string) map[string][]byte {
	s.Helper()
	found, err := filepath.Glob(filepath.Join(s.opts.Beside, "*", pattern))
	if err != nil {
		s.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range found {
		if files[path], err = os.ReadFile(path); err != nil {
			s.Fatal(err)
		}
	}
	return files
}

// People refuse a call, and the agent retries it. The refusal of the first must not count for the second.
func TestRepeatedCallForgetsRefusal(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		one := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Deny")
		w.presses(time.Minute, "Deny")
		if v := one.Wait(); v.By != "hook" || v.Ran {
			t.Errorf("decided: %+v", v)
		}
		two := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Allow")
		time.Sleep(time.Minute)
		two.Allow()
		two.Wait()
		time.Sleep(time.Minute)
		if sees := s.dana.Sees(); strings.Contains(sees, "does not count") {
			t.Errorf("the cards: %s", sees)
		}
		s.ends()
	})
}

// An impostor at the port of the bridge, which a hook without a token asks, chose a request ID that made the hook
// write into a file of the impostor's choice.
func TestImpostorCannotWriteFiles(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		home := t.TempDir()
		opts := claude.Options{Beside: filepath.Join(home, ".cache"), Anyone: true}
		mine := filepath.Join(home, ".bashrc")
		w.over = func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Request: r,
				Header: http.Header{client.HeaderState: {"answered"}, client.HeaderRequestID: {"x/../../../.bashrc"}, "Content-Type": {"application/json"}},
				Body:   io.NopCloser(strings.NewReader(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`)),
			}, nil
		}
		asked := strings.Replace(string(recorded(t, "question")), "PreToolUse", "PermissionRequest", 1)
		h := claude.NewClaude(w.client(client.Options{Tries: 1}), &opts)
		if out, err := h.Run(t.Context(), []byte(asked)); len(out) != 0 || err == nil || !strings.Contains(err.Error(), "no id of a bridge") {
			t.Errorf("hook output %s, %v", out, err)
		}
		if _, err := os.Stat(mine); err == nil {
			t.Errorf("%s was written", mine)
		}
	})
}

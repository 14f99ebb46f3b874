package claude_test

import (
	"os"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/claudehost"
)

// A person leaves the sub-agent's question in the terminal to talk about it. The host sends no event for that.
func TestSubagentCardClosesWhenTerminalMovesOn(t *testing.T) {
	for name, c := range map[string]struct {
		then func(s *terminal)
		card string
	}{
		"the sub-agent ends":             {func(s *terminal) { s.StopAgent(s.Context(), "a1") }, "the terminal has moved on"},
		"the session ends":               {func(s *terminal) { s.End(s.Context()) }, "the terminal has moved on"},
		"another sub-agent ends":         {func(s *terminal) { s.StopAgent(s.Context(), "a2") }, "still asks"},
		"the session's own turn is over": {func(s *terminal) { s.Stop(s.Context()) }, "still asks"},
		"the session gets a prompt":      {func(s *terminal) { s.Prompt(s.Context()) }, "still asks"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				s := w.open("default")
				use := s.Use(t.Context(), claudehost.Call{Tool: "AskUserQuestion", Input: question, Agent: "a1"})
				s.posted("In-process")
				later(time.Minute)
				use.Chat()
				use.Wait()
				c.then(s)
				if text := s.card(); text != c.card {
					t.Errorf("card: %s", text)
				}
				s.End(t.Context())
				s.ends()
			})
		})
	}
}

// A session may have thousands of sub-agents, each of which leaves a mark of its closed calls.
func TestSubAgentsLeaveNothingBehind(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		for _, agent := range []string{"a1", "a2", ""} {
			use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command, Agent: agent})
			s.posted("Allow")
			later(time.Minute)
			use.Allow()
			use.Wait()
			later(time.Minute)
			// Calls that run without asking are closed too.
			s.Mode = "bypassPermissions"
			s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: `{"command":"ls"}`, Agent: agent}).Wait()
			s.Mode = "default"
		}
		s.StopAgent(t.Context(), "a1")
		s.End(t.Context())
		s.ends()
		left, err := os.ReadDir(s.opts.Beside)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

//go:build hosts

package hosts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// permits has permissions decided by Dana.
var permits = []string{"--permissions", "--responder", dana}

var claudePermissionScenarios = []scenario{
	{"session rules run equal calls unasked", func(t *testing.T) {
		c := newClaude(t, permits)
		file := filepath.Join(c.work, "a.txt")
		write := func(text string) model.Call {
			return model.Call{Tool: "Write", Input: string(encode(t, map[string]string{"file_path": file, "content": text}))}
		}
		c.model.Expect(calls(
			model.Call{Tool: "Bash", Input: `{"command":"npm test","description":"Run the tests"}`},
			model.Call{Tool: "Bash", Input: `{"command":"npm test -- --watch","description":"Run them again"}`},
			write("one\n"), write("two\n"),
		)...)
		c.opens("--permission-mode", "default")
		c.play(`dana sees "Allow for this session: Bash(npm test *): The command “npm test” runs without asking, with any arguments, until this session ends."
dana sees "In the agent's words: \"Run the tests\""
dana presses "2"`)
		c.reads("call_2", "Exit code")
		c.play(`dana sees "Allow for this session: Edit(/` + file + `)"
dana presses "2"`)
		c.reads("call_4", "updated successfully")
		if n := c.cards("May the agent use"); n != 2 {
			t.Errorf("%d cards", n)
		}
		for _, folder := range []string{c.home, c.work} {
			found, err := filepath.Glob(filepath.Join(folder, ".claude", "settings*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "npm test") || strings.Contains(string(text), "a.txt") {
					t.Errorf("%s has a rule: %s, %v", path, text, err)
				}
			}
		}
	}},
	{"chat and terminal decide permission prompts", func(t *testing.T) {
		c := newClaude(t, permits)
		file := filepath.Join(c.work, "a.txt")
		long := "touch here && echo 42 # " + strings.Repeat("a long command ", 240)
		c.model.Expect(calls(
			model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch},
			model.Call{Tool: "Write", Input: string(encode(t, map[string]string{"file_path": file, "content": "one\n"}))},
			model.Call{Tool: "Edit", Input: string(encode(t, map[string]string{"file_path": file, "old_string": "one", "new_string": "two"}))},
			model.Call{Tool: "Bash", Input: string(encode(t, map[string]string{"command": long, "description": "Do a lot"}))},
			model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch},
		)[:8]...) // The host ends the turn when someone denies a call in the terminal.
		term := c.opens("--permission-mode", "default")
		c.play(`dana sees "In the agent's words: \"Add two numbers\""
dana presses "Allow"`)
		c.reads("call_1", "42")
		c.play(`dana presses "Deny"`)
		c.reads("call_2", "Dana denied this.")
		c.play(`dana presses "Other…"
dana fills "Use the staging one"
dana submits`)
		c.reads("call_3", "Dana denied this and wrote: Use the staging one")
		c.play(`dana sees "wants to change files" "one"
dana presses "Allow"`)
		c.reads("call_4", "created")
		c.play(`dana sees "-one" "+two"
dana presses "Allow"`)
		c.reads("call_5", "updated successfully")
		c.play(`dana sees "command.txt"
dana presses "Allow"`)
		c.reads("call_6", "42")
		term.shows("Do you want to proceed?")
		// An open card. A call that the terminal answers before its hook has asked gets no card.
		c.play(`dana sees "[1. Allow]"`)
		term.keys("Enter")
		c.reads("call_7", "42")
		c.play(`dana sees "answered in the terminal"
dana sees "[1. Allow]"`)
		term.shows("Do you want to proceed?")
		no := denial.FindStringSubmatch(term.screen())
		if no == nil {
			t.Fatal("the dialog has no No")
		}
		term.keys(no[1])
		c.play(`dana sees "denied or interrupted in the terminal, or the terminal was closed"`)
	}},
	{"the card names the sub-agent that asks", func(t *testing.T) {
		const prompt = "Count for me"
		c := newClaude(t, permits,
			model.Turn{Calls: []model.Call{{Tool: "Agent", Input: `{"description":"Count","prompt":"` + prompt + `","subagent_type":"general-purpose"}`}}},
			model.Turn{When: prompt, Calls: []model.Call{{Tool: "Bash", Input: touch}}},
			model.Turn{When: prompt, Say: "It is done."},
			model.Turn{Say: "The sub-agent is at work."},
			model.Turn{Say: "All done."},
		)
		c.opens("--permission-mode", "default")
		c.play(`dana sees "Asked by sub-agent general-purpose"
dana presses "Allow"`)
		c.reads("call_2", "42")
		if err := c.model.Reached(c.ctx, 5); err != nil {
			t.Fatal(err)
		}
	}},
	{"a plan card shows the plan, or that there is none", func(t *testing.T) {
		c := newClaude(t, []string{"--plans", "--responder", dana},
			model.Turn{Calls: []model.Call{{Tool: "AskUserQuestion", Input: database}}},
			model.Turn{Calls: []model.Call{{Tool: "ToolSearch", Input: `{"query":"select:ExitPlanMode"}`}}}, model.Turn{Calls: []model.Call{{Tool: "ExitPlanMode", Input: `{}`}}})
		c.opens("--permission-mode", "plan")
		c.play(`dana sees "[SQLite]"`)
		plan := planFile.FindString(string(c.model.Requests()[0].Body))
		if plan == "" {
			t.Fatalf("no plan file in %s", c.model.Requests()[0].Text)
		}
		c.model.Expect(calls(
			model.Call{ID: "write", Tool: "Write", Input: string(encode(t, map[string]string{"file_path": plan, "content": "Move the ledger.\n"}))},
			model.Call{ID: "plan", Tool: "ExitPlanMode", Input: `{}`},
		)...)
		c.play(`dana picks "SQLite"
dana sees "wants to leave plan mode" "The agent sent no plan."
dana presses "Deny"`)
		c.reads("call_3", "Dana denied this.")
		c.play(`dana sees "wants to carry out this plan" "Move the ledger."
dana no longer sees "planFilePath"
dana presses "Allow"`)
		c.reads("plan", "User has approved your plan")
	}},
}

// denial is the option of the dialog that denies.
var denial = regexp.MustCompile(`(\d)\. No\b`)

// planFile is where the model has to write its plan.
var planFile = regexp.MustCompile(`/[\w/.-]+/plans/[\w-]+\.md`)

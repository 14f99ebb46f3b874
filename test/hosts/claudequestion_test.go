//go:build hosts

package hosts

import (
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// both asks two questions at once.
const both = `{"questions":[{"question":"Which region?","header":"Region","multiSelect":false,"options":[
		{"label":"Berlin","description":"Near"},{"label":"Tokyo","description":"Far"}]},
	{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[
		{"label":"Smoke tests","description":"A minute"},{"label":"Load tests","description":"An hour"}]}]}`

var claudeQuestionScenarios = []scenario{
	{"every kind of answer reaches the model", func(t *testing.T) {
		ask := func(input string) model.Call { return model.Call{Tool: "AskUserQuestion", Input: input} }
		turns := calls(ask(checks), ask(database), ask(both), ask(database), ask(database))
		c := newClaude(t, []string{}, turns...)
		term := c.opens("--permission-mode", "default")
		c.play(`dana picks "Smoke tests"
dana picks "Load tests"
dana submits`)
		c.reads("call_1", `"Which checks?"="Smoke tests, Load tests"`)
		c.play(`dana writes "MySQL 8" under "Which database?"`)
		c.reads("call_2", `"Which database?"="MySQL 8"`)
		c.play(`dana picks "Tokyo"
dana picks "Smoke tests"
dana submits`)
		c.reads("call_3", `"Which region?"="Tokyo"`, `"Which checks?"="Smoke tests"`)
		c.play(`dana dismisses`)
		c.reads("call_4", "Dana cancelled the questions.")
		c.play(`dana sees "[SQLite]"`)
		c.stopBridge()
		c.startBridge()
		c.play(`dana picks "SQLite"`)
		c.reads("call_5", `"Which database?"="SQLite"`)
		term.shows("All done.")
	}},
	{"Escape and a closed window close the card", func(t *testing.T) {
		question := model.Turn{Calls: []model.Call{{Tool: "AskUserQuestion", Input: database}}}
		c := newClaude(t, []string{}, question, question)
		term := c.opens("--permission-mode", "default")
		term.shows("Enter to select")
		c.play(`dana sees "[SQLite]"`)
		term.keys("Escape")
		c.play(`dana no longer sees "[SQLite]"
dana sees "denied or interrupted in the terminal, or the terminal was closed"`)
		term.keys("once more", "Enter")
		term.shows("Enter to select")
		c.play(`dana sees "[SQLite]"`)
		term.close()
		c.play(`dana no longer sees "[SQLite]"`)
	}},
	{"a headless agent asks with the MCP tool", func(t *testing.T) {
		c := newClaude(t, nil, calls(model.Call{Tool: "mcp__askbridge__ask_user", Input: askUser})...)
		c.follows("claude-mcp", c.env())
		c.start(c.command(c.env(), "claude", "-p", "please begin", "--allowedTools", "mcp__askbridge__ask_user"))
		c.play(`dana picks "SQLite"`)
		c.reads("call_1", "Which database?", "SQLite")
	}},
}

package dialect

import (
	"fmt"
	"strings"
)

// readings say of each dialect what was read of its host, at which version, and when.
var readings = map[string]string{
	"spring":             "page of the tool; source at 5410240, 2026-07-29",
	"agno":               "page of the tool and core.py at d1b1c9b, November 2026",
	"agno-native":        "source at 9644f22, 2026-08-23",
	"askuserquestion-go": "package page and source of v0.1.1 and v0.1.2, 2026-05-26",
	"req-auq":            "the requirements REQ-AUQ-001 to REQ-AUQ-006 as they were first; those at 045ffef have other numbers, November 2026",
	"opal":               "page \"User Input\"; source of 0.1.10, and of 0.1.17, which has no sub-agents, November 2026",
	"claude":             "documentation of 2026-08-22; types of claude-agent-sdk 0.3.329 and 0.3.330 and of claude-code 2.1.197; reports of builds 2.1.221 to 2.1.246",
	"claude-text":        "transcripts in reports of March to August 2026, of builds up to 2.1.241",
	"codex":              "source and app-server/README.md at 001cdd2, 2026; reports in its issues",
	"opencode":           "documentation of the server; types of 1.19.3; questions and permissions in the source at 0197fee, run.ts at 00f9806, November 2026",
	"gemini":             "source at 5411f11, 2026-08-21; schema and its validator at 0831a77, November 2026",
	"qwen":               "source at 1190f0b, November 2026",
	"kimi":               "source and wire protocol 1.10 at 4a550ef (1.49.0), 2026-07-16",
	"crush":              "source at 37f36e9, 2026-08-21",
	"vscode":             "source, main of November 2026",
	"copilot":            "types of the SDK 1.0.14, 2026",
	"cursor":             "reports of the extension, November 2026; there is no documentation of the answered form",
	"cline":              "source at 21cb8d2, 2026-08-22",
	"roo":                "source at cb83656, 2026-04-14",
	"pydantic-ai":        "documentation, November 2026",
	"langgraph":          "README of the agent inbox at f38301b, 2026",
	"ag-ui":              "documentation at 821b8c2, 2026",
	"a2a":                "specification 1.x at 16ba526, and 0.3 for its spelling, 2026",
	"mcp":                "specification, revisions 2025-06-18, 2025-11-25 and 2026-07-28",
	"acp":                "specification v1 at b7f0005, 2026; options of agents in their sources (gemini-cli 0.61.0, qwen-code 0.24.4, kimi-code 2.1.0, kimi-cli at 4a550ef, codex-acp at ba5bcc3, claude-agent-acp at f422c7c)",
}

// verified names the version of the host that a dialect was verified with, and the day. The scenarios are in test/hosts.
var verified = map[string]string{
	"claude":      "Claude Code 2.1.332 and Agent SDK 0.3.332 on 2026-11-28",
	"claude-text": "Claude Code 2.1.332 on 2026-11-28",
	"codex":       "Codex 0.171.0 on 2026-11-28",
	"opencode":    "OpenCode 1.18.33 on 2026-11-28",
	"qwen":        "Qwen Code 0.24.4 on 2026-11-28",
	"acp":         "Gemini CLI 0.61.0, Qwen Code 0.24.4 and Kimi Code 2.1.0 on 2026-11-28",
}

// The ways in which questions come while nobody sits at a screen of the host.
const (
	noScreen = "it has none: whoever runs it answers, in this form"
	noTool   = "the tool is taken away"
)

// headless say of each dialect what becomes of a question where its host has no screen:
// run by a script or a service, with nobody at a terminal.
var headless = map[string]string{
	"spring": noScreen, "agno": noScreen, "agno-native": noScreen, "askuserquestion-go": noScreen, "req-auq": noScreen,
	"claude-text": noScreen, "copilot": noScreen, "pydantic-ai": noScreen, "langgraph": noScreen, "ag-ui": noScreen,
	"a2a": noScreen, "mcp": noScreen, "acp": noScreen,
	"opal":     "the client answers `client/ask_user`; without one that is an error",
	"claude":   "`claude -p` offers the tool with `--permission-prompt-tool` only: `askbridge mcp --permissions` has that tool, which answers in forms of their own; `hook --defer` ends the run until it is resumed",
	"codex":    "`codex app-server` asks its client, in this form; `codex exec` rejects the call",
	"opencode": "`opencode serve` asks its clients, in this form; `opencode run` denies the call",
	"gemini":   noTool,
	"qwen":     "clients over ACP and JSON streams answer; else the model reads that it cannot ask",
	"kimi":     "wire mode asks its client, in this form; away from keyboard an empty answer is taken",
	"crush":    "the server asks its clients, in this form; in `crush run` " + noTool,
	"vscode":   "an editor has one", "cursor": "an editor has one",
	"cline": "the program that embeds it answers, in this form; without one " + noTool,
	"roo":   "its command line takes the first suggestion after a time",
}

// of returns what a table says of the dialect; a payload has the words of its tool.
func (d Dialect) of(table map[string]string) string {
	if said := table[d.Name]; said != "" {
		return said
	}
	return table[d.Family]
}

// Read says what was read of the host, at which version, and when.
func (d Dialect) Read() string { return d.of(readings) }

// Verified names the version of the host that ran against the dialect, and the day, as in "Codex 0.171.0 on 2026-11-28".
// It is empty if the dialect was only read in documents and source.
func (d Dialect) Verified() string { return verified[d.Name] }

// checked says how a dialect was checked, for a reader of the table.
func (d Dialect) checked() string {
	if v := d.Verified(); v != "" {
		return "verified live with " + v
	}
	return "from documents"
}

// Sources is the table of what was read of each host, in Markdown, as docs/reference/hosts.md shows it.
func Sources() string {
	var b strings.Builder
	b.WriteString("| dialect | checked | source | what was read, and when | without a screen |\n|---|---|---|---|---|\n")
	for _, d := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | <%s> | %s | %s |\n", d.Name, d.checked(), d.Source, d.Read(), d.of(headless))
	}
	return b.String()
}

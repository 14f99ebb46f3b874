package dialect

import (
	"fmt"
	"strings"
)

// readings say of each dialect what was read of its host, at which version, and when.
var readings = map[string]string{
	"spring":             "page of the tool; source at 5410240, 2026-07-29",
	"agno":               "page of the tool, November 2026",
	"agno-native":        "source at 9644f22, 2026-08-23",
	"askuserquestion-go": "package page and source of v0.1.1 and v0.1.2, 2026-05-26",
	"req-auq":            "the requirements, November 2026",
	"opal":               "documentation and source, November 2026",
	"claude":             "documentation of 2026-08-22; types of claude-agent-sdk 0.3.329 and 0.3.330 and of claude-code 2.1.197; reports of builds 2.1.221 to 2.1.246",
	"claude-text":        "transcripts of builds up to 2.1.241",
	"codex":              "source and app-server/README.md at 001cdd2, 2026; reports in its issues",
	"opencode":           "documentation of the server; types of 1.19.3; permissions in the source at 0197fee, November 2026",
	"gemini":             "source at 5411f11, August 2026",
	"qwen":               "source, main of November 2026",
	"kimi":               "source and wire protocol 1.10 at 4a550ef (1.49.0), 2026",
	"crush":              "source at 37f36e9, 2026",
	"vscode":             "source, main of November 2026",
	"copilot":            "types of the SDK 1.0.14, 2026",
	"cursor":             "reports of the extension, November 2026; there is no documentation of the answered form",
	"cline":              "source, main of November 2026",
	"roo":                "source, main of November 2026",
	"pydantic-ai":        "documentation, November 2026",
	"langgraph":          "README of the agent inbox at f38301b, 2026",
	"ag-ui":              "documentation at 821b8c2, 2026",
	"a2a":                "specification 1.x at 16ba526, and 0.3 for its spelling, 2026",
	"mcp":                "specification, revisions 2025-06-18, 2025-11-25 and 2026-07-28",
	"acp":                "specification v1 at b7f0005, 2026; options of agents in their sources (gemini-cli at 5411f11, qwen-code, kimi-cli at 4a550ef)",
}

// Read says what was read of the host, at which version, and when.
func (d Dialect) Read() string {
	if said := readings[d.Name]; said != "" {
		return said
	}
	return readings[d.Family] // A payload has the source of its tool.
}

// Sources is the table of what was read of each host, in Markdown, as docs/hosts.md shows it.
func Sources() string {
	var b strings.Builder
	b.WriteString("| dialect | where | what, and when |\n|---|---|---|\n")
	for _, d := range All() {
		where := d.Source
		if strings.HasPrefix(where, "https://") {
			where = "<" + where + ">"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Name, where, d.Read())
	}
	return b.String()
}

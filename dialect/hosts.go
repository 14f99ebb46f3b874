package dialect

import (
	"fmt"
	"strings"
)

// All returns every dialect, the founding documents' five families first.
func All() []Dialect {
	return []Dialect{
		spring(), springTool(),
		agno(), agnoNative(),
		askUserQuestion(),
		reqAUQ(),
		opal(),
		claude(), claudeText(),
		codex(), openCode(), gemini(), qwen(), qwenPayload(), kimi(), crush(), crushPayload(),
		vscode(), copilot(), cursor(), cline(), roo(),
		pydanticAI(), langGraph(), agUI(), a2a(),
		mcp(), acp(),
	}
}

// Get returns the dialect of that name.
func Get(name string) (Dialect, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

// Table returns the table of hosts in docs/reference/hosts.md, in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| dialect | host | tool | questions | options | evidence | |\n|---|---|---|---|---|---|---|\n")
	for _, d := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s | %s |\n", d.Name, d.Host, d.Tool,
			rangeText(1, d.Limits.MaxQuestions), rangeText(d.Limits.MinOptions, d.Limits.MaxOptions), d.Evidence, d.Note)
	}
	return b.String()
}

// rangeText formats a range; 0 leaves that end open.
func rangeText(least, most int) string {
	switch {
	case least == most && least > 0:
		return fmt.Sprint(least)
	case most == 0 && least == 0:
		return "any"
	case most == 0:
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("%d-%d", least, most)
}

// Sources returns the table of sources in docs/reference/hosts.md, in Markdown.
func Sources() string {
	var b strings.Builder
	b.WriteString("| dialect | checked | source | what was read, and when | without a screen |\n|---|---|---|---|---|\n")
	for _, d := range All() {
		checked := "from documents"
		if d.verified != "" {
			checked = "verified live with " + d.verified
		}
		fmt.Fprintf(&b, "| `%s` | %s | <%s> | %s | %s |\n", d.Name, checked, d.Source, d.studied, d.headless)
	}
	return b.String()
}

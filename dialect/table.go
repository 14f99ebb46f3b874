package dialect

import (
	"fmt"
	"strings"
)

// Table is the table of hosts in Markdown, as docs/reference/hosts.md shows it.
func Table() string {
	var b strings.Builder
	b.WriteString("| dialect | host | tool | questions | options | evidence | |\n|---|---|---|---|---|---|---|\n")
	for _, d := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s | %s |\n", d.Name, d.Host, d.Tool,
			between(1, d.Limits.MaxQuestions), between(d.Limits.MinOptions, d.Limits.MaxOptions), d.Evidence, d.Note)
	}
	return b.String()
}

// between words a range whose end may be open.
func between(least, most int) string {
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

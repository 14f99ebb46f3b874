package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/askbridge/askbridge/internal/visible"
)

// State is the severity of a finding.
type State string

// The states of a finding.
const (
	// OK works.
	OK State = "ok"
	// Note is information, or could not be checked.
	Note State = "note"
	// Warn works, but may cause problems.
	Warn State = "warn"
	// Broken does not work.
	Broken State = "broken"
)

// Finding is the result of one check.
type Finding struct {
	// ID identifies the check, such as "slack/channel".
	ID    string `json:"id"`
	State State  `json:"state"`
	Found string `json:"found"`
	// Do is what to do about it.
	Do string `json:"do,omitempty"`
}

// Report is the list of findings in the order of the checks.
type Report struct {
	Findings []Finding
	// Running means that askbridge runs with this configuration on this machine.
	Running bool
}

// Add adds a finding: its ID, severity, what to do, and what was found as a format with arguments.
func (r *Report) Add(id string, s State, do, found string, args ...any) {
	r.Findings = append(r.Findings, Finding{ID: id, State: s, Found: fmt.Sprintf(found, args...), Do: do})
}

// OK adds a finding without problems.
func (r *Report) OK(id, found string, args ...any) { r.Add(id, OK, "", found, args...) }

// Count counts the findings of a state.
func (r *Report) Count(s State) int {
	n := 0
	for _, f := range r.Findings {
		if f.State == s {
			n++
		}
	}
	return n
}

// MarshalJSON encodes the findings and whether all work.
func (r Report) MarshalJSON() ([]byte, error) {
	findings := r.Findings
	if findings == nil {
		findings = []Finding{}
	}
	return json.Marshal(struct {
		OK       bool      `json:"ok"`
		Findings []Finding `json:"findings"`
	}{r.Count(Broken) == 0, findings})
}

// The width of the table and its first two columns.
const (
	tableWidth = 80
	stateWidth = 8
	idWidth    = 21
)

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	margin := strings.Repeat(" ", stateWidth+idWidth)
	for _, f := range r.Findings {
		lead := fmt.Sprintf("%-*s%-*s", stateWidth, f.State, idWidth, f.ID)
		for _, line := range visible.Wrap(f.Found, tableWidth-len(margin)) {
			b.WriteString(lead + line + "\n")
			lead = margin
		}
		bullet := "> "
		if f.Do == "" {
			continue
		}
		for _, line := range visible.Wrap(f.Do, tableWidth-len(margin)-len(bullet)) {
			b.WriteString(margin + bullet + line + "\n")
			bullet = "  "
		}
	}
	b.WriteString("\n" + r.Summary() + "\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("doctor: write the report: %w", err)
	}
	return nil
}

// Summary is the report in one line.
func (r *Report) Summary() string {
	broken, warned := r.Count(Broken), r.Count(Warn)
	switch {
	case broken == 1:
		return "1 problem found."
	case broken > 1:
		return fmt.Sprintf("%d problems found.", broken)
	case warned == 1:
		return "Everything works; 1 warning."
	case warned > 1:
		return fmt.Sprintf("Everything works; %d warnings.", warned)
	}
	return "No problems found."
}

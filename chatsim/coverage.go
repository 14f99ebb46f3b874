package chatsim

import (
	"fmt"
	"regexp"
	"strings"
)

// Coverage is what a double supports of its platform.
type Coverage struct {
	Platform string `json:"platform"`
	// Methods are the calls and deliveries of the platform.
	Methods []Covered `json:"methods"`
	// Rules are the platform's rules that the double enforces.
	Rules []Covered `json:"rules"`
}

// Covered is one entry of a Coverage.
type Covered struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"` // "done", "partly" or "not yet"; "" for a rule
	Note  string `json:"note,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

// limit matches the note of a numeric rule: the number and its unit.
var limit = regexp.MustCompile(`^at most (\d+)(?: (characters|bytes|minutes|hours))?`)

// route matches the verb and path at the start of a note about a Discord route.
var route = regexp.MustCompile(`^[A-Z]+ /\S+(: )?`)

// Markdown renders the coverage of several doubles as one page.
func Markdown(list ...Coverage) string {
	var b strings.Builder
	b.WriteString("# Coverage of the Slack and Discord doubles\n\nWritten by `go test ./chatsim -run Coverage -update`.\n")
	for _, c := range list {
		var done, absent, reasons, limits []string
		partial := map[string][]string{} // By reason.
		var rules strings.Builder
		for _, m := range c.Methods {
			switch m.State {
			case "done":
				done = append(done, linked(m))
			case "partly":
				reason := route.ReplaceAllString(m.Note, "")
				if partial[reason] == nil {
					reasons = append(reasons, reason)
				}
				partial[reason] = append(partial[reason], linked(m))
			default:
				absent = append(absent, linked(m))
			}
		}
		for _, r := range c.Rules {
			if m := limit.FindStringSubmatch(r.Note); m != nil && !strings.Contains(r.Note, ";") {
				limits = append(limits, linked(r)+" "+strings.TrimSuffix(strings.TrimSpace(m[1]+" "+m[2]), " characters"))
			} else {
				fmt.Fprintf(&rules, "- %s: %s\n", linked(r), r.Note)
			}
		}
		fmt.Fprintf(&b, "\n## %s: calls and events\n\nComplete: %s.\n\nNot supported: %s.\n\n| Partial | Limitation |\n| --- | --- |\n",
			c.Platform, strings.Join(done, ", "), strings.Join(absent, ", "))
		for _, reason := range reasons {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(partial[reason], ", "), reason)
		}
		fmt.Fprintf(&b, "\n## %s: limits\n\nAt most, texts in characters: %s.\n\n## %s: rules\n\n%s", c.Platform, strings.Join(limits, ",\n"), c.Platform, rules.String())
	}
	return b.String()
}

func linked(c Covered) string {
	if c.Doc == "" {
		return "`" + c.Name + "`"
	}
	return fmt.Sprintf("[`%s`](%s)", c.Name, c.Doc)
}

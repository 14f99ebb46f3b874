package chatsim

import (
	"fmt"
	"strings"
)

// Coverage says how much of a platform a double knows.
type Coverage struct {
	Platform string `json:"platform"`
	// Methods are the calls and deliveries of the platform.
	Methods []Covered `json:"methods"`
	// Rules are what is checked.
	Rules []Covered `json:"rules"`
}

// Covered is one line of it.
type Covered struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"` // "done", "partly" or "not yet"; "" for a rule
	Note  string `json:"note,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

// Markdown writes the coverage of several doubles as one page.
func Markdown(list ...Coverage) string {
	var b strings.Builder
	b.WriteString("# What the doubles know\n\nWritten by `go test ./chatsim -run Coverage -update`; a test holds it up to date.\n")
	for _, c := range list {
		fmt.Fprintf(&b, "\n## %s: calls and deliveries\n\n| what | state | what is left out or worth knowing |\n| --- | --- | --- |\n", c.Platform)
		for _, m := range c.Methods {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", linked(m), m.State, m.Note)
		}
		fmt.Fprintf(&b, "\n## %s: rules\n\n| rule | what it says |\n| --- | --- |\n", c.Platform)
		for _, r := range c.Rules {
			fmt.Fprintf(&b, "| %s | %s |\n", linked(r), r.Note)
		}
	}
	return b.String()
}

func linked(c Covered) string {
	if c.Doc == "" {
		return "`" + c.Name + "`"
	}
	return fmt.Sprintf("[`%s`](%s)", c.Name, c.Doc)
}

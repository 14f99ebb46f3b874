package rota

import (
	"fmt"
	"strings"
)

// property is one line of a calendar, as in "DTSTART;TZID=Europe/Berlin:20260105T090000".
type property struct {
	name, value string
	params      map[string]string
}

// component is what stands between BEGIN and END of one name.
type component struct {
	name       string
	properties []property
	inner      []*component
}

// first is the property of a name, and whether there is one.
func (c *component) first(name string) (property, bool) {
	for _, p := range c.properties {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

// all are the properties of a name.
func (c *component) all(name string) []property {
	var all []property
	for _, p := range c.properties {
		if p.name == name {
			all = append(all, p)
		}
	}
	return all
}

// text is the value of a property without its escapes
// (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11); empty when there is none.
func (c *component) text(name string) string {
	p, _ := c.first(name)
	return strings.TrimSpace(strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, " ", `\N`, " ").Replace(p.value))
}

// components reads the one calendar that a text holds.
func components(text string) (*component, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	// A line goes on behind a break and a blank (https://www.rfc-editor.org/rfc/rfc5545#section-3.1).
	text = strings.NewReplacer("\n ", "", "\n\t", "").Replace(text)
	root := &component{}
	stack := []*component{root}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) == "" {
			continue
		}
		p, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		top := stack[len(stack)-1]
		switch name := strings.ToUpper(p.value); {
		case p.name == "BEGIN":
			next := &component{name: name}
			top.inner = append(top.inner, next)
			stack = append(stack, next)
		case p.name == "END" && (len(stack) == 1 || top.name != name):
			return nil, fmt.Errorf("line %d: END:%s where %s has to end", n, name, top.name)
		case p.name == "END":
			stack = stack[:len(stack)-1]
		case len(stack) == 1:
			return nil, fmt.Errorf("line %d: this is no calendar, which begins with BEGIN:VCALENDAR", n)
		default:
			top.properties = append(top.properties, p)
		}
	}
	switch {
	case len(stack) > 1:
		return nil, fmt.Errorf("%s does not end: the calendar is cut off", stack[len(stack)-1].name)
	case len(root.inner) != 1 || root.inner[0].name != "VCALENDAR":
		return nil, fmt.Errorf("this is no calendar, which begins with BEGIN:VCALENDAR")
	}
	return root.inner[0], nil
}

// parseLine reads a line that does not go on.
func parseLine(line string) (property, error) {
	p := property{params: map[string]string{}}
	end := strings.IndexAny(line, ";:")
	if end <= 0 {
		return p, fmt.Errorf("%.40q has no name", line)
	}
	p.name = strings.ToUpper(line[:end])
	rest := line[end:]
	for strings.HasPrefix(rest, ";") {
		name, value, ok := strings.Cut(rest[1:], "=")
		if !ok {
			return p, fmt.Errorf("%s has a parameter without a value", p.name)
		}
		// It may have several values, each in quotes or not (https://www.rfc-editor.org/rfc/rfc5545#section-3.2).
		quoted := false
		stop := strings.IndexFunc(value, func(c rune) bool {
			quoted = quoted != (c == '"')
			return !quoted && (c == ';' || c == ':')
		})
		switch {
		case quoted:
			return p, fmt.Errorf("%s has a quote that does not end", p.name)
		case stop < 0:
			return p, fmt.Errorf("%s has no value", p.name)
		}
		p.params[strings.ToUpper(name)], rest = strings.ReplaceAll(value[:stop], `"`, ""), value[stop:]
	}
	if !strings.HasPrefix(rest, ":") {
		return p, fmt.Errorf("%s has no value", p.name)
	}
	p.value = rest[1:]
	return p, nil
}

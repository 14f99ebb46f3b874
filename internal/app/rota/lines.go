package rota

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// property is one content line, such as "DTSTART;TZID=Europe/Berlin:20260105T090000".
type property struct {
	name, value string
	params      map[string]string
	err         error // Why the line cannot be read.
}

// component is what a calendar has between BEGIN and END of one name.
type component struct {
	name       string
	properties []property
	inner      []*component
}

// known are the properties a rota reads. All other lines are skipped unread, so a mistake in one does no harm.
var known = map[string]bool{
	"ATTENDEE": true, "DTEND": true, "DTSTAMP": true, "DTSTART": true, "DURATION": true, "EXDATE": true, "EXRULE": true, "LAST-MODIFIED": true,
	"RDATE": true, "RECURRENCE-ID": true, "RRULE": true, "SEQUENCE": true, "STATUS": true, "SUMMARY": true, "UID": true,
	"TZID": true, "TZOFFSETFROM": true, "TZOFFSETTO": true, "X-LIC-LOCATION": true, "X-WR-TIMEZONE": true,
}

// all returns the properties with a name.
func (c *component) all(name string) []property {
	var all []property
	for _, p := range c.properties {
		if p.name == name {
			all = append(all, p)
		}
	}
	return all
}

// first returns the first property with a name and whether there is one.
func (c *component) first(name string) (property, bool) {
	for _, p := range c.properties {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

// once returns a property that may occur once and whether there is one. It fails if the line cannot be read, or if
// several lines contradict each other.
func (c *component) once(name string) (property, bool, error) {
	all := c.all(name)
	if len(all) == 0 {
		return property{}, false, nil
	}
	for _, p := range all {
		switch {
		case p.err != nil:
			return p, true, p.err
		case p.value != all[0].value || p.params["TZID"] != all[0].params["TZID"]:
			return p, true, fmt.Errorf("it has several %s", name)
		}
	}
	return all[0], true, nil
}

var unescape = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, " ", `\N`, " ")

// text returns the value of a property without its escapes (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11),
// or "" if there is none.
func (c *component) text(name string) string {
	p, _ := c.first(name)
	return strings.TrimSpace(unescape.Replace(p.value))
}

// componentName matches the value of a BEGIN or END line. Text that a broken description leaves on a line of its own,
// such as "Begin: 9 am", does not match.
var componentName = regexp.MustCompile(`^[A-Za-z0-9-]+\s*$`)

// calendars returns the VCALENDARs in a text: usually one, several where files were joined.
func calendars(text string) ([]*component, error) {
	root := &component{name: "the file"}
	open := []*component{root}
	for n, line := range unfold(text) {
		p, ok := parseLine(line)
		if !ok {
			continue
		}
		top, name := open[len(open)-1], strings.ToUpper(strings.TrimSpace(p.value))
		switch {
		case p.name == "BEGIN":
			next := &component{name: name}
			top.inner = append(top.inner, next)
			open = append(open, next)
		case p.name == "END" && (len(open) == 1 || top.name != name):
			return nil, fmt.Errorf("line %d: END:%.40s ends nothing, %s is open", n, name, top.name)
		case p.name == "END":
			open = open[:len(open)-1]
		case len(open) > 1:
			top.properties = append(top.properties, p)
		}
	}
	if len(open) > 1 {
		return nil, fmt.Errorf("%.40s does not end: the calendar is cut off", open[len(open)-1].name)
	}
	var all []*component
	for _, c := range root.inner {
		if c.name == "VCALENDAR" {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("this is not an iCalendar file: it has no BEGIN:VCALENDAR")
	}
	return all, nil
}

// unfold yields content lines, each with the number of its first line. A line that begins with a space or a tab
// continues the line before it (https://www.rfc-editor.org/rfc/rfc5545#section-3.1). Lines end with LF, CR LF, or
// CR CR LF, which a file has after it was converted twice.
func unfold(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var whole strings.Builder
		first, n := 0, 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			switch {
			case line == "":
				continue
			case first > 0 && (line[0] == ' ' || line[0] == '\t'):
				whole.WriteString(line[1:])
				continue
			case first > 0 && !yield(first, whole.String()):
				return
			}
			first = n
			whole.Reset()
			whole.WriteString(line)
		}
		if first > 0 {
			yield(first, whole.String())
		}
	}
}

// parseLine reads an unfolded line. It reports false for a line that a rota does not need.
func parseLine(line string) (property, bool) {
	end := strings.IndexAny(line, ";:")
	if end <= 0 {
		return property{}, false
	}
	p := property{name: strings.ToUpper(strings.TrimSpace(line[:end])), params: map[string]string{}}
	if p.name == "BEGIN" || p.name == "END" {
		p.value = line[end+1:]
		return p, line[end] == ':' && componentName.MatchString(p.value)
	}
	if !known[p.name] {
		return property{}, false
	}
	params, value, ok := cutValue(p.name, line[end:])
	if !ok {
		p.err = fmt.Errorf("%s has no value, or a quote that does not end", p.name)
		return p, true
	}
	p.value = strings.TrimSpace(value)
	for _, param := range params {
		name, value, _ := strings.Cut(param, "=")
		name = strings.ToUpper(strings.TrimSpace(name))
		if _, twice := p.params[name]; !twice {
			p.params[name] = strings.TrimSpace(strings.ReplaceAll(value, `"`, ""))
		}
	}
	return p, true
}

var mailto = regexp.MustCompile(`(?i):mailto:`)

// cutValue splits what follows the name of a property into parameters and value. A semicolon or a colon in quotes
// belongs to a parameter (https://www.rfc-editor.org/rfc/rfc5545#section-3.2), and calendars leave the quotes out, as in
// TZID=(UTC+01:00) Berlin, or put too many. So the value of an ATTENDEE begins at its last "mailto:", and times, which
// have no colon, begin behind the last one.
func cutValue(name, rest string) (params []string, value string, ok bool) {
	at := -1
	switch name {
	case "ATTENDEE":
		if all := mailto.FindAllStringIndex(rest, -1); all != nil {
			at = all[len(all)-1][0]
		}
	case "DTSTART", "DTEND", "EXDATE", "RDATE", "RECURRENCE-ID":
		at = strings.LastIndexByte(rest, ':')
	}
	if at < 0 {
		params, at = cut(rest)
		return params, rest[at+1:], at >= 0
	}
	if params, ended := cut(rest[:at] + ":"); ended == at {
		return params, rest[at+1:], true
	}
	return strings.Split(rest[:at], ";"), rest[at+1:], true
}

// cut returns the parameters before the first colon outside of quotes, and its place; -1 without one.
func cut(rest string) (params []string, colon int) {
	quoted, from := false, 0
	for at, c := range rest {
		if c == '"' {
			quoted = !quoted
		}
		if quoted || c != ';' && c != ':' {
			continue
		}
		if at > 0 {
			params = append(params, rest[from:at])
		}
		from = at + 1
		if c == ':' {
			return params, at
		}
	}
	return nil, -1
}

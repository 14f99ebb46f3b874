package rota

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names are the names a calendar uses for people, and who each is: names under people, or accounts such as
// "slack:U0000001". They are compared by [Folded].
type Names map[string]string

// Folded returns a name as names are compared: without letter case, with single spaces, and with each letter in one
// Unicode form. So a "ü" equals a "u" with a combining diaeresis (https://www.unicode.org/reports/tr15/).
func Folded(name string) string {
	name = norm.NFC.String(strings.Join(strings.Fields(name), " "))
	return norm.NFC.String(cases.Fold().String(name))
}

// people is Names by folded name. Where two names fold to one, the first in order counts.
type people map[string]string

func (n Names) people() people {
	all := people{}
	for _, name := range slices.Sorted(maps.Keys(n)) {
		if _, twice := all[Folded(name)]; !twice {
			all[Folded(name)] = n[name]
		}
	}
	return all
}

// of returns the people of an event, each by all names that it uses for them, and the names of those who are not known.
func (p people) of(called [][]string) (who, unknown []string) {
	for _, names := range called {
		at := slices.IndexFunc(names, func(name string) bool { return p[Folded(name)] != "" })
		if at < 0 {
			unknown = append(unknown, names[0])
			continue
		}
		if found := p[Folded(names[at])]; !slices.Contains(who, found) {
			who = append(who, found)
		}
	}
	return who, unknown
}

// called returns the names of the people of an event: address and name of each attendee, or the title of an event
// without attendees. A room is not a person.
func called(c *component) ([][]string, error) {
	var all [][]string
	invited := 0
	for _, p := range c.all("ATTENDEE") {
		switch strings.ToUpper(p.params["CUTYPE"]) {
		case "ROOM", "RESOURCE":
			continue
		}
		if p.err != nil {
			return nil, p.err
		}
		if invited++; !attends(p) {
			continue
		}
		mail := p.value
		if scheme, rest, ok := strings.Cut(mail, ":"); ok && strings.EqualFold(scheme, "mailto") {
			mail = rest
		}
		all = append(all, []string{strings.TrimSpace(mail), p.params["CN"]})
	}
	if invited > 0 {
		return all, nil
	}
	if _, _, err := c.once("SUMMARY"); err != nil {
		return nil, err
	}
	return [][]string{{c.text("SUMMARY")}}, nil
}

// attends reports whether an attendee takes part. Someone who has declined or sent another person does not
// (https://www.rfc-editor.org/rfc/rfc5545#section-3.2.12), nor someone who only gets a copy (section 3.2.16).
func attends(invited property) bool {
	switch strings.ToUpper(invited.params["PARTSTAT"]) {
	case "DECLINED", "DELEGATED":
		return false
	}
	return !strings.EqualFold(invited.params["ROLE"], "NON-PARTICIPANT")
}

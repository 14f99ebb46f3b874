package config

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // Time zones for machines without any.
)

const withSlack = `
slack:
  bot_token: xoxb-1
  signing_secret: 12345678901234567890123456789012
`

func TestRota(t *testing.T) {
	t.Parallel()
	c, err := parse("c.yaml", []byte(withSlack+`
rotas:
  payments:
    members: [dana, "slack:U2"]
    from: "2026-03-23 09:00"
    zone: Europe/Berlin
    every: 7d
`), chats(), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	turns := c.Rotas["payments"].Turns(c.People)
	if got, err := turns.OnCall(time.Date(2026, 3, 30, 7, 0, 0, 0, time.UTC)); err != nil || len(got) != 1 || got[0] != "slack:U2" {
		t.Errorf("%q is on call, %v", got, err)
	}
	_, err = parse("c.yaml", []byte(withSlack+`
rotas:
  odd:
    from: "Monday"
    zone: Local
    every: 36h
`), chats(), anywhere())
	for _, want := range []string{"rotas.odd.members: is empty", `rotas.odd.from: "Monday" is not a date and time`, `rotas.odd.zone: "Local" is not a time zone`, "rotas.odd.every: must be full days"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCalendarRota(t *testing.T) {
	t.Parallel()
	c, err := parse("c.yaml", []byte(withSlack+`
people:
  dana: ["slack:U1"]
rotas:
  payments:
    ical: https://calendar.example.com/s3cr3t.ics
    names: {"Dana Meyer": dana, kim: "slack:U3"}
    zone: Europe/Berlin
  ops:
    ical: rota.ics
`), chats(), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	r := c.Rotas["payments"]
	if calls := r.Calls(c.People); len(calls) != 3 || calls["Dana Meyer"] != "dana" || calls["dana"] != "dana" || r.Location().String() != "Europe/Berlin" || c.Rotas["ops"].Location() != nil {
		t.Errorf("calendar names %v, in %v", calls, r.Location())
	}
	_, err = parse("c.yaml", []byte(withSlack+`
rotas:
  odd:
    ical: http://calendar.example.com/s3cr3t.ics
    members: [dana]
    zone: Nowhere
  empty:
    ical: rota.ics
  nobody:
    ical: rota.ics
    names: {Eve: ""}
  static:
    members: ["slack:U1"]
    from: "2026-03-23 09:00"
    zone: UTC
    every: 7d
    names: {Eve: "slack:U1"}
`), chats(), anywhere())
	for _, want := range []string{
		"rotas.odd: has a calendar", "rotas.odd.ical: must be a file, or an https:// address", `rotas.odd.zone: "Nowhere"`, "rotas.empty: has no people",
		"rotas.nobody.names.Eve: is empty", "rotas.static.names: are names in a calendar",
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestRotaNormalizesNames(t *testing.T) {
	t.Parallel()
	c, err := parse("c.yaml", []byte(withSlack+`
people:
  "Jürgen": ["slack:U1"]
rotas:
  payments:
    members: ["jürgen"]
    from: "2026-03-23 09:00"
    zone: UTC
    every: 7d
  ops:
    ical: rota.ics
    names: {"on call": "JÜRGEN", "JÜRGEN": "slack:U2"}
`), chats(), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	if members := c.Rotas["payments"].Turns(c.People).Members; len(members) != 1 || c.People[members[0]] == nil {
		t.Errorf("the members are %q", members)
	}
	if calls := c.Rotas["ops"].Calls(c.People); len(calls) != 2 || c.People[calls["on call"]] == nil || calls["JÜRGEN"] != "slack:U2" {
		t.Errorf("calendar names %q", calls)
	}
	_, err = parse("c.yaml", []byte(withSlack+`
rotas:
  ops:
    ical: rota.ics
    names: {"Jürgen": "slack:U1", "jürgen": "slack:U2", "JÜRGEN": "slack:U2"}
`), chats(), anywhere())
	if err == nil || strings.Count(err.Error(), "is the same name as") != 1 {
		t.Errorf("%v, want an error about a repeated name", err)
	}
}

package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestDigestsHaveIDsInPlaceOfNames(t *testing.T) {
	t.Parallel()
	const file = `
slack: {token: t}
digest:
  - to: [{platform: slack, user: "@dana"}, {platform: slack, channel: "#deploys"}]
    at: ["09:00", "16:30"]
    days: mon-fri
    zone: Europe/Berlin
`
	c, err := parse("askbridge.yaml", []byte(file), named(&directory{}), surroundings{lookup: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []ask.Digest{{
		To: []ask.Place{{Platform: "slack", User: "U1"}, {Platform: "slack", Channel: "C1"}}, At: []string{"09:00", "16:30"},
		Days: "mon-fri", Zone: "Europe/Berlin",
	}}
	if diff := cmp.Diff(want, c.Digests()); diff != "" {
		t.Error(diff)
	}
}

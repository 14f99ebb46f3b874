package access

import (
	"strings"
	"testing"
)

func TestAgentsWithNamesThatLookAlikeAreRefused(t *testing.T) {
	t.Parallel()
	var agents []Agent
	for n, name := range []string{"deploy", "Deploy", "dерlоу", "ops", "\u200b", "ops"} {
		agents = append(agents, Agent{Name: name, Token: strings.Repeat("x", n+1)})
	}
	var said []string
	for _, p := range CheckAgents(agents) {
		said = append(said, p.Error())
	}
	want := []string{
		"agents[1].name: looks like agents[0].name to people, who could take the one for the other",
		"agents[2].name: looks like agents[0].name to people, who could take the one for the other",
		"agents[4].name: cannot be seen",
		"agents[5].name: is the same as agents[3].name",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

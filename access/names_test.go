package access

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/store/keyvalue"
)

func TestAgentsWithNamesThatLookAlikeAreRefused(t *testing.T) {
	t.Parallel()
	var agents []Agent
	for n, name := range []string{"deploy", "Deploy", "dерlоу", "ops", "\u200b", "ops"} {
		agents = append(agents, Agent{Name: name, Token: strings.Repeat("x", n+1)})
	}
	var got []string
	for _, p := range CheckAgents(agents) {
		got = append(got, p.Error())
	}
	want := []string{
		"agents[1].name: looks like agents[0].name, and people could confuse them",
		"agents[2].name: looks like agents[0].name, and people could confuse them",
		"agents[4].name: has no visible characters",
		"agents[5].name: is the same as agents[3].name",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Data that an agent owns besides its requests is stored under its tenant or name, which must therefore be a valid
// store key. No agent may answer its own questions.
func TestUnsafeAgentSettingsRejected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		agent Agent
		want  string
	}{
		{"nothing wrong", Agent{Name: "a", Tenant: strings.Repeat("t", keyvalue.MaxTenant), Persist: "session", Requesters: []string{"slack:U0000001"}}, ""},
		{"a tenant that is too long", Agent{Name: "a", Tenant: strings.Repeat("t", keyvalue.MaxTenant+1)}, "agents[0].tenant: has more than"},
		{"a tenant with a line break", Agent{Name: "a", Tenant: "t\nu"}, "agents[0].tenant: has control characters"},
		{"a name that is too long", Agent{Name: strings.Repeat("n", ask.MaxName+1)}, "agents[0].name: has more than"},
		{"a name with a line break", Agent{Name: "a\nb"}, "agents[0].name: "},
		{"an asking agent that answers", Agent{Name: "a", Scopes: []Scope{Ask, Answer}}, "agents[0].scopes[1]: cannot be combined with ask"},
		{"an asking agent that makes tokens", Agent{Name: "a", Scopes: []Scope{ManageTokens, Ask}}, "agents[0].scopes[0]: cannot be combined with ask"},
		{"a person who answers and asks not", Agent{Name: "a", Scopes: []Scope{Answer, ManageTokens}}, ""},
		{"permissions kept nowhere", Agent{Name: "a", Persist: "for ever"}, "agents[0].persist: must be one of"},
		{"a requester who is a word", Agent{Name: "a", Requesters: []string{"anyone"}}, "agents[0].requester[0]: must be a person"},
		{"a requester who is a group", Agent{Name: "a", Requesters: []string{"slack-group:S0000001"}}, "agents[0].requester[0]: must be a person"},
		{"a requester who is on call", Agent{Name: "a", Requesters: []string{"oncall:payments"}}, "agents[0].requester[0]: must be a person"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.agent.Token = "a token that is long enough to count"
			var got []string
			for _, p := range CheckAgents([]Agent{tt.agent}) {
				got = append(got, p.Error())
			}
			if all := strings.Join(got, "\n"); len(got) > 1 || (all == "") != (tt.want == "") || !strings.HasPrefix(all, tt.want) {
				t.Errorf("said %q, want %q", all, tt.want)
			}
		})
	}
}

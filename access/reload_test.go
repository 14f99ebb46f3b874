package access

import (
	"errors"
	"testing"
)

func TestWhatAnAgentHasUsedGoesOnCountingAfterAReload(t *testing.T) {
	t.Parallel()
	gate := func(agents ...Agent) *Gate {
		g, err := New(nil, &Options{Agents: agents})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	old := gate(Agent{Name: "a", Token: "t1", Rate: 1}, Agent{Name: "b", Token: "t2", Rate: 1})
	for _, token := range []string{"t1", "t2"} {
		who, err := old.Identify(t.Context(), token, "")
		if err != nil || who.Quota.spendRequest() != nil {
			t.Fatal(err)
		}
	}
	next := gate(Agent{Name: "a", Token: "t3", Rate: 1}, Agent{Name: "b", Token: "t2", Rate: 5})
	next.Inherit(old)
	for token, spent := range map[string]bool{"t3": true, "t2": false} {
		who, err := next.Identify(t.Context(), token, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := who.Quota.spendRequest() != nil; got != spent {
			t.Errorf("%s: spent is %v, want %v", token, got, spent)
		}
	}
	if _, err := next.Identify(t.Context(), "t1", ""); err == nil {
		t.Error("a token that has gone is known")
	}
}

// Open streams and waits of a token that was removed from the configuration continued.
func TestReloadEndsCallsOfRemovedToken(t *testing.T) {
	t.Parallel()
	old := []Agent{{Name: "bot", Token: "t1", NextToken: "t2", Tenant: "team"}, {Name: "ops", Token: "t3", Scopes: []Scope{Admin}}}
	for name, tc := range map[string]struct {
		token string
		next  []Agent
		want  Kind // empty for one that goes on
	}{
		"nothing was changed":        {token: "t1", next: old},
		"another agent is new":       {token: "t1", next: append([]Agent{{Name: "new", Token: "t9"}}, old...)},
		"the agent has gone":         {token: "t1", next: old[1:], want: Unknown},
		"its older token has gone":   {token: "t1", next: []Agent{{Name: "bot", Token: "t2", Tenant: "team"}}, want: Unknown},
		"its newer token holds":      {token: "t2", next: []Agent{{Name: "bot", Token: "t2", Tenant: "team"}}},
		"another has the token now":  {token: "t1", next: []Agent{{Name: "else", Token: "t1"}}, want: Unclear},
		"a scope was taken away":     {token: "t3", next: []Agent{{Name: "ops", Token: "t3"}}, want: Unclear},
		"a scope was added":          {token: "t1", next: []Agent{{Name: "bot", Token: "t1", Tenant: "team", Scopes: []Scope{Admin}}}},
		"its limits were made wider": {token: "t1", next: []Agent{{Name: "bot", Token: "t1", Tenant: "team", MaxWaits: 9}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := func(agents []Agent) *Gate {
				g, err := New(nil, &Options{Agents: agents})
				if err != nil {
					t.Fatal(err)
				}
				return g
			}
			first := gate(old)
			who, err := first.Identify(t.Context(), tc.token, "")
			if err != nil || who.Still(t.Context()) != nil {
				t.Fatal(err, who.Still(t.Context()))
			}
			// Of several reloads the last one counts.
			between, last := gate(old), gate(tc.next)
			between.Inherit(first)
			last.Inherit(between)
			var got Kind
			if refused, ok := errors.AsType[*RefusedError](who.Still(t.Context())); ok {
				got = refused.Kind
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

package access

import "testing"

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
		if err != nil || who.spendAsk() != nil {
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
		if got := who.spendAsk() != nil; got != spent {
			t.Errorf("%s: spent is %v, want %v", token, got, spent)
		}
	}
	if _, err := next.Identify(t.Context(), "t1", ""); err == nil {
		t.Error("a token that has gone is known")
	}
}

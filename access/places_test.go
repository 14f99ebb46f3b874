package access

import (
	"errors"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestWhichPlacesATokenNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		target string
		place  ask.Place
		want   bool
	}{
		{"slack:C1", ask.Place{Platform: "slack", Channel: "C1"}, true},
		{"slack:C1", ask.Place{Platform: "slack", Channel: "C2"}, false},
		{"slack:C1", ask.Place{Platform: "discord", Channel: "C1"}, false},
		{"slack:C1", ask.Place{Platform: "slack", Channel: "C1", Thread: "17.1"}, false}, // Its channel has to be asked for.
		{"slack:C1/17.1", ask.Place{Platform: "slack", Channel: "C1", Thread: "17.1"}, true},
		{"slack:C1/17.1", ask.Place{Platform: "slack", Channel: "C1"}, false},
		{"slack:C1/17.1", ask.Place{Platform: "slack", Channel: "C1/17.1"}, false},
		{"slack:U1", ask.Place{Platform: "slack", User: "U1"}, true},
		{"slack:U1", ask.Place{Platform: "slack", Channel: "U1"}, false},
		{"slack:*", ask.Place{Platform: "slack", User: "U1"}, true},
		{"slack:*", ask.Place{Platform: "slack", Installation: "T1", Channel: "C1", Thread: "17.1"}, true},
		{"slack:*", ask.Place{Platform: "discord", Channel: "1"}, false},
		{"discord:1", ask.Place{Platform: "discord", Channel: "1"}, true},
		{"discord:1", ask.Place{Platform: "discord", User: "1"}, true}, // Such an id names both.
		{"discord:@1", ask.Place{Platform: "discord", User: "1"}, true},
		{"discord:@1", ask.Place{Platform: "discord", Channel: "1"}, false},
		{"slack:C1", ask.Place{Platform: "slack", Installation: "T1", Channel: "C1"}, true},
		{"slack@T1:C1", ask.Place{Platform: "slack", Installation: "T1", Channel: "C1"}, true},
		{"slack@T1:C1", ask.Place{Platform: "slack", Installation: "T2", Channel: "C1"}, false},
		{"slack@T1:C1", ask.Place{Platform: "slack", Channel: "C1"}, false},
		{"slack@T1:*", ask.Place{Platform: "slack", Installation: "T1", Channel: "C9"}, true},
		{"slack@T1:*", ask.Place{Platform: "slack", Channel: "C9"}, false},
	} {
		if problems := CheckAgents([]Agent{{Name: "a", Token: "t", Targets: []string{test.target}}}); problems != nil {
			t.Errorf("%s: %v", test.target, problems)
		}
		// A target before it must not decide for those behind.
		p := newPlaces("", &Agent{Name: "a", Targets: []string{"slack@T3:C3", test.target}})
		if got := p.list(test.place); got != test.want {
			t.Errorf("%s covers %s: %v", test.target, test.place, got)
		}
	}
	for _, wrong := range []string{"", "slack", "slack:", ":C1", "slack:C1/", "slack@:C1"} {
		if CheckAgents([]Agent{{Name: "a", Token: "t", Targets: []string{wrong}}}) == nil {
			t.Errorf("%q is a place", wrong)
		}
	}
}

func TestStepPlacesFollowTokenLimits(t *testing.T) {
	t.Parallel()
	p := newPlaces("", &Agent{Name: "a", Targets: []string{"slack:C1"}})
	r := ask.Request{To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Schedule: ask.Schedule{Steps: []ask.Step{
		{Do: ask.Remind}, {Do: ask.Add, To: []ask.Place{{Platform: "slack", Channel: "C2"}}},
	}}}
	refused, ok := errors.AsType[*RefusedError](p.check(t.Context(), &r, nil))
	if !ok || len(refused.Places) != 1 || refused.Places[0].Path != "schedule.steps[1].to[0]" {
		t.Errorf("it is asked there: %v", refused)
	}
}

func TestTokenSchedule(t *testing.T) {
	t.Parallel()
	own := ask.Schedule{Steps: []ask.Step{{After: ask.MinStep, Do: ask.Remind}}, PassOn: true}
	c := newCaller(&Gate{}, Agent{Name: "a", Terms: ask.Terms{Schedule: own}})
	r := ask.Request{Token: ask.Terms{Schedule: ask.Schedule{ClaimFor: ask.MinClaim}}}
	if err := c.admit(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Token.Schedule.Steps) != 1 || !r.Token.Schedule.PassOn || r.Token.Schedule.ClaimFor != 0 || !r.Schedule.IsZero() {
		t.Errorf("by the token there is %+v, by the request %+v", r.Token.Schedule, r.Schedule)
	}
	wrong := Agent{Name: "a", Terms: ask.Terms{Schedule: ask.Schedule{Steps: []ask.Step{{Do: "ring"}}}}}
	var all remarks
	if wrong.check(&all, "agents[0]."); len(all) != 2 || all[0].Path != "agents[0].schedule.steps[0].after" {
		t.Errorf("what is wrong with it: %v", all)
	}
}

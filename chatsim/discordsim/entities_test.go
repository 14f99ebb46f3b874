package discordsim_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestEntitySelects(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	put(t, sim, once(message(
		words("Who decides?"), row(with(defaulting(5, "user", sam), "custom_id", "who", "placeholder", "Anyone")),
		words("Who gets a note?"), row(obj{"type": 7, "custom_id": "tell", "min_values": 0, "max_values": 3}),
		words("Where?"), row(obj{"type": 8, "custom_id": "where", "channel_types": list{0}}),
	), 1))
	seat, ctx := sim.Seat(dana), t.Context()
	for _, line := range []string{"▾ Anyone\n○ Dana\n● Sam\n○ Kim", "☐ Kim\n☐ deployers", "○ deploys\n○ general"} {
		if sees := seat.Sees(); !strings.Contains(sees, line) {
			t.Errorf("Dana does not see\n%s\nin\n%s", line, sees)
		}
	}
	for _, err := range []error{
		seat.Pick(ctx, "Who decides?", "Sam"), // Already chosen: nothing is sent.
		seat.Pick(ctx, "Who decides?", "Kim"), seat.Pick(ctx, "Who gets a note?", "Dana"), seat.Pick(ctx, "Who gets a note?", "deployers"),
		seat.Pick(ctx, "Where?", "general"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const kim, deployers, general = "300000000000000003", "400000000000000001", "200000000000000002"
	want := []string{"who " + kim, "tell " + dana, "tell " + dana + " " + deployers, "where " + general}
	if diff := cmp.Diff(want, got.data()); diff != "" {
		t.Fatalf("the app received (-want +got)\n%s", diff)
	}
	resolved := func(n int) obj { return got.all[n]["data"].(obj)["resolved"].(obj) }
	if r := resolved(0); r["users"].(obj)[kim].(obj)["username"] != "kim" || r["members"].(obj)[kim].(obj)["user"] != nil || r["roles"] != nil {
		t.Errorf("who: %v", r)
	}
	if r := resolved(2); r["roles"].(obj)[deployers].(obj)["name"] != "deployers" || r["users"].(obj)[dana] == nil {
		t.Errorf("recipient: %v", r)
	}
	if r := resolved(3); r["channels"].(obj)[general].(obj)["name"] != "general" {
		t.Errorf("where: %v", r)
	}
	for _, o := range sim.Snapshot(dana).Channels[0].Messages[0].Components {
		if o["type"] == 1 && len(o["components"].([]any)) == 0 {
			t.Errorf("the page cannot draw %v", o)
		}
	}
}

func TestFormSubmitsSelectedPeople(t *testing.T) {
	t.Parallel()
	_, seat, got := withForm(t, label("Who?", obj{"type": 5, "custom_id": "who"}), label("With which role?", obj{"type": 6, "custom_id": "role", "required": false, "min_values": 0}))
	ctx := t.Context()
	if err := seat.Submit(ctx); err == nil {
		t.Error("a form without a person was accepted")
	}
	for _, err := range []error{seat.Pick(ctx, "Who?", "Sam"), seat.Submit(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sent := got.components(t).(list)
	if field := sent[0].(obj)["component"].(obj); !cmp.Equal(field["values"], list{sam}) {
		t.Errorf("the app received %v", field)
	}
	if field := sent[1].(obj)["component"].(obj); !cmp.Equal(field["values"], list{}) {
		t.Errorf("the app received %v", field)
	}
	if r := got.all[len(got.all)-1]["data"].(obj)["resolved"].(obj); r["users"].(obj)[sam] == nil || r["roles"] != nil {
		t.Errorf("with it came %v", r)
	}
}

package discordsim_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// sample reads a payload as Discord documents it. "*" is any nonempty value, and the name of another file is its
// content.
func sample(t *testing.T, name string) any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "samples", name))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return include(t, out)
}

func include(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case obj:
		for name := range v {
			v[name] = include(t, v[name])
		}
	case list:
		for i := range v {
			v[i] = include(t, v[i])
		}
	case string:
		if strings.HasSuffix(v, ".json") {
			return sample(t, v)
		}
	}
	return v
}

// matches compares a payload with a sample, field by field in both directions, and lets the real library read it.
func matches(t *testing.T, name string, got obj) {
	t.Helper()
	wildcard := cmp.FilterValues(func(a, b any) bool { return a == "*" || b == "*" }, cmp.Comparer(func(a, b any) bool {
		return a != nil && b != nil && a != "" && b != ""
	}))
	if diff := cmp.Diff(sample(t, name), any(got), wildcard); diff != "" {
		t.Errorf("%s (-documented +sent)\n%s", name, diff)
	}
	if got["type"] == 5.0 {
		return // The library's newest release cannot read a Label.
	}
	raw, _ := json.Marshal(got)
	var read dgo.Interaction
	if err := json.Unmarshal(raw, &read); err != nil || read.MessageComponentData().CustomID == "" {
		t.Errorf("%s: the real library reads %+v, %v", name, read, err)
	}
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	for name, channel := range map[string]string{"guild": deploys, "dm": "700000000000000001"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			var got []obj
			deliver(t, sim, func(i obj) any {
				got = append(got, i)
				if i["type"] == 3.0 {
					return obj{"type": 9, "data": obj{"custom_id": "form", "title": "Other", "components": list{label("Why?", input("why"))}}}
				}
				return obj{"type": 6}
			})
			ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": dana})
			a := ask(t, sim, "POST", "/channels/"+channel+"/messages",
				once(message(words("Which region?"), row(button("a1", "Yes")), row(choice("where", "EU", "US"))), 1))
			seat, ctx := sim.Seat(dana).On(a.id()), t.Context()
			use := func() error { return seat.Press(ctx, "Yes") }
			if name == "dm" {
				use = func() error { return seat.Pick(ctx, "", "EU") }
			}
			for _, act := range []func() error{
				use,
				func() error { return seat.Fill(ctx, "Why?", "Because") },
				func() error { return seat.Submit(ctx) },
			} {
				if err := act(); err != nil {
					t.Fatal(err)
				}
			}
			matches(t, "component_"+name+".json", got[0])
			matches(t, "modal_"+name+".json", got[1])
		})
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	sim, seat, _ := withForm(t, label("Why?", input("why")))
	if err := seat.Fill(t.Context(), "", "Because"); err != nil {
		t.Fatal(err)
	}
	changed := sim.Watch()
	raw, err := json.Marshal(sim.Snapshot(dana))
	if err != nil {
		t.Fatal(err)
	}
	var got obj
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	form := got["form"].(obj)
	form["custom_id"] = "*"
	want := obj{
		"custom_id": "*", "title": "Other", "submit": "Submit", "cancel": "Cancel", "errors": obj{}, "values": obj{"why": "Because"},
		"plain": "[Other]\nWhy?\n|Because|\n[Cancel] [Submit]",
		"components": list{obj{"type": 18.0, "id": 1.0, "label": "Why?", "component": obj{
			"type": 4.0, "id": 2.0, "custom_id": "why", "style": 2.0,
		}}},
	}
	if diff := cmp.Diff(want, form); diff != "" {
		t.Errorf("the form (-want +got)\n%s", diff)
	}
	channel := got["channels"].(list)[0].(obj)
	message := channel["messages"].(list)[0].(obj)
	if channel["name"] != "deploys" || message["from_bot"] != true || len(message["components"].(list)) != 1 || got["name"] != "Dana" {
		t.Errorf("the snapshot is %s", raw)
	}
	if sim.Snapshot(sam).Form != nil {
		t.Error("Sam sees Dana's form")
	}
	if err := seat.Dismiss(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-changed
}

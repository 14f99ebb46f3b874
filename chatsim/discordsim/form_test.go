package discordsim_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// withForm is a guild where Dana has a form open. Her submissions go to the returned app, which answers them with
// type 6.
func withForm(t *testing.T, parts ...any) (*discordsim.Server, *discordsim.Seat, *recorder) {
	t.Helper()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	form := obj{"custom_id": "form:" + i.obj["id"].(string), "title": "Other", "components": append(list{}, parts...)}
	if a := i.respond(t, obj{"type": 9, "data": form}); a.status != 204 {
		t.Fatalf("the form was answered with %d %v", a.status, a.body)
	}
	if err := <-i.ended; err != nil {
		t.Fatal(err)
	}
	return sim, sim.Seat(dana), listenTo(t, sim)
}

// components returns the components of the last submitted form.
func (h *recorder) components(t *testing.T) any {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) == 0 {
		t.Fatal("the app received nothing")
	}
	return h.all[len(h.all)-1]["data"].(obj)["components"]
}

func TestFillAndSubmitForm(t *testing.T) {
	t.Parallel()
	radio := obj{"type": 21, "custom_id": "where", "options": options(2)}
	checks := obj{"type": 22, "custom_id": "what", "options": options(3), "required": false, "min_values": 0}
	_, seat, got := withForm(t,
		label("Why?", with(input("why"), "placeholder", "In your words", "min_length", 2, "max_length", 9)),
		label("Where?", radio), label("What?", checks), label("Sure?", obj{"type": 23, "custom_id": "sure"}),
		words("*Thanks*"),
	)
	ctx := t.Context()
	want := "[Other]\nWhy?\n|In your words|\nWhere?\n○ 0\n○ 1\nWhat?\n☐ 0\n☐ 1\n☐ 2\nSure?\n☐\nThanks\n[Cancel] [Submit]"
	if sees := seat.Sees(); sees != want {
		t.Errorf("Dana sees\n%s\nwant\n%s", sees, want)
	}
	if err := seat.Submit(ctx); !errors.Is(err, chatsim.ErrFormRejected) || !strings.Contains(seat.Sees(), "⚠ This field is required.") {
		t.Errorf("sending it empty ended with %v\n%s", err, seat.Sees())
	}
	if err := seat.Fill(ctx, "Why?", "ten signs!"); err == nil {
		t.Error("the field took more than nine characters")
	}
	for _, err := range []error{seat.Fill(ctx, "Why?", "x"), seat.Pick(ctx, "Where?", "1")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := seat.Submit(ctx); !errors.Is(err, chatsim.ErrFormRejected) {
		t.Errorf("sending one character ended with %v", err)
	}
	for _, err := range []error{
		seat.Fill(ctx, "In your words", "Because"), seat.Pick(ctx, "What?", "2"), seat.Pick(ctx, "What?", "0"),
		seat.Pick(ctx, "Sure?", "yes"), seat.Press(ctx, "Submit"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sent := list{
		obj{"type": 18.0, "id": 1.0, "component": obj{"type": 4.0, "id": 2.0, "custom_id": "why", "value": "Because"}},
		obj{"type": 18.0, "id": 3.0, "component": obj{"type": 21.0, "id": 4.0, "custom_id": "where", "value": "1"}},
		obj{"type": 18.0, "id": 5.0, "component": obj{"type": 22.0, "id": 6.0, "custom_id": "what", "values": list{"0", "2"}}},
		obj{"type": 18.0, "id": 7.0, "component": obj{"type": 23.0, "id": 8.0, "custom_id": "sure", "value": true}},
		obj{"type": 10.0, "id": 9.0},
	}
	if diff := cmp.Diff(any(sent), got.components(t)); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
	if seat.Form() != nil {
		t.Error("the form is still open")
	}
}

func TestOptionalFields(t *testing.T) {
	t.Parallel()
	radio := obj{"type": 21, "custom_id": "where", "options": options(2), "required": false}
	pick := with(choice("pick", "EU", "US"), "required", false, "min_values", 0)
	_, seat, got := withForm(t, row(with(input("why"), "label", "Why?", "required", false)), label("Where?", radio),
		label("Region", pick), label("Sure?", obj{"type": 23, "custom_id": "sure"}))
	if err := seat.Submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := list{
		obj{"type": 1.0, "id": 1.0, "components": list{obj{"type": 4.0, "id": 2.0, "custom_id": "why", "value": ""}}},
		obj{"type": 18.0, "id": 3.0, "component": obj{"type": 21.0, "id": 4.0, "custom_id": "where", "value": nil}},
		obj{"type": 18.0, "id": 5.0, "component": obj{"type": 3.0, "id": 6.0, "custom_id": "pick", "values": list{}}},
		obj{"type": 18.0, "id": 7.0, "component": obj{"type": 23.0, "id": 8.0, "custom_id": "sure", "value": false}},
	}
	if diff := cmp.Diff(any(sent), got.components(t)); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
}

func TestClosedFormSendsNothing(t *testing.T) {
	t.Parallel()
	sim, seat, got := withForm(t, label("Why?", input("why")))
	ctx := t.Context()
	if err := seat.Press(ctx, "Yes"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("pressing what the form hides ended with %v", err)
	}
	if err := seat.Press(ctx, "Cancel"); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{seat.Submit(ctx), seat.Dismiss(ctx), seat.Fill(ctx, "", "x")} {
		if !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("acting on a closed form ended with %v", err)
		}
	}
	if len(got.data()) != 0 || len(sim.Timeline().Events(chatsim.Dismissed)) != 1 {
		t.Errorf("the app received %v", got.data())
	}
}

func TestUnansweredFormStaysOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, seat, _ := withForm(t, label("Why?", input("why")))
		sim.Expect("ack.in_time")
		deliver(t, sim, func(obj) any { return nil })
		if err := seat.Fill(t.Context(), "", "Because"); err != nil {
			t.Fatal(err)
		}
		if err := seat.Submit(t.Context()); !errors.Is(err, chatsim.ErrUnacknowledged) {
			t.Errorf("sending it ended with %v", err)
		}
		if sees := seat.Sees(); !strings.Contains(sees, "|Because|\n⚠ Something went wrong. Try again.") {
			t.Errorf("Dana sees\n%s", sees)
		}
		got := listenTo(t, sim)
		if err := seat.Submit(t.Context()); err != nil || seat.Form() != nil || len(got.data()) != 1 {
			t.Errorf("the second try ended with %v", err)
		}
	})
}

func TestFormCustomIDIsUnique(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	sim.Expect("modal.custom_id.fresh")
	deliver(t, sim, func(obj) any {
		return obj{"type": 9, "data": obj{"custom_id": "form", "title": "Other", "components": list{label("Why?", input("why"))}}}
	})
	put(t, sim, once(question("a1", "Yes"), 1))
	for _, person := range []string{dana, sam} {
		if err := sim.Seat(person).Press(context.Background(), "Yes"); err != nil {
			t.Error(err)
		}
	}
}

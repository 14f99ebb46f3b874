package slacksim_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// opener is an app that opens a view at each press and answers each submission with a body.
type opener struct {
	t        *testing.T
	sim      *slacksim.Server
	view     obj
	answer   string
	payloads []obj
	replies  []obj
}

func (o *opener) serve(payload obj) (int, string) {
	o.payloads = append(o.payloads, payload)
	switch payload["type"] {
	case "block_actions":
		o.replies = append(o.replies, call(o.t, o.sim, "views.open", obj{"trigger_id": payload["trigger_id"], "view": o.view}))
		return http.StatusOK, ""
	case "view_submission":
		return http.StatusOK, o.answer
	default:
		return http.StatusOK, ""
	}
}

// last is the newest payload of the app.
func (o *opener) last() obj { return o.payloads[len(o.payloads)-1] }

// opened starts a workspace with an app whose view is open in front of Dana.
func opened(t *testing.T, view obj, answer string) (*slacksim.Server, *slacksim.Seat, *opener) {
	t.Helper()
	sim := slacksim.Start(t, nil)
	o := &opener{t: t, sim: sim, view: view, answer: answer}
	sim.DeliverToHandler("/slack/interactions", app(o.serve))
	put(t, sim, actions(with(button(0).(obj), "text", plain("Other…"))))
	dana := sim.Seat("U0000001")
	if err := dana.Press(t.Context(), "Other…"); err != nil {
		t.Fatal(err)
	}
	if dana.Form() == nil {
		t.Fatalf("no form is open: %v", o.replies)
	}
	return sim, dana, o
}

// other is the form for a typed answer.
func other(members ...any) obj {
	return modal(input(textInput("min_length", 2, "max_length", 5), "block_id", "words"), members...)
}

func TestFillAndSubmitForm(t *testing.T) {
	t.Parallel()
	_, dana, o := opened(t, other("private_metadata", "r1", "callback_id", "other"), "")
	if got := dana.Sees(); got != "[Other]\nWhy\n||\n[Cancel] [Send]" {
		t.Errorf("Dana sees\n%s", got)
	}
	if err := dana.Fill(t.Context(), "Why", "Maria"); err != nil {
		t.Fatal(err)
	}
	if err := dana.Press(t.Context(), "Send"); err != nil {
		t.Fatal(err)
	}
	if dana.Form() != nil {
		t.Error("the form is still open")
	}
	var got slackapi.InteractionCallback
	raw, _ := json.Marshal(o.last())
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Type != slackapi.InteractionTypeViewSubmission || got.View.PrivateMetadata != "r1" || got.View.CallbackID != "other" ||
		got.View.State.Values["words"]["a"].Value != "Maria" || got.User.ID != "U0000001" {
		t.Errorf("the real library reads %+v", got)
	}
}

func TestClientSideValidation(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"":       "Please complete this required field.",
		"M":      "Please enter at least 2 characters.",
		"Marias": "Please enter no more than 5 characters.",
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			_, dana, o := opened(t, other(), "")
			if err := dana.Fill(t.Context(), "", words); err != nil {
				t.Fatal(err)
			}
			if err := dana.Submit(t.Context()); !errors.Is(err, chatsim.ErrFormRejected) {
				t.Errorf("the submission ended with %v", err)
			}
			if !strings.Contains(dana.Sees(), "⚠ "+want) {
				t.Errorf("Dana sees\n%s", dana.Sees())
			}
			if len(o.payloads) != 1 {
				t.Error("the app received a payload")
			}
		})
	}
}

func TestOptionalField(t *testing.T) {
	t.Parallel()
	view := modal(input(textInput(), "block_id", "words", "optional", true))
	_, dana, o := opened(t, view, "")
	if err := dana.Submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if raw, _ := json.Marshal(o.last()["view"].(obj)["state"]); string(raw) != `{"values":{"words":{"a":{"type":"plain_text_input","value":null}}}}` {
		t.Errorf("the state is %s", raw)
	}
}

func TestSubmissionResponses(t *testing.T) {
	t.Parallel()
	second := `{"type":"modal","title":{"type":"plain_text","text":"Second"},"blocks":[]}`
	for name, tc := range map[string]struct {
		answer string
		rules  []string
		note   string
		fails  error
		sees   string // part of the form; "" if it is closed
	}{
		"nothing closes":         {},
		"an empty object closes": {answer: "{}", note: "note.answer"},
		"clear closes":           {answer: `{"response_action":"clear"}`},
		"errors are below the input": {
			answer: `{"response_action":"errors","errors":{"words":"Too late."}}`,
			fails:  chatsim.ErrFormRejected, sees: "⚠ Too late.",
		},
		"update replaces": {answer: `{"response_action":"update","view":` + second + `}`, sees: "[Second]"},
		"push adds":       {answer: `{"response_action":"push","view":` + second + `}`, sees: "[Second]"},
		"errors for no input": {
			answer: `{"response_action":"errors","errors":{"other":"x"}}`,
			rules:  []string{"view.answer.errors"}, fails: chatsim.ErrUnacknowledged, sees: "⚠ We had some trouble connecting.",
		},
		"errors without any": {
			answer: `{"response_action":"errors","errors":{}}`,
			rules:  []string{"view.answer.errors"}, fails: chatsim.ErrUnacknowledged, sees: "⚠ We had some trouble connecting.",
		},
		"words":             {answer: "ok", rules: []string{"view.answer"}, fails: chatsim.ErrUnacknowledged, sees: "⚠ We had some trouble connecting."},
		"an unknown action": {answer: `{"response_action":"dance"}`, rules: []string{"view.answer"}, fails: chatsim.ErrUnacknowledged, sees: "⚠"},
		"a view that Slack refuses": {
			answer: `{"response_action":"update","view":{"type":"modal","blocks":[]}}`,
			rules:  []string{"view.answer", "property.required"}, fails: chatsim.ErrUnacknowledged, sees: "⚠",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, dana, _ := opened(t, other(), tc.answer)
			sim.Expect(tc.rules...)
			if err := dana.Fill(t.Context(), "Why", "Maria"); err != nil {
				t.Fatal(err)
			}
			if err := dana.Submit(t.Context()); !errors.Is(err, tc.fails) {
				t.Errorf("the submission ended with %v, want %v", err, tc.fails)
			}
			form := dana.Form()
			if (form != nil) != (tc.sees != "") || form != nil && !strings.Contains(form.Plain, tc.sees) {
				t.Errorf("Dana sees\n%s\nwant %q", dana.Sees(), tc.sees)
			}
			if tc.note != "" && !warned(sim, tc.note) {
				t.Errorf("there is no note of %s", tc.note)
			}
		})
	}
}

func TestTriggerIDExpires(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		after time.Duration
		rule  string
		want  any
	}{
		"just in time": {after: 3*time.Second - 1},
		"too late":     {after: 3 * time.Second, rule: "trigger.age", want: "expired_trigger_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := slacksim.Start(t, nil)
				if tc.rule != "" {
					sim.Expect(tc.rule)
				}
				var trigger any
				sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
					trigger = payload["trigger_id"]
					return http.StatusOK, ""
				}))
				put(t, sim, actions(button(0)))
				if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tc.after)
				open := func() any {
					return call(t, sim, "views.open", obj{"trigger_id": trigger, "view": other()})["error"]
				}
				if got := open(); got != tc.want {
					t.Errorf("views.open: %v, want %v", got, tc.want)
				}
				if tc.rule == "" {
					sim.Expect("trigger.once")
					if got := open(); got != "exchanged_trigger_id" {
						t.Errorf("second views.open: %v", got)
					}
				}
			})
		})
	}
}

func TestViewStackLimit(t *testing.T) {
	t.Parallel()
	view := modal(actions(with(button(0).(obj), "text", plain("More"))), "notify_on_close", true)
	sim, dana, o := opened(t, view, "")
	sim.Expect("modal.stack")
	var replies []any
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		o.payloads = append(o.payloads, payload)
		if payload["type"] == "block_actions" {
			replies = append(replies, call(t, sim, "views.push", obj{"trigger_id": payload["trigger_id"], "view": view})["error"])
		}
		return http.StatusOK, ""
	}))
	for range 3 {
		if err := dana.Press(t.Context(), "More"); err != nil {
			t.Fatal(err)
		}
	}
	if len(replies) != 3 || replies[1] != nil || replies[2] != "push_limit_reached" {
		t.Errorf("the pushes ended with %v", replies)
	}
	if form := dana.Form(); form.View["root_view_id"] == form.ID || form.View["previous_view_id"] == nil {
		t.Errorf("the top view is %v", form.View)
	}
	if err := dana.Dismiss(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o.last()["type"] != "view_closed" || o.last()["is_cleared"] != false {
		t.Errorf("the app received %v", o.last())
	}
	if err := dana.DismissAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o.last()["is_cleared"] != true || dana.Form() != nil {
		t.Errorf("the app received %v", o.last())
	}
	if err := dana.Dismiss(t.Context()); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("closing nothing ended with %v", err)
	}
}

func TestViewUpdate(t *testing.T) {
	t.Parallel()
	sim, dana, o := opened(t, other(), "")
	if err := dana.Fill(t.Context(), "Why", "Maria"); err != nil {
		t.Fatal(err)
	}
	view := o.replies[0]["view"].(obj)
	fresh := other("title", plain("Again"))
	if got := call(t, sim, "views.update", obj{"view_id": view["id"], "hash": "1.x", "view": fresh})["error"]; got != "hash_conflict" {
		t.Errorf("a wrong hash: %v", got)
	}
	if reply := call(t, sim, "views.update", obj{"view_id": view["id"], "hash": view["hash"], "view": fresh}); reply["ok"] != true {
		t.Error(reply)
	}
	if got := dana.Sees(); !strings.Contains(got, "[Again]") || !strings.Contains(got, "|Maria|") {
		t.Errorf("Dana sees\n%s", got)
	}
}

func TestFormOverFormIsWarned(t *testing.T) {
	t.Parallel()
	sim, dana, _ := opened(t, modal(actions(button(0)), "external_id", "one"), "")
	var got any
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		again := func(id string) any {
			return call(t, sim, "views.open", obj{"trigger_id": payload["trigger_id"], "view": other("external_id", id)})["error"]
		}
		got = again("one")
		if err := again("two"); err != nil {
			t.Error(err)
		}
		return http.StatusOK, ""
	}))
	if err := dana.Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	if got != "duplicate_external_id" || !warned(sim, "note.view_replaced") {
		t.Errorf("views.open: %v; %v", got, sim.Timeline())
	}
}

// A form with a preselected picker could not be submitted.
func TestFormSubmitsInitialValues(t *testing.T) {
	t.Parallel()
	first := obj{"text": with(plain("Option 0"), "emoji", true), "value": "v0"}
	for kind, tc := range map[string]struct {
		initial, member string
		value           any
		more            []any
	}{
		"radio_buttons":              {initial: "initial_option", member: "selected_option", value: first, more: []any{"options", list{first}}},
		"multi_static_select":        {initial: "initial_options", member: "selected_options", value: list{first}, more: []any{"options", list{first}}},
		"users_select":               {initial: "initial_user", member: "selected_user", value: "U0000002"},
		"conversations_select":       {initial: "initial_conversation", member: "selected_conversation", value: "C0000001"},
		"channels_select":            {initial: "initial_channel", member: "selected_channel", value: "C0000001"},
		"multi_users_select":         {initial: "initial_users", member: "selected_users", value: list{"U0000002"}},
		"multi_conversations_select": {initial: "initial_conversations", member: "selected_conversations", value: list{"C0000001"}},
		"multi_channels_select":      {initial: "initial_channels", member: "selected_channels", value: list{"C0000001"}},
		"datepicker":                 {initial: "initial_date", member: "selected_date", value: "2026-03-15"},
		"timepicker":                 {initial: "initial_time", member: "selected_time", value: "16:30"},
		"datetimepicker":             {initial: "initial_date_time", member: "selected_date_time", value: float64(1773590400)},
		"plain_text_input":           {initial: "initial_value", member: "value", value: "words"},
		"number_input":               {initial: "initial_value", member: "value", value: "1.5", more: []any{"is_decimal_allowed", true}},
		"email_text_input":           {initial: "initial_value", member: "value", value: "dana@example.org"},
		"url_text_input":             {initial: "initial_value", member: "value", value: "https://example.org"},
		"rich_text_input":            {initial: "initial_value", member: "rich_text_value", value: obj{"type": "rich_text", "elements": list{}}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			element := with(obj{"type": kind, "action_id": "a", tc.initial: tc.value}, tc.more...)
			_, dana, o := opened(t, modal(input(element, "block_id", "b")), "")
			if err := dana.Submit(t.Context()); err != nil {
				t.Fatal(err)
			}
			values := o.last()["view"].(obj)["state"].(obj)["values"].(obj)
			if diff := cmp.Diff(obj{"b": obj{"a": obj{"type": kind, tc.member: tc.value}}}, values); diff != "" {
				t.Errorf("the form is sent with (-want +got)\n%s", diff)
			}
		})
	}
}

// Empty elements are part of the state as well.
func TestPickerWithoutValue(t *testing.T) {
	t.Parallel()
	element := obj{"type": "datepicker", "action_id": "a"}
	files := obj{"type": "file_input", "action_id": "a"}
	form := modal(append(input(element, "block_id", "b", "optional", true), input(files, "block_id", "f", "optional", true)...))
	_, dana, o := opened(t, form, "")
	if err := dana.Submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := obj{"b": obj{"a": obj{"type": "datepicker", "selected_date": nil}}, "f": obj{"a": obj{"type": "file_input", "files": list{}}}}
	if diff := cmp.Diff(want, o.last()["view"].(obj)["state"].(obj)["values"].(obj)); diff != "" {
		t.Errorf("the form is sent with (-want +got)\n%s", diff)
	}
}

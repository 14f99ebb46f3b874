package slacksim_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // For machines without time zone data.

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// labelled is an option with a text and a value.
func labelled(words, value string) any { return obj{"text": plain(words), "value": value} }

// twoQuestions is a message with a single choice, a multiple choice, and a button each.
func twoQuestions() list {
	question := func(id, words, kind string) list {
		return list{
			obj{"type": "section", "block_id": "t" + id, "text": mrkdwn("*" + words + "*\nchoose well")},
			obj{"type": "actions", "block_id": id, "elements": list{
				obj{"type": kind, "action_id": "pick", "options": list{labelled("Yes", "0"), labelled("No", "1")}},
				obj{"type": "button", "action_id": "other", "text": plain("Other…")},
			}},
		}
	}
	return append(question("q0", "Logs?", "radio_buttons"), question("q1", "More Logs?", "checkboxes")...)
}

// acked starts a workspace with an app that acknowledges everything, and posts blocks.
func acked(t *testing.T, blocks list) (*slacksim.Server, *[]obj) {
	t.Helper()
	sim := slacksim.Start(t, nil)
	var got []obj
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		got = append(got, payload)
		return http.StatusOK, ""
	}))
	if reply := put(t, sim, blocks); reply["ok"] != true {
		t.Fatal(reply)
	}
	return sim, &got
}

func TestSees(t *testing.T) {
	t.Parallel()
	stockholm, err := time.LoadLocation("Europe/Stockholm")
	if err != nil {
		t.Fatal(err)
	}
	sim := slacksim.Start(t, &slacksim.Options{People: []slacksim.Person{{ID: "U0000001", RealName: "Dana", Zone: stockholm}}})
	put(t, sim, list{
		obj{"type": "header", "text": plain("Deploy <4.2>")},
		obj{"type": "context", "elements": list{mrkdwn("by _robot_ until <!date^1700000000^{date_short} {time}|later>"), plain("now")}},
		obj{"type": "section", "text": mrkdwn("*Which* `db*x*`? a&lt;b a*b*c <@U0000001> <#C0000001> <https://x.example|here> <https://y.example>"), "fields": list{plain("left"), mrkdwn("~right~")}},
		obj{"type": "divider"},
		obj{"type": "markdown", "text": "# raw"},
		obj{"type": "rich_text", "elements": list{obj{"type": "rich_text_section", "elements": list{obj{"type": "text", "text": "rich"}}}}},
		obj{"type": "section", "text": plain("Menu"), "accessory": obj{"type": "overflow", "options": list{labelled("Hide", "h")}}},
		obj{"type": "actions", "elements": list{
			obj{"type": "static_select", "action_id": "s", "placeholder": plain("Choose"), "options": list{labelled("EU", "eu"), labelled("US", "us")}, "initial_option": labelled("US", "us")},
			obj{"type": "radio_buttons", "action_id": "r", "options": list{with(labelled("A", "a").(obj), "description", plain("first"))}},
			button(0), button(1),
		}},
		obj{"type": "input", "label": plain("Why"), "hint": plain("briefly"), "element": obj{"type": "plain_text_input", "placeholder": plain("because")}},
	})
	want := `askbridge
Deploy <4.2>
by robot until Nov 14, 2023 11:13 PM  now
Which db*x*? a<b a*b*c @Dana #deploys here https://y.example
left
right
────
# raw
rich
Menu
[…]
· Hide
▾ Choose
○ EU
● US
○ A – first
[Yes] [Yes]
Why
|because|
briefly`
	if diff := cmp.Diff(want, sim.Seat("U0000001").Sees()); diff != "" {
		t.Error(diff)
	}
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{Emojis: map[string]string{"shipit": "🐿"}})
	silent := with(plain(":tada:"), "emoji", false)
	put(t, sim, list{
		obj{"type": "section", "text": mrkdwn("Done :tada: at 10:30:45, `:tada:` :shipit: :unknown:\n&gt; *quoted*")},
		obj{"type": "section", "text": plain(":tada:")},
		obj{"type": "section", "text": silent},
		obj{"type": "rich_text", "elements": list{
			obj{"type": "rich_text_section", "elements": list{
				obj{"type": "text", "text": "*x* :tada: <@U0000001> &lt; "},
				obj{"type": "emoji", "name": "tada"},
				obj{"type": "text", "text": " "},
				obj{"type": "user", "user_id": "U0000001"},
				obj{"type": "text", "text": " "},
				obj{"type": "usergroup", "usergroup_id": "S0000001"},
				obj{"type": "text", "text": " "},
				obj{"type": "broadcast", "range": "here"},
				obj{"type": "text", "text": " "},
				obj{"type": "channel", "channel_id": "C0000002"},
				obj{"type": "text", "text": " "},
				obj{"type": "date", "timestamp": 1700000000, "format": "{date_short}", "fallback": "then"},
			}},
			obj{"type": "rich_text_preformatted", "elements": list{obj{"type": "text", "text": "```\n:tada:"}}},
			obj{"type": "rich_text_list", "style": "ordered", "elements": list{
				obj{"type": "rich_text_section", "elements": list{obj{"type": "link", "url": "https://x.example"}}},
				obj{"type": "rich_text_section", "elements": list{obj{"type": "link", "url": "https://y.example", "text": "here"}}},
			}},
		}},
	})
	want := `askbridge
Done 🎉 at 10:30:45, :tada: 🐿 :unknown:
quoted
🎉
:tada:
*x* :tada: <@U0000001> &lt; 🎉 @Dana @releasers @here #general Nov 14, 2023
` + "```" + `
:tada:
1. https://x.example
2. here`
	if diff := cmp.Diff(want, sim.Seat("U0000001").Sees()); diff != "" {
		t.Error(diff)
	}
	var rung []string
	for _, e := range sim.Timeline().Events(chatsim.Pinged) {
		rung = append(rung, e.Person)
	}
	if diff := cmp.Diff([]string{"U0000001", "S0000001", "@here"}, rung); diff != "" {
		t.Errorf("notified people (-want +got):\n%s", diff)
	}
}

func TestSelectionsArePerPerson(t *testing.T) {
	t.Parallel()
	sim, got := acked(t, twoQuestions())
	ctx, dana, sam := t.Context(), sim.Seat("U0000001"), sim.Seat("U0000002")
	for _, do := range []func() error{
		func() error { return dana.Pick(ctx, "Logs?", "Yes") },
		func() error { return sam.Pick(ctx, "Logs?", "No") },
		func() error { return dana.Pick(ctx, "More Logs?", "No") },
		func() error { return dana.Pick(ctx, "More Logs?", "Yes") },
		func() error { return dana.Pick(ctx, "More Logs?", "No") },
		func() error { return dana.Pick(ctx, "Logs?", "Yes") }, // Chosen already: nothing happens.
		func() error { return dana.Press(ctx, "Other…", "More Logs?") },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if len(*got) != 6 {
		t.Errorf("the app received %d payloads", len(*got))
	}
	values := (*got)[5]["state"].(obj)["values"].(obj)
	yes := labelled("Yes", "0").(obj)
	yes["text"] = with(yes["text"].(obj), "emoji", true)
	want := obj{
		"q0": obj{"pick": obj{"type": "radio_buttons", "selected_option": yes}},
		"q1": obj{"pick": obj{"type": "checkboxes", "selected_options": list{yes}}},
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
	if seen := sam.Sees(); !strings.Contains(seen, "○ Yes\n● No") || !strings.Contains(seen, "☐ Yes\n☐ No") {
		t.Errorf("Sam sees\n%s", seen)
	}
}

func TestSelectionsSurviveEdit(t *testing.T) {
	t.Parallel()
	sim, _ := acked(t, twoQuestions())
	dana := sim.Seat("U0000001")
	for _, question := range []string{"Logs?", "More Logs?"} {
		if err := dana.Pick(t.Context(), question, "Yes"); err != nil {
			t.Fatal(err)
		}
	}
	edited := twoQuestions()
	edited[3].(obj)["block_id"] = "q2"
	ts := dana.Messages("C0000001")[0].TS
	if reply := call(t, sim, "chat.update", obj{"channel": "C0000001", "ts": ts, "text": "x", "blocks": edited}); reply["ok"] != true {
		t.Fatal(reply)
	}
	if seen := dana.Sees(); !strings.Contains(seen, "● Yes") || strings.Contains(seen, "☑") {
		t.Errorf("Dana sees\n%s", seen)
	}
}

func TestMissingControls(t *testing.T) {
	t.Parallel()
	sim, _ := acked(t, twoQuestions())
	ctx, dana := t.Context(), sim.Seat("U0000001")
	sim.Remove("C0000001", "U0000003")
	for name, tc := range map[string]struct {
		do   func() error
		want error
	}{
		"an unknown button":        {func() error { return dana.Press(ctx, "Maybe") }, chatsim.ErrNotThere},
		"one of two buttons":       {func() error { return dana.Press(ctx, "Other…") }, chatsim.ErrAmbiguous},
		"an unknown option":        {func() error { return dana.Pick(ctx, "Logs?", "Maybe") }, chatsim.ErrNotThere},
		"an unknown field":         {func() error { return dana.Fill(ctx, "Why", "x") }, chatsim.ErrNotThere},
		"a form that is not open":  {func() error { return dana.Submit(ctx) }, chatsim.ErrNotThere},
		"another channel's button": {func() error { return dana.In("C0000002").Press(ctx, "Other…", "Logs?") }, chatsim.ErrNotThere},
		"a message that is gone":   {func() error { return dana.On("1.1").Press(ctx, "Other…", "Logs?") }, chatsim.ErrNotThere},
		"a channel one is not in":  {func() error { return sim.Seat("U0000003").Press(ctx, "Other…", "Logs?") }, chatsim.ErrNotThere},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.do(); !errors.Is(err, tc.want) {
				t.Errorf("it ended with %v, want %v", err, tc.want)
			}
		})
	}
	if err := sim.Seat("U9").Press(ctx, "Other…"); err == nil {
		t.Error("no button was pressed")
	}
	if n := len(sim.Timeline().Events(chatsim.Pressed, chatsim.Picked)); n != 0 {
		t.Errorf("%d things were done", n)
	}
}

func TestNewestMessageWins(t *testing.T) {
	t.Parallel()
	sim, got := acked(t, actions(with(button(0).(obj), "value", "old")))
	put(t, sim, actions(with(button(0).(obj), "value", "new")))
	dana := sim.Seat("U0000001")
	old := dana.Messages("C0000001")[0]
	block, _ := old.Blocks[0]["block_id"].(string)
	for _, do := range []func() error{
		func() error { return dana.Press(t.Context(), "Yes") },
		func() error { return dana.On(old.TS).Press(t.Context(), "a0") },
		func() error { return dana.Press(t.Context(), block+"/a0") },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	var values []string
	for _, payload := range *got {
		values = append(values, payload["actions"].(list)[0].(obj)["value"].(string))
	}
	if strings.Join(values, " ") != "new old old" {
		t.Errorf("the buttons were %v", values)
	}
}

func TestConfirmationDialog(t *testing.T) {
	t.Parallel()
	sim, got := acked(t, confirming())
	ctx, dana := t.Context(), sim.Seat("U0000001")
	if err := dana.Press(ctx, "Yes"); err != nil {
		t.Fatal(err)
	}
	if seen := dana.Sees(); seen != "[Sure?]\nIt is final.\n[No] [Yes]" || len(*got) != 0 {
		t.Errorf("Dana sees\n%s", seen)
	}
	if err := dana.Press(ctx, "Maybe"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Error(err)
	}
	if err := dana.Press(ctx, "No"); err != nil || len(*got) != 0 {
		t.Errorf("the app received a cancelled press: %v", err)
	}
	for range 2 {
		if err := dana.Press(ctx, "Yes"); err != nil {
			t.Fatal(err)
		}
	}
	if len(*got) != 1 {
		t.Errorf("the app received %d payloads", len(*got))
	}
}

func TestInputDispatchAction(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		dispatch bool
		received int
	}{"without dispatch_action": {false, 0}, "with dispatch_action": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, got := acked(t, append(input(textInput(), "block_id", "w", "dispatch_action", tc.dispatch), actions(button(0))...))
			dana := sim.Seat("U0000001")
			if err := dana.Fill(t.Context(), "Why", "so"); err != nil {
				t.Fatal(err)
			}
			if len(*got) != tc.received {
				t.Errorf("the app received %d payloads", len(*got))
			}
			if err := dana.Press(t.Context(), "Yes"); err != nil {
				t.Fatal(err)
			}
			held := (*got)[tc.received]["state"].(obj)["values"].(obj)["w"].(obj)["a"].(obj)
			if held["value"] != "so" {
				t.Errorf("the field holds %v", held)
			}
		})
	}
}

func TestVisibleToUserIDs(t *testing.T) {
	t.Parallel()
	sim, _ := acked(t, asButton("visible_to_user_ids", list{"U0000001"}))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
		t.Error(err)
	}
	if err := sim.Seat("U0000002").Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Error(err)
	}
}

func TestMultiSelectMaximum(t *testing.T) {
	t.Parallel()
	sim, _ := acked(t, section(with(choice("multi_static_select", 3), "max_selected_items", 1)))
	dana := sim.Seat("U0000001")
	if err := dana.Pick(t.Context(), "Which?", "Option 0"); err != nil {
		t.Error(err)
	}
	if err := dana.Pick(t.Context(), "Which?", "Option 1"); err == nil {
		t.Error("a second item was taken")
	}
}

func TestAwaitErrorShowsScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		put(t, sim, actions(button(0)))
		before := time.Now()
		err := sim.Seat("U0000001").AwaitText(t.Context(), "never")
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "[Yes]") {
			t.Errorf("the wait ended with %v", err)
		}
		if time.Since(before) != time.Minute {
			t.Errorf("it took %v", time.Since(before))
		}
		go func() {
			time.Sleep(time.Hour)
			_, _ = sim.Seat("U0000002").Say("C0000001", "", "now")
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if err := sim.Seat("U0000001").AwaitText(ctx, "Sam\nnow"); err != nil {
			t.Error(err)
		}
	})
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	sim, dana, _ := opened(t, other(), "")
	next := sim.Watch()
	if err := dana.Fill(t.Context(), "Why", "Maria"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-next:
	default:
		t.Error("no change was signaled")
	}
	got := sim.Snapshot("U0000001")
	if got.Name != "Dana" || len(got.Channels) != 2 || got.Channels[0].Name != "deploys" || len(got.Channels[0].Messages) != 1 ||
		len(got.Forms) != 1 || !strings.Contains(got.Forms[0].Plain, "|Maria|") {
		t.Errorf("the snapshot is %+v", got)
	}
	if other := sim.Snapshot("U0000002"); len(other.Forms) != 0 {
		t.Error("Sam sees Dana's form")
	}
}

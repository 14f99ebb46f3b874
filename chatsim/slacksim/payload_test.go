package slacksim_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// sample reads a payload as Slack documents it. "*" is any nonempty value, and the name of another file is its
// content.
func sample(t *testing.T, name string) any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "samples", name))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if o, ok := out.(obj); ok {
		for member, v := range o {
			if file, isText := v.(string); isText && strings.HasSuffix(file, ".json") {
				o[member] = sample(t, file)
			}
		}
	}
	return out
}

// matches compares a payload with a sample, field by field in both directions.
func matches(t *testing.T, name string, got any) {
	t.Helper()
	want := sample(t, name)
	wildcard := cmp.FilterValues(func(a, b any) bool { return a == "*" || b == "*" }, cmp.Comparer(func(a, b any) bool {
		return a != nil && b != nil && a != "" && b != ""
	}))
	if diff := cmp.Diff(want, got, wildcard); diff != "" {
		t.Errorf("%s (-documented +sent)\n%s", name, diff)
	}
}

func TestMessagePayloads(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	var got []obj
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		got = append(got, payload)
		return http.StatusOK, ""
	}))
	message := sample(t, "block_actions_message.json").(obj)["message"].(obj)
	root, err := sim.Seat("U0000002").Say("C0000001", "", "Where to?")
	if err != nil {
		t.Fatal(err)
	}
	reply := call(t, sim, "chat.postMessage", obj{
		"channel": "C0000001", "text": message["text"], "thread_ts": root,
		"blocks": message["blocks"], "metadata": message["metadata"],
	})
	if reply["ok"] != true {
		t.Fatal(reply)
	}
	dana, ctx := sim.Seat("U0000001"), t.Context()
	for _, do := range []func() error{
		func() error { return dana.Pick(ctx, "Which database?", "Postgres") },
		func() error { return dana.Press(ctx, "Submit") },
		func() error { return dana.Pick(ctx, "Which database?", "Metrics") },
		func() error { return dana.Pick(ctx, "Which database?", "Logs") },
		func() error { return dana.Pick(ctx, "Choose", "EU") },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	matches(t, "block_actions_message.json", any(got[1]))
	matches(t, "block_actions_radio.json", got[0]["actions"].([]any)[0])
	matches(t, "block_actions_checkboxes.json", got[3]["actions"].([]any)[0])
	matches(t, "block_actions_select.json", got[4]["actions"].([]any)[0])
	for _, payload := range got {
		raw, _ := json.Marshal(payload)
		var decoded slackapi.InteractionCallback
		if err := json.Unmarshal(raw, &decoded); err != nil {
			t.Errorf("the real library cannot read the payload: %v", err)
		}
		if len(decoded.BlockActionState.Values) != 2 || len(decoded.ActionCallback.BlockActions) != 1 {
			t.Errorf("the real library reads %+v", decoded)
		}
	}
}

func TestFormPayloads(t *testing.T) {
	t.Parallel()
	view := other("private_metadata", "r1", "callback_id", "other", "notify_on_close", true)
	_, dana, o := opened(t, view, `{"response_action":"errors","errors":{"words":"Again."}}`)
	if err := dana.Fill(t.Context(), "Why", "Maria"); err != nil {
		t.Fatal(err)
	}
	if err := dana.Submit(t.Context()); err == nil {
		t.Fatal("the app accepted what it refuses")
	}
	matches(t, "view_submission.json", any(o.last()))
	if err := dana.Dismiss(t.Context()); err != nil {
		t.Fatal(err)
	}
	matches(t, "view_closed.json", any(o.last()))
}

func TestFormButtonPayload(t *testing.T) {
	t.Parallel()
	view := modal(list{obj{"type": "actions", "block_id": "more", "elements": list{button(0)}}})
	sim, dana, _ := opened(t, view, "")
	var got obj
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		got = payload
		return http.StatusOK, ""
	}))
	if err := dana.Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	matches(t, "block_actions_view.json", any(got))
}

func TestStrangerPayload(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	var got obj
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		got = payload
		return http.StatusOK, ""
	}))
	put(t, sim, actions(button(0)))
	if err := sim.Seat("U0000009").Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	if got["user"].(obj)["team_id"] != "T0000009" || got["team"].(obj)["id"] != "T0000001" {
		t.Errorf("the payload is %v", got)
	}
}

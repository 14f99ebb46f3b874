package slacksim_test

import (
	"maps"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// message is one event in short: its type or subtype, and its text.
type message struct{ kind, text string }

func (a *subscriber) received() []message {
	var out []message
	for _, e := range a.events() {
		kind, _ := e["subtype"].(string)
		if kind == "" {
			kind = e["type"].(string)
		}
		text, _ := e["text"].(string)
		if now, ok := e["message"].(obj); ok {
			text, _ = now["text"].(string)
		}
		out = append(out, message{kind, text})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got = nil
	return out
}

func count(all []message, want message) int {
	n := 0
	for _, h := range all {
		if h == want {
			n++
		}
	}
	return n
}

func TestMessageChangedEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		dana, lee := sim.Seat("U0000001"), sim.Seat("U0000002")
		ts, err := dana.Say("C0000001", "", "yes")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		a.received()
		if err := dana.Rewrite("C0000001", ts, "<@U0000BOT> no & <never>"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		const text = "<@U0000BOT> no &amp; &lt;never&gt;"
		if got := a.received(); len(got) != 2 || count(got, message{"message_changed", text}) != 1 || count(got, message{"app_mention", text}) != 1 {
			t.Errorf("event for an edit: %q", got)
		}
		if lee.Rewrite("C0000001", ts, "yes") == nil || lee.Retract("C0000001", ts) == nil {
			t.Error("a person edited another person's message")
		}
		if err := dana.Retract("C0000001", ts); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := a.received(); len(got) != 1 || got[0].kind != "message_deleted" {
			t.Errorf("event for a deletion: %q", got)
		}
		if dana.Retract("C0000001", ts) == nil {
			t.Error("what is gone is deleted again")
		}
	})
}

func TestBotAndStrangerEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		for _, p := range []slacksim.Person{{ID: "U0000B08", RealName: "Other bot", Bot: true}, {ID: "U0000077", RealName: "Kim", Team: "T0000077"}} {
			if _, err := sim.PutPerson(p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := sim.PutChannel(slacksim.Channel{ID: "C0000001", Name: "deploys", Members: []string{"U0000001", "U0000B08", "U0000077", "U0000BOT"}}); err != nil {
			t.Fatal(err)
		}
		root, err := sim.Seat("U0000001").Say("C0000001", "", "hello")
		if err == nil {
			_, err = sim.SayAsBot("U0000B08", "C0000001", root, "beep")
		}
		if err == nil {
			_, err = sim.Seat("U0000077").Say("C0000001", root, "hi")
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		marked := 0
		for _, e := range a.events() {
			switch e["text"] {
			case "beep":
				if e["bot_id"] != nil && e["subtype"] == nil && e["parent_user_id"] == "U0000001" {
					marked++
				}
			case "hi":
				if e["user_team"] == "T0000077" && e["thread_ts"] == root {
					marked++
				}
			}
		}
		if marked != 2 {
			t.Errorf("they come as %v", a.events())
		}
		if _, err := sim.SayAsBot("U0000001", "C0000001", "", "beep"); err == nil {
			t.Error("a person is a bot")
		}
	})
}

func TestSharedChannelAuthorizations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		dana := sim.Seat("U0000001")
		for _, channel := range []string{"C0000001", sim.DM("U0000001")} { // Robin, of another company, is in the first.
			if _, err := dana.Say(channel, "", "<@U0000BOT> hello"); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		type teams struct{ team, context, authorized, wrote any }
		want := map[string]teams{
			"channel message": {"T0000001", "T0000009", "T0000001", "T0000001"},
			"channel mention": {"T0000009", "T0000009", "T0000001", "T0000001"},
			"direct message":  {"T0000001", "T0000001", "T0000001", "T0000001"},
		}
		got := map[string]teams{}
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, body := range a.got {
			e := body["event"].(obj)
			kind := map[any]string{"channel": "channel message", "im": "direct message", nil: "channel mention"}[e["channel_type"]]
			authorized := body["authorizations"].([]any)[0].(obj)["team_id"]
			got[kind] = teams{body["team_id"], body["context_team_id"], authorized, e["team"]}
		}
		if !maps.Equal(got, want) {
			t.Errorf("events = %v, want %v", got, want)
		}
	})
}

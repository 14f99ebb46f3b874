package discordsim_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// arrived is an interaction that reached the app and waits for its answer.
type arrived struct {
	obj

	sim   *discordsim.Server
	ended chan error // the result of the press for the person
}

func (i arrived) path() string {
	return "/interactions/" + i.obj["id"].(string) + "/" + i.obj["token"].(string)
}

// respond answers through the callback route.
func (i arrived) respond(t *testing.T, body obj) answer {
	t.Helper()
	return askAs(t, i.sim, "", "POST", i.path()+"/callback", body)
}

// hook uses the interaction's webhook.
func (i arrived) hook(t *testing.T, verb, path string, body any) answer {
	t.Helper()
	return askAs(t, i.sim, "", verb, "/webhooks/"+appID+"/"+i.obj["token"].(string)+path, body)
}

// pressedFor posts a question with the button Yes, lets Dana press it and returns the interaction.
func pressedFor(t *testing.T, sim *discordsim.Server) arrived {
	t.Helper()
	put(t, sim, once(question("a1", "Yes"), 1))
	return during(t, sim, func() error { return sim.Seat(dana).Press(t.Context(), "Yes") })
}

// during acts as a person and returns the interaction that arrives.
func during(t *testing.T, sim *discordsim.Server, act func() error) arrived {
	t.Helper()
	out := arrived{sim: sim, ended: make(chan error, 1)}
	got := make(chan obj, 2)
	deliver(t, sim, func(i obj) any {
		got <- i
		return nil
	})
	go func() { out.ended <- act() }()
	select {
	case out.obj = <-got:
	case err := <-out.ended:
		t.Fatalf("nothing arrived: %v", err)
	}
	return out
}

func TestResponseTypes(t *testing.T) {
	t.Parallel()
	form := obj{"custom_id": "form", "title": "Other", "components": list{label("Why?", input("why"))}}
	tests := map[string]struct {
		submitted bool
		answer    obj
		ok        bool
		sees      string // part of what Dana sees afterwards
	}{
		"a message to a press":    {false, obj{"type": 4, "data": message(words("Thanks"))}, true, "Thanks"},
		"an ephemeral to a press": {false, obj{"type": 4, "data": with(message(words("Not you")), "flags", v2|64)}, true, "Not you\n(only you can see this)"},
		"a promise to a press":    {false, obj{"type": 5}, true, "is thinking…"},
		"nothing to a press":      {false, obj{"type": 6}, true, "[Yes]"},
		"an update to a press":    {false, obj{"type": 7, "data": message(words("Done"))}, true, "askbridge (edited)\nDone"},
		"a form to a press":       {false, obj{"type": 9, "data": form}, true, "[Other]\nWhy?\n||\n[Cancel] [Submit]"},
		"autocomplete to a press": {false, obj{"type": 8}, false, "[Yes]"},
		"a pong to a press":       {false, obj{"type": 1}, false, "[Yes]"},
		"no type":                 {false, obj{}, false, "[Yes]"},
		"a message to a form":     {true, obj{"type": 4, "data": message(words("Thanks"))}, true, "Thanks"},
		"a promise to a form":     {true, obj{"type": 5}, true, "is thinking…"},
		"nothing to a form":       {true, obj{"type": 6}, true, "[Yes]"},
		"an update to a form":     {true, obj{"type": 7, "data": message(words("Done"))}, true, "askbridge (edited)\nDone"},
		"a form to a form":        {true, obj{"type": 9, "data": form}, false, "[Other]"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			i := pressedFor(t, sim)
			if tc.submitted {
				i.respond(t, obj{"type": 9, "data": form})
				if err := <-i.ended; err != nil {
					t.Fatal(err)
				}
				if err := sim.Seat(dana).Fill(t.Context(), "Why?", "Because"); err != nil {
					t.Fatal(err)
				}
				i = during(t, sim, func() error { return sim.Seat(dana).Submit(t.Context()) })
			}
			if !tc.ok {
				sim.Expect("callback.type")
				wantErrors(t, i.respond(t, tc.answer), "type")
				if sees := sim.Seat(dana).Sees(); !strings.Contains(sees, tc.sees) {
					t.Errorf("Dana sees\n%s", sees)
				}
				i.respond(t, obj{"type": 6})
				return
			}
			if a := i.respond(t, tc.answer); a.status != http.StatusNoContent {
				t.Fatalf("the answer is %d %v", a.status, a.body)
			}
			if err := <-i.ended; err != nil {
				t.Error(err)
			}
			if sees := sim.Seat(dana).Sees(); !strings.Contains(sees, tc.sees) {
				t.Errorf("Dana sees\n%s", sees)
			}
			if sees := sim.Seat(sam).Sees(); strings.Contains(sees, "only you") {
				t.Errorf("Sam sees\n%s", sees)
			}
		})
	}
}

func TestSecondResponseFails(t *testing.T) {
	t.Parallel()
	form := obj{"custom_id": "form", "title": "Other", "components": list{label("Why?", input("why"))}}
	for name, tc := range map[string]struct {
		second obj
		rule   string
	}{
		"a second answer":             {obj{"type": 6}, "ack.once"},
		"a form after something else": {obj{"type": 9, "data": form}, "modal.first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rule)
			i := pressedFor(t, sim)
			i.respond(t, obj{"type": 6})
			if a := i.respond(t, tc.second); a.status != http.StatusBadRequest || a.code() != 40060 {
				t.Errorf("the second answer: %d %v", a.status, a.body)
			}
		})
	}
}

func TestInteractionTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Expect("ack.in_time")
		i := pressedFor(t, sim)
		before := time.Now()
		if err := <-i.ended; !errors.Is(err, chatsim.ErrUnacknowledged) || time.Since(before) != 3*time.Second {
			t.Errorf("the press ended with %v after %v", err, time.Since(before))
		}
		if sees := sim.Seat(dana).Sees(); !strings.HasSuffix(sees, "⚠ This interaction failed") {
			t.Errorf("Dana sees\n%s", sees)
		}
		if sees := sim.Seat(sam).Sees(); strings.Contains(sees, "⚠") {
			t.Errorf("Sam sees\n%s", sees)
		}
		if a := i.respond(t, obj{"type": 6}); a.status != http.StatusNotFound || a.code() != 10062 {
			t.Errorf("the late answer: %d %v", a.status, a.body)
		}
	})
}

func TestFollowUpMayOvertakeResponse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		behind time.Duration // the delay of the answer
		want   int
		rule   string
	}{
		"it is on its way":       {behind: 900 * time.Millisecond, want: http.StatusOK},
		"it was not written yet": {behind: 1100 * time.Millisecond, want: http.StatusNotFound, rule: "webhook.early"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				if tc.rule != "" {
					sim.Expect(tc.rule)
				}
				put(t, sim, once(question("a1", "Yes"), 1))
				followed := make(chan answer, 1)
				deliver(t, sim, func(i obj) any {
					go func() { followed <- arrived{sim: sim, obj: i}.hook(t, "POST", "", message(words("Later"))) }()
					time.Sleep(tc.behind)
					return obj{"type": 6}
				})
				if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
					t.Error(err)
				}
				if got := <-followed; got.status != tc.want {
					t.Errorf("the follow-up got %d %v", got.status, got.body)
				}
			})
		})
	}
}

func TestFollowUpAfterTimeoutIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Expect("ack.in_time")
		i := pressedFor(t, sim)
		time.Sleep(3 * time.Second)
		if a := i.respond(t, obj{"type": 6}); a.status != http.StatusNotFound || a.code() != 10062 {
			t.Errorf("the late answer: %d %v", a.status, a.body)
		}
		if a := i.hook(t, "POST", "", message(words("Later"))); a.status != http.StatusNotFound || a.code() != 10015 {
			t.Errorf("the follow-up: %d %v", a.status, a.body)
		}
	})
}

func TestInteractionTokenExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Expect("webhook.early")
		i := pressedFor(t, sim)
		note := message(words("Later"))
		if a := i.hook(t, "POST", "", note); a.status != http.StatusNotFound || a.code() != 10015 {
			t.Errorf("before the first answer: %d %v", a.status, a.body)
		}
		i.respond(t, obj{"type": 6})
		time.Sleep(15*time.Minute - time.Second)
		if a := i.hook(t, "POST", "", note); a.status != http.StatusOK {
			t.Errorf("in time: %d %v", a.status, a.body)
		}
		time.Sleep(time.Second)
		for _, verb := range []string{"POST", "PATCH", "DELETE", "GET"} {
			path := "/messages/@original"
			if verb == "POST" {
				path = ""
			}
			if a := i.hook(t, verb, path, note); a.status != http.StatusUnauthorized || a.code() != 50027 {
				t.Errorf("%s after fifteen minutes: %d %v", verb, a.status, a.body)
			}
		}
	})
}

func TestFollowUpsAndTheOriginal(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	pressed := i.obj["message"].(obj)["id"].(string)
	i.respond(t, obj{"type": 6})
	if a := i.hook(t, "GET", "/messages/@original", nil); a.id() != pressed {
		t.Errorf("the original is %v, want the message that was pressed", a.body)
	}
	if a := i.hook(t, "PATCH", "/messages/@original", message(words("Done"))); a.status != http.StatusOK {
		t.Errorf("the edit: %d %v", a.status, a.body)
	}
	ephemeral := i.hook(t, "POST", "", with(message(words("Psst")), "flags", v2|64))
	if sees := sim.Seat(sam).Sees(); sees != "askbridge (edited)\nDone" {
		t.Errorf("Sam sees\n%s", sees)
	}
	if a := i.hook(t, "PATCH", "/messages/"+ephemeral.id(), message(words("Hush"))); a.status != http.StatusOK {
		t.Errorf("the edit of an ephemeral: %d %v", a.status, a.body)
	}
	if sees := sim.Seat(dana).Sees(); !strings.HasSuffix(sees, "Hush\n(only you can see this)") {
		t.Errorf("Dana sees\n%s", sees)
	}
	if a := ask(t, sim, "GET", "/channels/"+deploys+"/messages/"+ephemeral.id(), nil); a.code() != 10008 {
		t.Errorf("the bot's token reaches an ephemeral: %d %v", a.status, a.body)
	}
	if a := i.hook(t, "DELETE", "/messages/"+ephemeral.id(), nil); a.status != http.StatusNoContent {
		t.Errorf("the deletion: %d %v", a.status, a.body)
	}
	if a := i.hook(t, "GET", "/messages/"+ephemeral.id(), nil); a.code() != 10008 {
		t.Errorf("what was deleted: %d %v", a.status, a.body)
	}
}

func TestDeferredMessage(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]func(*testing.T, arrived) answer{
		"edit": func(t *testing.T, i arrived) answer {
			return i.hook(t, "PATCH", "/messages/@original", message(words("Here")))
		},
		"follow-up": func(t *testing.T, i arrived) answer { return i.hook(t, "POST", "", message(words("Here"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			i := pressedFor(t, sim)
			i.respond(t, obj{"type": 5, "data": obj{"flags": 64}})
			if a := keep(t, i); a.status != http.StatusOK {
				t.Fatalf("the answer is %d %v", a.status, a.body)
			}
			got := sim.Seat(dana).Messages(deploys)
			if len(got) != 2 || got[1].Thinking || !got[1].OnlyYou || got[1].Flags != v2|64 || !strings.Contains(got[1].Plain, "Here") {
				t.Errorf("Dana has %+v", got)
			}
		})
	}
}

func TestDeferredMessageRejectsV2Flag(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	sim.Expect("defer.flags")
	i := pressedFor(t, sim)
	if a := i.respond(t, obj{"type": 5, "data": obj{"flags": v2}}); a.status != http.StatusNoContent {
		t.Errorf("the answer is %d %v", a.status, a.body)
	}
}

func TestUpdateOfDeletedMessage(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	sim.DeleteMessage(deploys, i.obj["message"].(obj)["id"].(string))
	if a := i.respond(t, obj{"type": 7, "data": message(words("Done"))}); a.code() != 10008 {
		t.Errorf("the answer is %d %v", a.status, a.body)
	}
	i.respond(t, obj{"type": 6})
}

func TestCallbackWithResponse(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	a := askAs(t, sim, "", "POST", i.path()+"/callback?with_response=true", obj{"type": 4, "data": message(words("Thanks"))})
	resource, _ := a.body["resource"].(obj)
	made, _ := resource["message"].(obj)
	if a.status != http.StatusOK || made["channel_id"] != deploys || a.body["interaction"].(obj)["response_message_id"] != made["id"] {
		t.Errorf("the answer is %d %v", a.status, a.body)
	}
}

func TestUnknownCallbacks(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	token := i.obj["token"].(string)
	for path, code := range map[string]int{
		"/interactions/1/" + token + "/callback":                10062,
		"/interactions/" + i.obj["id"].(string) + "/x/callback": 10062,
		"/webhooks/1/" + token:                                  10015,
		"/webhooks/" + appID + "/x":                             50027,
	} {
		if a := askAs(t, sim, "", "POST", path, obj{"type": 6}); a.code() != code {
			t.Errorf("%s: %d %v, want %d", strings.ReplaceAll(path, token, "…"), a.status, a.body, code)
		}
	}
	i.respond(t, obj{"type": 6})
}

func TestInteractionTokenIsRedacted(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	i.respond(t, obj{"type": 6})
	i.hook(t, "POST", "", message(words("x")))
	for _, c := range sim.Calls() {
		if strings.Contains(c.Path, i.obj["token"].(string)) {
			t.Errorf("log: %s", c.Path)
		}
	}
	if n := len(sim.Calls("interaction callback", "create followup message")); n != 2 {
		t.Errorf("%d calls were logged", n)
	}
}

func TestDefaultMentionsOfResponse(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	sim.Expect("allowed_mentions")
	i := pressedFor(t, sim)
	i.respond(t, obj{"type": 4, "data": obj{"content": "<@" + sam + "> <@&400000000000000001> @here"}})
	pinged := sim.Timeline().Events(chatsim.Pinged)
	if len(pinged) != 1 || pinged[0].Person != sam {
		t.Errorf("notified are %v", pinged)
	}
}

func TestEmptyResponse(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	i := pressedFor(t, sim)
	if a := i.respond(t, obj{"type": 4, "data": obj{}}); a.code() != 50006 {
		t.Errorf("the answer is %d %v", a.status, a.body)
	}
	i.respond(t, obj{"type": 5})
	for verb, path := range map[string]string{"PATCH": "/messages/@original", "POST": ""} {
		if a := i.hook(t, verb, path, obj{}); a.code() != 50006 {
			t.Errorf("%s: %d %v", verb, a.status, a.body)
		}
	}
}

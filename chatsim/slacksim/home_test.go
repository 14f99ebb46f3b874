package slacksim_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// homeView is a Home tab with a text and a button.
func homeView(words string) obj {
	return obj{"type": "home", "blocks": append(list{obj{"type": "section", "text": plain(words)}}, actions(button(0))...)}
}

func publishes(t *testing.T, sim *slacksim.Server, person string, view obj, more ...any) obj {
	t.Helper()
	return call(t, sim, "views.publish", with(obj{"user_id": person, "view": view}, more...))
}

func TestHomeTab(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	var received obj
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		received = payload
		return http.StatusOK, ""
	}))
	if reply := publishes(t, sim, "U0000001", homeView("Two questions wait.")); reply["ok"] != true {
		t.Fatal(reply)
	}
	dana := sim.Seat("U0000001").Home()
	if got := dana.Sees(); !strings.Contains(got, "Two questions wait.") || !strings.Contains(got, "[Yes]") || strings.Contains(got, "[Cancel]") {
		t.Errorf("Dana sees\n%s", got)
	}
	for _, elsewhere := range []*slacksim.Seat{sim.Seat("U0000002").Home(), sim.Seat("U0000001")} {
		if got := elsewhere.Sees(); got != "" {
			t.Errorf("who is elsewhere sees\n%s", got)
		}
	}
	if err := dana.Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	view, _ := received["view"].(obj)
	if received["type"] != "block_actions" || view["type"] != "home" || received["container"].(obj)["type"] != "view" || received["channel"] != nil || received["message"] != nil || received["response_url"] != nil {
		t.Errorf("the app received %v", received)
	}
	if err := sim.Seat("U0000002").Home().Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("Sam's press ends with %v", err)
	}
}

func TestPublishReplacesHomeTab(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	first := publishes(t, sim, "U0000001", with(homeView("One."), "external_id", "dana"))["view"].(obj)
	if got := publishes(t, sim, "U0000002", with(homeView("Mine."), "external_id", "dana"))["error"]; got != "duplicate_external_id" {
		t.Errorf("external_id of another person: %v", got)
	}
	second := publishes(t, sim, "U0000001", with(homeView("Two."), "external_id", "dana"), "hash", first["hash"])["view"].(obj)
	if second["id"] != first["id"] || second["hash"] == first["hash"] {
		t.Errorf("%v takes the place of %v", second, first)
	}
	if got := publishes(t, sim, "U0000001", homeView("Late."), "hash", first["hash"])["error"]; got != "hash_conflict" {
		t.Errorf("an old hash: %v", got)
	}
	if got := sim.Seat("U0000001").Home().Sees(); !strings.Contains(got, "Two.") || strings.Contains(got, "Late.") {
		t.Errorf("Dana sees\n%s", got)
	}
}

func TestHomeOpenedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, app := subscribed(t)
		sim.Subscribe(slacksim.EventHomeOpened)
		sim.Grant("xoxb-sim", "chat:write") // It needs no scope.
		sim.Seat("U0000001").OpenHome()
		synctest.Wait()
		publishes(t, sim, "U0000001", homeView("Hello."))
		if got := sim.Seat("U0000001").OpenHome().Sees(); !strings.Contains(got, "Hello.") {
			t.Errorf("Dana sees\n%s", got)
		}
		synctest.Wait()
		got := app.events()
		if len(got) != 2 || got[0]["type"] != "app_home_opened" || got[0]["user"] != "U0000001" || got[0]["tab"] != "home" || got[0]["view"] != nil || got[1]["view"] == nil {
			t.Fatalf("the app received %v", got)
		}
		if channel, _ := got[0]["channel"].(string); !strings.HasPrefix(channel, "D") {
			t.Errorf("the channel is %q", channel)
		}
		sim.Subscribe()
		sim.Seat("U0000001").OpenHome()
		synctest.Wait()
		if n := len(app.events()); n != 2 {
			t.Errorf("received %d events without a subscription", n)
		}
	})
}

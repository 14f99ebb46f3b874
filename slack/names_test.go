package slack

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestPlaceName(t *testing.T) {
	t.Parallel()
	dana := ask.Place{Platform: Name, User: idDana}
	called := func(w *fixture, at ask.Place, first, then string) {
		t.Helper()
		if got := w.c.PlaceName(t.Context(), at); got != first {
			t.Errorf("%s is called %q at first, want %q", at, got, first)
		}
		synctest.Wait()
		if got := w.c.PlaceName(t.Context(), at); got != then {
			t.Errorf("%s is called %q then, want %q", at, got, then)
		}
	}
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		called(w, inChannel, "", "#deploys")
		called(w, ask.Place{Platform: Name, Channel: inChannel.Channel, Thread: "1712345678.000100"}, "#deploys", "#deploys")
		called(w, dana, "", "Dana")
		called(w, ask.Place{Platform: Name, Channel: "C0UNKNOWN"}, "", "")
		called(w, ask.Place{Platform: Name, Channel: "#deploys"}, "", "")
		if n := len(w.sim.Calls("conversations.info")); n != 2 {
			t.Errorf("conversations.info was called %d times for two channels", n)
		}
		if _, err := w.sim.PutChannel(slacksim.Channel{ID: inChannel.Channel, Name: "ships"}); err != nil {
			t.Fatal(err)
		}
		pass(nameLife + time.Minute)
		called(w, inChannel, "#deploys", "#ships")
	})
}

func TestPlaceNameWithoutScope(t *testing.T) {
	t.Parallel()
	inBothModes(t, ackIt, func(t *testing.T, w *fixture) {
		w.sim.Grant(canaryBot, "chat:write")
		for range 3 {
			if got := w.c.PlaceName(t.Context(), inChannel); got != "" {
				t.Errorf("called %q", got)
			}
			synctest.Wait()
		}
		if n := len(w.sim.Calls("conversations.info")); n != 1 {
			t.Errorf("conversations.info was called %d times", n)
		}
		if err := w.c.Ready(); err != nil {
			t.Errorf("not ready for want of names: %v", err)
		}
	})
}

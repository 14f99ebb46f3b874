package discord

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
)

func TestPermalink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		const guild = "100000000000000001"
		for name, tt := range map[string]struct {
			to     ask.Place
			server string
			calls  int // lookups of the channel by Permalink
		}{
			"channel":      {inChannel, guild, 1},
			"named server": {ask.Place{Platform: Name, Installation: guild, Channel: general}, guild, 0},
			"thread":       {inThread, guild, 0}, // The lookup for the post returned the server.
			"person":       {ask.Place{Platform: Name, User: idDana}, "@me", 0},
		} {
			ref := w.post(tt.to, one())
			before := len(w.sim.Calls("get channel"))
			for range 2 {
				want := "https://discord.com/channels/" + tt.server + "/" + ref.Channel + "/" + ref.Message
				if got := w.c.Permalink(t.Context(), tt.to, ref); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if n := len(w.sim.Calls("get channel")) - before; n != tt.calls {
				t.Errorf("%s: looked up %d times, want %d", name, n, tt.calls)
			}
		}
		if got := w.c.Permalink(t.Context(), inChannel, platform.MessageRef{Platform: Name, Channel: deploys, Message: "../x"}); got != "" {
			t.Errorf("invalid message: %q", got)
		}
	})
}

func TestPermalinkInFallbackChannel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil, func(c *Config) { c.DMFallback = general })
		ref := platform.MessageRef{Platform: Name, Channel: general, Message: "400000000000000001"}
		want := "https://discord.com/channels/100000000000000001/" + general + "/400000000000000001"
		if got := w.c.Permalink(t.Context(), ask.Place{Platform: Name, User: idDana}, ref); got != want {
			t.Errorf("Permalink = %q, want %q", got, want)
		}
	})
}

func TestFailedPermalinkIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		ref := w.post(inChannel, one())
		w.sim.Fault("get channel", chatsim.Status(503))
		for range 3 {
			if got := w.c.Permalink(t.Context(), inChannel, ref); got != "" {
				t.Errorf("Permalink = %q during the outage", got)
			}
		}
		if n := len(w.sim.Calls("get channel")); n != 1 {
			t.Errorf("looked up %d times", n)
		}
		time.Sleep(unknownLife)
		if w.c.Permalink(t.Context(), inChannel, ref) == "" {
			t.Error("no permalink after the outage")
		}
	})
}

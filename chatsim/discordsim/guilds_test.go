package discordsim_test

import (
	"net/http"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestBotJoinsAndLeaves(t *testing.T) {
	t.Parallel()
	const own, other = "100000000000000001", "100000000000000002"
	sim := discordsim.Start(t, nil)
	sim.Expect("field.kind")
	ids := func(query string) (out []any) {
		t.Helper()
		got := ask(t, sim, http.MethodGet, "/users/@me/guilds"+query, nil)
		for _, guild := range got.list {
			out = append(out, guild.(obj)["id"])
		}
		return out
	}
	sim.Join(other, "Globex")
	if got := ids(""); len(got) != 2 || got[0] != own || got[1] != other {
		t.Errorf("the bot is in %v", got)
	}
	if got := ids("?limit=1"); len(got) != 1 || got[0] != own {
		t.Errorf("the first page: %v", got)
	}
	if got := ids("?limit=1&after=" + own); len(got) != 1 || got[0] != other {
		t.Errorf("the second page: %v", got)
	}
	if got := ask(t, sim, http.MethodGet, "/users/@me/guilds?limit=201", nil); got.status != http.StatusBadRequest {
		t.Errorf("a page too long: %d", got.status)
	}
	sim.Outage(own)
	sim.Recover(own)
	sim.Leave(own)
	if got := ids(""); len(got) != 1 || got[0] != other {
		t.Errorf("after leaving the bot is in %v", got)
	}
	for path, want := range map[string]int{"/guilds/" + own: 404, "/channels/200000000000000001": http.StatusForbidden} {
		if got := ask(t, sim, http.MethodGet, path, nil); got.status != want {
			t.Errorf("%s after leaving: %d, %v", path, got.status, got.body)
		}
	}
	sim.Join(own, "")
	sim.Leave(other)
	if got := ids(""); len(got) != 1 || got[0] != own {
		t.Errorf("after joining again the bot is in %v", got)
	}
}

package discordsim_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

const (
	guildIntents   = 1<<0 | 1<<9 | 1<<12
	contentIntents = guildIntents | 1<<15
)

// event reads the next event, which must have this name.
func (l line) event(name string) obj {
	l.t.Helper()
	next := l.next()
	if next["t"] != name {
		l.t.Fatalf("%v comes, want %s", next, name)
	}
	d, _ := next["d"].(obj)
	return d
}

func TestGuildCreate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim, "intents", guildIntents)
		guild := l.event("GUILD_CREATE")
		if n := len(guild["channels"].([]any)); guild["name"] != "Sim" || n != 2 {
			t.Errorf("the guild is %v", guild)
		}
	})
}

// Without the privileged intent, a message has its content only if it concerns the bot.
func TestMessageContentIntentMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{PrivilegedIntents: 1 << 15})
		bare, _ := ready(t, sim, "intents", guildIntents)
		bare.event("GUILD_CREATE")
		authors, dm := "", sim.DM(dana)
		first := ask(t, sim, "POST", "/channels/"+deploys+"/messages", obj{"content": "Deploy?", "allowed_mentions": obj{"parse": list{}}, "nonce": "1", "enforce_nonce": true})
		if got := bare.event("MESSAGE_CREATE"); got["content"] != "Deploy?" || got["guild_id"] == nil {
			t.Errorf("the bot's own message comes as %v", got)
		}
		seat := sim.Seat(dana)
		for name, tc := range map[string]struct {
			say  func() (string, error)
			want string
		}{
			"in the guild":        {func() (string, error) { return seat.Say(deploys, "yes") }, ""},
			"naming the bot":      {func() (string, error) { return seat.Say(deploys, "yes <@"+botUser+">") }, "yes <@" + botUser + ">"},
			"in reply to the bot": {func() (string, error) { return seat.Reply(deploys, first.body["id"].(string), "yes") }, "yes"},
			"in a direct message": {func() (string, error) { return seat.Say(dm, "yes") }, "yes"},
		} {
			if _, err := tc.say(); err != nil {
				t.Fatal(err)
			}
			got := bare.event("MESSAGE_CREATE")
			if got["content"] != tc.want {
				t.Errorf("%s: content %q, want %q", name, got["content"], tc.want)
			}
			authors += fmt.Sprint(got["author"])
		}
		if !strings.Contains(authors, "Dana") {
			t.Errorf("the authors are %s", authors)
		}
		if _, err := seat.Reply(deploys, "1", "yes"); err == nil {
			t.Error("a reply to nothing is taken")
		}
	})
}

func TestMessageContentIntent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{PrivilegedIntents: 1 << 15})
		l, _ := ready(t, sim, "intents", contentIntents)
		l.event("GUILD_CREATE")
		id, err := sim.Seat(dana).Say(deploys, "yes")
		if err != nil {
			t.Fatal(err)
		}
		if got := l.event("MESSAGE_CREATE"); got["content"] != "yes" || got["member"] == nil {
			t.Errorf("it comes as %v", got)
		}
		sim.DeleteMessage(deploys, id)
		if got := l.event("MESSAGE_DELETE"); got["id"] != id || got["content"] != nil {
			t.Errorf("the end of it comes as %v", got)
		}
	})
}

// Discord sends no event for each of them.
func TestBulkDeleteEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{Permissions: discordsim.ManageMessages})
		l, _ := ready(t, sim, "intents", guildIntents)
		l.event("GUILD_CREATE")
		gone := list{}
		for range 2 {
			id, err := sim.Seat(dana).Say(deploys, "yes")
			if err != nil {
				t.Fatal(err)
			}
			gone = append(gone, id)
			l.event("MESSAGE_CREATE")
		}
		ask(t, sim, "POST", "/channels/"+deploys+"/messages/bulk-delete", obj{"messages": gone})
		if got := l.event("MESSAGE_DELETE_BULK"); fmt.Sprint(got["ids"]) != fmt.Sprint(gone) || got["channel_id"] != deploys {
			t.Errorf("it comes as %v", got)
		}
	})
}

// A bot that did not ask for messages receives none.
func TestEventIntents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim, "intents", 0)
		if _, err := sim.Seat(dana).Say(deploys, "yes"); err != nil {
			t.Fatal(err)
		}
		sim.AskHeartbeats()
		if next := l.next(); next["op"] != 1.0 {
			t.Errorf("%v comes", next)
		}
	})
}

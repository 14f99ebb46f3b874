package discordsim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestForbiddenMentions(t *testing.T) {
	t.Parallel()
	const mentionable, closed = "400000000000000001", "400000000000000002"
	for name, tc := range map[string]struct {
		denied discordsim.Permission
		pinged string
	}{
		"with the permission":    {0, mentionable + " " + closed + " everyone"},
		"without the permission": {discordsim.MentionEveryone, mentionable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, &discordsim.Options{
				Roles:    []discordsim.Role{{ID: mentionable, Name: "on-call", Mentionable: true}, {ID: closed, Name: "admins"}},
				Channels: []discordsim.Channel{{ID: deploys, Name: "deploys", Denied: tc.denied}},
			})
			put(t, sim, once(obj{
				"content":          "<@&" + mentionable + "> <@&" + closed + "> @everyone",
				"allowed_mentions": obj{"parse": list{"roles", "everyone"}},
			}, 1))
			var pinged []string
			for _, e := range sim.Timeline().Events(chatsim.Pinged) {
				pinged = append(pinged, e.Person)
			}
			if got := strings.Join(pinged, " "); got != tc.pinged {
				t.Errorf("notified are %q, want %q", got, tc.pinged)
			}
		})
	}
}

func TestReplyNeedsHistoryPermission(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	first := put(t, sim, once(question("a1", "Yes"), 1))
	sim.Deny(deploys, discordsim.ReadMessageHistory)
	body := with(once(question("a2", "Yes"), 2), "message_reference", obj{"message_id": first})
	if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", body); a.code() != 160002 {
		t.Errorf("answered with %d %v", a.status, a.body)
	}
}

func TestDirectMessageBurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := &discordsim.Options{}
		for n := range 32 {
			opts.People = append(opts.People, discordsim.Person{ID: fmt.Sprintf("3000000000000001%02d", n), Name: fmt.Sprintf("p%d", n)})
		}
		sim := discordsim.Start(t, opts)
		open := func(n int) answer {
			return ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": opts.People[n].ID})
		}
		for n := range 30 {
			if a := open(n); a.status != http.StatusOK {
				t.Fatalf("conversation %d: %d %v", n, a.status, a.body)
			}
		}
		if a := open(30); a.code() != 40003 || a.status != http.StatusTooManyRequests {
			t.Errorf("one too many: %d %v", a.status, a.body)
		}
		if a := open(0); a.status != http.StatusOK {
			t.Errorf("one that is open: %d %v", a.status, a.body)
		}
		time.Sleep(time.Minute)
		if a := open(31); a.status != http.StatusOK {
			t.Errorf("a minute later: %d %v", a.status, a.body)
		}
	})
}

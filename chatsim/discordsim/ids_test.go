package discordsim_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// Libraries such as discord.py send IDs as numbers, and Discord accepts them.
func TestNumericIDs(t *testing.T) {
	t.Parallel()
	const person, role = 300000000000000001, 400000000000000001
	sim := discordsim.Start(t, &discordsim.Options{Permissions: discordsim.ManageMessages})
	direct := ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": person})
	if direct.status != http.StatusOK || direct.id() == "" {
		t.Errorf("the direct message is %d %v", direct.status, direct.body)
	}
	first := put(t, sim, once(obj{
		"content":          "<@" + dana + "> <@&400000000000000001>",
		"allowed_mentions": obj{"parse": list{}, "users": list{person}, "roles": list{role}},
	}, 1))
	var pinged []string
	for _, e := range sim.Timeline().Events(chatsim.Pinged) {
		pinged = append(pinged, e.Person)
	}
	if !slices.Equal(pinged, []string{dana, "400000000000000001"}) {
		t.Errorf("notified are %q", pinged)
	}
	answered, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	second := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(obj{
		"content": "x", "allowed_mentions": noMentions, "message_reference": obj{"message_id": answered},
	}, 2))
	if second.body["type"] != 19.0 {
		t.Errorf("the reply is %d %v", second.status, second.body)
	}
	if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(message(row(obj{
		"type": 5, "custom_id": "who", "default_values": list{obj{"id": person, "type": "user"}},
	})), 3)); a.status != http.StatusOK {
		t.Errorf("the select is %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages/bulk-delete", obj{"messages": list{answered, 1}}); a.status != http.StatusNoContent {
		t.Errorf("the messages are deleted with %d %v", a.status, a.body)
	}
}

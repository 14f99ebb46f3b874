package discordsim_test

import (
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestMessageUpdateAndDelete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim, "intents", guildIntents)
		l.event("GUILD_CREATE")
		card := ask(t, sim, "POST", "/channels/"+deploys+"/messages", obj{"content": "Deploy?", "allowed_mentions": obj{"parse": list{}}, "nonce": "1", "enforce_nonce": true})
		l.event("MESSAGE_CREATE")
		seat, first := sim.Seat(dana), card.body["id"].(string)
		id, err := seat.Reply(deploys, first, "yes")
		if err != nil {
			t.Fatal(err)
		}
		l.event("MESSAGE_CREATE")
		if err := seat.Rewrite(deploys, id, "no"); err != nil {
			t.Fatal(err)
		}
		if got := l.event("MESSAGE_UPDATE"); got["content"] != "no" || got["edited_timestamp"] == nil || got["message_reference"] == nil {
			t.Errorf("event for an edit: %v", got)
		}
		sim.PreviewLinks(deploys, first)
		if got := l.event("MESSAGE_UPDATE"); got["edited_timestamp"] != nil {
			t.Errorf("event for a link preview: %v", got)
		}
		if sim.Seat(sam).Rewrite(deploys, id, "yes") == nil || sim.Seat(sam).Retract(deploys, id) == nil {
			t.Error("a person edited another person's message")
		}
		if err := seat.Retract(deploys, id); err != nil {
			t.Fatal(err)
		}
		if got := l.event("MESSAGE_DELETE"); got["id"] != id || got["author"] != nil || got["content"] != nil {
			t.Errorf("event for a deletion: %v", got)
		}
	})
}

// A person who turns off the mention replies to the bot, and the bot does not receive the text.
func TestQuietReplyHasNoContent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim, "intents", guildIntents)
		l.event("GUILD_CREATE")
		card := ask(t, sim, "POST", "/channels/"+deploys+"/messages", obj{"content": "Deploy?", "allowed_mentions": obj{"parse": list{}}, "nonce": "1", "enforce_nonce": true})
		l.event("MESSAGE_CREATE")
		if _, err := sim.Seat(dana).ReplyQuietly(deploys, card.body["id"].(string), "yes"); err != nil {
			t.Fatal(err)
		}
		if got := l.event("MESSAGE_CREATE"); got["content"] != "" || got["message_reference"] == nil || len(got["mentions"].([]any)) != 0 {
			t.Errorf("it comes as %v", got)
		}
		if _, err := sim.PutPerson(discordsim.Person{ID: "700000000000000001", Name: "other", Bot: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := sim.ReplyAsBot("700000000000000001", deploys, card.body["id"].(string), "beep"); err != nil {
			t.Fatal(err)
		}
		if got := l.event("MESSAGE_CREATE"); got["author"].(obj)["bot"] != true || got["content"] != "beep" {
			t.Errorf("another bot comes as %v", got)
		}
	})
}

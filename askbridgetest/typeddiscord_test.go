package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/client"
)

// discordTalk types on Discord, where a bot without a privileged intent hears what mentions it.
type discordTalk struct{ chat }

const anotherBot = "700000000000000001"

func newDiscordTalk(t *testing.T) talk {
	t.Helper()
	w := askbridgetest.Start(t, &askbridgetest.Options{
		Platforms: []string{askbridgetest.Discord}, Typed: true,
		Discord: &discordsim.Options{People: []discordsim.Person{
			{ID: ids[askbridgetest.Discord]["dana"], Name: "dana", RealName: "Dana"},
			{ID: ids[askbridgetest.Discord]["sam"], Name: "sam", RealName: "Sam"},
			{ID: ids[askbridgetest.Discord]["kim"], Name: "kim", RealName: "Kim"},
			{ID: anotherBot, Name: "beep", RealName: "Beep", Bot: true},
		}},
	})
	return &discordTalk{chat{t: t, w: w, platform: askbridgetest.Discord}}
}

func (c *discordTalk) Asks(r ask.Request) *client.Request { return c.asks(r) }

func (c *discordTalk) seat(who string) *discordsim.Seat {
	return c.w.Discord.Seat(ids[c.platform][who])
}

func (c *discordTalk) Says(who, text string) string {
	c.t.Helper()
	at := c.card.Delivery[0]
	to := at.Message
	if at.User != "" {
		to = "" // A line in direct messages needs no reply.
	}
	id, err := c.seat(who).Reply(at.Channel, to, text)
	c.ok(err)
	return id
}

func (c *discordTalk) Beside(who, text string) {
	c.t.Helper()
	_, err := c.seat(who).Say("200000000000000001", text)
	c.ok(err)
}

func (c *discordTalk) Rewrites(who, message, text string) {
	c.t.Helper()
	c.ok(c.seat(who).Rewrite(c.card.Delivery[0].Channel, message, text))
}

func (c *discordTalk) Retracts(who, message string) {
	c.t.Helper()
	c.ok(c.seat(who).Retract(c.card.Delivery[0].Channel, message))
}

func (c *discordTalk) Bot(text string) {
	c.t.Helper()
	at := c.card.Delivery[0]
	_, err := c.w.Discord.ReplyAsBot(anotherBot, at.Channel, at.Message, text)
	c.ok(err)
}

// Stranger is nobody: who is not in the server cannot write there.
func (*discordTalk) Stranger(string) {}

func (c *discordTalk) Sees(who string) string { return c.seat(who).Sees() }

func TestAReplyWithoutTheMentionIsHintedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newDiscordTalk(t).(*discordTalk)
		r := c.Asks(ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{ask.YesNo("Deploy?")}})
		at := r.Delivery[0]
		id, err := c.seat("dana").ReplyQuietly(at.Channel, at.Message, "yes")
		c.ok(err)
		if got := ends(t, c, r); got.State != ask.Open {
			t.Fatalf("what the bot cannot read has answered: %+v", got)
		}
		if !strings.Contains(c.Sees("dana"), "cannot read a reply that does not mention it") || strings.Contains(c.Sees("sam"), "cannot read") {
			t.Errorf("Dana alone should be told how to reply:\n%s", c.Sees("dana"))
		}
		c.w.Discord.PreviewLinks(at.Channel, id)
		c.Says("dana", "yes")
		if got := ends(t, c, r); got.State != ask.Answered || got.Answers[0].Selected[0] != "Yes" || got.By.Name != "Dana" {
			t.Fatalf("it ends as %+v", got)
		}
	})
}

func TestOverHTTPAloneDiscordTellsNothingOfMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}})
		_, err := w.Client.Submit(t.Context(), ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{ask.YesNo("Deploy?")}})
		if err == nil || !strings.Contains(err.Error(), "do not arrive over HTTP") {
			t.Errorf("a request that nobody could answer so is taken: %v", err)
		}
	})
}

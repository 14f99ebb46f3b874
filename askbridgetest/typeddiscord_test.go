package askbridgetest_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/client"
)

// discordTalk types on Discord, where a bot without the privileged intent receives only mentions, replies and direct
// messages.
type discordTalk struct{ chat }

const (
	anotherBot = "700000000000000001"
	deploys    = "200000000000000001"
)

func newDiscordTalk(t *testing.T) talk {
	t.Helper()
	return discordTalkWith(t, &discordsim.Options{})
}

func discordTalkWith(t *testing.T, opts *discordsim.Options) *discordTalk {
	t.Helper()
	opts.People = append(opts.People, []discordsim.Person{
		{ID: ids[askbridgetest.Discord]["dana"], Name: "dana", RealName: "Dana"},
		{ID: ids[askbridgetest.Discord]["sam"], Name: "sam", RealName: "Sam"},
		{ID: ids[askbridgetest.Discord]["kim"], Name: "kim", RealName: "Kim"},
		{ID: anotherBot, Name: "beep", RealName: "Beep", Bot: true},
	}...)
	w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}, Typed: true, Discord: opts})
	return &discordTalk{chat{t: t, w: w, platform: askbridgetest.Discord}}
}

// call makes an API call as the bot, without the bridge.
func (c *discordTalk) call(path, body string) error {
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.w.Discord.APIURL()+"/v10/"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bot discord-sim-token")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "DiscordBot (https://example.com, 1)")
	answer, err := c.w.Discord.Client().Do(r)
	if err != nil {
		return err
	}
	if answer.StatusCode > 299 {
		err = errors.New(answer.Status)
	}
	return errors.Join(err, answer.Body.Close())
}

// purge deletes several messages at once.
func (c *discordTalk) purge(messages ...string) error {
	return c.call("channels/"+deploys+"/messages/bulk-delete", `{"messages":["`+strings.Join(messages, `","`)+`"]}`)
}

func (c *discordTalk) Asks(r ask.Request) *client.Request { return c.asks(r) }

func (c *discordTalk) seat(who string) *discordsim.Seat {
	return c.w.Discord.Seat(ids[c.platform][who])
}

func (c *discordTalk) Types(who, text string) string {
	c.t.Helper()
	at := c.card.Delivery[0]
	to := at.Message
	if at.User != "" {
		to = "" // No reply is needed in direct messages.
	}
	id, err := c.seat(who).Reply(at.Channel, to, text)
	c.ok(err)
	return id
}

func (c *discordTalk) TypesElsewhere(who, text string) {
	c.t.Helper()
	_, err := c.seat(who).Say(deploys, text)
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

// Stranger does nothing: people outside the server cannot write there.
func (*discordTalk) Stranger(string) {}

func (c *discordTalk) Sees(who string) string { return c.seat(who).Sees() }

func TestReplyWithoutMentionGetsHint(t *testing.T) {
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
		if !strings.Contains(c.Sees("dana"), "only reads replies with a mention (@)") || strings.Contains(c.Sees("sam"), "cannot read") {
			t.Errorf("want a note only to Dana how to reply:\n%s", c.Sees("dana"))
		}
		c.w.Discord.PreviewLinks(at.Channel, id)
		c.Types("dana", "yes")
		if got := ends(t, c, r); got.State != ask.Answered || got.Answers[0].Selected[0] != "Yes" || got.By.Name != "Dana" {
			t.Fatalf("it ends as %+v", got)
		}
	})
}

// TestManyMentionsDoNotExhaustDirectMessages: Discord treats too many new direct messages as spam and then refuses
// further ones.
func TestManyMentionsDoNotExhaustDirectMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		crowd := make([]discordsim.Person, 100)
		for n := range crowd {
			crowd[n] = discordsim.Person{ID: fmt.Sprint(300000000000001000 + n), Name: fmt.Sprint("p", n)}
		}
		c := discordTalkWith(t, &discordsim.Options{People: crowd})
		r := c.Asks(ask.Request{
			Questions: []ask.Question{ask.YesNo("Deploy?")},
			Replies:   ask.Replies{Mode: ask.RepliesLabels}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2},
		})
		vote := c.Types("dana", r.Code+": Yes")
		notes := 0
		for _, p := range crowd {
			if _, err := c.w.Discord.Seat(p.ID).Say(deploys, "<@500000000000000001> hello"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		c.Rewrites("dana", vote, r.Code+": Yes, or wait")
		time.Sleep(time.Minute)
		if !strings.Contains(c.Sees("dana"), "Your vote is taken back") {
			t.Errorf("no note to Dana that her vote was withdrawn:\n%s", c.Sees("dana"))
		}
		for _, p := range crowd {
			if strings.Contains(c.w.Discord.Seat(p.ID).Sees(), "No open question here") {
				notes++
			}
		}
		if notes < 10 || notes > 15 {
			t.Errorf("%d of %d people got a note", notes, len(crowd))
		}
		if err := c.call("users/@me/channels", `{"recipient_id":"`+ids[askbridgetest.Discord]["kim"]+`"}`); err != nil {
			t.Errorf("cannot ask in a direct message: %v", err)
		}
	})
}

// A vote whose message was deleted no longer counts.
func TestVoteOfDeletedMessageIsWithdrawn(t *testing.T) {
	t.Parallel()
	const thread, bot = "200000000000000009", "<@500000000000000001> "
	for name, tt := range map[string]struct {
		place ask.Place
		vote  func(c *discordTalk, text string) (string, error)
		undo  func(c *discordTalk, message string) error
	}{
		"deleted by a moderator, with others": {
			ask.Place{Channel: deploys},
			func(c *discordTalk, text string) (string, error) { return c.Types("dana", text), nil },
			func(c *discordTalk, message string) error {
				other, err := c.seat("sam").Say(deploys, "lunch?")
				return errors.Join(err, c.purge(message, other))
			},
		},
		"in a thread, edited so that it does not name the bot": {
			ask.Place{Channel: deploys, Thread: thread},
			func(c *discordTalk, text string) (string, error) { return c.seat("dana").Say(thread, bot+text) },
			func(c *discordTalk, message string) error {
				return c.seat("dana").Rewrite(thread, message, "let me look")
			},
		},
		"in a reply, edited so that it does not name the bot": {
			ask.Place{Channel: deploys},
			func(c *discordTalk, text string) (string, error) {
				return c.seat("dana").ReplyQuietly(deploys, c.card.Delivery[0].Message, bot+text)
			},
			func(c *discordTalk, message string) error {
				return c.seat("dana").Rewrite(deploys, message, "let me look")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := discordTalkWith(t, &discordsim.Options{
					Permissions: discordsim.ManageMessages,
					Channels:    []discordsim.Channel{{ID: deploys, Name: "deploys"}, {ID: thread, Name: "deploy-4.2", Parent: deploys}},
				})
				tt.place.Platform = askbridgetest.Discord
				r := c.Asks(ask.Request{
					To: []ask.Place{tt.place}, Questions: []ask.Question{ask.YesNo("Deploy?")},
					Replies: ask.Replies{Mode: ask.RepliesLabels}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2},
				})
				id, err := tt.vote(c, r.Code+": Yes")
				c.ok(err)
				if got := ends(t, c, r); got.Voted != 1 {
					t.Fatalf("the vote does not count: %+v", got)
				}
				time.Sleep(time.Second)
				c.ok(tt.undo(c, id))
				if got := ends(t, c, r); got.Voted != 0 {
					t.Errorf("it still counts: %+v", got)
				}
			})
		})
	}
}

func TestRevertedVoteIsAnnouncedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newDiscordTalk(t).(*discordTalk)
		r := c.Asks(ask.Request{
			Questions: []ask.Question{ask.YesNo("Deploy?")},
			Replies:   ask.Replies{Mode: ask.RepliesLabels}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2},
		})
		vote := c.Types("dana", r.Code+": Yes")
		for _, text := range []string{"No", "Yes"} {
			time.Sleep(10 * time.Second)
			c.Rewrites("dana", vote, r.Code+": "+text)
		}
		synctest.Wait()
		if n := strings.Count(c.Sees("sam"), "“Yes”"); n != 2 {
			t.Errorf("%d announcements of Dana's vote Yes, want 2:\n%s", n, c.Sees("sam"))
		}
	})
}

func TestMessageInCardThreadAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newDiscordTalk(t).(*discordTalk)
		r := c.Asks(ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{ask.YesNo("Deploy?")}})
		card := r.Delivery[0].Message
		c.ok(c.call("channels/"+deploys+"/messages/"+card+"/threads", `{"name":"deploy"}`))
		_, err := c.seat("dana").Say(card, "<@500000000000000001> yes")
		c.ok(err)
		if got := ends(t, c, r); got.State != ask.Answered || got.By.Name != "Dana" {
			t.Errorf("it ends as %+v", got)
		}
	})
}

func TestHTTPModeReceivesNoMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}})
		_, err := w.Client.Submit(t.Context(), ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{ask.YesNo("Deploy?")}})
		if err == nil || !strings.Contains(err.Error(), "do not arrive over HTTP") {
			t.Errorf("a request that cannot be answered by message was accepted: %v", err)
		}
	})
}

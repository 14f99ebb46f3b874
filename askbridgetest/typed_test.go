package askbridgetest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

// talk is a channel in which people answer by typing, on either platform.
type talk interface {
	// Asks submits a request, in a thread of its own or as a direct message, and returns once the card is posted.
	Asks(r ask.Request) *client.Request
	// Prompts has Claude Code ask for a permission that messages can answer.
	Prompts() *client.Request
	// Types has a person write below the card and returns the message ID.
	Types(who, text string) (message string)
	// TypesElsewhere has a person write outside the card's conversation.
	TypesElsewhere(who, text string)
	Rewrites(who, message, text string)
	Retracts(who, message string)
	Bot(text string)
	Stranger(text string)
	// Sees returns everything a person can see.
	Sees(who string) string
}

// chat is the part that both platforms have in common.
type chat struct {
	t        *testing.T
	w        *askbridgetest.World
	platform string
	card     *client.Request
}

func (c *chat) asks(r ask.Request) *client.Request {
	c.t.Helper()
	got, err := c.w.Client.Submit(c.t.Context(), r)
	if err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	if got, err = c.w.Client.Get(c.t.Context(), got.ID); err != nil {
		c.t.Fatal(err)
	}
	c.card = got
	return got
}

func (c *chat) Prompts() *client.Request {
	c.t.Helper()
	const input = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"}}`
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.w.URL+"/v1/ask/claude?responders=anyone&replies=text", strings.NewReader(input))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.w.HTTP.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.ok(answer.Body.Close())
	if c.card, err = c.w.Client.Get(c.t.Context(), answer.Header.Get(client.HeaderRequestID)); err != nil {
		c.t.Fatal(answer.Status, err)
	}
	return c.card
}

func (c *chat) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
}

// slackTalk types in Slack.
type slackTalk struct{ chat }

func newSlackTalk(t *testing.T) talk {
	t.Helper()
	w := askbridgetest.Start(t, &askbridgetest.Options{
		Platforms: []string{askbridgetest.Slack}, Typed: true,
		Slack: &slacksim.Options{
			People: []slacksim.Person{
				{ID: "U0000001", Name: "dana", RealName: "Dana"},
				{ID: "U0000002", Name: "sam", RealName: "Sam"},
				{ID: "U0000003", Name: "kim", RealName: "Kim"},
				{ID: "U0000B08", Name: "beep", RealName: "Beep", Bot: true},
				{ID: "U0000077", Name: "lou", RealName: "Lou", Team: "T0000077"},
			},
		},
	})
	return &slackTalk{chat{t: t, w: w, platform: askbridgetest.Slack}}
}

func (c *slackTalk) Asks(r ask.Request) *client.Request { return c.asks(r) }

func (c *slackTalk) place() (channel, thread string) {
	at := c.card.Delivery[0]
	if at.User != "" {
		return at.Channel, ""
	}
	if at.Thread != "" {
		return at.Channel, at.Thread
	}
	return at.Channel, at.Message
}

func (c *slackTalk) seat(who string) *slacksim.Seat { return c.w.Slack.Seat(ids[c.platform][who]) }

func (c *slackTalk) Types(who, text string) string {
	c.t.Helper()
	channel, thread := c.place()
	ts, err := c.seat(who).Say(channel, thread, text)
	c.ok(err)
	return ts
}

func (c *slackTalk) TypesElsewhere(who, text string) {
	c.t.Helper()
	_, err := c.seat(who).Say("C0000001", "", text)
	c.ok(err)
}

func (c *slackTalk) Rewrites(who, message, text string) {
	c.t.Helper()
	channel, _ := c.place()
	c.ok(c.seat(who).Rewrite(channel, message, text))
}

func (c *slackTalk) Retracts(who, message string) {
	c.t.Helper()
	channel, _ := c.place()
	c.ok(c.seat(who).Retract(channel, message))
}

func (c *slackTalk) Bot(text string) {
	c.t.Helper()
	channel, thread := c.place()
	_, err := c.w.Slack.SayAsBot("U0000B08", channel, thread, text)
	c.ok(err)
}

func (c *slackTalk) Stranger(text string) {
	c.t.Helper()
	channel, thread := c.place()
	_, err := c.w.Slack.Seat("U0000077").Say(channel, thread, text)
	c.ok(err)
}

func (c *slackTalk) Sees(who string) string { return c.seat(who).Sees() }

// talks lists the platforms on which every typing scene runs.
var talks = map[string]func(t *testing.T) talk{askbridgetest.Slack: newSlackTalk, askbridgetest.Discord: newDiscordTalk}

// onEach runs a scene on each platform.
func onEach(t *testing.T, play func(t *testing.T, c talk, at func(who string) ask.Request)) {
	t.Helper()
	for name, open := range talks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				play(t, open(t), func(who string) ask.Request {
					r := ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{{
						Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}},
					}}}
					if who != "" {
						r.To = []ask.Place{{Platform: name, User: ids[name][who]}}
					}
					return r
				})
			})
		})
	}
}

// ends returns the final state of the request.
func ends(t *testing.T, c talk, r *client.Request) *client.Request {
	t.Helper()
	synctest.Wait()
	got, err := world(c).Client.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func world(c talk) *askbridgetest.World {
	switch c := c.(type) {
	case *slackTalk:
		return c.w
	case *discordTalk:
		return c.w
	}
	return nil
}

func TestThreadMessageAnswers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		r := c.Asks(at(""))
		if r.Replies == nil || len(r.Code) != 4 || !strings.Contains(c.Sees("kim"), "with a label or its number") || strings.Contains(c.Sees("kim"), r.Code) {
			t.Fatalf("the card does not say how to reply, without code %q:\n%s", r.Code, c.Sees("kim"))
		}
		c.Bot("Postgres")
		c.Stranger("Postgres")
		c.Types("dana", "sqlite")
		got := ends(t, c, r)
		if got.State != ask.Answered || got.Answers[0].Selected[0] != "SQLite" || got.By.Name != "Dana" {
			t.Fatalf("it ends as %+v", got)
		}
		if sees := c.Sees("kim"); !strings.Contains(sees, "Taken as the answer of Dana: “SQLite”.") {
			t.Errorf("no note in the thread:\n%s", sees)
		}
	})
}

func TestDirectMessageAnswersOnlyQuestion(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		first := c.Asks(at("dana"))
		other := at("dana")
		other.Questions[0].Text = "Which region?"
		second := c.Asks(other)
		c.Types("dana", "1")
		if sees := c.Sees("dana"); !strings.Contains(sees, "Several questions are open here") || !strings.Contains(sees, first.Code+": …") {
			t.Fatalf("Dana is not asked which one is meant:\n%s", sees)
		}
		c.Types("dana", second.Code+": 2")
		if got := ends(t, c, second); got.State != ask.Answered || got.Answers[0].Selected[0] != "SQLite" {
			t.Fatalf("the one with the code ends as %+v", got)
		}
		if got := ends(t, c, first); got.State != ask.Open {
			t.Fatalf("the other one ends as %+v", got)
		}
		c.Types("dana", "1")
		if got := ends(t, c, first); got.State != ask.Answered || got.Answers[0].Selected[0] != "Postgres" {
			t.Fatalf("the last one ends as %+v", got)
		}
		c.Types("dana", "1")
		time.Sleep(10 * time.Second) // Discord allows five messages in five seconds.
		synctest.Wait()
		if sees := c.Sees("dana"); !strings.Contains(sees, "No open question here") {
			t.Errorf("no note to Dana that nothing is open:\n%s", sees)
		}
	})
}

func TestThreadTalkIsNoAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		request := at("")
		request.Responders = []string{platformOf(c) + ":" + ids[platformOf(c)]["dana"]}
		r := c.Asks(request)
		c.Bot("Postgres")
		c.Stranger("Postgres")
		c.Types("sam", "Postgres") // Sam is no responder.
		c.TypesElsewhere("dana", "Postgres")
		c.Types("dana", "btw the app got stuck, not Postgres")
		c.Types("dana", "let me look")
		if got := ends(t, c, r); got.State != ask.Open {
			t.Fatalf("talk has answered it: %+v", got)
		}
		if sees := c.Sees("sam"); strings.Contains(sees, "not taken") || strings.Contains(sees, "not yours to answer") || strings.Contains(sees, "Taken as") {
			t.Errorf("a note about an unrelated message:\n%s", sees)
		}
		hints := map[string]int{askbridgetest.Slack: 1, askbridgetest.Discord: 2}[platformOf(c)] // On Discord, a reply addresses the bot.
		if n := strings.Count(c.Sees("dana"), "That was not taken as an answer."); n != hints {
			t.Errorf("%d notes to Dana that her message did not count, want 1:\n%s", n, c.Sees("dana"))
		}
		c.Types("dana", "Postgres")
		if got := ends(t, c, r); got.State != ask.Answered {
			t.Fatalf("her answer does not count: %+v", got)
		}
	})
}

func platformOf(c talk) string {
	switch c := c.(type) {
	case *slackTalk:
		return c.platform
	case *discordTalk:
		return c.platform
	}
	return ""
}

func TestTypedVoteFollowsItsMessage(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		request := at("")
		request.Voting = ask.Voting{Mode: ask.Quorum, Need: 2}
		r := c.Asks(request)
		c.Types("dana", "Postgres")
		if got := ends(t, c, r); got.Voted != 0 {
			t.Fatalf("a label without the code is a vote: %+v", got)
		}
		vote := c.Types("dana", r.Code+": Postgres")
		if got := ends(t, c, r); got.Voted != 1 || got.Votes[0].Choices[0].Selected[0] != "Postgres" {
			t.Fatalf("the vote does not count: %+v", got)
		}
		c.Rewrites("dana", vote, r.Code+": SQLite")
		if got := ends(t, c, r); got.Voted != 1 || got.Votes[0].Choices[0].Selected[0] != "SQLite" {
			t.Fatalf("the change does not count: %+v", got)
		}
		c.Rewrites("dana", vote, r.Code+": SQLite, or wait")
		if got := ends(t, c, r); got.Voted != 0 {
			t.Fatalf("the vote before the edit still counts: %+v", got)
		}
		c.Rewrites("dana", vote, r.Code+": Postgres")
		c.Retracts("dana", vote)
		if got := ends(t, c, r); got.Voted != 0 {
			t.Fatalf("what is deleted still counts: %+v", got)
		}
		c.Types("dana", r.Code+": Postgres")
		c.Types("sam", r.Code+": postgres")
		if got := ends(t, c, r); got.State != ask.Answered || got.Answers[0].Selected[0] != "Postgres" {
			t.Fatalf("two agree and it ends as %+v", got)
		}
	})
}

// Other people type below the vote, so Slack leaves a tombstone and reports an edit.
func TestDeletedVoteWithRepliesIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlackTalk(t).(*slackTalk)
		r := c.Asks(ask.Request{
			To: []ask.Place{{Platform: askbridgetest.Slack, User: "U0000001"}}, Questions: []ask.Question{ask.YesNo("Deploy?")},
			Replies: ask.Replies{Mode: ask.RepliesLabels}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2},
		})
		vote := c.Types("dana", r.Code+": Yes")
		if got := ends(t, c, r); got.Voted != 1 {
			t.Fatalf("the vote does not count: %+v", got)
		}
		channel, _ := c.place()
		_, err := c.seat("dana").Say(channel, vote, "or rather not")
		c.ok(err)
		c.Retracts("dana", vote)
		if got := ends(t, c, r); got.Voted != 0 {
			t.Errorf("it still counts: %+v", got)
		}
	})
}

func TestTypedApprovalNeedsLabelAndCode(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, _ func(string) ask.Request) {
		r := c.Prompts()
		for _, text := range []string{"Allow", "yes", "1", "a", "ok", r.Code + ": yes", r.Code + ": 1", r.Code + ": allow it", r.Code + ": other: fine"} {
			c.Types("dana", text)
			time.Sleep(10 * time.Second) // Discord allows five messages in five seconds.
			if got := ends(t, c, r); got.State != ask.Open {
				t.Fatalf("%q has decided it: %+v", text, got)
			}
		}
		c.Types("dana", r.Code+": Allow")
		if got := ends(t, c, r); got.State != ask.Answered || got.Answers[0].Selected[0] != "Allow" {
			t.Fatalf("it ends as %+v", got)
		}
	})
}

func TestTypedFreeText(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		request := at("")
		request.Replies.Mode = ask.RepliesText
		request.Questions = append(request.Questions, ask.Question{Text: "Why?"})
		r := c.Asks(request)
		c.Types("dana", "other: MySQL\nbecause <we> & they know it")
		got := ends(t, c, r)
		if got.State != ask.Answered || got.Answers[0].Other != "MySQL" || got.Answers[1].Other != "because <we> & they know it" {
			t.Fatalf("it ends as %+v", got)
		}
	})
}

func TestUntypableRequestIsRejected(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		for name, change := range map[string]func(*ask.Request){
			"a mode that is none":     func(r *ask.Request) { r.Replies.Mode = "words" },
			"a language that is none": func(r *ask.Request) { r.Replies.Languages = []string{"tlh"} },
			"votes that are secret":   func(r *ask.Request) { r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2, Show: ask.ShowSealed} },
		} {
			request := at("")
			change(&request)
			_, err := world(c).Client.Submit(context.Background(), request)
			if err == nil || !strings.Contains(err.Error(), "no question was asked; replies.") {
				t.Errorf("%s: %v, want a problem with replies", name, err)
			}
		}
	})
}

func TestRedeliveredEventIsOneAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlackTalk(t).(*slackTalk)
		r := c.Asks(ask.Request{
			Replies: ask.Replies{Mode: ask.RepliesLabels}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2},
			Questions: []ask.Question{{Text: "Deploy?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
		})
		c.w.Slack.Fault(slacksim.Events, chatsim.LoseReply()) // The acknowledgement is lost.
		c.Types("dana", "<@U0000BOT> "+r.Code+": yes")
		time.Sleep(10 * time.Minute)
		got := ends(t, c, r)
		if got.Voted != 1 || strings.Count(c.Sees("kim"), "Taken as the vote of Dana") != 1 {
			t.Errorf("%d have voted:\n%s", got.Voted, c.Sees("kim"))
		}
	})
}

func TestRedeliveredMessageIsOneAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ to, text string }{
		"a direct message":        {"U0000001", "1"},
		"a mention in the thread": {"", "<@U0000BOT> 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newSlackTalk(t).(*slackTalk)
				question := ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{{
					Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}},
				}}}
				if tt.to != "" {
					question.To = []ask.Place{{Platform: askbridgetest.Slack, User: tt.to}}
				}
				first := c.Asks(question)
				c.w.Slack.Fault(slacksim.Events, chatsim.LoseReply().Always()) // The acknowledgements are lost.
				c.Types("dana", tt.text)
				if got := ends(t, c, first); got.State != ask.Answered {
					t.Fatalf("it ends as %+v", got)
				}
				question.Questions[0].Text = "Which region?"
				if tt.to == "" {
					question.To = []ask.Place{{Platform: askbridgetest.Slack, Channel: first.Delivery[0].Channel, Thread: first.Delivery[0].Message}}
				}
				next := c.Asks(question)
				time.Sleep(10 * time.Minute)
				if got := ends(t, c, next); got.State != ask.Open {
					t.Errorf("the next question is answered with the words for the one before: %+v", got.Answers)
				}
				if sees := c.Sees("dana"); strings.Contains(sees, "Nothing was recorded") {
					t.Errorf("a note to Dana that her answer was not recorded:\n%s", sees)
				}
			})
		})
	}
}

func TestEditAfterEndAnswersNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		first := c.Asks(at("dana"))
		other := at("dana")
		other.Questions[0].Text = "Which region?"
		next := c.Asks(other)
		answer := c.Types("dana", first.Code+": 1")
		if got := ends(t, c, first); got.State != ask.Answered {
			t.Fatalf("the one that is meant ends as %+v", got)
		}
		c.Rewrites("dana", answer, "2")
		if got := ends(t, c, next); got.State != ask.Open {
			t.Errorf("it is answered with the words for the one before: %+v", got.Answers)
		}
	})
}

func TestEmptyMentionGetsHint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlackTalk(t).(*slackTalk)
		c.Asks(ask.Request{Replies: ask.Replies{Mode: ask.RepliesLabels}, Questions: []ask.Question{{
			Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}},
		}}})
		c.Types("dana", "<@U0000BOT> let me look")
		if sees := c.Sees("dana"); strings.Count(sees, "That was not taken as an answer.") != 1 {
			t.Errorf("Dana sees:\n%s", sees)
		}
	})
}

package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// lateOnSlack has Dana answer a question in a direct message that reaches the bridge a minute late, through Slack's
// retry, while something else happens. It returns the final state.
func lateOnSlack(t *testing.T, meanwhile func(c *slackTalk, question ask.Request) (id string)) (*slackTalk, ask.State) {
	t.Helper()
	c := newSlackTalk(t).(*slackTalk)
	question := ask.Request{
		Replies: ask.Replies{Mode: ask.RepliesLabels}, To: []ask.Place{{Platform: askbridgetest.Slack, User: "U0000001"}},
		Questions: []ask.Question{{Text: "Deploy to staging?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
	}
	c.Asks(question)
	c.w.Slack.Fault(slacksim.Events, chatsim.Drop().Times(2))
	c.Types("dana", "yes")
	time.Sleep(time.Second)
	question.Questions = []ask.Question{{Text: "Deploy to production?", Options: question.Questions[0].Options}}
	id := meanwhile(c, question)
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	r, err := c.w.Client.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c, r.State
}

func TestDelayedMessageDoesNotAnswerNewerRequest(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(c *slackTalk, question ask.Request) string{
		"the agent revises its request": func(c *slackTalk, question ask.Request) string {
			r, err := c.w.Client.Revise(c.t.Context(), c.card.ID, ask.Revision{Questions: question.Questions})
			if err != nil {
				c.t.Fatal(err)
			}
			return r.ID
		},
		"the agent withdraws it and asks something else": func(c *slackTalk, question ask.Request) string {
			if _, err := c.w.Client.Cancel(c.t.Context(), c.card.ID, "not needed"); err != nil {
				c.t.Fatal(err)
			}
			return c.Asks(question).ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, state := lateOnSlack(t, meanwhile)
				if state != ask.Open {
					t.Errorf("Dana's message about staging made the request about production %s:\n%s", state, c.Sees("dana"))
				}
			})
		})
	}
}

// Dana writes, sees no effect, presses, and takes it back. Then her message arrives.
func TestDelayedMessageDoesNotRedoUndoneDecision(t *testing.T) {
	t.Parallel()
	for name, voting := range map[string]ask.Voting{"one decides": {}, "two decide": {Mode: ask.Quorum, Need: 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newSlackTalk(t).(*slackTalk)
				request := ask.Request{
					Replies: ask.Replies{Mode: ask.RepliesLabels}, Hold: 20 * time.Second, Voting: voting,
					Questions: []ask.Question{{Text: "Deploy to production?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
				}
				r := c.Asks(request)
				if voting.Mode != "" {
					presses(t, c, "sam", "Yes")
				}
				c.w.Slack.Fault(slacksim.Events, chatsim.Drop().Times(2))
				c.Types("dana", r.Code+": Yes")
				time.Sleep(time.Second)
				presses(t, c, "dana", "Yes")
				presses(t, c, "dana", "Undo")
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if got := ends(t, c, r); got.State != ask.Open {
					t.Errorf("it ends as %s, %+v, by what Dana wrote before she took it back:\n%s", got.State, got.Answers, c.Sees("dana"))
				}
				if sees := c.Sees("dana"); !strings.Contains(sees, "Decided and undone in the meantime. Nothing was recorded. Please write again.") {
					t.Errorf("no note to Dana that her message does not count:\n%s", sees)
				}
				c.Types("dana", r.Code+": No")
				time.Sleep(time.Minute)
				if got := ends(t, c, r); voting.Mode == "" && got.State != ask.Answered {
					t.Errorf("what she writes after the undo is taken for nothing: %s\n%s", got.State, c.Sees("dana"))
				}
			})
		})
	}
}

func TestEditedMessageAboveRepostedCardChangesVote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlackTalk(t).(*slackTalk)
		r := c.Asks(ask.Request{
			Replies: ask.Replies{Mode: ask.RepliesLabels}, To: []ask.Place{{Platform: askbridgetest.Slack, User: "U0000001"}}, Hold: 10 * time.Minute,
			Questions: []ask.Question{{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
		})
		answer := c.Types("dana", "1")
		c.w.Slack.DeleteMessage(r.Delivery[0].Channel, r.Delivery[0].Message)
		time.Sleep(time.Second)
		if _, err := c.w.Client.Resend(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if again := ends(t, c, r).Delivery[0]; again.Message == r.Delivery[0].Message || again.State != "posted" {
			t.Fatalf("the card was not put back: %+v", again)
		}
		c.Rewrites("dana", answer, "2")
		time.Sleep(20 * time.Minute)
		if got := ends(t, c, r); got.State != ask.Answered || got.Answers[0].Selected[0] != "SQLite" {
			t.Errorf("it ends as %s, %+v", got.State, got.Answers)
		}
	})
}

// Dana sees no effect of her message and changes her mind.
func TestDelayedMessageIsIgnoredAfterEdit(t *testing.T) {
	t.Parallel()
	for name, regret := range map[string]func(c *slackTalk, message string){
		"deleted":              func(c *slackTalk, message string) { c.Retracts("dana", message) },
		"changed to no answer": func(c *slackTalk, message string) { c.Rewrites("dana", message, "let me look first") },
		"changed and then deleted": func(c *slackTalk, message string) {
			c.Rewrites("dana", message, "let me look first")
			c.Retracts("dana", message)
		},
	} {
		play := func(t *testing.T, to []ask.Place) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newSlackTalk(t).(*slackTalk)
				r := c.Asks(ask.Request{
					Replies: ask.Replies{Mode: ask.RepliesLabels}, To: to,
					Questions: []ask.Question{{Text: "Deploy to production?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
				})
				c.w.Slack.Fault(slacksim.Events, chatsim.Drop().Times(2))
				message := c.Types("dana", "yes")
				time.Sleep(time.Second)
				regret(c, message)
				time.Sleep(10 * time.Minute)
				if got := ends(t, c, r); got.State != ask.Open {
					t.Errorf("it ends as %s, %+v, by what Dana does not say any more:\n%s", got.State, got.Answers, c.Sees("dana"))
				}
			})
		}
		t.Run(name, func(t *testing.T) { play(t, []ask.Place{{Platform: askbridgetest.Slack, User: "U0000001"}}) })
		t.Run(name+" in the thread", func(t *testing.T) { play(t, nil) })
	}
}

package askbridgetest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
)

// During an upgrade, a channel has cards of the version before More. Every button on them still works.
func TestButtonsOfCardBeforeMoreStillWork(t *testing.T) {
	t.Parallel()
	for n, name := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
				made, err := w.Client.Submit(t.Context(), ask.Request{
					Agent: "deploy-bot", Questions: []ask.Question{{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}},
					Voting: ask.Voting{Mode: ask.Quorum, Need: 2, Dismiss: 2}, AskBack: ask.AskBackStay,
					Schedule: ask.Schedule{PassOn: true, ClaimFor: ask.MaxHold, Steps: []ask.Step{{After: ask.MaxHold, Do: ask.Remind}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				r, err := w.Bridge.Load(t.Context(), made.ID)
				if err != nil {
					t.Fatal(err)
				}
				at := oldCard{t, w, name, made.ID, r.Copies[0].Ref}
				seat := func(person string) chatsim.Hand {
					return chatsim.Hand{Seat: rooms(w)[n].seat(person, r.Copies[0].Ref.Channel)}
				}
				dana, sam, kim := seat("dana"), seat("sam"), seat("kim")

				at.press(dana, "✎ Ask…", "Ask the agent")
				at.does(dana.Write(t.Context(), "", "Are there backups?"), dana.Submit(t.Context()))
				at.sees(dana, "asked: Are there backups?")
				at.press(dana, "✓ I'm on it", "On it:")
				at.press(dana, "✎ Pass to…", "Person to answer instead")
				at.does(dana.Dismiss(t.Context()))
				at.press(dana, "Deploy", "Deploy 1 of 2")
				at.press(dana, "‹ Take my vote back", "Your vote is taken back.")
				at.press(sam, "✕ Dismiss…", "Dismiss this question?")
				at.does(sam.Submit(t.Context()))
				at.sees(sam, "To dismiss 1 of 2")
				at.press(kim, "✎ Other…", "Other answer")
				at.does(kim.Dismiss(t.Context()))
				at.press(kim, "✕ Dismiss…", "Dismiss this question?")
				at.does(kim.Submit(t.Context()))
				at.sees(kim, "Dismissed")
				if r, err := w.Client.Get(t.Context(), made.ID); err != nil || r.State != ask.Cancelled {
					t.Errorf("the request is %+v, %v", r, err)
				}
				if sees := kim.Sees(); strings.Contains(sees, "✕ Dismiss…") {
					t.Errorf("the card still has controls:\n%s", sees)
				}
			})
		})
	}
}

// oldCard is a card as the version before More drew it.
type oldCard struct {
	*testing.T

	w        *askbridgetest.World
	name, id string
	ref      platform.MessageRef
}

// press draws the old card, presses a button and waits for a text.
func (c oldCard) press(hand chatsim.Hand, label, text string) {
	c.Helper()
	c.draw()
	c.does(hand.Press(c.Context(), label))
	c.sees(hand, text)
}

func (c oldCard) sees(hand chatsim.Hand, text string) {
	c.Helper()
	synctest.Wait()
	c.does(hand.Await(c.Context(), func(sees string) bool { return strings.Contains(sees, text) }))
}

func (c oldCard) does(errs ...error) {
	c.Helper()
	for _, err := range errs {
		if err != nil {
			c.Fatal(err)
		}
	}
	synctest.Wait()
}

// draw replaces the card with the stored bytes, as the app edits it.
func (c oldCard) draw() {
	c.Helper()
	time.Sleep(10 * time.Second) // Discord limits edits.
	raw, err := os.ReadFile("testdata/card_before_more_" + c.name + ".json")
	if err != nil {
		c.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte("p01r3v7k2m9qxw"), []byte(c.id))
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		c.Fatal(err)
	}
	address, authorization, method := "", "Bearer "+slackBot, http.MethodPost
	var at *http.Client
	if c.name == askbridgetest.Slack {
		body["channel"], body["ts"] = c.ref.Channel, c.ref.Message
		address, at = c.w.Slack.APIURL()+"chat.update", c.w.Slack.Client()
	} else {
		method, authorization, at = http.MethodPatch, "Bot "+discordBot, c.w.Discord.Client()
		address = c.w.Discord.APIURL() + "/v10/channels/" + c.ref.Channel + "/messages/" + c.ref.Message
	}
	req, err := posting(address, authorization, body)
	if err != nil {
		c.Fatal(err)
	}
	req.Method = method
	resp, err := at.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		c.Fatalf("%s, %v", resp.Status, err)
	}
	synctest.Wait()
}

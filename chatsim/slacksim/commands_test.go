package slacksim_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	slackapi "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestCommandResponses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer    string
		dana, sam string // the end of their view
		rule      string
	}{
		"nothing":               {"", "", "", ""},
		"a text":                {"Which database?", "askbridge (only visible to you)\nWhich database?", "", ""},
		"a message for one":     {`{"text":"Which database?"}`, "askbridge (only visible to you)\nWhich database?", "", ""},
		"a message for all":     {`{"text":"Which database?","response_type":"in_channel"}`, "Dana\n/ask me now", "Dana\n/ask me now", ""},
		"a list, which is none": {`[]`, "", "", "request.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, &slacksim.Options{Commands: []string{"/ask"}})
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			var got slackapi.SlashCommand
			sim.DeliverToHandler("/slack/commands", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var err error
				if got, err = slackapi.SlashCommandParse(r); err != nil {
					t.Error(err)
				}
				_, _ = w.Write([]byte(tc.answer))
			}))
			if err := sim.Seat("U0000001").Command(t.Context(), "C0000001", "/ask", "me now"); err != nil {
				t.Fatal(err)
			}
			if got.Command != "/ask" || got.Text != "me now" || got.UserID != "U0000001" || got.ChannelName != "deploys" || got.TriggerID == "" || got.ResponseURL == "" {
				t.Errorf("the app got %+v", got)
			}
			for person, want := range map[string]string{"U0000001": tc.dana, "U0000002": tc.sam} {
				if sees := sim.Seat(person).Sees(); !strings.Contains(sees, want) || want == "" && sees != "" {
					t.Errorf("%s sees\n%s\nwant\n%s", person, sees, want)
				}
			}
		})
	}
}

func TestCommandOpensForm(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{Commands: []string{"/ask"}})
	answered := make(chan error, 1)
	sim.DeliverToHandler("/", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got, err := slackapi.SlashCommandParse(r)
		if err != nil {
			t.Error(err)
		}
		if reply := call(t, sim, "views.open", obj{"trigger_id": got.TriggerID, "view": modal(list{obj{"type": "divider"}})}); reply["ok"] != true {
			t.Errorf("the form: %v", reply)
		}
		answered <- slackapi.PostWebhookCustomHTTPContext(r.Context(), got.ResponseURL, sim.Client(), &slackapi.WebhookMessage{Text: "More soon.", ReplaceOriginal: true})
	}))
	seat := sim.Seat("U0000001")
	if err := seat.Command(t.Context(), "C0000001", "/ask", ""); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil || seat.Form() == nil {
		t.Errorf("its response_url: %v, the form %v", err, seat.Form())
	}
	if err := seat.Dismiss(t.Context()); err != nil || !strings.Contains(seat.Sees(), "More soon.") {
		t.Errorf("%v, she sees\n%s", err, seat.Sees())
	}
}

func TestCommandOverSocketMode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{Commands: []string{"/ask"}})
		listenTo(t, sim, socketmode.EventTypeSlashCommand, func(c *socketmode.Client, r *socketmode.Request) {
			if err := c.Ack(*r, map[string]any{"text": "Which database?"}); err != nil {
				t.Error(err)
			}
		})
		if err := sim.Seat("U0000001").Command(t.Context(), "C0000001", "/ask", "me"); err != nil {
			t.Fatal(err)
		}
		if sees := sim.Seat("U0000001").Sees(); !strings.HasSuffix(sees, "(only visible to you)\nWhich database?") {
			t.Errorf("she sees\n%s", sees)
		}
	})
}

func TestUnknownAndUnansweredCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{Commands: []string{"/ask"}})
		sim.Expect("ack.in_time")
		sim.DeliverToHandler("/", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // A server notices a disconnect only after reading the body.
			<-r.Context().Done()
		}))
		seat := sim.Seat("U0000001")
		for _, command := range []string{"/other", "ask"} {
			if err := seat.Command(t.Context(), "C0000001", command, ""); !errors.Is(err, chatsim.ErrNotThere) {
				t.Errorf("%s: %v", command, err)
			}
		}
		if err := seat.Command(t.Context(), "C0000001", "/ask", ""); !errors.Is(err, chatsim.ErrUnacknowledged) || !strings.Contains(sim.Timeline().String(), "operation_timeout") {
			t.Errorf("after three seconds: %v", err)
		}
		sim.Grant("xoxb-sim", "chat:write")
		if err := seat.Command(t.Context(), "C0000001", "/ask", ""); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("without the scope: %v", err)
		}
	})
}

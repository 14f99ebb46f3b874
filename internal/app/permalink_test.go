package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestPermalinksInAPIAndWebhook(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 4)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer receiver.Close()
	w := start(t, "both", withHooks)
	a := w.ask(ask.Request{
		Questions: []ask.Question{database}, Webhook: receiver.URL,
		To: []ask.Place{{Platform: "slack", Channel: "C0000001"}, {Platform: "discord", Channel: "200000000000000001"}},
	})
	slackCard, discordCard := a.Delivery[0], a.Delivery[1]
	urls := []string{
		"https://sim.slack.com/archives/C0000001/p" + strings.Replace(slackCard.Message, ".", "", 1),
		"https://discord.com/channels/100000000000000001/200000000000000001/" + discordCard.Message,
	}
	shows := func(what string, all []client.Delivery) {
		t.Helper()
		for n, d := range all {
			if d.URL != urls[n] {
				t.Errorf("%s: url = %q, want %q", what, d.URL, urls[n])
			}
		}
	}
	shows("submission", a.Delivery)
	got, err := w.agent.Get(t.Context(), a.ID)
	must(t, err)
	shows("request", got.Delivery)
	page, err := w.agent.List(t.Context(), client.ListQuery{})
	must(t, err)
	shows("list", page.Requests[0].Delivery)
	must(t, a.by(dana).Press(t.Context(), "SQLite"))
	shows("wait", a.end().Delivery)
	body := <-bodies
	for _, url := range urls {
		if !strings.Contains(body, `"url":"`+url+`"`) {
			t.Errorf("the webhook lacks %s: %s", url, body)
		}
	}
	if n := len(w.discord.Calls("get channel")); n != 1 {
		t.Errorf("Discord was asked %d times for the channel", n)
	}
	if n := len(w.slack.Calls("chat.getPermalink")); n != 0 {
		t.Errorf("Slack was asked %d times for a permalink", n)
	}
}

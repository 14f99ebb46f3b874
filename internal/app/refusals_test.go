package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/config"
)

// TestFailingAgentDoesNotBlockOthers has one agent exceed the failure budget of its tenant with
// channels that refuse the bot.
func TestFailingAgentDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"http", "discord http"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := start(t, mode, func(c *config.Config) {
				c.Agents = []config.Agent{
					{Name: "mallory", Token: config.NewSecret(strings.Repeat("m", 32)), MaxOpen: 500},
					{Name: "deploy", Token: config.NewSecret(strings.Repeat("d", 32))},
				}
			})
			as := func(token string) *client.Client {
				c, err := client.New(w.address, &client.Options{HTTP: w.http, Token: strings.Repeat(token, 32)})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			mallory, deploy := as("m"), as("d")
			vain := func(n int) *client.Request {
				to := ask.Place{Platform: "slack", Channel: fmt.Sprintf("C9%06d", n)}
				if w.discord != nil {
					to = ask.Place{Platform: "discord", Channel: fmt.Sprintf("2009%014d", n)}
				}
				r, err := mallory.Submit(t.Context(), ask.Request{Questions: []ask.Question{database}, To: []ask.Place{to}})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			for n := range 100 {
				r := vain(n)
				w.await("the request to fail", func() bool { // A rate limit may delay it.
					now, err := mallory.Get(t.Context(), r.ID)
					return err == nil && now.State == ask.Failed
				})
			}
			for n := range 10 {
				if r := vain(100 + n); r.State != ask.Open || r.Delivery[0].State != client.Delayed {
					t.Errorf("request %d is %s: %+v", 100+n, r.State, r.Delivery)
				}
			}
			if refused := w.refusals(); refused != 100 {
				t.Errorf("platform refused %d calls", refused)
			}
			r, err := deploy.Submit(t.Context(), ask.Request{Questions: []ask.Question{database}, To: []ask.Place{w.place()}})
			if err != nil || r.Delivery[0].State != client.Posted {
				t.Errorf("another agent: %+v, %v", r, err)
			}
		})
	}
}

// refusals counts refused cards.
func (w *fixture) refusals() (n int) {
	if w.slack != nil {
		for _, c := range w.slack.Calls("chat.postMessage") {
			if c.Error != "" {
				n++
			}
		}
		return n
	}
	for _, c := range w.discord.Calls("create message") {
		if c.Status == http.StatusNotFound {
			n++
		}
	}
	return n
}
